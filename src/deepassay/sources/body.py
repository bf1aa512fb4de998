"""The body of a response, read piece by piece and never beyond its caps."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

WIRE_CAP = 10_000_000
DECODED_CAP = 25_000_000

_GZIP = 31  # zlib's name for "gzip, with the largest window"
_MEMBERS = 1_000  # honest files have one; each of a million empty ones would cost a decoder


class TooLarge(Exception):
    """A body passed a cap; the message says which."""


class Torn(Exception):
    """A compressed body ends too early or is damaged."""


class UnknownEncoding(Exception):
    """A body comes in an encoding that was not asked for."""


async def read(
    pieces: AsyncIterator[bytes], encoding: str, wire_cap: int, decoded_cap: int
) -> bytes:
    """A whole body without its Content-Encoding, which is gzip or none.

    The caps are in bytes, as received and as decoded. The HTTP library's own decoding is not
    used: it takes a truncated gzip body for a whole one.
    """
    decode = decoder(encoding, decoded_cap)
    received = 0
    async for piece in pieces:
        received += len(piece)
        if received > wire_cap:
            raise TooLarge(f"more than {wire_cap:,} bytes were sent")
        decode.feed(piece)
    return decode.close()


def decoder(encoding: str, cap: int) -> _Plain | _Gunzip:
    """What a body is fed to: `feed` each piece, then `close` gives it unpacked, up to the cap."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return _Plain(cap)
    if name in ("gzip", "x-gzip"):
        return _Gunzip(cap)
    raise UnknownEncoding(f"the body is encoded as {name[:40]!r}, which was not asked for")


class _Plain:
    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._out = bytearray()

    def feed(self, piece: bytes) -> None:
        self._out += piece
        if len(self._out) > self._cap:
            raise TooLarge(f"the page is larger than {self._cap:,} bytes")

    def close(self) -> bytes:
        return bytes(self._out)


class _Gunzip(_Plain):
    """Unpacks gzip of one or several members, never more than the cap and one byte."""

    def __init__(self, cap: int) -> None:
        super().__init__(cap)
        self._member = zlib.decompressobj(_GZIP)
        self._members = 1

    def feed(self, piece: bytes) -> None:
        while piece:
            if self._member.eof:
                if not piece.strip(b"\0"):  # padding, as some archives have it
                    return
                self._members += 1
                if self._members > _MEMBERS:
                    raise TooLarge(f"the page is packed as more than {_MEMBERS:,} gzip files")
                self._member = zlib.decompressobj(_GZIP)
            try:
                unpacked = self._member.decompress(piece, self._cap + 1 - len(self._out))
            except zlib.error as error:
                raise Torn("the compressed page is damaged") from error
            super().feed(unpacked)
            piece = self._member.unconsumed_tail or self._member.unused_data

    def close(self) -> bytes:
        if not self._member.eof:
            raise Torn("the compressed page ends too early")
        return super().close()
