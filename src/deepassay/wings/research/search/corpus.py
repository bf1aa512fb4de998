"""A corpus: pages of one's own that are searched and read in place of the web.

It is what a run without a network works on, and the same every time: order, snippets and dates
come of the files alone.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from deepassay.agents.search_results import SearchHit, SearchHits
from deepassay.errors import BadInput, BadSnapshots
from deepassay.runfile import Capture, RunFile
from deepassay.score import Json, digest
from deepassay.sources.extract import Extractor
from deepassay.sources.folders import ENDINGS, address_below, files_below, refuse_outside
from deepassay.sources.importing import ARCHIVES, Aside, read_pages, redirected
from deepassay.sources.page import ExtractedPage, Failure
from deepassay.sources.readers import Extracts
from deepassay.text import canonical
from deepassay.wings.research.search.index import RANKER, TextIndex, snippet

_SQLITE: Final = b"SQLite format 3\0"
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+([^\n]{1,300})", re.MULTILINE)
_PLAIN: Final = "text/plain; charset=utf-8"
_TEXT: Final = re.compile(r"text/(?:plain|markdown)\b|\Z")
_NAMED: Final = 50  # files that cannot be read, in one message
_LEFT_OUT: Final = "A file is left out where its name, or that of its folder, begins with a dot."
_STATUSES: Final[Mapping[str, int]] = {
    Failure.GONE: 404,
    Failure.BLOCKED: 403,
    Failure.PAYWALLED: 402,
    Failure.TIMEOUT: 504,
}


@dataclass(frozen=True)
class CorpusPage:
    """A page of a corpus.

    capture: what reading its address gives: the page, or its failure. text: by which it is found,
    also where reading fails. date: YYYY-MM-DD, None where its file gives none. place: of the file.
    """

    capture: Capture
    text: str
    date: str | None
    place: str

    @property
    def url(self) -> str:
        """The canonical address of the page."""
        return self.capture.url

    @property
    def status(self) -> int:
        """With which it is served; a failure never as a success."""
        status, failure = self.capture.status, self.capture.failure
        if failure is None:
            return status or 200
        return status if status and status >= 400 else _STATUSES.get(failure, 502)

    @cached_property
    def title(self) -> str:
        """Its own, else its first heading, else the last piece of its address."""
        heading = _HEADING.search(self.text)
        name = unquote(self.url.rstrip("/").rpartition("/")[2])
        return self.capture.title or (heading[1].strip() if heading else name)

    @property
    def media(self) -> str:
        """The content type with which it is served."""
        return _PLAIN if self._as_text else self.capture.media

    @property
    def body(self) -> bytes:
        """What is served: the page as it was saved, its text, or of a failure the status alone."""
        if self.capture.failure:
            phrases = {each.value: each.phrase for each in HTTPStatus}
            return f"{self.status} {phrases.get(self.status, 'Error')}\n".encode()
        return self.text.encode() if self._as_text else self.capture.body or b""

    @property
    def _as_text(self) -> bool:
        capture = self.capture
        return (
            bool(capture.failure) or capture.body is None or _TEXT.match(capture.media) is not None
        )


class Corpus:
    """Pages that can be searched, and read by their address (a `PageReader`)."""

    def __init__(
        self, place: str, pages: Sequence[CorpusPage], moved: Sequence[Capture] = ()
    ) -> None:
        """Index pages. moved: captures of addresses that redirect, read and never found.

        Raises BadSnapshots for two pages of one address, and for none at all.
        """
        self.pages: Mapping[str, CorpusPage] = {page.url: page for page in _distinct(place, pages)}
        self._moved = {capture.url: capture for capture in moved}
        self._ordered = sorted(self.pages.values(), key=lambda page: page.url)
        self._index = TextIndex(f"{page.title}\n{page.text}" for page in self._ordered)

    def close(self) -> None:
        """Close the index of the corpus; no search is possible then."""
        self._index.close()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that the pages hold, in whatever files they stand."""
        return digest([[page.capture.id, page.text, page.date] for page in self._ordered])

    @property
    def identity(self) -> Mapping[str, Json]:
        """The corpus by its digest, and the ranker."""
        return {"provider": "corpus", "corpus": self.digest[:12], "ranker": RANKER}

    async def search(
        self, query: str, *, count: int = 10, language: str | None = None
    ) -> SearchHits:
        """The pages with the most different words of a query; see `TextIndex.find`."""
        found = [self._ordered[place] for place in self._index.find(query, count)]
        return SearchHits(
            tuple(
                SearchHit(
                    page.url,
                    page.title,
                    snippet(page.text, query),
                    date=page.date,
                    rank=rank,
                    provider="corpus",
                )
                for rank, page in enumerate(found, start=1)
            )
        )

    async def read(self, url: str) -> Capture:
        """What an address leads to: its page, its failure, or that the corpus has none of it."""
        url = canonical(url)
        if (page := self.pages.get(url)) is not None:
            return page.capture
        absent = Capture(
            url,
            "",
            "import",
            failure=Failure.NOT_ARCHIVED.value,
            detail="The corpus has no such page.",
        )
        return self._moved.get(url, absent)


def _distinct(place: str, pages: Sequence[CorpusPage]) -> Iterator[CorpusPage]:
    if not pages:
        raise BadSnapshots(
            f"{place}: the corpus is empty.", f"It holds pages in files: {', '.join(ENDINGS)}."
        )
    seen: dict[str, str] = {}
    for page in pages:
        if page.url in seen:
            raise BadSnapshots(
                f"{page.place}: {page.url} is the address of a page of {seen[page.url]} as well.",
                "Give each page an address of its own, or remove one of the two.",
            )
        seen[page.url] = page.place
        yield page


@asynccontextmanager
async def open_corpus(path: Path) -> AsyncIterator[Corpus]:
    """The corpus in a folder of pages, in one file of them, or in a file of snapshots.

    Files are read as `sources import` reads them; one that names no address has that of the way to
    it, see `address_below`. Of an address of which an archive or a file of snapshots has
    several captures, the newest with a text counts. All pages are held in memory.

    Raises BadSnapshots for what is no corpus, is empty, holds an address twice or files that cannot
    be read, all of which it names; BadRunFile for one file of snapshots that cannot be read.
    """
    if not path.exists():
        raise BadSnapshots(
            f"{path}: there is no such file or folder.", "Check the path of the corpus."
        )
    files = files_below(path, ".assay") if path.is_dir() else [path]
    pages: list[CorpusPage] = []
    moved: list[Capture] = []
    bad: list[BadInput] = []
    async with Extractor() as extractor:
        for file in files:
            try:
                refuse_outside(file, path)
                unnamed = address_below(file, path)
                captures, redirects, is_dated = await _captures(file, unnamed, extractor)
            except BadInput as error:
                bad.append(error)
                continue
            moved += redirects
            for capture in captures:
                text = capture.text
                if text is None and capture.body is not None:
                    read = await extractor.extract(capture.body, capture.media, capture.url)
                    text = read.text if isinstance(read, ExtractedPage) else None
                date = (capture.fetched[:10] or None) if is_dated else None
                pages.append(CorpusPage(capture, text or "", date, str(file)))
    if bad:
        raise _unreadable(path, bad, len(files)) if path.is_dir() else bad[0]
    with closing(Corpus(str(path), pages, moved)) as corpus:
        yield corpus


def _unreadable(folder: Path, bad: Sequence[BadInput], of: int) -> BadInput:
    """One error for all files that cannot be read."""
    if len(bad) == 1:
        return type(bad[0])(bad[0].problem, f"{bad[0].remedy} {_LEFT_OUT}")
    named = [each.problem for each in bad[:_NAMED]]
    if len(bad) > _NAMED:
        named.append(f"and {len(bad) - _NAMED} more")
    lines = "\n  ".join([f"{folder}: {len(bad)} of {of} files cannot be read:", *named])
    return BadSnapshots(lines, f"Mend them. {_LEFT_OUT}")


async def _captures(
    file: Path, unnamed: str, extractor: Extracts
) -> tuple[list[Capture], list[Capture], bool]:
    """What a file holds, the addresses that redirect, and whether the times are dates of pages."""
    if _is_run_file(file):
        with RunFile.read(file) as run:
            urls = dict.fromkeys(row.url for row in run.captures.rows())
            return [page for url in urls if (page := run.captures.best(url))], [], False
    aside = Aside()
    found = [
        capture
        async for capture in read_pages(file, None, extractor, aside, unnamed=unnamed, undated="")
    ]
    if aside.bad:
        more = f" {len(aside.bad) - 1} more cannot be read." if len(aside.bad) > 1 else ""
        raise BadSnapshots(f"{aside.bad[0]}{more}", "Mend or remove what cannot be read.")
    if not file.name.lower().endswith(ARCHIVES):
        return found, [], True
    best: dict[str, Capture] = {}
    for capture in sorted(found, key=lambda page: (page.text is not None, page.fetched)):
        best[capture.url] = capture
    return list(best.values()), list(redirected(aside.moved, best.get)), False


def _is_run_file(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise BadSnapshots(
            f"{file}: it cannot be read ({error.strerror}).", "Check the rights of the file."
        ) from error
