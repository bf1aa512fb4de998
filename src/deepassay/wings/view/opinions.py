"""A judgement opened down to its items: verdict, reason, places in the report, and the page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from deepassay.results.evidence import (
    EvidenceItem,
    OutcomeEvidence,
    ReportPlace,
    panel_then_judges,
)
from deepassay.results.explain import (
    FAULTS,
    NOTHING,
    found_nothing,
    headline,
    summary_of,
    verdict_of,
)
from deepassay.results.quoted_passages import (
    Archive,
    items_with_pages,
    quotes_of,
)
from deepassay.results.records import Judged
from deepassay.text import natural_order
from deepassay.wings.view.judged_text import JudgedText

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
    if summary := summary_of(evidence):
        yield summary


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
