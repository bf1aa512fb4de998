"""The pages that a report cites: each listed once, and each passage of them shown once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlsplit

from deepassay.results.evidence import (
    PageVisit,
)
from deepassay.results.page.evidence import ShownItem
from deepassay.results.quoted_passages import (
    Archive,
    QuotedPassage,
    QuotePlace,
    find_on_pages,
    passage,
)
from deepassay.results.tables import printable

WORDY = 60
"""Characters of a reason that are always shown."""

HOST = 40
"""Characters of a host by which a page is named; the list of pages has its whole address."""


@dataclass(frozen=True)
class CitedPage:
    """A page of the list. name: its anchor. number: from 1. title, fetched: empty if not kept.

    state: why it could not be read, as a protocol tells it.
    """

    name: str
    number: int
    url: str
    title: str = ""
    fetched: str = ""
    state: str = ""

    @property
    def host(self) -> str:
        """What it is called beside a finding."""
        try:
            host = urlsplit(self.url).netloc
        except ValueError:
            host = ""
        return printable(host or self.url).removeprefix("www.")[:HOST]


@dataclass(frozen=True)
class Excerpt:
    """What is quoted beside a finding. name: anchor of the passage, empty if it found no room.

    passage: None where it found no room or was shown before. quote: as it stands on the page.
    """

    name: str
    page: CitedPage
    quote: str
    passage: QuotedPassage | None


class CitedPages:
    """Numbers the pages of one report as they come up, and shows passages while there is room.

    name: begins the anchors. room: bytes that passages and long reasons may take; what finds none
    is counted, in `left_out` and `shortened`.
    """

    def __init__(self, name: str, archive: Archive, room: int) -> None:
        self.left_out = 0
        self.shortened = 0
        self._name = name
        self._archive = archive
        self._room = room
        self._pages: dict[str, CitedPage] = {}
        self._shown: dict[QuotePlace, str] = {}
        self._excerpts = count(1)

    @property
    def listed(self) -> tuple[CitedPage, ...]:
        """Every page that an outcome speaks of, in the order in which they came up."""
        return tuple(self._pages.values())

    def page(self, url: str, snapshots: Mapping[str, str], state: str = "") -> CitedPage:
        """The page of this address."""
        if url not in self._pages:
            number = len(self._pages) + 1
            kept = self._archive.page(snapshots[url]) if url in snapshots else None
            told = (kept.title, kept.fetched) if kept else ("", "")
            self._pages[url] = CitedPage(f"{self._name}u{number}", number, url, *told, state)
        return self._pages[url]

    def visits(self, visits: Iterable[PageVisit], snapshots: Mapping[str, str]) -> None:
        """List the pages that a protocol came to, with why some could not be read."""
        for visit in visits:
            read = visit.state == "read"
            self.page(visit.url, snapshots, "" if read else visit.detail or visit.state)

    def excerpt(self, item: ShownItem, snapshots: Mapping[str, str]) -> Excerpt | None:
        """The passage that the item quotes; None if it quotes none that is on a page."""
        kept = {snapshots[url]: url for url in item.urls if url in snapshots}
        found = (
            find_on_pages(self._archive, tuple(kept), item.quotes) if kept and item.quotes else None
        )
        if found is None:
            return None
        page = self.page(kept[found.snapshot], snapshots)
        text = passage(self._archive, found)
        if found in self._shown:
            return Excerpt(self._shown[found], page, text.quote, None)
        if not self._has_room("".join(text)):
            self.left_out += 1
            return Excerpt("", page, text.quote, None)
        self._shown[found] = f"{self._name}p{next(self._excerpts)}"
        return Excerpt(self._shown[found], page, text.quote, text)

    def words(self, item: ShownItem, excerpt: Excerpt | None) -> str:
        """The reason of an item, by its beginning where there is no room for it all."""
        reason = item.justification
        if not item.urls or len(reason) <= WORDY:
            return reason
        if self._has_room(reason[WORDY:]):
            return reason
        if not (excerpt and excerpt.name and reason.strip("“”") == excerpt.quote):
            self.shortened += 1
        return f"{reason[:WORDY]}…"

    def _has_room(self, text: str) -> bool:
        size = len(text.encode("utf-8", "replace"))
        if size > self._room:
            return False
        self._room -= size
        return True
