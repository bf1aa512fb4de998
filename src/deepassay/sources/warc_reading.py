"""A WARC file to captures: ours as they were, those of other programs as pages to be read."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import IO
from urllib.parse import urljoin

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord

from deepassay.errors import BadSnapshots, DamagedSnapshots
from deepassay.runfile.rows import RENAMED, Capture
from deepassay.score import Json
from deepassay.sources.body import TooLarge, Torn, UnknownEncoding, decoder
from deepassay.sources.page import Failure
from deepassay.sources.warc_writing import (
    CAPTURE_MEDIA,
    COUNT_MEDIA,
    SOFTWARE,
    record_id,
    warc_date,
)
from deepassay.text import canonical

MOST_OURS = 100_000_000  # bytes of a body or a text in a file of ours
TOLD = 5  # problems that a message names

_ID = re.compile("[0-9a-f]{16}")
_OPTIONAL = {"status": int | None, "failure": str | None}
_PACKED_WHOLE = "it was packed as a whole, and only its first record can be read; gunzip it first"


def read_warc(
    path: Path, skipped: Counter[str] | None = None, moved: dict[str, str] | None = None
) -> Iterator[Capture]:
    """The captures in a WARC file, gzipped or not, as they come; ARC files are read too.

    Of a file of ours they are equal to those that were exported, failures included. Of any other
    they are its pages (HTTP status 200; HTML, PDF and other text), with a body and no text yet;
    what is not taken is counted in `skipped`, under its reason. `moved` gets the redirects that
    it holds, by canonical address. Raises BadSnapshots for what is
    no WARC, and DamagedSnapshots after all that could be read of one that was cut or damaged.
    """
    left_out: Counter[str] = Counter() if skipped is None else skipped
    with path.open("rb") as file:
        yield from read_warc_from(str(path), file, left_out, {} if moved is None else moved)


def read_warc_from(
    place: str, file: IO[bytes], skipped: Counter[str], moved: dict[str, str]
) -> Iterator[Capture]:
    """Read captures from an open archive that can be sought in.

    place: what messages call it. skipped, moved: filled as `read_warc` says.
    """
    start = file.read(10)
    file.seek(0)
    if start.startswith(b"PK"):
        raise BadSnapshots(f"{place} is a ZIP file and no WARC.", "A WACZ is named *.wacz.")
    if not start.startswith((b"\x1f\x8b", b"WARC/", b"filedesc:")):
        raise _no_warc(place)
    yield from _WarcPass(place, skipped, moved).captures(file)


def _no_warc(place: str) -> BadSnapshots:
    remedy = "Pages are read from .warc, .warc.gz, .wacz, .html, .pdf, .txt, .md and .jsonl."
    return BadSnapshots(f"{place} is no WARC file.", remedy)


class _WarcPass:
    """One pass through a file. What is wrong is noted, and told when all has been read."""

    def __init__(self, place: str, skipped: Counter[str], moved: dict[str, str]) -> None:
        self._place = place
        self._skipped = skipped
        self._moved = moved
        self._problems: list[str] = []
        self._open: _UnfinishedCapture | None = (
            None  # a capture of ours of which not all parts came yet
        )
        self._ours = 0  # captures since the last warcinfo
        self._count_expected = False

    def captures(self, file: IO[bytes]) -> Iterator[Capture]:
        for record in self._records(file):
            capture = self._capture(record)
            if capture is not None:
                yield capture
        self._end_of_export()
        if self._problems:
            told = "; ".join(self._problems[:TOLD])
            more = len(self._problems) - TOLD
            raise DamagedSnapshots(
                f"{self._place} is damaged: {told}{f'; {more} more' if more > 0 else ''}.",
                "All that could be read of it was taken. Fetch or export it again for the rest.",
            )

    def _records(self, file: IO[bytes]) -> Iterator[ArcWarcRecord]:
        iterator = ArchiveIterator(file, arc2warc=True)
        read = 0
        while True:
            try:
                record = next(iterator)
            except StopIteration:
                break
            except ArchiveLoadFailed as error:
                if not read:
                    raise _no_warc(self._place) from error
                packed = "non-chunked" in str(error)
                self._problems.append(_PACKED_WHOLE if packed else "a record cannot be read")
                break
            except (ValueError, AttributeError, TypeError, zlib.error):  # of a hostile header
                self._problems.append("a record cannot be read")
                break
            read += 1
            yield record
        if not read:
            raise BadSnapshots(f"{self._place} holds no records.", "Is it the right file?")

    def _capture(self, record: ArcWarcRecord) -> Capture | None:
        """The capture that a record is, or completes."""
        media = record.content_type
        if record.rec_type == "warcinfo":
            self._end_of_export()
            self._count_expected = SOFTWARE.encode() in _content(record)
        elif media == CAPTURE_MEDIA:
            self._drop_open()
            self._open = self._begun(record)
        elif media == COUNT_MEDIA:
            self._drop_open()
            self._check_count(record)
        elif self._open and (part := self._open.part(record)):
            self._take(self._open, part, record)
        elif not self._count_expected and record.rec_type not in ("request", "metadata"):
            return self._foreign(record)
        if self._open and not self._open.missing:
            capture = self._open.capture()
            self._open = None
            self._ours += 1
            return capture
        return None

    def _begun(self, record: ArcWarcRecord) -> _UnfinishedCapture | None:
        with suppress(ValueError, TypeError, KeyError, RecursionError):
            return _UnfinishedCapture(json.loads(_content(record)))
        self._problems.append("the description of a capture cannot be read")
        return None

    def _take(self, begun: _UnfinishedCapture, part: str, record: ArcWarcRecord) -> None:
        content = _content(record)
        if hashlib.sha256(content).hexdigest() == begun.missing[part]:
            del begun.missing[part]
            begun.contents[part] = content
        else:
            self._problems.append(f"the {part} of capture {begun.id} is not what was exported")
            self._open = None

    def _drop_open(self) -> None:
        if self._open:
            lost = " and ".join(self._open.missing)
            self._problems.append(f"of capture {self._open.id} the {lost} is not there")
            self._open = None

    def _check_count(self, record: ArcWarcRecord) -> None:
        count = None
        with suppress(ValueError, TypeError, KeyError):
            count = json.loads(_content(record))["captures"]
        if count != self._ours:
            self._problems.append(f"{self._ours} of {count} captures can be read")
        self._count_expected, self._ours = False, 0

    def _end_of_export(self) -> None:
        self._drop_open()
        if self._count_expected:
            self._problems.append(f"it was cut after {self._ours} captures")
        self._count_expected, self._ours = False, 0

    def _foreign(self, record: ArcWarcRecord) -> Capture | None:
        found = page_of_record(record)
        if isinstance(found, Skipped):
            self._skipped[found.reason] += 1
            if found.moved is not None:
                self._moved.setdefault(*found.moved)
            return None
        if found.cut:
            self._problems.append("it ends in the middle of a record")
            return None
        return found.capture


class _UnfinishedCapture:
    """A capture of ours whose parts are still to come. Raises for what we never write."""

    def __init__(self, about: Json) -> None:
        self.id: str = about["id"]
        self.missing: dict[str, str] = dict(about["sha256"])
        self.contents: dict[str, bytes] = {}
        self._fields: dict[str, Json] = about["capture"]
        capture = Capture(**self._fields)
        if _ID.fullmatch(self.id) is None or not self.missing.keys() <= {"body", "text"}:
            raise ValueError("no name and parts of a capture")
        for name, value in self._fields.items():
            if not isinstance(value, _OPTIONAL.get(name, str)):
                raise TypeError(name)
        if capture.failure is not None:
            Failure(RENAMED.get(capture.failure, capture.failure))
        self._names = {record_id(self.id, part): part for part in self.missing}

    def part(self, record: ArcWarcRecord) -> str | None:
        """Which of the missing parts a record is, if any."""
        part = self._names.get(record.rec_headers.get_header("WARC-Record-ID"))
        return part if part in self.missing else None

    def capture(self) -> Capture:
        text = self.contents.get("text")
        capture = Capture(
            **self._fields,
            text=None if text is None else text.decode("utf-8", "surrogatepass"),
            body=self.contents.get("body"),
        )
        # A capture is called the same with its body and without it, see `runfile.captures`.
        vars(capture)["id"] = self.id
        return capture


def _content(record: ArcWarcRecord) -> bytes:
    """What a record of ours holds; shorter if it is cut, or longer than ours ever are."""
    content = bytearray()
    while len(content) < MOST_OURS and (piece := record.content_stream().read(PIECE)):
        content += piece
    return bytes(content)


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
class FoundPage:
    """A page, without its text. cut: the file ends before it does."""

    capture: Capture
    cut: bool = False


def page_of_record(record: ArcWarcRecord) -> FoundPage | Skipped:
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
        return FoundPage(replace(capture, body=_body(record)), cut=_is_cut(record))
    except TooLarge as error:
        failure, detail = Failure.TOO_LARGE, str(error)
    except (Torn, UnknownEncoding) as error:
        failure, detail = Failure.NOT_TEXT, str(error)
    return FoundPage(replace(capture, failure=failure.value, detail=f"In the WARC file {detail}."))


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
