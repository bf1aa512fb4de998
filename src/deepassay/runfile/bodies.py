"""Bodies as they are stored: compressed, with a digest that is checked on reading."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import zstandard

from deepassay.errors import BadRunFile
from deepassay.score import Json, canonical_json

LARGEST_BODY: Final = 256 * 1024 * 1024


def torn(path: Path, what: str) -> BadRunFile:
    """The error for a damaged file."""
    return BadRunFile(
        f"{path}: the run file is damaged ({' '.join(what.split())}). It was not touched.",
        "Restore it from a copy, or start anew with another --run FILE. As far as SQLite can read "
        "it, `deepassay replay FILE` names all of it that is damaged.",
    )


class Body(NamedTuple):
    """JSON among the values of a statement; it fills two columns, as `Bodies.pack` gives them."""

    value: Json


class Bodies:
    """Packs and unpacks the bodies of one file, in one thread: JSON, texts and bytes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pack = zstandard.ZstdCompressor(level=3)
        self._unpack = zstandard.ZstdDecompressor()

    def pack(self, value: Json) -> tuple[bytes, str]:
        """Compressed JSON and the digest of its text."""
        return self.pack_bytes(to_bytes(canonical_json(value)))

    def columns(self, values: Sequence[Any]) -> Iterator[Any]:
        """The values of a statement, with what bodies among them are packed into."""
        for value in values:
            if isinstance(value, Body):
                yield from self.pack(value.value)
            else:
                yield value

    def unpack(self, name: str, body: bytes, sha256: str) -> Json:
        """What `pack` was given; raises BadRunFile, naming the row, if it is not that."""
        return json.loads(to_text(self.unpack_bytes(name, body, sha256)))

    def pack_bytes(self, content: bytes) -> tuple[bytes, str]:
        """Compressed bytes and their digest."""
        return self._pack.compress(content), hashlib.sha256(content).hexdigest()

    def unpack_bytes(self, name: str, body: bytes, sha256: str) -> bytes:
        """What `pack_bytes` was given; raises BadRunFile, naming the row, if it is not that."""
        try:
            # A frame states its size and the library believes it: look before unpacking.
            size = zstandard.get_frame_parameters(body).content_size
            if size > LARGEST_BODY:
                raise torn(self._path, f"{name} claims to be {size} bytes long")
            content = self._unpack.decompress(body)
        except zstandard.ZstdError as error:
            raise torn(self._path, f"{name} cannot be read") from error
        if hashlib.sha256(content).hexdigest() != sha256:
            raise torn(self._path, f"{name} is not what was written")
        return content


def to_bytes(text: str) -> bytes:
    """A text as it is stored: UTF-8, and lone surrogates as they are."""
    return text.encode("utf-8", "surrogatepass")


def to_text(content: bytes) -> str:
    """What `to_bytes` was given."""
    return content.decode("utf-8", "surrogatepass")
