"""What the judges of a panel said of one report, verdict by verdict, and how often they did.

A verdict is one of few words that everybody chose from: whether a check is met, how far a criterion
of a rubric is, who of two wins. Marks on a scale are none, nor is what each judge found by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from deepassay.results.evidence import JudgeOutcome, OutcomeEvidence, PairOfJudges, evidence_of
from deepassay.results.records import Judged, without_references
from deepassay.score import Cause, Score

Verdicts = Mapping[Hashable, float | str]
"""What one judge said, by what it was asked: how far that is met, or who wins."""


def panels_of(records: Iterable[Judged]) -> list[tuple[Judged, OutcomeEvidence]]:
    """The judgements that several judges made, with what they said.

    Without those of reports that others are scored against, of which nobody was asked.
    """
    found = ((each, evidence_of(each)) for each in without_references(records))
    return [(each, panel) for each, panel in found if panel.judges]


@dataclass
class JudgeInPanel:
    """How many scores of a panel one of its judges has a part in.

    scores: of the panel. lacking: the causes of those in which it has none, counted.
    """

    scores: int = 0
    lacking: Counter[str] = field(default_factory=Counter)


def judges_in_panels(records: Iterable[Judged]) -> dict[str, JudgeInPanel]:
    """Of every judge of a panel, by its name, how many of the scores it has a part in."""
    found: dict[str, JudgeInPanel] = {}
    for each in without_references(records):
        if not isinstance(each.outcome, Score):
            continue
        # As they are kept: to make an outcome of each takes three times as long.
        for name, said in (each.outcome.details.get("judges") or {}).items():
            own = found.setdefault(name, JudgeInPanel())
            own.scores += 1
            if said.get("value") is None:
                own.lacking[said.get("cause") or Cause.MISSING_INPUT] += 1
    return found


def verdicts_of(panel: OutcomeEvidence) -> Mapping[str, Verdicts]:
    """The verdicts of each judge: on criteria of a rubric, or else parts and winners.

    These are verdicts where the panel found so, which says then how far they agree.
    """
    judges = panel.judges
    criteria = {name: dict(_on_criteria(each)) for name, each in judges.items()}
    if any(criteria.values()):
        return criteria
    found = bool(panel.agreement)
    return {name: dict(_on_parts(each)) if found else {} for name, each in judges.items()}


def _on_criteria(said: JudgeOutcome) -> Iterator[tuple[Hashable, float]]:
    for item in said.evidence.items:
        if item.axis is not None and item.score is not None:
            yield item.key, item.score


def _on_parts(said: JudgeOutcome) -> Iterator[tuple[Hashable, float | str]]:
    if winner := said.evidence.winner:
        yield (), winner
    for part, grade in said.parts.items():
        if grade is not None:
            yield part, grade


def pairs_of(panel: OutcomeEvidence) -> Iterator[PairOfJudges]:
    """How far each two judges agree on the verdicts that both gave, where there are any."""
    for (one, ours), (other, theirs) in combinations(verdicts_of(panel).items(), 2):
        if both := [asked for asked in ours if asked in theirs]:
            agreed = sum(ours[asked] == theirs[asked] for asked in both)
            yield PairOfJudges(judges=(one, other), verdicts=len(both), agreed=agreed)


def share_agreed(records: Iterable[Judged]) -> float | None:
    """The share of verdicts on which two judges agree, over all pairs; None without any."""
    pairs = [pair for _, panel in panels_of(records) for pair in pairs_of(panel)]
    verdicts = sum(pair.verdicts for pair in pairs)
    return sum(pair.agreed for pair in pairs) / verdicts if verdicts else None
