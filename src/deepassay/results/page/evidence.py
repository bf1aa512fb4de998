"""A judgement opened down to its items: verdict, reason, places in the report, and the page.

The pages that a report cites: each listed once, and each passage of them shown once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Final
from urllib.parse import urlsplit

from deepassay.results.evidence import (
    EvidenceItem,
    OutcomeEvidence,
    PageVisit,
    ReportPlace,
    panel_then_judges,
)
from deepassay.results.explain import (
    FAULTS,
    NOTHING,
    Archive,
    QuotedPassage,
    QuotePlace,
    find_on_pages,
    found_nothing,
    headline,
    items_with_pages,
    passage,
    quotes_of,
    verdict_of,
)
from deepassay.results.page.content import JudgedText
from deepassay.results.records import Judged
from deepassay.results.tables import printable
from deepassay.text import natural_order

BEGINNING: Final = 50
"""Characters by which a statement is listed that can be read at its place in the report."""

ENDS: Final = {"own": "wins", "baseline": "loses", "tie": "ties"}
"""How a pair ends for the report that is scored."""

_LINE_END: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class ReportPassage:
    """A place in the report that an item speaks of. start, end: characters."""

    start: int
    end: int
    line: int
    message: str


@dataclass(frozen=True)
class ShownItem:
    """One criterion, check, claim or issue. tone: `good`, `bad` or `open`. depth: in a tree.

    text: as it is listed; said: the whole of it. urls: the pages that it was judged by, the first
    of them cited with it. quotes: what may stand on these.
    """

    key: str
    text: str
    said: str
    verdict: str
    tone: str
    by: str
    justification: str
    depth: int
    spots: tuple[ReportPassage, ...]
    urls: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShownOpinion:
    """What one judge, or a panel together, came to. told: sentences on how it came about."""

    judge: str
    headline: str
    unscored: bool
    told: tuple[str, ...]
    parts: tuple[tuple[str, float | None], ...]
    items: tuple[ShownItem, ...]


class ReportPlaces:
    """A report in which lines and quotes are looked up."""

    def __init__(self, report: JudgedText, archive: Archive) -> None:
        self.text = report.text
        self._statements = report.statements
        self._archive = archive

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def spots(self, item: EvidenceItem) -> tuple[ReportPassage, ...]:
        """Where an item says it is, or, for what a report cites, where its statement stands."""
        given = tuple(self._given(place, item) for place in item.places or ())
        if given or not item.url:
            return given
        said = item.item
        found = self._statements.get(said) or self._archive.place(self.text, said)
        return () if found is None else (ReportPassage(*found, self._line(found[0]), ""),)

    def listed(self, item: EvidenceItem, spots: Sequence[ReportPassage]) -> str:
        """The text of an item, by its beginning alone where it can be read at its place."""
        said = item.item
        stated = said in self._statements or any(
            self.text.startswith(said, spot.start) for spot in spots
        )
        return f"{said[:BEGINNING]}…" if stated and spots and len(said) > BEGINNING else said

    def _given(self, place: ReportPlace, item: EvidenceItem) -> ReportPassage:
        """A place, as long as the passage that it quotes, or else to the end of its line."""
        line = min(max(place.line, 1), len(self._starts))
        start = min(self._starts[line - 1] + max(place.column, 1) - 1, len(self.text))
        if (stated := self._statements.get(item.item)) and stated[0] == start:
            return ReportPassage(*stated, line, place.message)
        for quoted in (place.message, item.item):
            if quoted and self.text.startswith(quoted, start):
                return ReportPassage(start, start + len(quoted), line, place.message)
        stop = _LINE_END.search(self.text, start)
        return ReportPassage(start, stop.start() if stop else len(self.text), line, place.message)

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)


def opinions(record: Judged, report: ReportPlaces) -> Iterator[ShownOpinion]:
    """The outcome of a judgement, then that of each judge of a panel."""
    for judge, outcome in panel_then_judges(record):
        nothing = [NOTHING] if found_nothing(outcome) else []
        yield ShownOpinion(
            judge,
            headline(outcome),
            outcome.cause is not None,
            (*_told(record.agent, outcome.evidence), *nothing),
            tuple(sorted(outcome.parts.items(), key=lambda each: natural_order(each[0]))),
            tuple(_items(outcome.evidence, report)),
        )


def _told(agent: str, evidence: OutcomeEvidence) -> Iterator[str]:
    if rival := evidence.baseline:
        agree = "" if evidence.consistent else ", but not in both orders"
        end = ENDS.get(evidence.winner or "", "is compared")
        yield f"{agent} {end} against {rival}{agree}."
    if evidence.not_asked:
        yield f"Nobody was asked: {evidence.not_asked}"
    if evidence.quirks:
        yield f"Quirks of the released program that fired: {', '.join(evidence.quirks)}"
    if evidence.summary:
        yield evidence.summary


def _items(evidence: OutcomeEvidence, report: ReportPlaces) -> Iterator[ShownItem]:
    for item, urls in items_with_pages(evidence.items):
        spots = report.spots(item)
        yield ShownItem(
            key=item.key,
            text="" if urls == (item.item,) else report.listed(item, spots),
            said=item.item,
            verdict=verdict_of(item),
            tone="open" if evidence.baseline else _tone(item),
            by=item.decided_by or "",
            justification=_reason(item, urls),
            depth=item.depth,
            spots=spots,
            urls=urls,
            quotes=tuple(quotes_of(item)),
        )


def _reason(item: EvidenceItem, urls: Sequence[str]) -> str:
    """The reason without the addresses in it, which are shown by themselves."""
    reason = item.reason
    if urls:
        reason = reason.removeprefix(urls[0]).removeprefix(" · ")
        head, comma, tail = reason.rpartition(f" · {', '.join(urls)}: ")
        reason = f"{head} {tail}" if comma else reason
    return reason


def _tone(item: EvidenceItem) -> str:
    """Good or bad where a verdict is one or the other; a fault that is there is bad."""
    if item.state:
        return "bad" if item.state in FAULTS else "open"
    if not item.has("score"):
        return "bad" if item.places else "open"
    if item.score is None or item.dimension is not None or item.score not in (0, 1):
        return "open"
    merit = item.weight is None or item.weight >= 0
    return "good" if (item.score == 1) == merit else "bad"


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
