"""A judgement opened down to its items: verdict, reason, places in the report, and the page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from deepassay.findings.explain import headline, verdict_of
from deepassay.findings.page.content import Archive, ReportText
from deepassay.findings.records import Judged
from deepassay.score import Json, to_json

AROUND: Final = 280
"""Characters of a page that are shown on either side of a quote."""

BEGINNING: Final = 70
"""Characters by which a statement is listed that can be read at its place in the report."""

_QUOTED: Final = re.compile(r"“([^“]*)”")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Passage:
    """A quote with the text around it, on the page that it stands on."""

    url: str
    title: str
    fetched: str
    before: str
    quote: str
    after: str


@dataclass(frozen=True)
class Spot:
    """A place in the report that an item speaks of. start, end: characters."""

    start: int
    end: int
    line: int
    message: str


@dataclass(frozen=True)
class Item:
    """One criterion, check, claim or issue. tone: `good`, `bad` or `open`. depth: in a tree."""

    key: str
    text: str
    verdict: str
    tone: str
    by: str
    justification: str
    url: str
    depth: int
    spots: tuple[Spot, ...]
    passage: Passage | None


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


def opinions(record: Judged, report: ReportPlaces, archive: Archive) -> Iterator[Opinion]:
    """The outcome of a judgement, then that of each judge of a panel."""
    snapshots = record.signature.record.get("pages") or {}
    judges = record.outcome.details.get("judges") or {}
    for judge, outcome in (("", to_json(record.outcome)), *judges.items()):
        details = outcome["details"]
        items = details.get("items") or ()
        yield Opinion(
            judge,
            _headline(outcome),
            "cause" in outcome,
            _told(details),
            tuple((outcome.get("parts") or {}).items()),
            tuple(_item(item, report, archive, snapshots) for item in items),
        )


def _headline(outcome: Mapping[str, Json]) -> str:
    if "cause" in outcome:
        return f"Unscored ({outcome['cause']}): {outcome['detail']}"
    return headline(outcome)


def _told(details: Mapping[str, Json]) -> tuple[str, ...]:
    told = []
    if details.get("not_asked"):
        told.append(f"Nobody was asked: {details['not_asked']}")
    if details.get("quirks"):
        told.append(f"Quirks of the released program that fired: {', '.join(details['quirks'])}")
    if details.get("summary"):
        told.append(details["summary"])
    return tuple(told)


def _item(
    item: Mapping[str, Json],
    report: ReportPlaces,
    archive: Archive,
    snapshots: Mapping[str, str],
) -> Item:
    url = item.get("url") or ""
    spots = report.spots(item)
    return Item(
        key=str(item["key"]),
        text=report.listed(item, spots),
        verdict=verdict_of(item),
        tone=_tone(item),
        by=item.get("decided_by") or "",
        justification=_reason(item.get("justification") or "", url),
        url=url,
        depth=item.get("depth", 0),
        spots=spots,
        passage=_passage(archive, snapshots.get(url), _quotes(item)) if url else None,
    )


def _reason(justification: str, url: str) -> str:
    """The reason without the address before it, which is shown by itself."""
    return justification.removeprefix(url).removeprefix(" · ") if url else justification


def _tone(item: Mapping[str, Json]) -> str:
    """Good or bad where a verdict is one or the other; a fault that is there is bad."""
    if "score" not in item:
        return "bad" if item.get("places") else "open"
    score = item["score"]
    if score is None or "dimension" in item or score not in (0, 1):
        return "open"
    return "good" if (score == 1) == (item.get("weight", 1) >= 0) else "bad"


def _quotes(item: Mapping[str, Json]) -> Sequence[str]:
    """What an item quotes, the longest first."""
    quotes = [*(item.get("quotes") or ()), *_QUOTED.findall(item.get("justification") or "")]
    return sorted(filter(None, quotes), key=len, reverse=True)


def _passage(archive: Archive, snapshot: str | None, quotes: Sequence[str]) -> Passage | None:
    """The first of the quotes that stands on the page, with what stands around it."""
    page = archive.page(snapshot) if snapshot and quotes else None
    if page is None:
        return None
    for quote in quotes:
        if (found := archive.place(page.text, quote)) is not None:
            start, end = found
            before = page.text[max(0, start - AROUND) : start]
            after = page.text[end : end + AROUND]
            return Passage(
                page.url,
                page.title,
                page.fetched,
                "…" * (start > AROUND) + before,
                page.text[start:end],
                after + "…" * (end + AROUND < len(page.text)),
            )
    return None
