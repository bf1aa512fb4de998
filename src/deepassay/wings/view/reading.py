"""A report as it is read: its text with every finding at its words, and the findings beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Final

from markupsafe import Markup

from deepassay.reports.rendered.placing import SpanMark, place
from deepassay.reports.report import Report
from deepassay.results.costs import costs_of
from deepassay.results.evidence import (
    EvidenceItem,
    JudgeOutcome,
    evidence_of,
    panel_then_judges,
    snapshots_of,
)
from deepassay.results.explain import headline
from deepassay.results.page.cited_pages import CitedPages
from deepassay.results.page.content import JudgedText
from deepassay.results.page.evidence import (
    ReportPassage,
    ReportPlaces,
    ShownItem,
    ShownOpinion,
    opinions,
)
from deepassay.results.page.opened import section_title, value_of
from deepassay.results.records import Judged, judges_of
from deepassay.results.tables import in_range
from deepassay.results.weighing import NOT, PARTIAL, SATISFIED
from deepassay.score import Score
from deepassay.text import web_address
from deepassay.wings.view.room import OpenRun, Place

LINT: Final = "lint"
COSTLIEST: Final = 6
"""Items that are named as what cost a report most."""

_GRAVEST: Final = ("bad", "open", "remark", "good")


@dataclass(frozen=True)
class Voice:
    """What a judge says of one item. quotes: of the pages `urls`, of which the first is cited."""

    judge: str
    verdict: str
    tone: str
    reason: str
    quotes: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadFinding:
    """One item of a judgement, or a mechanical finding. name: its anchor, and how it is noted.

    title: of the protocol. said: its whole wording; text: empty where the text beside it says it.
    terms: of a weighted criterion, what it weighs and where it belongs. cost: what it took from the
    score, on its scale; share: of that scale. spots: where it is.
    """

    name: str
    protocol: str
    title: str
    key: str
    said: str
    text: str
    verdict: str
    tone: str
    voices: tuple[Voice, ...]
    spots: tuple[ReportPassage, ...] = ()
    cost: str = ""
    share: float = 0.0
    terms: str = ""

    @property
    def differ(self) -> bool:
        """Whether its judges say different things."""
        return len({voice.verdict for voice in self.voices}) > 1

    @property
    def urls(self) -> tuple[str, ...]:
        """The pages that decide on it, that which is cited before others."""
        return tuple(dict.fromkeys(url for voice in self.voices for url in voice.urls))


def place_name(spot: ReportPassage) -> str:
    """The anchor of a passage of the text, the same as long as the text is."""
    return f"p{spot.start}-{spot.end}"


@dataclass(frozen=True)
class ReadJudgement:
    """A judgement of the report. by: its judges. told: what else there is to say of it."""

    record: Judged
    title: str
    value: str
    headline: str
    by: str
    told: tuple[str, ...]
    findings: tuple[ReadFinding, ...]

    @property
    def scored(self) -> bool:
        """Whether there is a score."""
        return isinstance(self.record.outcome, Score)


@dataclass(frozen=True)
class Card:
    """Findings on one passage, as they stand beside it. tone: the gravest."""

    name: str
    tone: str
    findings: tuple[ReadFinding, ...]

    def shown(self, colour: str) -> list[ReadFinding]:
        """Those of the protocol that colours the text, and mechanical ones."""
        return [each for each in self.findings if each.protocol in (colour, LINT)]

    def folded(self, colour: str) -> list[ReadFinding]:
        """All others: they unfold."""
        return [each for each in self.findings if each.protocol not in (colour, LINT)]

    def summary(self, colour: str) -> list[tuple[str, str, str, int]]:
        """What is folded in a line: protocol, verdict, tone and how many of it."""
        counts = Counter((each.title, each.verdict, each.tone) for each in self.folded(colour))
        return [(*said, count) for said, count in counts.items()]


@dataclass(frozen=True)
class ReadRow:
    """A block of the text with what stands beside it."""

    html: Markup
    wide: bool
    cards: tuple[Card, ...]


class ReadReport:
    """A report with all that was said of it. colour: the protocol whose findings colour the text;
    empty for that which decides on the most passages.
    """

    def __init__(
        self, run: OpenRun, at: Place, text: JudgedText, records: Sequence[Judged], colour: str = ""
    ) -> None:
        self.at = at
        self.text = text
        self.task = run.tasks.get(at.task)
        self._archive = run.archive
        places = ReportPlaces(text, run.archive)
        self.judgements = [read_judgement(record, places) for record in records]
        self.remarks = [*_remarks(text)]
        self.pages = CitedPages("", run.archive, 0)
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
    def _by_place(self) -> dict[str, list[ReadFinding]]:
        found: dict[str, list[ReadFinding]] = {}
        for each in self.findings:
            for spot in dict.fromkeys(each.spots):
                found.setdefault(place_name(spot), []).append(each)
        return found

    @cached_property
    def rows(self) -> list[ReadRow]:
        """The text, block by block, with what stands beside each."""
        placed = place(self.text.text, [*self._marks()])
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
            start, _, end = name[1:].partition("-")
            coloured = [each for each in own if each.protocol in (self.colour, LINT)]
            tone = _gravest(each.tone for each in coloured) if coloured else "quiet"
            yield SpanMark(int(start), int(end), name, tone)
        report = Report(self.text.text)
        for number, each in enumerate(report.resolved):
            urls = [url for url in each.urls if web_address(url)]
            yield SpanMark(*each.citation.span, f"c{number}", "cite", urls[0] if urls else "")
        for entry in report.references:
            for url in entry.urls if not entry.identified else ():
                at = self.text.text.find(url, *entry.span)
                if at >= 0 and web_address(url):
                    yield SpanMark(at, at + len(url), "", "", url)


def _gravest(tones: Iterable[str]) -> str:
    own = {*tones}
    return next((each for each in _GRAVEST if each in own), "open")


def read_report(run: OpenRun, at: Place, colour: str = "") -> ReadReport | None:
    """A report of a run with all judgements of it, if it is there."""
    text = run.report(at)
    return None if text is None else ReadReport(run, at, text, run.judged(at), colour)


def read_judgement(record: Judged, places: ReportPlaces) -> ReadJudgement:
    """A judgement with its findings. places: the report that they are looked up in."""
    shown = [*opinions(record, places)]
    outcomes = [outcome for _, outcome in panel_then_judges(record)]
    title = section_title(record)
    by = " + ".join(dict.fromkeys(judges_of(record.signature)))
    whole = shown[0]
    return ReadJudgement(
        record,
        title,
        value_of(record),
        headline(outcomes[0]),
        by,
        whole.told,
        tuple(_findings(record, title, by, shown, outcomes[0])),
    )


def _findings(
    record: Judged, title: str, by: str, shown: Sequence[ShownOpinion], together: JudgeOutcome
) -> Iterator[ReadFinding]:
    """The items of an outcome, each with what every judge of a panel says of it."""
    whole, *others = shown
    spoken = _aligned(others)
    costs = costs_of(together)
    limits = together.bounds
    scale = limits[1] - limits[0] if limits else 1.0
    seen: dict[str, int] = {}
    listed = set()
    for item, cost, kept in zip(whole.items, costs, together.evidence.items, strict=True):
        count = seen[item.key] = seen.get(item.key, -1) + 1
        listed.add((item.key, count))
        said = spoken.get((item.key, count)) or [(by, item)]
        found = _finding(record, title, f"{item.key}\0{count}", item, said)
        if cost is not None and cost > 1e-9:
            told = "−" + in_range(cost, limits)
            found = replace(found, cost=told, share=cost / (scale or 1.0))
        if kept.of_rubric:
            found = _weighed(found, kept)
        elif kept.dimension is not None and kept.score is not None:
            found = _marked(found, kept)
        yield found
    for (key, count), said in spoken.items():
        if (key, count) not in listed:
            yield _finding(record, title, f"{key}\0{count}\0{said[0][0]}", said[0][1], said)


_PENALTIES: Final = {
    SATISFIED: "penalty applies",
    PARTIAL: "penalty applies in part",
    NOT: "no penalty",
}
"""What it means that a fault is there, or is not: its criterion is satisfied by the fault."""


def _weighed(finding: ReadFinding, item: EvidenceItem) -> ReadFinding:
    """A criterion of a rubric, its verdict apart from what it weighs."""
    verdict = str(item.verdict or "unscored")
    if (item.weight or 0) < 0:
        verdict = _PENALTIES.get(verdict, verdict)
    terms = [f"weight {item.weight:g}", *["mandatory"] * bool(item.mandatory), item.axis or ""]
    return replace(finding, verdict=verdict.lower(), terms=" · ".join(filter(None, terms)))


def _marked(finding: ReadFinding, item: EvidenceItem) -> ReadFinding:
    """A criterion that is marked on a scale, its mark apart from what it weighs."""
    beside = "" if item.reference is None else f"the reference {item.reference:.3g}"
    weight = "" if item.weight is None else f"weight {item.weight:.3g}"
    told = filter(None, [beside, weight, str(item.dimension).replace("_", " ")])
    return replace(finding, verdict=f"{item.score:.3g} of 10", terms=" · ".join(told))


def _aligned(
    voices: Iterable[ShownOpinion],
) -> dict[tuple[str, int], list[tuple[str, ShownItem]]]:
    """What judges say of each item, by its key and how often that came before."""
    found: dict[tuple[str, int], list[tuple[str, ShownItem]]] = {}
    for voice in voices:
        seen: dict[str, int] = {}
        for item in voice.items:
            count = seen[item.key] = seen.get(item.key, -1) + 1
            found.setdefault((item.key, count), []).append((voice.judge, item))
    return found


def _finding(
    record: Judged, title: str, which: str, item: ShownItem, said: Sequence[tuple[str, ShownItem]]
) -> ReadFinding:
    named = f"{record.protocol}\0{record.repeat}\0{which}"
    return ReadFinding(
        "f" + sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:10],
        record.protocol,
        title,
        item.key,
        item.said,
        item.text,
        item.verdict,
        item.tone,
        tuple(
            Voice(judge, own.verdict, own.tone, own.justification, own.quotes, own.urls)
            for judge, own in said
        ),
        item.spots,
    )


def _remarks(text: JudgedText) -> Iterator[ReadFinding]:
    for number, each in enumerate(text.remarks):
        name = "f" + sha256(f"{LINT}\0{number}\0{each.code}".encode()).hexdigest()[:10]
        spot = ReportPassage(each.start, each.end, each.line, "")
        yield ReadFinding(
            name,
            LINT,
            LINT,
            each.code,
            each.message,
            each.message,
            "",
            "remark",
            (Voice("", "", "remark", each.reason),),
            (spot,),
        )
