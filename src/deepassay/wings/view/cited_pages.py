"""The pages that a report cites: each listed once, and each passage of them shown once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from deepassay.results.evidence import PageVisit
from deepassay.results.quoted_passages import (
    Archive,
    QuotedPassage,
    QuotePlace,
    find_on_pages,
    passage,
)
from deepassay.results.tables import printable

HOST: Final = 40
"""Characters of a host by which a page is named; the list of pages has its whole address."""


@dataclass(frozen=True)
class CitedPage:
    """A page of the list. title, fetched: empty if not kept.

    state: why it could not be read, as a protocol tells it.
    """

    url: str
    title: str = ""
    fetched: str = ""
    state: str = ""

    @property
    def host(self) -> str:
        """What it is called beside a finding."""
        return shown_host(self.url)


def shown_host(url: str) -> str:
    """The host of an address, as far as there is room for it."""
    try:
        host = urlsplit(url).netloc
    except ValueError:
        host = ""
    return printable(host or url).removeprefix("www.")[:HOST]


@dataclass(frozen=True)
class Excerpt:
    """What a finding quotes of a page, as it stands there.

    passage: None where it is shown beside another finding of the report, the one named `shown`.
    """

    url: str
    title: str
    place: QuotePlace
    passage: QuotedPassage | None
    shown: str


class CitedPages:
    """The pages of one report as they come up."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._pages: dict[str, CitedPage] = {}
        self._shown: dict[QuotePlace, str] = {}

    @property
    def listed(self) -> tuple[CitedPage, ...]:
        """Every page that an outcome speaks of, in the order in which they came up."""
        return tuple(self._pages.values())

    def page(self, url: str, snapshots: Mapping[str, str], state: str = "") -> CitedPage:
        """The page of this address."""
        if url not in self._pages:
            kept = self._archive.page(snapshots[url]) if url in snapshots else None
            told = (kept.title, kept.fetched) if kept else ("", "")
            self._pages[url] = CitedPage(url, *told, state)
        return self._pages[url]

    def visits(self, visits: Iterable[PageVisit], snapshots: Mapping[str, str]) -> None:
        """List the pages that a protocol came to, with why some could not be read."""
        for visit in visits:
            read = visit.state == "read"
            self.page(visit.url, snapshots, "" if read else visit.detail or visit.state)

    def excerpt(
        self, finding: str, urls: Sequence[str], quotes: Sequence[str], snapshots: Mapping[str, str]
    ) -> Excerpt | None:
        """The passage that a finding quotes; None if it quotes none that is on a page."""
        kept = {snapshots[url]: url for url in urls if url in snapshots}
        found = find_on_pages(self._archive, tuple(kept), quotes) if kept and quotes else None
        if found is None:
            return None
        page = self.page(kept[found.snapshot], snapshots)
        first = self._shown.setdefault(found, finding)
        shown = passage(self._archive, found) if first == finding else None
        return Excerpt(page.url, page.title, found, shown, first)
