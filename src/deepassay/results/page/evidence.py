"""A judgement opened down to its items: verdict, reason, places in the report, and the page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from deepassay.results.explain import NOTHING, found_nothing, headline, verdict_of
from deepassay.results.page.content import ReportText
from deepassay.results.passages import Archive
from deepassay.results.quoted import quotes_of, with_pages
from deepassay.results.records import Judged
from deepassay.score import Json, to_json
from deepassay.text import counted

BEGINNING: Final = 50
"""Characters by which a statement is listed that can be read at its place in the report."""

ENDS: Final = {"own": "wins", "baseline": "loses", "tie": "ties"}
"""How a pair ends for the report that is scored."""

FAULTS: Final = ("E1", "E2", "E3")
"""States of a cited page that count as errors (LiveResearchBench, table 7)."""

_LINE_END: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Spot:
    """A place in the report that an item speaks of. start, end: characters."""

    start: int
    end: int
    line: int
    message: str


@dataclass(frozen=True)
class Item:
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
    spots: tuple[Spot, ...]
    urls: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Opinion:
    """What one judge, or a panel together, came to. told: sentences on how it came about."""

    judge: str
    headline: str
    unscored: bool
    told: tuple[str, ...]
    parts: tuple[tuple[str, float | None], ...]
    items: tuple[Item, ...]


class ReportPlaces:
    """A report in which lines and quotes are looked up."""

    def __init__(self, report: ReportText, archive: Archive) -> None:
        self.text = report.text
        self._statements = report.statements
        self._archive = archive

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    def spots(self, item: Mapping[str, Json]) -> tuple[Spot, ...]:
        """Where an item says it is, or, for what a report cites, where its statement stands."""
        given = tuple(self._given(place, item) for place in item.get("places") or ())
        if given or not item.get("url"):
            return given
        said = item["item"]
        found = self._statements.get(said) or self._archive.place(self.text, said)
        return () if found is None else (Spot(*found, self._line(found[0]), ""),)

    def listed(self, item: Mapping[str, Json], spots: Sequence[Spot]) -> str:
        """The text of an item, by its beginning alone where it can be read at its place."""
        said = str(item["item"])
        stated = said in self._statements or any(
            self.text.startswith(said, spot.start) for spot in spots
        )
        return f"{said[:BEGINNING]}…" if stated and spots and len(said) > BEGINNING else said

    def _given(self, place: Mapping[str, Json], item: Mapping[str, Json]) -> Spot:
        """A place, as long as the passage that it quotes, or else to the end of its line."""
        line = min(max(place["line"], 1), len(self._starts))
        start = min(self._starts[line - 1] + max(place["column"], 1) - 1, len(self.text))
        if (stated := self._statements.get(item["item"])) and stated[0] == start:
            return Spot(*stated, line, place["message"])
        for quoted in (place["message"], item["item"]):
            if quoted and self.text.startswith(quoted, start):
                return Spot(start, start + len(quoted), line, place["message"])
        stop = _LINE_END.search(self.text, start)
        return Spot(start, stop.start() if stop else len(self.text), line, place["message"])

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)


def opinions(record: Judged, report: ReportPlaces) -> Iterator[Opinion]:
    """The outcome of a judgement, then that of each judge of a panel."""
    judges = record.outcome.details.get("judges") or {}
    for judge, outcome in (("", to_json(record.outcome)), *judges.items()):
        details = outcome["details"]
        yield Opinion(
            judge,
            _headline(outcome),
            "cause" in outcome,
            (*_told(record.agent, details), *([NOTHING] if found_nothing(outcome) else ())),
            tuple(sorted((outcome.get("parts") or {}).items(), key=lambda each: counted(each[0]))),
            tuple(_items(details, report)),
        )


def _headline(outcome: Mapping[str, Json]) -> str:
    if "cause" in outcome:
        return f"Unscored ({outcome['cause']}): {outcome['detail']}"
    return headline(outcome)


def _told(agent: str, details: Mapping[str, Json]) -> Iterator[str]:
    if rival := details.get("baseline"):
        agree = "" if details.get("consistent", True) else ", but not in both orders"
        end = ENDS.get(str(details.get("winner")), "is compared")
        yield f"{agent} {end} against {rival}{agree}."
    if details.get("not_asked"):
        yield f"Nobody was asked: {details['not_asked']}"
    if details.get("quirks"):
        yield f"Quirks of the released program that fired: {', '.join(details['quirks'])}"
    if details.get("summary"):
        yield details["summary"]


def _items(details: Mapping[str, Json], report: ReportPlaces) -> Iterator[Item]:
    for item, urls in with_pages(details.get("items") or ()):
        spots = report.spots(item)
        yield Item(
            key=str(item["key"]),
            text="" if urls == (item["item"],) else report.listed(item, spots),
            said=str(item["item"]),
            verdict=verdict_of(item),
            tone="open" if "baseline" in details else _tone(item),
            by=item.get("decided_by") or "",
            justification=_reason(item, urls),
            depth=item.get("depth", 0),
            spots=spots,
            urls=urls,
            quotes=tuple(quotes_of(item)),
        )


def _reason(item: Mapping[str, Json], urls: Sequence[str]) -> str:
    """The reason without the addresses in it, which are shown by themselves."""
    reason = str(item.get("justification") or "")
    if urls:
        reason = reason.removeprefix(urls[0]).removeprefix(" · ")
        head, comma, tail = reason.rpartition(f" · {', '.join(urls)}: ")
        reason = f"{head} {tail}" if comma else reason
    return reason


def _tone(item: Mapping[str, Json]) -> str:
    """Good or bad where a verdict is one or the other; a fault that is there is bad."""
    if "state" in item:
        return "bad" if item["state"] in FAULTS else "open"
    if "score" not in item:
        return "bad" if item.get("places") else "open"
    score = item["score"]
    if score is None or "dimension" in item or score not in (0, 1):
        return "open"
    return "good" if (score == 1) == (item.get("weight", 1) >= 0) else "bad"
