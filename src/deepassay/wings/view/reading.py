"""A report as it is read: its text with every finding at its words, and the findings beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from markupsafe import Markup

from deepassay.reports.rendered.placing import SpanMark, marked_html
from deepassay.results.evidence import evidence_of
from deepassay.results.records import Judged, snapshots_of
from deepassay.tasks.task import Task
from deepassay.text import web_address
from deepassay.wings.view.cited_pages import CitedPages, Excerpt
from deepassay.wings.view.findings import (
    GRAVEST,
    LINT,
    ReadFinding,
    ReadJudgement,
    code_findings,
    read_judgement,
    rubrics_of,
)
from deepassay.wings.view.judged_text import JudgedText
from deepassay.wings.view.opinions import ReportPassage, ReportPlaces
from deepassay.wings.view.room import OpenRun, Place

COSTLIEST: Final = 6
"""Items that are named as what cost a report most."""


def _in_tree(judgement: ReadJudgement, task: Task | None) -> ReadJudgement:
    """A judgement, of whose criteria it is said where in the tree of a rubric they stand."""
    if task is None or not any(each.within for each in task.rubric):
        return judgement
    if rubrics_of(judgement.record.protocol) is None:
        return judgement
    where = {
        each.id: " › ".join(each.within) + " · critical" * each.critical for each in task.rubric
    }
    findings = (
        replace(each, terms=" · ".join(filter(None, [where.get(each.key, ""), each.terms])))
        for each in judgement.findings
    )
    return replace(judgement, findings=tuple(findings))


def place_name(spot: ReportPassage) -> str:
    """The anchor of a passage of the text, the same as long as the text is."""
    return f"p{spot.start}-{spot.end}"


AlikeFindings = tuple[ReadFinding, ...]
"""Findings on one statement that were found the same, each against another source."""


def _alike(findings: Iterable[ReadFinding]) -> list[AlikeFindings]:
    """The findings in their order, those together that differ in their sources alone."""
    found: dict[object, list[ReadFinding]] = {}
    for each in findings:
        said = tuple((voice.judge, voice.verdict, voice.reason) for voice in each.voices)
        same = each.protocol, each.said, each.verdict, each.cost, each.terms, said
        found.setdefault(same if each.urls else each.name, []).append(each)
    return [tuple(own) for own in found.values()]


@dataclass(frozen=True)
class Card:
    """Findings on one passage, as they stand beside it. tone: the gravest."""

    name: str
    tone: str
    findings: tuple[ReadFinding, ...]

    def shown(self, colour: str) -> list[AlikeFindings]:
        """Those of the protocol that colours the text, and mechanical ones."""
        return _alike(each for each in self.findings if each.protocol in (colour, LINT))

    def folded(self, colour: str) -> list[AlikeFindings]:
        """All others: they unfold."""
        return _alike(each for each in self.findings if each.protocol not in (colour, LINT))

    def summary(self, colour: str) -> list[tuple[str, str, str, int]]:
        """What is folded in a line: protocol, verdict, tone and how many of it."""
        folded = [each for own in self.folded(colour) for each in own]
        counts = Counter((each.title, each.verdict, each.tone) for each in folded)
        return [(*said, count) for said, count in counts.items()]


@dataclass(frozen=True)
class ReadRow:
    """A block of the text with what stands beside it."""

    html: Markup
    wide: bool
    cards: tuple[Card, ...]


class ReadReport:
    """A report with all that was said of it. colour: the protocol whose findings colour the text;
    empty for that which decides on the most passages. prefix: begins every anchor in it, so that
    several may stand in one file.
    """

    def __init__(
        self,
        run: OpenRun,
        at: Place,
        text: JudgedText,
        records: Sequence[Judged],
        colour: str = "",
        prefix: str = "",
    ) -> None:
        self.at = at
        self.prefix = prefix
        self.text = text
        self.task = run.tasks.get(at.task)
        self.reference = run.references.get(at.task, "")
        self._archive = run.archive
        places = ReportPlaces(text, run.archive)
        self.judgements = [
            _in_tree(read_judgement(record, places), self.task) for record in records
        ]
        said = {
            (each.key.partition(" ")[0], spot.start)
            for own in self.judgements
            for each in own.findings
            for spot in each.spots
        }
        # A protocol may have kept the same as its own finding.
        self.remarks = [
            each for each in code_findings(text) if (each.key, each.spots[0].start) not in said
        ]
        self.pages = CitedPages(run.archive)
        for record in records:
            self.pages.visits(evidence_of(record).visits, snapshots_of(record))
        self.colours = [
            each.record.protocol
            for each in self.judgements
            if not each.record.repeat and any(own.spots for own in each.findings)
        ]
        self.colour = colour if colour in self.colours else self._most_placed()

    def _most_placed(self) -> str:
        counts = {
            each.record.protocol: sum(bool(own.urls) for own in each.findings if own.spots)
            for each in self.judgements
        }
        return max(self.colours, key=lambda name: counts[name], default="")

    @cached_property
    def findings(self) -> list[ReadFinding]:
        """Every finding, those of judgements first."""
        return [each for own in self.judgements for each in own.findings] + self.remarks

    def finding(self, name: str) -> ReadFinding | None:
        """The finding with this anchor."""
        return next((each for each in self.findings if each.name == name), None)

    def record_of(self, finding: ReadFinding) -> Judged | None:
        """The judgement that a finding belongs to."""
        found = (each.record for each in self.judgements if finding in each.findings)
        return next(found, None)

    @property
    def costliest(self) -> list[ReadFinding]:
        """What took most from the scores, each as a share of its scale."""
        costly = [each for each in self.findings if each.share > 0]
        return sorted(costly, key=lambda each: -each.share)[:COSTLIEST]

    @cached_property
    def excerpts(self) -> Mapping[str, Excerpt]:
        """By the names of findings: the passage of a page that it quotes, if it stands there."""
        return dict(self._excerpts())

    @cached_property
    def snapshots(self) -> Mapping[str, str]:
        """By its address: the snapshot of each page that was kept, as it was read."""
        found = {
            url: name for each in self.judgements for url, name in snapshots_of(each.record).items()
        }
        return {url: name for url, name in found.items() if self._archive.page(name)}

    def _excerpts(self) -> Iterator[tuple[str, Excerpt]]:
        for own in self.judgements:
            snapshots = snapshots_of(own.record)
            for each in own.findings:
                quotes = [quote for voice in each.voices for quote in voice.quotes]
                if found := self.pages.excerpt(each.name, each.urls, quotes, snapshots):
                    yield each.name, found

    @cached_property
    def _by_place(self) -> dict[str, list[ReadFinding]]:
        found: dict[str, list[ReadFinding]] = {}
        for each in self.findings:
            for spot in dict.fromkeys(each.spots):
                found.setdefault(self.prefix + place_name(spot), []).append(each)
        return found

    @cached_property
    def rows(self) -> list[ReadRow]:
        """The text, block by block, with what stands beside each."""
        placed = marked_html(self.text.text, [*self._marks()])
        return [
            ReadRow(
                block.html,
                block.wide,
                tuple(self._card(name) for name in block.begins if name in self._by_place),
            )
            for block in placed.blocks
        ]

    @cached_property
    def beside(self) -> dict[str, str]:
        """Where each finding stands first that stands beside the text: the anchor of the words."""
        found: dict[str, str] = {}
        for row in self.rows:
            for card in row.cards:
                for each in card.findings:
                    found.setdefault(each.name, card.name)
        return found

    @cached_property
    def loose(self) -> list[ReadFinding]:
        """Findings on passages of which no reader sees a word; they are listed without a place."""
        return [each for each in self.findings if each.spots and each.name not in self.beside]

    def _card(self, name: str) -> Card:
        own = self._by_place[name]
        return Card(name, _gravest(each.tone for each in own), tuple(own))

    def _marks(self) -> Iterator[SpanMark]:
        for name, own in self._by_place.items():
            start, _, end = name.removeprefix(self.prefix)[1:].partition("-")
            coloured = [each for each in own if each.protocol in (self.colour, LINT)]
            tone = _gravest(each.tone for each in coloured) if coloured else "quiet"
            yield SpanMark(int(start), int(end), name, tone)
        report = self.text.report
        for number, each in enumerate(report.resolved):
            urls = [url for url in each.urls if web_address(url)]
            yield SpanMark(
                *each.citation.span, f"{self.prefix}c{number}", "cite", urls[0] if urls else ""
            )
        for entry in report.references:
            for url in entry.urls if not entry.identified else ():
                at = self.text.text.find(url, *entry.span)
                if at >= 0 and web_address(url):
                    yield SpanMark(at, at + len(url), "", "", url)


def _gravest(tones: Iterable[str]) -> str:
    own = {*tones}
    return next((each for each in GRAVEST if each in own), "open")


def read_report(run: OpenRun, at: Place, colour: str = "") -> ReadReport | None:
    """A report of a run with all judgements of it, if it is there."""
    text = run.report(at)
    return None if text is None else ReadReport(run, at, text, run.judged(at), colour)
