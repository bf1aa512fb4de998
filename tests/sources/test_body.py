"""Bodies are decoded whole or not at all, and never beyond their caps."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.sources import body
from tests.growth import processor_time


def read(
    sent: bytes, encoding: str = "gzip", piece: int = 7, wire: int = 10**6, cap: int = 10**6
) -> bytes:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(sent), piece):
            yield sent[start : start + piece]

    return asyncio.run(body.read(pieces(), encoding, wire, cap))


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=3), st.integers(1, 50))
@settings(deadline=None, max_examples=50)
def test_gzip_in_any_number_of_members_and_pieces_is_what_was_packed(
    parts: list[bytes], piece: int
) -> None:
    sent = b"".join(map(gzip.compress, parts))
    assert read(sent, piece=piece) == b"".join(parts)


@given(st.binary(max_size=300), st.data())
@settings(deadline=None, max_examples=50)
def test_gzip_that_ends_too_early_is_torn(packed: bytes, data: st.DataObject) -> None:
    sent = gzip.compress(packed)
    with pytest.raises(body.Torn):
        read(sent[: data.draw(st.integers(0, len(sent) - 1))])


@pytest.mark.parametrize("encoding", ["", "identity", "Identity "])
def test_plain_bodies_are_taken_as_they_are(encoding: str) -> None:
    assert read(b"hello", encoding) == b"hello"


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "?" * 9999])
def test_other_encodings_are_refused_in_few_words(encoding: str) -> None:
    with pytest.raises(body.UnknownEncoding) as refused:
        read(b"hello", encoding)
    assert len(str(refused.value)) < 120


def test_the_caps_are_exact() -> None:
    assert len(read(bytes(100), "", wire=100, cap=100)) == 100
    assert len(read(gzip.compress(bytes(100)), cap=100)) == 100
    with pytest.raises(body.TooLarge, match="were sent"):
        read(bytes(101), "", wire=100)
    with pytest.raises(body.TooLarge, match="larger than 100 bytes"):
        read(gzip.compress(bytes(101)), cap=100)


def test_a_million_empty_members_are_refused_soon() -> None:
    def refused() -> None:
        with pytest.raises(body.TooLarge, match="gzip files"):
            read(gzip.compress(b"") * 100_000, piece=65_536, wire=10**7)

    assert min(processor_time(refused) for _ in range(3)) < 1.0
