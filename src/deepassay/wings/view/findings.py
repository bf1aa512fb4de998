"""What a judgement found: its items, each with what every judge says of it and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from deepassay.protocols.registry import installed
from deepassay.protocols.rubrics.protocol import Rubrics
from deepassay.results.evidence import (
    EvidenceItem,
    JudgeOutcome,
    OutcomeEvidence,
    evidence_of,
    panel_then_judges,
)
from deepassay.results.explain import headline
from deepassay.results.records import Judged, judges_of
from deepassay.results.tables import NONE, in_range
from deepassay.score import Json, Score
from deepassay.wings.view.costs import FULL_MARK, costs_of
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
    """What a judge says of one item. stance: what tells it from what others say of it.

    quotes: of the pages `urls`, of which the first is cited.
    """

    judge: str
    verdict: str
    tone: str
    reason: str
    stance: str = ""
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
    def stance(self) -> str:
        """What tells it from what others say of it: that of each judge, once where all agree."""
        stances = [voice.stance for voice in self.voices]
        return " / ".join(stances if self.differ else stances[:1])

    @property
    def differ(self) -> bool:
        """Whether its judges say different things."""
        return len({voice.stance for voice in self.voices}) > 1

    @property
    def reason(self) -> str:
        """Why it was found so: that of a judge who holds it against the report, if any does."""
        against = [voice for voice in self.voices if voice.tone == "bad"]
        return next((voice.reason for voice in (*against, *self.voices)), "")

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
    record = _with_items_read(record)
    shown = [*opinions(record, places)]
    outcomes = [outcome for _, outcome in panel_then_judges(record)]
    by = " + ".join(dict.fromkeys(judges_of(record.signature)))
    return ReadJudgement(
        record,
        section_title(record),
        shown_value(record),
        headline(outcomes[0]),
        by,
        (*shown[0].told, *(f"{each.judge}: {each.headline}" for each in shown[1:])),
        tuple((name, NONE if part is None else f"{part:.4g}") for name, part in shown[0].parts),
        tuple(_findings(record, by, shown, outcomes)),
    )


def _with_items_read(record: Judged) -> Judged:
    """The judgement, the items of it and of its judges as types: for who asks for them again."""
    return replace(
        record, outcome=replace(record.outcome, details=_items_read(record.outcome.details))
    )


def _items_read(details: Mapping[str, Json]) -> dict[str, Json]:
    found = dict(details)
    if found.get("items"):
        found["items"] = OutcomeEvidence(details).items
    if judges := found.get("judges"):
        found["judges"] = {
            name: {**kept, "details": _items_read(kept.get("details") or {})}
            for name, kept in judges.items()
        }
    return found


class _Said(NamedTuple):
    """What a judge, or a panel together, says of an item. cost: what the item took from its own
    score. stance: what tells it from what others say, see `_stance`.
    """

    judge: str
    item: ShownItem
    verdict: str
    terms: str
    stance: str
    cost: float


def _findings(
    record: Judged, by: str, shown: Sequence[ShownOpinion], outcomes: Sequence[JudgeOutcome]
) -> Iterator[ReadFinding]:
    """The items of an outcome, each with what every judge of a panel says of it."""
    whole, *panel = (
        _by_item(each, outcome, each.judge or by, record.protocol)
        for each, outcome in zip(shown, outcomes, strict=True)
    )
    scored = sum(outcome.value is not None for outcome in outcomes[1:])
    for place in dict.fromkeys(place for each in (whole, *panel) for place in each):
        voices = [each[place] for each in panel if place in each]
        together = whole.get(place)
        which = "\0".join(map(str, place))
        if together is None:
            which += f"\0{voices[0].judge}"
            together = _agreed(voices, scored)
        yield _finding(record, which, together, voices or [together], outcomes[0].bounds)


def _agreed(voices: Sequence[_Said], scored: int) -> _Said:
    """What a panel says of an item of which it says nothing together: its verdicts, gravest first.

    It costs what it costs in the mean over judges that came to a score, as the score is their mean.
    """
    gravest = sorted(voices, key=lambda each: GRAVEST.index(each.item.tone))
    first = voices[0]
    return first._replace(
        item=replace(first.item, tone=gravest[0].item.tone),
        verdict=" / ".join(dict.fromkeys(each.verdict for each in gravest)),
        terms=" · ".join(
            dict.fromkeys(term for each in voices for term in each.terms.split(" · ") if term)
        ),
        cost=sum(each.cost for each in voices) / max(scored, 1),
    )


def _by_item(
    opinion: ShownOpinion, outcome: JudgeOutcome, judge: str, protocol: str
) -> dict[tuple[str, int], _Said]:
    """What one says, by the key of each item and how often that came before."""
    found: dict[tuple[str, int], _Said] = {}
    seen: Counter[str] = Counter()
    items = zip(opinion.items, costs_of(outcome), outcome.evidence.items, strict=True)
    for item, cost, kept in items:
        said = _Said(judge, item, *_worded(item, kept, protocol), _stance(kept), cost or 0.0)
        found[item.key, seen[item.key]] = said
        seen[item.key] += 1
    return found


_PENALTIES: Final[Mapping[float, str]] = {1: "penalty applies", 0: "no penalty"}
"""What it means that a fault is there in full, or is not; other merits: that it is in part."""


def _worded(item: ShownItem, kept: EvidenceItem, protocol: str) -> tuple[str, str]:
    """A verdict, and apart from it what the item weighs and where it belongs."""
    if kept.dimension is not None and kept.score is not None:
        beside = "" if kept.reference is None else f"the reference {kept.reference:.3g}"
        weight = "" if kept.weight is None else f"weight {kept.weight:.3g}"
        terms = [beside, weight, str(kept.dimension).replace("_", " ")]
        return f"{kept.score:.3g} of 10", " · ".join(filter(None, terms))
    if kept.dimension is None and kept.weight is not None:
        verdict, told = worded(protocol, str(kept.verdict or "unscored"))
        if kept.weight < 0 and kept.score is not None:
            verdict = _PENALTIES.get(kept.score, "penalty applies in part")
        terms = [told, f"weight {kept.weight:g}", *["mandatory"] * bool(kept.mandatory)]
        return verdict.lower(), " · ".join(filter(None, [*terms, kept.axis or ""]))
    if isinstance(kept.verdict, int):  # counted by code
        return f"{kept.verdict} place{'s' * (kept.verdict != 1)}", ""
    return item.verdict, ""


def _stance(kept: EvidenceItem) -> str:
    """A verdict in a word; of a mark, which never is quite another's, the side of the reference."""
    if kept.dimension is None or kept.score is None:
        return str(kept.verdict if kept.verdict is not None else kept.score)
    level = FULL_MARK / 2 if kept.reference is None else float(kept.reference)
    return "above" if kept.score > level else "below" if kept.score < level else "level"


def _finding(
    record: Judged,
    which: str,
    together: _Said,
    voices: Sequence[_Said],
    limits: tuple[float, float] | None,
) -> ReadFinding:
    named = f"{record.protocol}\0{record.repeat}\0{which}"
    item, costs = together.item, together.cost > 1e-9
    scale = (limits[1] - limits[0] if limits else 1.0) or 1.0
    return ReadFinding(
        "f" + sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:10],
        record.protocol,
        section_title(record),
        item.key,
        item.said,
        item.text,
        together.verdict,
        item.tone,
        tuple(
            Voice(
                said.judge, said.verdict, said.item.tone, said.item.justification, said.stance,
                said.item.quotes, said.item.urls,
            )
            for said in voices
        ),
        item.spots,
        cost="−" + in_range(together.cost, limits) if costs else "",
        share=together.cost / scale if costs else 0.0,
        terms=together.terms,
    )  # fmt: skip


def code_findings(text: JudgedText) -> Iterator[ReadFinding]:
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


def shown_value(record: Judged) -> str:
    """The score as tables show it, or a dash."""
    outcome = record.outcome
    return in_range(outcome.value, outcome.bounds) if isinstance(outcome, Score) else NONE


@lru_cache(maxsize=64)
def rubrics_of(protocol: str) -> Rubrics | None:
    """The protocol of this name; None for any other, or for a set that is not to be had here."""
    found = installed(protocol) if protocol.startswith(Rubrics.name) else None
    return found if isinstance(found, Rubrics) else None


def worded(protocol: str, verdict: str) -> tuple[str, str]:
    """A verdict of a set's menu in words, and what the judge was told of it where it is a number.

    Marks are so much of the best: `7 of 10`.
    """
    found = rubrics_of(protocol)
    is_number = verdict.lstrip("-").replace(".", "").isdigit()
    entry = found.setting.menu.get(verdict) if found and is_number else None
    if found is None or entry is None:
        return verdict, ""
    best = found.setting.best
    told = f"{verdict}: {entry.en}" if entry.en else ""
    if entry.merit is None:
        return "does not apply", told
    if best > 1:
        return f"{verdict} of {best:g}", told
    return _MET.get(entry.merit, "met in part"), told


_MET: Final[Mapping[float, str]] = {1: "met", 0: "not met"}
