"""Bodies are decoded whole or not at all, and never beyond their caps."""

from __future__ import annotations

import asyncio
import codecs
import gzip
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.sources import body
from deepassay.sources.body import decode
from tests.growth import assert_linear, processor_time


def read(
    sent: bytes, encoding: str = "gzip", piece: int = 7, wire: int = 10**6, cap: int = 10**6
) -> bytes:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(sent), piece):
            yield sent[start : start + piece]

    return asyncio.run(body.read_body(pieces(), encoding, wire, cap))


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=3), st.integers(1, 50))
@settings(deadline=None, max_examples=30)
def test_gzip_in_any_number_of_members_and_pieces_is_what_was_packed(
    parts: list[bytes], piece: int
) -> None:
    sent = b"".join(map(gzip.compress, parts))
    assert read(sent, piece=piece) == b"".join(parts)


@given(st.binary(max_size=300), st.data())
@settings(deadline=None, max_examples=30)
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


# ------------------------------------------------------------------ charsets

CHINESE = "深度研究报告引用了许多网页，其中一些已经失效。我们逐一核对每条陈述与其来源是否相符。"
TRADITIONAL = "深度研究報告引用了許多網頁，其中一些已經失效。我們逐一核對每條陳述與其來源是否相符。"


def page(text, charset="", paragraphs=3):
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<html><head>{meta}</head><body>{f'<p>{text}</p>' * paragraphs}</body></html>"


@pytest.mark.parametrize("paragraphs", [3, 200])
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "not declared"])
@pytest.mark.parametrize(
    ("charset", "text"),
    [("gb18030", CHINESE), ("gbk", CHINESE), ("big5", TRADITIONAL), ("utf-8", CHINESE)],
)
def test_chinese_pages_are_read(charset, text, declared, paragraphs):
    markup = page(text, charset if declared else "", paragraphs)
    assert decode(markup.encode(charset)) == markup


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        pytest.param("a中".encode("gbk"), "text/html; charset=GB2312", "a中", id="header"),
        pytest.param("a中".encode("gbk"), "text/html; charset='gbk'", "a中", id="quoted"),
        pytest.param(b"\x93quoted\x94 \x80", "text/plain; charset=latin-1", "“quoted” €", id="cp"),
        pytest.param("﨑中堃".encode("gb18030"), "text/plain; charset=gb2312", "﨑中堃", id="rare"),
        pytest.param(codecs.BOM_UTF8 + b"x", "text/plain; charset=gbk", "x", id="mark first"),
        pytest.param(codecs.BOM_UTF16_LE + "中".encode("utf-16-le"), "", "中", id="utf-16 le"),
        pytest.param(codecs.BOM_UTF16_BE + "中".encode("utf-16-be"), "", "中", id="utf-16 be"),
        pytest.param(
            b'<?xml version="1.0" encoding="Shift_JIS"?>' + "テスト".encode("cp932"),
            "application/xml",
            '<?xml version="1.0" encoding="Shift_JIS"?>テスト',
            id="xml",
        ),
        pytest.param("naïve".encode(), "text/html; charset=ISO-8859-1", "naïve", id="habit"),
        pytest.param("naïve".encode("cp1252"), "text/html; charset=ISO-8859-1", "naïve", id="true"),
        pytest.param(b"plain", "text/plain; charset=martian", "plain", id="unknown"),
        pytest.param(b"plain", "text/plain; charset=zip", "plain", id="no charset of text"),
        pytest.param(b"\\x41", "text/plain; charset=unicode_escape", "\\x41", id="escapes"),
        pytest.param(b"plains", "text/plain; charset=utf-16", "plains", id="not in two bytes"),
        pytest.param(b"<meta charset=utf-16>x", "", "<meta charset=utf-16>x", id="nor in markup"),
    ],
)
def test_order_of_belief(body, content_type, text):
    assert decode(body, content_type) == text


def test_a_header_wins_over_the_markup():
    body = page(CHINESE, "big5").encode("gbk")
    assert CHINESE in decode(body, "text/html; charset=gbk")


@pytest.mark.parametrize("declared", ["utf-8", "euc-kr", "shift_jis"])
def test_a_declared_charset_that_does_not_fit_is_not_believed(declared):
    markup = page(CHINESE, paragraphs=50)
    assert decode(markup.encode("gb18030"), f"text/html; charset={declared}") == markup


def test_one_broken_character_does_not_turn_the_page_into_another_charset():
    body = page(CHINESE, "utf-8", paragraphs=200).encode()
    assert decode(body[:-16] + b"\xe4" + body[-16:]).count("\ufffd") == 1


@pytest.mark.parametrize(
    "piece", [b"<meta ", b"<meta charset=", b"<?xml ", b'<meta charset="', b"<"]
)
def test_half_declarations_are_read_in_linear_time(piece):
    def read(size):
        decode(piece * (size // len(piece)), "charset=" * (size // 10))

    assert_linear(read, lambda size: size)


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=300), st.text(max_size=40))
def test_it_never_raises(body, content_type):
    assert isinstance(decode(body, f"text/html; charset={content_type}"), str)


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=200))
def test_what_is_declared_truly_is_read_truly(text):
    text = text.removeprefix("\ufeff")
    if not text.startswith(("\xff", "\xfe")):
        assert decode(text.encode(), "text/plain; charset=utf-8") == text
