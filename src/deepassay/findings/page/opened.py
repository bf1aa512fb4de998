"""A report opened: its text with the marks in it, and its judgements beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from deepassay.findings.page.content import Archive, Remark, ReportText
from deepassay.findings.page.evidence import Item, Opinion, ReportPlaces, Spot, opinions
from deepassay.findings.page.marks import Mark, Piece, pieces
from deepassay.findings.records import Judged
from deepassay.findings.tables import NONE, in_range
from deepassay.score import Score


@dataclass(frozen=True)
class Pointer:
    """A link from a finding to its mark in the text. name: of the mark."""

    name: str
    line: int
    message: str


@dataclass(frozen=True)
class Line:
    """A finding as it is listed. name: its anchor on the page."""

    name: str
    item: Item
    pointers: tuple[Pointer, ...]


@dataclass(frozen=True)
class Voice:
    """What one judge came to, with its findings."""

    opinion: Opinion
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Judgement:
    """A judgement of the report, opened."""

    record: Judged
    value: str
    scored: bool
    voices: tuple[Voice, ...]


@dataclass(frozen=True)
class Remarked:
    """A mechanical finding as it is listed."""

    name: str
    remark: Remark
    pointer: Pointer


@dataclass(frozen=True)
class OpenedReport:
    """All that the page shows of a report. name: its anchor."""

    name: str
    report: ReportText
    pieces: tuple[Piece, ...]
    judgements: tuple[Judgement, ...]
    remarks: tuple[Remarked, ...]


class _Marking:
    """Names for the findings of a report, and for the marks that they make in its text."""

    def __init__(self, report: str) -> None:
        self._report = report
        self._findings = count(1)
        self._marks = count(1)
        self.marks: list[Mark] = []

    def finding(self) -> str:
        return f"{self._report}f{next(self._findings)}"

    def mark(self, finding: str, spot: Spot, note: str, tone: str) -> Pointer:
        name = f"{self._report}m{next(self._marks)}"
        self.marks.append(Mark(spot.start, spot.end, name, finding, note, tone))
        return Pointer(name, spot.line, spot.message)


def opened(
    name: str, report: ReportText, records: Sequence[Judged], archive: Archive
) -> OpenedReport:
    """A report with the judgements of it; `name` begins every anchor in it."""
    marking = _Marking(name)
    places = ReportPlaces(report, archive)
    ordered = sorted(records, key=lambda each: (each.protocol, each.repeat))
    judgements = tuple(_judgement(each, places, archive, marking) for each in ordered)
    remarks = tuple(_remarked(each, marking) for each in report.remarks)
    return OpenedReport(
        name, report, tuple(pieces(report.text, marking.marks)), judgements, remarks
    )


def value_of(record: Judged) -> str:
    """The score as tables show it, or a dash."""
    outcome = record.outcome
    return in_range(outcome.value, outcome.bounds) if isinstance(outcome, Score) else NONE


def _judgement(
    record: Judged, places: ReportPlaces, archive: Archive, marking: _Marking
) -> Judgement:
    voices = tuple(
        Voice(opinion, tuple(_lines(record.protocol, opinion, marking)))
        for opinion in opinions(record, places, archive)
    )
    return Judgement(record, value_of(record), isinstance(record.outcome, Score), voices)


def _lines(protocol: str, opinion: Opinion, marking: _Marking) -> Iterator[Line]:
    marked: dict[tuple[int, int, str], Pointer] = {}
    for item in opinion.items:
        name = marking.finding()
        note = f"{protocol} {item.key}: {item.verdict}"
        pointers = []
        for spot in item.spots:
            # Of a statement with five sources all five findings lead to one mark.
            place = (spot.start, spot.end, item.tone)
            if place not in marked:
                marked[place] = marking.mark(name, spot, note, item.tone)
            pointers.append(replace(marked[place], message=spot.message))
        yield Line(name, item, tuple(pointers))


def _remarked(remark: Remark, marking: _Marking) -> Remarked:
    name = marking.finding()
    spot = Spot(remark.start, remark.end, remark.line, remark.message)
    return Remarked(
        name, remark, marking.mark(name, spot, f"{remark.code}: {remark.message}", "remark")
    )


def grouped(records: Sequence[Judged]) -> dict[tuple[str, str, int], list[Judged]]:
    """The judgements of each report, by agent, task and sample."""
    groups: defaultdict[tuple[str, str, int], list[Judged]] = defaultdict(list)
    for record in records:
        groups[record.agent, record.task, record.sample].append(record)
    return dict(groups)
