"""What a judgement found: its items, each with what every judge says of it and what it cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from deepassay.results.costs import costs_of
from deepassay.results.evidence import (
    EvidenceItem,
    JudgeOutcome,
    evidence_of,
    panel_then_judges,
)
from deepassay.results.explain import headline
from deepassay.results.records import Judged, judges_of
from deepassay.results.tables import NONE, in_range
from deepassay.results.weighing import NOT, PARTIAL, SATISFIED
from deepassay.score import Score
from deepassay.wings.view.judged_text import JudgedText
from deepassay.wings.view.opinions import (
    ReportPassage,
    ReportPlaces,
    ShownItem,
    ShownOpinion,
    opinions,
)

LINT: Final = "lint"
GRAVEST: Final = ("bad", "open", "remark", "good")
"""Tones, those first that count more where several meet."""


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
    def reason(self) -> str:
        """Why it was found so, by the first judge who says so."""
        own = [each for each in self.voices if each.verdict == self.verdict] or self.voices
        return own[0].reason if own else ""

    @property
    def spoken(self) -> list[tuple[str, Voice]]:
        """What is said of it, with the judges who say so; once where several say the same."""
        same: dict[tuple[str, str], list[Voice]] = {}
        for voice in self.voices:
            same.setdefault((voice.verdict, voice.reason), []).append(voice)
        return [(", ".join(voice.judge for voice in own), own[0]) for own in same.values()]

    @property
    def urls(self) -> tuple[str, ...]:
        """The pages that decide on it, that which is cited before others."""
        return tuple(dict.fromkeys(url for voice in self.voices for url in voice.urls))


@dataclass(frozen=True)
class ReadJudgement:
    """A judgement of the report. by: its judges. told: what else there is to say of it, what each
    judge of a panel came to among it. parts: what the score is made of.
    """

    record: Judged
    title: str
    value: str
    headline: str
    by: str
    told: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]
    findings: tuple[ReadFinding, ...]

    @property
    def scored(self) -> bool:
        """Whether there is a score."""
        return isinstance(self.record.outcome, Score)


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
        (*whole.told, *(f"{each.judge}: {each.headline}" for each in shown[1:])),
        tuple((name, NONE if part is None else f"{part:.4g}") for name, part in whole.parts),
        tuple(_findings(record, title, by, shown, outcomes)),
    )


def _findings(
    record: Judged,
    title: str,
    by: str,
    shown: Sequence[ShownOpinion],
    outcomes: Sequence[JudgeOutcome],
) -> Iterator[ReadFinding]:
    """The items of an outcome, each with what every judge of a panel says of it."""
    whole, *others = shown
    together, *judges = outcomes
    spoken = _aligned(others)
    seen: dict[str, int] = {}
    listed = set()
    costs = costs_of(together)
    for item, cost, kept in zip(whole.items, costs, together.evidence.items, strict=True):
        count = seen[item.key] = seen.get(item.key, -1) + 1
        listed.add((item.key, count))
        said = spoken.get((item.key, count)) or [(by, item)]
        found = _finding(record, title, f"{item.key}\0{count}", item, said)
        found = _costing(found, cost, together.bounds)
        if kept.of_rubric:
            found = _weighed(found, kept)
        elif kept.dimension is not None and kept.score is not None:
            found = _marked(found, kept)
        yield found
    costing = _costs_of_panel(judges)
    for (key, count), said in spoken.items():
        if (key, count) not in listed:
            gravest = min(said, key=lambda each: GRAVEST.index(each[1].tone))[1]
            found = _finding(record, title, f"{key}\0{count}\0{said[0][0]}", gravest, said)
            yield _costing(found, costing.get((key, count)), together.bounds)


def _costing(
    finding: ReadFinding, cost: float | None, limits: tuple[float, float] | None
) -> ReadFinding:
    """A finding with what it took from the score, if it took anything."""
    if cost is None or cost <= 1e-9:
        return finding
    scale = limits[1] - limits[0] if limits else 1.0
    return replace(finding, cost="−" + in_range(cost, limits), share=cost / (scale or 1.0))


def _costs_of_panel(judges: Sequence[JudgeOutcome]) -> dict[tuple[str, int], float]:
    """What each item took from the score of a panel, which is the mean of its judges' scores."""
    scored = [each for each in judges if each.value is not None]
    found: defaultdict[tuple[str, int], float] = defaultdict(float)
    for outcome in scored:
        seen: dict[str, int] = {}
        for item, cost in zip(outcome.evidence.items, costs_of(outcome), strict=True):
            count = seen[item.key] = seen.get(item.key, -1) + 1
            found[item.key, count] += (cost or 0.0) / len(scored)
    return dict(found)


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


def remarks_of(text: JudgedText) -> Iterator[ReadFinding]:
    """What code finds in a report, as findings."""
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


def section_title(record: Judged) -> str:
    """The protocol as one writes it; of pairs, whom the report is held against."""
    rival = evidence_of(record).baseline
    return f"{record.protocol.partition('(')[0]} against {rival}" if rival else record.protocol


def value_of(record: Judged) -> str:
    """The score as tables show it, or a dash."""
    outcome = record.outcome
    return in_range(outcome.value, outcome.bounds) if isinstance(outcome, Score) else NONE
