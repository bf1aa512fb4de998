"""What a judgement found: its items, each with what every judge says of it and what it cost."""

from __future__ import annotations

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
