"""A report opened: its text with the marks in it, and its judgements beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby

from deepassay.results.evidence import evidence_of, snapshots_of
from deepassay.results.page.cited_pages import WORDY, CitedPage, CitedPages, Excerpt
from deepassay.results.page.content import JudgedText, LintRemark
from deepassay.results.page.evidence import (
    ReportPassage,
    ReportPlaces,
    ShownItem,
    ShownOpinion,
    opinions,
)
from deepassay.results.page.marked_text import Piece, TextMark, marked_pieces
from deepassay.results.quoted_passages import Archive
from deepassay.results.records import Judged
from deepassay.results.tables import NONE, in_range
from deepassay.score import ReportKey, Score, report_key


@dataclass(frozen=True)
class Pointer:
    """A link from a finding to its mark in the text. name: of the mark."""

    name: str
    line: int
    message: str


@dataclass(frozen=True)
class ShownLine:
    """A finding as it is listed. name: its anchor, empty where nothing leads to it.

    words: the reason. pages: that it was judged by. same: the finding above that was given the
    same words.
    """

    name: str
    item: ShownItem
    pointers: tuple[Pointer, ...]
    words: str = ""
    pages: tuple[CitedPage, ...] = ()
    excerpt: Excerpt | None = None
    same: str = ""

    @property
    def place(self) -> Pointer | None:
        """Where it stands, if there is one place only."""
        return self.pointers[0] if len(self.pointers) == 1 else None

    @property
    def places(self) -> bool:
        """Whether there is more to say of its places than where the one is."""
        return len(self.pointers) > 1 or any(each.message for each in self.pointers)

    @property
    def said(self) -> tuple[str, ...] | None:
        """What it shares with others that were found the same; None if it has more to show."""
        if self.same or self.excerpt or len(self.words) > WORDY:
            return None
        return self.item.verdict, self.item.by, self.words


@dataclass(frozen=True)
class LineGroup:
    """Findings that follow one another. sets: those of one verdict for one reason, together.

    kind: `statement` where all hold one statement against pages, which is then said once;
    `verdict` where all are claims on one page; empty for a finding by itself.
    """

    kind: str
    sets: tuple[tuple[ShownLine, ...], ...]


@dataclass(frozen=True)
class JudgeSection:
    """What one judge came to, with its findings."""

    opinion: ShownOpinion
    groups: tuple[LineGroup, ...]


@dataclass(frozen=True)
class OpenedJudgement:
    """A judgement of the report, opened. title: the protocol, and whom it compares with."""

    record: Judged
    title: str
    value: str
    scored: bool
    voices: tuple[JudgeSection, ...]


@dataclass(frozen=True)
class Remarked:
    """A mechanical finding as it is listed."""

    name: str
    remark: LintRemark
    pointer: Pointer


@dataclass(frozen=True)
class OpenedReport:
    """All that the page shows of a report. name: its anchor.

    cited: the pages that it cites, and what of their passages found no room.
    """

    name: str
    report: JudgedText
    pieces: tuple[Piece, ...]
    judgements: tuple[OpenedJudgement, ...]
    remarks: tuple[Remarked, ...]
    cited: CitedPages


class _Marking:
    """Names for the findings of a report, and for the marks that they make in its text."""

    def __init__(self, report: str) -> None:
        self._report = report
        self._findings = count(1)
        self._marks = count(1)
        self.marks: list[TextMark] = []

    def finding(self) -> str:
        return f"{self._report}f{next(self._findings)}"

    def mark(self, finding: str, spot: ReportPassage, note: str, tone: str) -> Pointer:
        name = f"{self._report}m{next(self._marks)}"
        self.marks.append(TextMark(spot.start, spot.end, name, finding, note, tone))
        return Pointer(name, spot.line, spot.message)


class _Opening:
    """One report while it is opened."""

    def __init__(self, name: str, report: JudgedText, archive: Archive, room: int) -> None:
        self.marking = _Marking(name)
        self.cited = CitedPages(name, archive, room)
        self._places = ReportPlaces(report, archive)
        self._words: dict[tuple[str, tuple[str, ...], str], str] = {}

    def judgement(self, record: Judged) -> OpenedJudgement:
        """A judgement with its findings, which mark the text."""
        snapshots = snapshots_of(record)
        title = section_title(record)
        voices = tuple(
            JudgeSection(opinion, tuple(_groups(self._lines(title, opinion, snapshots))))
            for opinion in opinions(record, self._places)
        )
        self.cited.visits(evidence_of(record).visits, snapshots)
        scored = isinstance(record.outcome, Score)
        return OpenedJudgement(record, title, value_of(record), scored, voices)

    def _lines(
        self, title: str, opinion: ShownOpinion, snapshots: Mapping[str, str]
    ) -> Iterator[ShownLine]:
        marked: dict[tuple[int, int, str], Pointer] = {}
        for item in opinion.items:
            name = self.marking.finding()
            note = f"{title} {item.key}: {item.verdict}"
            pointers, led_to = [], False
            for spot in item.spots:
                # Of a statement with five sources all five findings lead to one mark.
                place = (spot.start, spot.end, item.tone)
                if place not in marked:
                    marked[place] = self.marking.mark(name, spot, note, item.tone)
                    led_to = True
                message = "" if spot.message == "stands here" else spot.message
                pointers.append(replace(marked[place], message=message))
            same = self._said_before(item, name)
            excerpt = None if same else self.cited.excerpt(item, snapshots)
            long = len(item.justification) > WORDY and not same
            yield ShownLine(
                name if led_to or long else "",
                item,
                tuple(pointers),
                "" if same else self.cited.words(item, excerpt),
                tuple(self.cited.page(url, snapshots) for url in item.urls),
                excerpt,
                same,
            )

    def _said_before(self, item: ShownItem, name: str) -> str:
        """Protocols share what was judged of a page: its words need not be read twice."""
        if not item.urls or len(item.justification) <= WORDY:
            return ""
        key = (item.said, item.urls, item.justification.strip("“”"))
        first = self._words.setdefault(key, name)
        return "" if first == name else first


def opened(
    name: str, report: JudgedText, records: Sequence[Judged], archive: Archive, room: int
) -> OpenedReport:
    """A report with the judgements of it; `name` begins every anchor in it.

    room: bytes that passages of cited pages may take.
    """
    opening = _Opening(name, report, archive, room)
    ordered = sorted(records, key=lambda each: (each.protocol, each.repeat))
    judgements = tuple(map(opening.judgement, ordered))
    remarks = tuple(_remarked(each, opening.marking) for each in report.remarks)
    return OpenedReport(
        name,
        report,
        tuple(marked_pieces(report.text, opening.marking.marks)),
        judgements,
        remarks,
        opening.cited,
    )


def section_title(record: Judged) -> str:
    """The protocol as one writes it; of pairs, whom the report is held against."""
    rival = evidence_of(record).baseline
    return f"{record.protocol.partition('(')[0]} against {rival}" if rival else record.protocol


def value_of(record: Judged) -> str:
    """The score as tables show it, or a dash."""
    outcome = record.outcome
    return in_range(outcome.value, outcome.bounds) if isinstance(outcome, Score) else NONE


def _groups(lines: Iterable[ShownLine]) -> Iterator[LineGroup]:
    """Findings that follow one another and share a statement, or a verdict on one page."""
    for kind, alike in groupby(lines, key=_shared):
        own = tuple(alike)
        if kind is None or len(own) == 1:
            yield from (LineGroup("", ((line,),)) for line in own)
        else:
            yield LineGroup(kind[0], tuple(_sets(own)))


def _shared(line: ShownLine) -> tuple[str, object] | None:
    item = line.item
    if item.depth and line.said is not None:
        return "verdict", (line.said, item.depth)
    if not item.depth and item.text and len(line.pages) == 1:
        return "statement", item.said
    return None


def _sets(lines: Iterable[ShownLine]) -> Iterator[tuple[ShownLine, ...]]:
    for said, alike in groupby(lines, key=lambda line: line.said):
        if said is None:
            yield from ((line,) for line in alike)
        else:
            yield tuple(alike)


def _remarked(remark: LintRemark, marking: _Marking) -> Remarked:
    name = marking.finding()
    spot = ReportPassage(remark.start, remark.end, remark.line, remark.message)
    return Remarked(
        name, remark, marking.mark(name, spot, f"{remark.code}: {remark.message}", "remark")
    )


def judgements_by_report(records: Sequence[Judged]) -> dict[ReportKey, list[Judged]]:
    """The judgements of each report, by agent, task and sample."""
    groups: defaultdict[ReportKey, list[Judged]] = defaultdict(list)
    for record in records:
        groups[report_key(record)].append(record)
    return dict(groups)
