"""Pages in WARC files of other programs: wget, browsers, crawlers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from io import BytesIO
from urllib.parse import urljoin

from warcio.bufferedreaders import ChunkedDataReader
from warcio.recordloader import ArcWarcRecord

from deepassay.runfile.rows import Capture
from deepassay.sources.body import TooLarge, Torn, UnknownEncoding, decoder
from deepassay.sources.page import Failure
from deepassay.sources.warc.records import warc_date
from deepassay.text import canonical

CAP = 25_000_000  # bytes of a body, as stored and as decoded
PIECE = 65_536
_STATUS = re.compile(r"\d{3}", re.ASCII)
_MOVED = frozenset(("301", "302", "303", "307", "308"))
_READABLE = re.compile(
    r"text/(?!css|javascript|ecmascript)|.*/pdf\Z|.*[/+](?:xml|json)\Z|\Z|application/octet-stream\Z"
)


@dataclass(frozen=True)
class Skipped:
    """A record that is no page, and why not. moved: canonical addresses, from and to."""

    reason: str
    moved: tuple[str, str] | None = None


@dataclass(frozen=True)
class Found:
    """A page, without its text. cut: the file ends before it does."""

    capture: Capture
    cut: bool = False


def page(record: ArcWarcRecord) -> Found | Skipped:
    """The page in a record of warcio's; one that is too large, or packed strangely, as a failure.

    A `revisit` record, which says that a page was as before, holds none.
    """
    media = _media(record)
    if isinstance(media, Skipped):
        return media
    uri = record.rec_headers.get_header("WARC-Target-URI") or ""
    if not uri.lower().startswith(("http://", "https://")):
        return Skipped("no web address")
    if not _READABLE.match(media.partition(";")[0].strip().lower()):
        return Skipped("no text: images, styles, scripts and the like")
    fetched = warc_date(record.rec_headers.get_header("WARC-Date") or "")
    capture = Capture(canonical(uri), fetched, "import", final_url=uri, status=200, media=media)
    try:
        return Found(replace(capture, body=_body(record)), cut=_is_cut(record))
    except TooLarge as error:
        failure, detail = Failure.TOO_LARGE, str(error)
    except (Torn, UnknownEncoding) as error:
        failure, detail = Failure.NOT_TEXT, str(error)
    return Found(replace(capture, failure=failure.value, detail=f"In the WARC file {detail}."))


def _media(record: ArcWarcRecord) -> str | Skipped:
    """The content type of what could be a page."""
    if record.rec_type == "resource":
        return record.content_type or ""
    if record.rec_type == "revisit":
        return Skipped("revisit records")
    if record.rec_type != "response":
        return Skipped("records of other kinds")
    status = record.http_headers.get_statuscode() if record.http_headers else ""
    if not _STATUS.fullmatch(status):
        return Skipped("no HTTP response")
    if status != "200":
        return Skipped(f"HTTP status {status}", _moved(record) if status in _MOVED else None)
    return record.http_headers.get_header("content-type") or ""


def _moved(record: ArcWarcRecord) -> tuple[str, str] | None:
    uri = record.rec_headers.get_header("WARC-Target-URI") or ""
    location = record.http_headers.get_header("location") or ""
    to = urljoin(uri, location)
    web = ("http://", "https://")
    if not location or not (uri.lower().startswith(web) and to.lower().startswith(web)):
        return None
    return canonical(uri), canonical(to)


def _body(record: ArcWarcRecord) -> bytes:
    """The content of a record without the encodings of the transport."""
    # Not warcio's own `content_stream`: it unpacks without bounds, and takes what is torn for
    # whole.
    raw = decoder("", CAP)
    while piece := record.raw_stream.read(PIECE):
        raw.feed(piece)
    content = raw.close()
    http = record.http_headers
    if http and (http.get_header("transfer-encoding") or "").lower() == "chunked":
        content = ChunkedDataReader(BytesIO(content)).read()  # as it stands, if it has no chunks
    encoding = (http.get_header("content-encoding") or "") if http else ""
    if "gzip" in encoding.lower() and not content.startswith(b"\x1f\x8b"):
        encoding = ""  # many programs keep the header of what they have unpacked
    unpacked = decoder(encoding, CAP)
    unpacked.feed(content)
    return unpacked.close()


def _is_cut(record: ArcWarcRecord) -> bool:
    return getattr(record.raw_stream, "limit", 0) > 0
