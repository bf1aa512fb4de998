"""Binary checklists: what a judge may answer, and the score of edition `paper`.

LiveResearchBench scores presentation and coverage alike: a verdict of 0 or 1 with a reason for
every item, and the share of items that are met (sections 4.1 and 4.2, appendix A.1 and A.3).
Nothing here asks anyone. The arithmetic of edition `code` is in `checklist_released`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, StringConstraints

from deepassay.models.operation import Inputs, Reply
from deepassay.protocols.entries import numbered
from deepassay.protocols.overlap import DELIVERED, best_passage
from deepassay.protocols.protocol import ScoreDetails
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Json, Score

BOUNDS: Final = (0.0, 100.0)


class ReportAndQuery(Inputs):
    """A report and the request that it answers."""

    report: str
    query: str


def _number(value: Json) -> Json:
    # JSON has one 1, also written 1.0; its true is another thing, though Python thinks them equal.
    if isinstance(value, bool):
        raise ValueError("must be 0 or 1, not true or false")
    return int(value) if value in (0.0, 1.0) else value


class Verdict(Reply):
    """0 or 1 for one item, and why."""

    score: Annotated[Literal[0, 1], BeforeValidator(_number)]
    justification: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class ChecklistAnswer(Reply):
    """A verdict for each item, by its key: `p1` to `p10`, or `q1` and on."""

    evaluations: dict[str, Verdict]


def keys_of(checklist: Sequence[str]) -> dict[str, str]:
    """The items of a checklist by their keys: `q1`, `q2` and so on."""
    return numbered("q", checklist)


def verdict_by_rule(report: str, item: str) -> Verdict:
    """The floor: an item is met if one passage of a report holds most of its words."""
    best = best_passage(report, item)
    return Verdict(score=1 if best.share >= DELIVERED else 0, justification=best.found)


def items_of(answer: ChecklistAnswer, items: Mapping[str, str]) -> list[EvidenceItem]:
    """The evidence of a complete answer. items: what each key stands for."""
    return [item_of(key, item, answer.evaluations[key]) for key, item in items.items()]


def item_of(key: str, item: str, said: Verdict) -> EvidenceItem:
    """One line of evidence, as `explain` reads it."""
    return EvidenceItem(key=key, item=item, score=said.score, justification=said.justification)


def paper_score(answer: ChecklistAnswer, items: Mapping[str, str], prefix: str = "") -> Score:
    """The score of a complete answer about a whole report, as `share_met` gives it."""
    return share_met(items_of(answer, items), prefix)


NO_DETAILS: Final = ScoreDetails()


def share_met(
    items: Sequence[EvidenceItem], prefix: str = "", details: ScoreDetails = NO_DETAILS
) -> Score:
    """Share of items that are met, 0 to 100, from their evidence; each item is a part.

    prefix: of the names of parts, where the items of one task are not those of another. details:
    what is kept beside the items.
    """
    scores = {each.key: each.score or 0 for each in items}
    met, of = sum(scores.values()), len(items)
    return Score(
        met / of * 100,
        BOUNDS,
        parts={prefix + key.upper(): 100.0 * score for key, score in scores.items()},
        tally=(float(met), float(of)),
        details=details.model_copy(update={"items": tuple(items)}).to_json(),
    )
