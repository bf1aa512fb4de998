"""The body of a response: unpacked within its caps, what it is, and its text."""

from __future__ import annotations

import mimetypes
import re
import zlib
from collections.abc import AsyncIterator
from enum import Enum
from urllib.parse import urlsplit

from resiliparse.parse.encoding import bytes_to_str, detect_encoding, map_encoding_to_html5

from deepassay.sources.page import Failure

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


async def read_body(
    pieces: AsyncIterator[bytes], encoding: str, wire_cap: int, decoded_cap: int
) -> bytes:
    """A whole body without its Content-Encoding, which is gzip or none.

    The caps are in bytes, as received and as decoded. The HTTP library's own decoding is not
    used: it takes a truncated gzip body for a whole one.
    """
    unpack = decoder(encoding, decoded_cap)
    received = 0
    async for piece in pieces:
        received += len(piece)
        if received > wire_cap:
            raise TooLarge(f"more than {wire_cap:,} bytes were sent")
        unpack.feed(piece)
    return unpack.close()


def decoder(encoding: str, cap: int) -> _PlainBody | _Gunzip:
    """What a body is fed to: `feed` each piece, then `close` gives it unpacked, up to the cap."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return _PlainBody(cap)
    if name in ("gzip", "x-gzip"):
        return _Gunzip(cap)
    raise UnknownEncoding(f"the body is encoded as {name[:40]!r}, which was not asked for")


class _PlainBody:
    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._out = bytearray()

    def feed(self, piece: bytes) -> None:
        self._out += piece
        if len(self._out) > self._cap:
            raise TooLarge(f"the page is larger than {self._cap:,} bytes")

    def close(self) -> bytes:
        return bytes(self._out)


class _Gunzip(_PlainBody):
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


class Kind(Enum):
    """What the text of a body is read as."""

    HTML = "html"
    PDF = "pdf"
    JSON = "json"
    PLAIN = "plain"


class UnreadableBody(Exception):
    """A body that gives no text: the kind of failure, and a sentence for a person."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(failure, detail)
        self.failure = failure
        self.detail = detail


_BINARY = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "an image, a sound or a film"),
    (b"OggS", "a sound or a film"),
    (b"PK\x03\x04", "a ZIP archive or an Office file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"Rar!", "an archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"%!PS", "PostScript"),
)
_MARKUP = re.compile(rb"<(?:!doctype|html|head|body|\?xml|rss|feed)\b", re.IGNORECASE)
_BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_VAGUE = {"", "application/octet-stream", "binary/octet-stream", "application/x-download"}
_START = 8192  # bytes that are looked at


def kind(body: bytes, content_type: str, url: str = "") -> Kind:
    """How a body is to be read. Raises UnreadableBody for what is no text: images, archives, films.

    url: its ending counts where the server says nothing.
    """
    start = body[:_START]
    if start.lstrip().startswith(b"%PDF-"):
        return Kind.PDF
    for magic, what in _BINARY:
        if start.startswith(magic):
            raise UnreadableBody(Failure.NOT_TEXT, f"Not a page but {what}.")
    media = _media_type(content_type, url)
    if media.split("/")[0] in {"image", "audio", "video", "font"}:
        raise UnreadableBody(Failure.NOT_TEXT, f"Not a page but {media}.")
    if _MARKUP.match(_first_tag(_without_bom(start))) or media in {
        "text/html",
        "application/xhtml+xml",
    }:
        return Kind.HTML
    if b"%PDF-" in start[:1024]:
        return Kind.PDF  # some bytes before the header are common, and allowed
    if b"\0" in start and not start.startswith(tuple(_BOMS)):
        raise UnreadableBody(Failure.NOT_TEXT, f"Bytes that are no text ({media or 'of no type'}).")
    return Kind.JSON if media.endswith(("/json", "+json")) else Kind.PLAIN


def _media_type(content_type: str, url: str) -> str:
    """The media type as served, without parameters; by the ending of the URL if it says nothing."""
    media = content_type.partition(";")[0].strip().lower()
    if media not in _VAGUE:
        return media
    return mimetypes.guess_type(_path(url))[0] or ""


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _without_bom(start: bytes) -> bytes:
    for mark in _BOMS:
        if start.startswith(mark):
            return start[len(mark) :].replace(b"\0", b"")  # enough to see markup in UTF-16
    return start


def _first_tag(start: bytes) -> bytes:
    """From where blanks and comments end."""
    start = start.lstrip()
    while start.startswith(b"<!--") and b"-->" in start:
        start = start.partition(b"-->")[2].lstrip()
    return start


_HEADER = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}[\"']([\w.:-]{2,40})", re.IGNORECASE)


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a body, without its byte order mark. Never raises.

    In this order, as far as it fits: byte order mark, `charset` of the content type, XML
    declaration, `<meta>`, UTF-8, a guess. Where nothing fits, characters are replaced.
    """
    for mark, name in _BOMS.items():
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    header, xml = _HEADER.search(content_type[:1000]), _XML.match(body)
    declared = [header and header[1], xml and xml[1].decode("ascii", "replace")]
    names = [map_encoding_to_html5(each, fallback_utf8=False) for each in declared if each]
    # Not in the names of HTML 5, which has none that the library knows for Korean.
    names.append(detect_encoding(body, from_html_meta=True, html5_compatible=False))
    names += ["utf-8", detect_encoding(body, html5_compatible=False)]
    # UTF-16 would have begun with a mark.
    order = [name for name in names if name and not name.startswith("utf-16")]
    if order[0] == "cp1252":  # servers say so of everything, and any bytes are
        order.insert(0, "utf-8")
    return bytes_to_str(body, order[0], errors="replace", fallback_encodings=order[1:])
