"""Pages from files: saved by a browser, kept in a web archive, or scraped by another program."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from deepassay.errors import BadSnapshots, DamagedSnapshots
from deepassay.files import BadFile, json_object
from deepassay.runfile import Capture
from deepassay.score import Json
from deepassay.sources.body import DECODED_CAP, decode
from deepassay.sources.classes import class_of_text
from deepassay.sources.faults import challenge
from deepassay.sources.page import EXTRACTION, Failure, NoText
from deepassay.sources.readers import Extracts
from deepassay.sources.wacz_reading import read_wacz
from deepassay.sources.warc_reading import read_warc
from deepassay.text import canonical

MEDIA: Final = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".pdf": "application/pdf",
    ".txt": "text/plain",
    ".md": "text/markdown",
}
"""Content types of pages that are saved in a file of their own, by the ending of its name."""

_READ: Final = "Pages are read from .warc, .warc.gz, .wacz, .html, .pdf, .txt, .md and .jsonl."
_SAVED_FROM: Final = re.compile(r"<!--\s{0,9}saved from url=\(\d{1,9}\)(\S{1,4000})", re.IGNORECASE)
_TAG: Final = re.compile(r"<(?:link|meta)\s[^<>]{1,4000}", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(
    r"([a-z]{1,9})=(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_ADDRESS: Final = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_SCRAPE_FAILED: Final = re.compile(r"scrape failed\b[^\n]{0,500}")
_REFUSED: Final = re.compile(r"\b(?:401|403|429|451)\b")


@dataclass
class Aside:
    """What files hold besides pages.

    skipped: records that are no pages, under the reason. moved: redirects, by canonical address.
    bad: rows and records that should be pages and cannot be read, a sentence each.
    """

    skipped: Counter[str] = field(default_factory=Counter)
    moved: dict[str, str] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)


async def read_pages(
    path: Path, url: str | None, extractor: Extracts, aside: Aside
) -> AsyncIterator[Capture]:
    """The pages of a file, as captures of the reader `import`.

    A saved page (.html, .pdf, .txt, .md) is one of `url`; HTML may name its address itself. A
    web archive holds any number. JSON Lines have `url` and `text` (or `url_content`) in each
    row, or are what the program of DeepResearch Bench writes when it has scraped the citations
    (`citations_deduped`). Pages are dated by the archive, others by the file's time of change.
    What a file of many pages holds besides is put aside.

    Raises BadSnapshots for a file of which nothing can be read, a saved page that is none (see
    `classes`), and one without address.
    """
    name = path.name.lower()
    if url is not None and _ADDRESS.match(url) is None:
        raise BadSnapshots(f"--url {url} is not an address.", "Give all of it, with https://.")
    try:
        if name.endswith((".warc", ".warc.gz", ".wacz")):
            _refuse_address(path, url)
            read = read_wacz if name.endswith(".wacz") else read_warc
            try:
                for capture in read(path, aside.skipped, aside.moved):
                    yield await _with_text(capture, extractor)
            except DamagedSnapshots as error:
                aside.bad.extend(error.problems)
        elif name.endswith(".jsonl"):
            _refuse_address(path, url)
            for capture in _rows(path, aside.bad):
                yield capture
        elif path.suffix.lower() in MEDIA:
            yield await _saved(path, url, extractor)
        else:
            raise BadSnapshots(f"{path}: not a kind of file that holds pages.", _READ)
    except OSError as error:
        raise BadSnapshots(f"{path}: it cannot be read ({error.strerror}).", _READ) from error


def _refuse_address(path: Path, url: str | None) -> None:
    if url is not None:
        raise BadSnapshots(
            f"{path}: --url is for a file that is one page; this one names its pages itself.",
            "Import it without --url.",
        )


async def _with_text(capture: Capture, extractor: Extracts) -> Capture:
    """A capture of a web archive; those of other programs hold no texts."""
    if capture.text is not None or capture.failure is not None or capture.body is None:
        return capture
    found_at = capture.final_url or capture.url
    read = await extractor.extract(capture.body, capture.media, found_at, capture.url)
    capture = replace(capture, reading=EXTRACTION)
    if isinstance(read, NoText):
        return replace(capture, failure=read.failure.value, detail=read.detail)
    return replace(capture, text=read.text, title=read.title)


async def _saved(path: Path, url: str | None, extractor: Extracts) -> Capture:
    """One page in a file of its own."""
    if path.stat().st_size > DECODED_CAP:
        raise BadSnapshots(f"{path}: larger than {DECODED_CAP:,} bytes.", "Save it without images.")
    body = path.read_bytes()
    media = MEDIA[path.suffix.lower()]
    address = url or (_address_in(decode(body, media)) if "html" in media else None)
    if address is None:
        raise BadSnapshots(
            f"{path}: the file does not say which address it was saved from.",
            "Name the address as it stands in the report: --url https://…",
        )
    read = await extractor.extract(body, media, address, address)
    if isinstance(read, NoText):
        raise BadSnapshots(
            f"{path}: no text can be read from it. {read.detail}",
            "Save it when it shows its text, or as a PDF that holds text; .txt is taken as it is.",
        )
    return Capture(
        canonical(address),
        _changed(path),
        "import",
        media=media,
        title=read.title,
        text=read.text,
        body=body,
        reading=EXTRACTION,
    )


def _address_in(markup: str) -> str | None:
    """The address that a saved page says it was saved from."""
    if saved := _SAVED_FROM.search(markup):
        return saved[1] if _ADDRESS.match(saved[1]) else None
    found: dict[str, str] = {}
    for tag in _TAG.finditer(markup):
        attributes = {
            each[1].lower(): html.unescape(each[2] or each[3] or each[4] or "").strip()
            for each in _ATTRIBUTE.finditer(tag[0])
        }
        address = attributes.get("href") or attributes.get("content") or ""
        says = (attributes.get("rel") or attributes.get("property") or "").lower()
        if says in {"canonical", "og:url"} and _ADDRESS.match(address):
            found.setdefault(says, address)
    return found.get("canonical") or found.get("og:url")


def _rows(path: Path, bad: list[str]) -> Iterator[Capture]:
    """Texts that are kept as JSON Lines; which layout it is, is seen from each row.

    bad: gets why rows cannot be read. Raises BadSnapshots if not one of them can be.
    """
    changed = _changed(path)
    wrong: list[BadSnapshots] = []
    read = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                for page in _row(line, changed, f"{path}, line {number}"):
                    if isinstance(page, Capture):
                        read += 1
                        yield page
                    else:
                        wrong.append(page)
    if wrong and not read:
        raise wrong[0]
    bad.extend(each.problem for each in wrong)


def _row(line: bytes, changed: str, place: str) -> Iterator[Capture | BadSnapshots]:
    """The pages of one row, and in place of each that cannot be read, why."""
    try:
        row = _object(line, place)
        cited = row.get("citations_deduped")
        if "citations_deduped" in row and not isinstance(cited, dict):
            raise BadSnapshots(f"{place}: field 'citations_deduped' is no object.", _READ)
    except BadSnapshots as error:
        yield error
        return
    told = _scraped(cited) if isinstance(cited, dict) else [row]
    for about in told:
        try:
            text = about.get("text", about.get("url_content"))
            yield _page(about.get("url"), text, changed, place, about.get("title"))
        except BadSnapshots as error:
            yield error


def _object(line: bytes, place: str) -> dict[str, Json]:
    try:
        return json_object(line.removeprefix(b"\xef\xbb\xbf"))
    except BadFile as error:
        raise BadSnapshots(f"{place}: {error.problem}.", error.remedy) from error


def _scraped(citations: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """The pages of one report that the released program scraped; those it did not are left out."""
    for url, about in citations.items():
        text = about.get("url_content") if isinstance(about, dict) else about
        if text is not None:
            yield {"url": url, "text": text}


def _page(url: Json, text: Json, changed: str, place: str, title: Json = None) -> Capture:
    if not isinstance(url, str) or not url.strip():
        raise BadSnapshots(f"{place}: field 'url' is no address.", "Each row: url and text.")
    if not isinstance(text, str):
        raise BadSnapshots(f"{place}: field 'text' is no text.", "Each row: url and text.")
    title = title if isinstance(title, str) else ""
    capture = Capture(canonical(url), changed, "import", title=title, reading=EXTRACTION)
    if failed := _SCRAPE_FAILED.match(text):
        kind = Failure.BLOCKED if _REFUSED.search(failed[0]) else Failure.GONE
        return replace(capture, failure=kind.value, detail=failed[0])
    if not text.strip():
        return replace(capture, failure=Failure.NOT_TEXT.value, detail="The text is empty.")
    if gate := challenge(text.encode("utf-8", "replace"), {}):
        detail = f"Instead of the page there was {gate}."
        return replace(capture, failure=Failure.BLOCKED.value, detail=detail)
    if other := class_of_text(title, text, capture.url, capture.url):
        return replace(capture, failure=other.failure.value, detail=other.detail)
    return replace(capture, text=text)


def _changed(path: Path) -> str:
    """When a file was changed last, UTC."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
