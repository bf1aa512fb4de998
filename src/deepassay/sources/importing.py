"""Pages from files: saved by a browser, kept in a web archive, or scraped by another program."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.errors import BadSnapshots, DamagedSnapshots
from deepassay.files import BadFile, decode_text, json_object, read_yaml, without_surrogates
from deepassay.runfile import Capture
from deepassay.score import Json
from deepassay.sources.body import DECODED_CAP, decode
from deepassay.sources.classes import classed, no_page
from deepassay.sources.faults import failure_of
from deepassay.sources.page import EXTRACTION, ExtractedPage, Failure, NoText
from deepassay.sources.readers import Extracts
from deepassay.sources.wacz_reading import read_wacz
from deepassay.sources.warc_reading import read_warc
from deepassay.text import brief, canonical

MEDIA: Final = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".pdf": "application/pdf",
    ".txt": "text/plain",
    ".md": "text/markdown",
}
"""Content types of pages that are saved in a file of their own, by the ending of its name."""

ARCHIVES: Final = (".warc", ".warc.gz", ".wacz")
"""What the names of web archives end in."""

_READ: Final = "Pages are read from .warc, .warc.gz, .wacz, .html, .pdf, .txt, .md and .jsonl."
_SAVED_FROM: Final = re.compile(r"<!--\s{0,9}saved from url=\(\d{1,9}\)(\S{1,4000})", re.IGNORECASE)
_TAG: Final = re.compile(r"<(?:link|meta)\s[^<>]{1,4000}", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(
    r"([a-z]{1,9})=(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_ADDRESS: Final = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_SCRAPE_FAILED: Final = re.compile(r"scrape failed\b[^\n]{0,500}")
_REFUSED: Final = re.compile(r"\b(?:401|403|429|451)\b")
_DATE: Final = re.compile(r"\d{4}-[01]\d-[0-3]\d")
_FRONT: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.{1,4000}?)\n---[ \t]*\r?(?:\n|\Z)", re.DOTALL
)
_FRONT_OF_HTML: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?<!--[ \t]*\r?\n(.{1,4000}?)\n[ \t]*-->\s*", re.DOTALL
)
MOST_REDIRECTS: Final = 5


@dataclass
class Aside:
    """What files hold besides pages.

    skipped: records that are no pages, under the reason. moved: redirects, by canonical address.
    bad: rows and records that should be pages and cannot be read, a sentence each.
    """

    skipped: Counter[str] = field(default_factory=Counter)
    moved: dict[str, str] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)


class PageMetadata(NamedTuple):
    """What a file says of a page beside its text. date: YYYY-MM-DD."""

    url: str | None = None
    title: str = ""
    status: int | None = None
    date: str = ""


async def read_pages(
    path: Path,
    url: str | None,
    extractor: Extracts,
    aside: Aside,
    *,
    unnamed: str | None = None,
    undated: str | None = None,
) -> AsyncIterator[Capture]:
    """The pages of a file, as captures of the reader `import`.

    A saved page (.html, .pdf, .txt, .md) is one of `url`; it may name its address itself, beside
    title, date and status: in front matter (in HTML a comment at its beginning), or in a file
    beside it (`paper.pdf.yaml`). A web archive holds any number. JSON Lines have `url` and `text`
    (or `url_content`) in each row, perhaps `title`, `date` and `status`, or are what the program
    of DeepResearch Bench writes when it has scraped the citations (`citations_deduped`). A status
    that is no success makes a failure of a page. What a file of many pages holds besides is put
    aside.

    unnamed: the address of a saved page that names none. undated: the time of a page that has no
    date and stands in no archive; without it, when the file was changed last.

    Raises BadSnapshots for a file of which nothing can be read, a saved page that is none (see
    `classes`), and one without address.
    """
    name = path.name.lower()
    _refuse_address(path, url)
    try:
        undated = _changed(path) if undated is None else undated
        if name.endswith(ARCHIVES):
            read = read_wacz if name.endswith(".wacz") else read_warc
            try:
                for capture in read(path, aside.skipped, aside.moved):
                    yield await _with_text(capture, extractor)
            except DamagedSnapshots as error:
                aside.bad.extend(error.problems)
        elif name.endswith(".jsonl"):
            for capture in _rows(path, aside.bad, undated):
                yield capture
        elif path.suffix.lower() in MEDIA:
            yield await _saved(path, url, unnamed, undated, extractor)
        else:
            raise BadSnapshots(f"{path}: not a kind of file that holds pages.", _READ)
    except OSError as error:
        raise BadSnapshots(f"{path}: it cannot be read ({error.strerror}).", _READ) from error


def _refuse_address(path: Path, url: str | None) -> None:
    if url is not None and _ADDRESS.match(url) is None:
        raise BadSnapshots(f"--url {url} is not an address.", "Give all of it, with https://.")
    if url is not None and path.name.lower().endswith((*ARCHIVES, ".jsonl")):
        raise BadSnapshots(
            f"{path}: --url is for a file that is one page; this one names its pages itself.",
            "Import it without --url.",
        )


async def _with_text(capture: Capture, extractor: Extracts) -> Capture:
    """A capture of a web archive; those of other programs hold no texts."""
    if capture.text is not None or capture.failure is not None or capture.body is None:
        return capture
    found_at = capture.final_url or capture.url
    read = await extractor.extract(capture.body, capture.media, found_at)
    capture = replace(capture, reading=EXTRACTION)
    if isinstance(read, NoText):
        return replace(capture, failure=read.failure.value, detail=read.detail)
    return classed(replace(capture, text=read.text, title=read.title), read.said)


async def _saved(
    path: Path, url: str | None, unnamed: str | None, undated: str, extractor: Extracts
) -> Capture:
    """One page in a file of its own."""
    if path.stat().st_size > DECODED_CAP:
        raise BadSnapshots(f"{path}: larger than {DECODED_CAP:,} bytes.", "Save it without images.")
    media = MEDIA[path.suffix.lower()]
    about, body = _front(path, path.read_bytes(), media)
    address = (
        url
        or about.url
        or (_address_in(decode(body, media)) if "html" in media else None)
        or unnamed
    )
    if address is None:
        raise BadSnapshots(
            f"{path}: the file does not say which address it was saved from.",
            "Name the address as it stands in the report: --url https://…",
        )
    capture = Capture(
        canonical(address),
        _time(about, undated),
        "import",
        status=about.status,
        media=media,
        title=about.title,
        body=body,
        reading=EXTRACTION,
    )
    if failed := _unsuccessful(capture):
        return failed
    read = await extractor.extract(body, media, address)
    if isinstance(read, ExtractedPage):
        read = no_page(read.text, address, address) or read
    if isinstance(read, NoText):
        raise BadSnapshots(
            f"{path}: no text can be read from it. {read.detail}",
            "Save it when it shows its text, or as a PDF that holds text; .txt is taken as it is.",
        )
    return replace(capture, title=about.title or read.title, text=read.text)


def _front(path: Path, body: bytes, media: str) -> tuple[PageMetadata, bytes]:
    """What a saved page says of itself, and the rest of it.

    A comment or a paragraph between dashes that is no mapping is a part of the page. Raises
    BadSnapshots for a field that cannot be so.
    """
    beside = path.with_name(f"{path.name}.yaml")
    if is_beside := beside.is_file():
        raw, rest = beside.read_bytes(), body
    elif found := (_FRONT_OF_HTML if "html" in media else _FRONT).match(body):
        raw, rest = found[1], body[found.end() :]
    else:
        return PageMetadata(), body
    place = beside if is_beside else path
    try:
        fields = read_yaml(decode_text(raw))
    except BadFile as error:
        if "html" in media and not is_beside:
            return PageMetadata(), body  # of the comments that pages begin with, few are ours
        raise BadSnapshots(f"{place}: the front matter is {error.problem}.", _SAYS) from error
    if not isinstance(fields, dict) or not (is_beside or fields.keys() & set(PageMetadata._fields)):
        return PageMetadata(), body
    about = _about(fields)
    for name, value in about._asdict().items():
        if name in fields and str(fields[name]) != str(value):
            raise BadSnapshots(f"{place}: {name} cannot be {brief(fields[name])}.", _SAYS)
    return about, rest


_SAYS: Final = (
    "Front matter has `url: https://…`, and may have `title`, `date: 2025-06-01` and `status: 404`."
)


def _about(fields: Mapping[str, Json]) -> PageMetadata:
    """What fields say of a page, as far as it can be so."""
    url, title, status = fields.get("url"), fields.get("title"), fields.get("status")
    date = str(fields.get("date", ""))
    is_status = isinstance(status, int) and 100 <= status <= 599
    return PageMetadata(
        url if isinstance(url, str) and _ADDRESS.match(url) else None,
        title if isinstance(title, str) else "",
        status if is_status else None,
        date if _DATE.fullmatch(date) else "",
    )


def _time(about: PageMetadata, undated: str) -> str:
    return f"{about.date}T00:00:00Z" if about.date else undated


def _unsuccessful(capture: Capture) -> Capture | None:
    """The failure that a status says a page is."""
    if capture.status is None or 200 <= capture.status < 300:
        return None
    detail = f"The server answered with status {capture.status}."
    return replace(capture, failure=failure_of(capture.status).value, detail=detail)


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


def _rows(path: Path, bad: list[str], undated: str) -> Iterator[Capture]:
    """Texts that are kept as JSON Lines; which layout it is, is seen from each row.

    bad: gets why rows cannot be read. Raises BadSnapshots if not one of them can be.
    """
    wrong: list[BadSnapshots] = []
    read = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                for page in _row(line, undated, f"{path}, line {number}"):
                    if isinstance(page, Capture):
                        read += 1
                        yield page
                    else:
                        wrong.append(page)
    if wrong and not read:
        raise wrong[0]
    bad.extend(each.problem for each in wrong)


def _row(line: bytes, undated: str, place: str) -> Iterator[Capture | BadSnapshots]:
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
            yield _page(about, undated, place)
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


def _page(row: Mapping[str, Json], undated: str, place: str) -> Capture:
    url, text = row.get("url"), row.get("text", row.get("url_content"))
    if not isinstance(url, str) or not url.strip():
        raise BadSnapshots(f"{place}: field 'url' is no address.", "Each row: url and text.")
    if not isinstance(text, str):
        raise BadSnapshots(f"{place}: field 'text' is no text.", "Each row: url and text.")
    about = _about(row)
    title = about.title
    capture = Capture(
        canonical(url),
        _time(about, undated),
        "import",
        status=about.status,
        title=title,
        reading=EXTRACTION,
    )
    if unsuccessful := _unsuccessful(capture):
        body = without_surrogates(text).encode()
        return replace(unsuccessful, media="text/plain; charset=utf-8", body=body)
    if failed := _SCRAPE_FAILED.match(text):
        kind = Failure.BLOCKED if _REFUSED.search(failed[0]) else Failure.GONE
        return replace(capture, failure=kind.value, detail=failed[0])
    if not text.strip():
        return replace(capture, failure=Failure.NOT_TEXT.value, detail="The text is empty.")
    return classed(replace(capture, text=text))


def redirected(
    moved: Mapping[str, str], best: Callable[[str], Capture | None]
) -> Iterator[Capture]:
    """For addresses that an archive only knows as redirects, the pages that these lead to.

    best: the capture of an address that counts.
    """
    for url in moved:
        to = url
        for _ in range(MOST_REDIRECTS):
            to = moved.get(to, to)
        page = best(to)
        if page is not None and page.text is not None and to != url:
            if other := no_page(page.text, url, to):
                page = replace(page, text=None, failure=other.failure.value, detail=other.detail)
            yield replace(page, url=url)


def _changed(path: Path) -> str:
    """When a file was changed last, UTC."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
