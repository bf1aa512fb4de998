"""Captures as WARC 1.1 files, for archives, for other programs, and for other machines.

An export is, one gzip member a record: `warcinfo`; for each capture a `metadata` record with
all its fields, then its body (`response`, or `resource` where there was no web address) and its
text (`conversion` of the body, or `resource`); at the end a `metadata` record that counts the
captures, without which the file was cut. Equal captures give equal bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from io import BytesIO
from typing import BinaryIO, Final
from urllib.parse import quote, urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from deepassay.runfile.rows import Capture
from deepassay.sources.faults import PRINTABLE

SOFTWARE: Final = "DeepAssay captures, format 1"
"""In the `warcinfo` of an export, which then ends with a count."""

CAPTURE_MEDIA: Final = "application/vnd.deepassay.capture+json"
COUNT_MEDIA: Final = "application/vnd.deepassay.count+json"
TEXT_MEDIA: Final = "text/markdown; charset=utf-8"

NO_DATE: Final = "1970-01-01T00:00:00Z"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)


def record_id(*names: str) -> str:
    """The WARC-Record-ID of a part (metadata, request, body, text) of a capture."""
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ':'.join(('deepassay', *names)))}>"


def recorded_parts(capture: Capture) -> dict[str, bytes]:
    """The contents of a capture that have a record of their own: its body and its text."""
    found = {}
    if capture.body is not None:
        found["body"] = capture.body
    if capture.text is not None:
        # A text may have lone surrogates, and is to come back as it was.
        found["text"] = capture.text.encode("utf-8", "surrogatepass")
    return found


def warc_date(fetched: str) -> str:
    """A time as WARC has it, in UTC with a Z; NO_DATE for what is no time."""
    if _DATE.fullmatch(fetched):
        return fetched
    try:
        moment = datetime.fromisoformat(fetched)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment.tzinfo else NO_DATE
    except (ValueError, OverflowError):
        return NO_DATE


_NOT_LATIN = re.compile(r"[^\x20-\x7e\xa0-\xff]+")  # control characters among them


def write_captures(captures: Iterable[Capture], out: BinaryIO) -> int:
    """Write captures as a gzipped WARC. Gives how many there were.

    Nothing in it depends on when, where and by which release it is written.
    """
    writer = _WarcWriter(out)
    writer.record("warcinfo", f"software: {SOFTWARE}\r\n".encode(), "application/warc-fields")
    count = 0
    for capture in captures:
        writer.capture(capture)
        count += 1
    writer.record("metadata", json.dumps({"captures": count}).encode(), COUNT_MEDIA)
    return count


class _WarcWriter:
    def __init__(self, out: BinaryIO) -> None:
        self._warc = WARCWriter(out, gzip=True, warc_version="1.1")

    def capture(self, capture: Capture) -> None:
        contents = recorded_parts(capture)
        about = {
            "id": capture.id,
            "capture": {
                name: value
                for name, value in vars(capture).items()
                if name not in ("id", "body", "text")
            },
            "sha256": {name: hashlib.sha256(each).hexdigest() for name, each in contents.items()},
        }
        content = json.dumps(about, sort_keys=True, indent=1).encode()
        self.record("metadata", content, CAPTURE_MEDIA, capture)
        refers = {}
        if "body" in contents:
            self._body(capture, contents["body"])
            refers = {"WARC-Refers-To": record_id(capture.id, "body")}
        if "text" in contents:
            kind = "conversion" if refers else "resource"
            self.record(kind, contents["text"], TEXT_MEDIA, capture, "text", refers)

    def _body(self, capture: Capture, body: bytes) -> None:
        uri = _uri(capture.final_url or capture.url)
        if not _is_web(uri):
            self.record("resource", body, _header(capture.media), capture, "body")
            return
        served = [("Content-Type", _header(capture.media)), ("Content-Length", str(len(body)))]
        response = StatusAndHeaders(_status(capture.status), served, protocol="HTTP/1.1")
        self.record("response", body, "", capture, "body", http=response)
        if capture.reader == "direct":
            target = urlsplit(uri)._replace(scheme="", netloc="", fragment="").geturl() or "/"
            host = [("Host", urlsplit(uri).netloc)]
            request = StatusAndHeaders(f"GET {target} HTTP/1.1", host, is_http_request=True)
            concurrent = {"WARC-Concurrent-To": record_id(capture.id, "body")}
            self.record("request", b"", "", capture, "request", concurrent, http=request)

    def record(
        self,
        kind: str,
        content: bytes,
        media: str,
        capture: Capture | None = None,
        part: str = "metadata",
        headers: dict[str, str] | None = None,
        http: StatusAndHeaders | None = None,
    ) -> None:
        names = (capture.id, part) if capture else (kind, hashlib.sha256(content).hexdigest())
        uri = ""
        if capture:
            fetched_from = capture.final_url if part in ("body", "request") else ""
            uri = _uri(fetched_from or capture.url)
        self._warc.write_record(
            self._warc.create_warc_record(
                uri,
                kind,
                payload=BytesIO(content),
                length=len(content),
                warc_content_type=media,
                warc_headers_dict={
                    "WARC-Record-ID": record_id(*names),
                    "WARC-Date": warc_date(capture.fetched) if capture else NO_DATE,
                    **(headers or {}),
                },
                http_headers=http,
            )
        )


def _uri(url: str) -> str:
    """An address that a header can hold; one without lone surrogates, blanks and line ends."""
    return quote(url, safe=PRINTABLE, errors="surrogatepass")


def _is_web(uri: str) -> bool:
    try:
        return urlsplit(uri).scheme in {"http", "https"} and uri.startswith("http")
    except ValueError:  # http://[
        return False


def _header(value: str) -> str:
    """What a header can hold of a media type; our metadata holds it as it came.

    Other characters are written in percent here: warcio's own way stumbles over some of them.
    """
    return quote(_NOT_LATIN.sub(" ", value).strip(), safe=f"{PRINTABLE} ")


def _status(status: int | None) -> str:
    try:
        return f"{status or 200} {HTTPStatus(status or 200).phrase}"
    except ValueError:
        return f"{status} Unknown"
