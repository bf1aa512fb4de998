"""What a body is: by its first bytes, which win over what the server says of it."""

from __future__ import annotations

import mimetypes
import re
from enum import Enum
from urllib.parse import urlsplit

from deepassay.sources.page import Failure


class Kind(Enum):
    """How a body is read."""

    HTML = "html"
    PDF = "pdf"
    JSON = "json"
    PLAIN = "plain"


class Unreadable(Exception):
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
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_VAGUE = {"", "application/octet-stream", "binary/octet-stream", "application/x-download"}
_START = 8192  # bytes that are looked at


def kind(body: bytes, content_type: str, url: str = "") -> Kind:
    """How a body is to be read. Raises Unreadable for what is no text: images, archives, films.

    url: its ending counts where the server says nothing.
    """
    start = body[:_START]
    if start.lstrip().startswith(b"%PDF-"):
        return Kind.PDF
    for magic, what in _BINARY:
        if start.startswith(magic):
            raise Unreadable(Failure.NOT_TEXT, f"Not a page but {what}.")
    said = _said(content_type, url)
    if said.split("/")[0] in {"image", "audio", "video", "font"}:
        raise Unreadable(Failure.NOT_TEXT, f"Not a page but {said}.")
    if _MARKUP.match(_first_tag(_without_bom(start))) or said in {
        "text/html",
        "application/xhtml+xml",
    }:
        return Kind.HTML
    if b"%PDF-" in start[:1024]:
        return Kind.PDF  # some bytes before the header are common, and allowed
    if b"\0" in start and not start.startswith(_BOMS):
        raise Unreadable(Failure.NOT_TEXT, f"Bytes that are no text ({said or 'of no type'}).")
    return Kind.JSON if said.endswith(("/json", "+json")) else Kind.PLAIN


def _said(content_type: str, url: str) -> str:
    """The media type as served, without parameters; by the ending of the URL if it says nothing."""
    said = content_type.partition(";")[0].strip().lower()
    if said not in _VAGUE:
        return said
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
