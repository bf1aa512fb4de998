"""Answers and numbers of the authors' released programs for ResearchRubrics: edition `code`.

Answers are bare JSON and nothing else, so that one between fences is lost. There are two programs.
The first counts by verdict, on three levels, and collapses them for its binary figure. The later
one is binary and counts the number that the judge gives beside the verdict, whatever it is. For
both a call that failed is a 0: a merit is lost, and a penalty waived.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from deepassay.models.operation import Reply, Unchecked
from deepassay.protocols.protocol import ScoreDetails
from deepassay.protocols.released import Quirk, fired, no_grade
from deepassay.protocols.rubrics.criteria import Scale, criterion_item
from deepassay.results.evidence import EvidenceItem
from deepassay.results.weighing import MERITS, WeightedMerit, limits, scale_of
from deepassay.score import Cause, Json, Score, Unscored, canonical_json
from deepassay.tasks.yardsticks import Criterion

ERROR: Final = "Error"
"""The verdict of a row whose call came to nothing."""


class GradeForm(Reply):
    """What the program asks for about one criterion."""

    verdict: str
    score: Annotated[float, Field(ge=0, le=1)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasoning: str
    evidence_quotes: list[str]
    missing_elements: list[str]


class ChunkForm(Reply):
    """What it asks for about one chunk of a long report."""

    relevant_evidence: list[str]
    satisfaction: bool
    confidence_for_chunk: float
    notes: str


class RawGrade(Unchecked):
    """Whatever the program takes for a grade."""

    form = GradeForm


class RawEvidence(Unchecked):
    """Whatever the program takes for the evidence in a chunk."""

    form = ChunkForm


class Grade(NamedTuple):
    """A row of the program. score: any float, also NaN. success: whether the call came to one."""

    verdict: Json
    score: float
    confidence: float
    reasoning: Json
    success: bool = True

    @classmethod
    def failed(cls, problem: str) -> Grade:
        """The row of a call that came to nothing."""
        return cls(ERROR, 0.0, 0.0, f"Evaluation failed: {problem}", False)


def read_grade(raw: str) -> Json:
    """The fields of an answer, numbers turned into floats. Raises ValueError with the problem."""
    answer = json.loads(raw)
    try:
        return {
            "verdict": answer.get("verdict"),
            "score": float(answer.get("score")),
            "confidence": float(answer.get("confidence")),
            "reasoning": answer.get("reasoning"),
        }
    except (AttributeError, TypeError, OverflowError) as error:
        raise ValueError(str(error)) from None


def read_evidence(raw: str) -> Json:
    """The list of evidence in an answer about a chunk. Raises ValueError without one."""
    answer = json.loads(raw)
    found = answer.get("relevant_evidence") if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise ValueError("The answer must hold a list as its `relevant_evidence`.")
    return {"relevant_evidence": found}


def grade_of(answer: Json) -> Grade:
    """The row of an answer that was read."""
    return Grade(answer["verdict"], answer["score"], answer["confidence"], answer["reasoning"])


BY_VERDICT: Final[Mapping[Scale, Mapping[str, float]]] = {
    "ternary": {str(verdict): merit for verdict, merit in MERITS.items()},
    "binary": {str(verdict): float(merit == 1) for verdict, merit in MERITS.items()},
}
"""What a verdict counts in the first program."""


class RubricQuirk(Quirk):
    """Where a program counts what edition `paper` does not."""

    ERROR_IS_ZERO = "rubrics-error-is-zero"
    PENALTY_WAIVED = "rubrics-penalty-waived"
    UNKNOWN_VERDICT = "rubrics-unknown-verdict"
    SCORE_BELIEVED = "rubrics-score-believed"
    VERDICT_BELIEVED = "rubrics-verdict-believed"
    OFF_SCALE_SCORE = "rubrics-off-scale-score"
    NOT_A_NUMBER = "rubrics-not-a-number"
    NO_REASONING = "rubrics-no-reasoning"
    NOTHING_TO_EARN = "rubrics-nothing-to-earn"
    CHUNKED = "rubrics-chunked"


def merit_by_verdict(verdict: Json, scale: Scale) -> float:
    """What a verdict counts, to the letter; 0 for every other."""
    return BY_VERDICT[scale].get(verdict, 0.0) if isinstance(verdict, str) else 0.0


def released_value(weights: Sequence[float], merits: Sequence[float]) -> float:
    """The score of either program; merits may be fewer or more than weights.

    0 without a positive weight. Added up one by one, for the last digit of the float.
    """
    earned: float = 0
    for weight, merit in zip(weights, merits, strict=False):
        earned += weight * merit
    possible: float = 0
    for weight in weights:
        possible += weight if weight > 0 else 0
    return earned / possible if possible > 0 else 0.0


def released_score(
    rubric: Sequence[Criterion],
    grades: Sequence[Grade],
    causes: Sequence[Cause | None],
    scale: Scale,
    *,
    chunked: bool = False,
) -> Score | Unscored:
    """The score of edition `code`, the quirks that fired in its details.

    scale: `ternary` counts as the first program does, `binary` as the later one. causes: of the
    calls that failed, None for the others. Where nothing was answered at all, or the program
    stops, or makes NaN of it: Unscored.
    """
    weights = [each.weight for each in rubric]
    merits = [
        merit_by_verdict(grade.verdict, scale) if scale == "ternary" else grade.score
        for grade in grades
    ]
    quirks = _quirks(rubric, grades, scale) | ({RubricQuirk.CHUNKED} if chunked else set())
    details = (
        _details(rubric, grades, merits, causes, scale)
        .model_copy(
            update={"quirks": tuple(str(quirk) for quirk in RubricQuirk if quirk in quirks)}
        )
        .to_json()
    )
    if all(causes):
        return Unscored(next(filter(None, causes)), "Not one criterion was answered.", details)
    if RubricQuirk.NO_REASONING in quirks:
        return no_grade("stops at an answer without reasoning and drops the report", details)
    value = released_value(weights, merits)
    if not math.isfinite(value):
        return no_grade(f"makes {value} of these answers, which is no score", details)
    bounds = scale_of(weights)
    return Score(value, bounds if bounds[0] <= value <= bounds[1] else None, details=details)


class GradedDetails(ScoreDetails):
    """What is kept of a score. binary: the collapsed figure of the first program."""

    binary: float | None = None


def _details(
    rubric: Sequence[Criterion],
    grades: Sequence[Grade],
    merits: Sequence[float],
    causes: Sequence[Cause | None],
    scale: Scale,
) -> GradedDetails:
    """The evidence, and the ends that the score could have if the calls had not failed."""
    low = high = binary = summary = None
    if all(0 <= merit <= 1 for merit in merits):  # a number off the scale has no ends
        marks = [
            WeightedMerit(each.weight, merit if cause is None else None)
            for each, merit, cause in zip(rubric, merits, causes, strict=True)
        ]
        low, high = limits(marks)
    if scale == "ternary":
        collapsed = [merit_by_verdict(grade.verdict, "binary") for grade in grades]
        binary = released_value([each.weight for each in rubric], collapsed)
        summary = f"Collapsed, as for the binary figure: {binary:.4f}."
    rows = zip(rubric, grades, merits, causes, strict=True)
    items = tuple(_item(*row) for row in rows)
    return GradedDetails(
        items=items, open=any(causes), low=low, high=high, binary=binary, summary=summary
    )


def _quirks(rubric: Sequence[Criterion], grades: Sequence[Grade], scale: Scale) -> set[RubricQuirk]:
    """What edition `paper` would not have let pass, or counts otherwise."""
    answered = [grade for grade in grades if grade.success]
    failed = [each for each, grade in zip(rubric, grades, strict=True) if not grade.success]
    at_odds = any(
        grade.score != merit_by_verdict(grade.verdict, scale)
        for grade in answered
        if grade.verdict in _menu(scale)
    )
    return set(
        fired(
            {
                RubricQuirk.ERROR_IS_ZERO: bool(failed),
                RubricQuirk.PENALTY_WAIVED: any(each.weight < 0 for each in failed),
                RubricQuirk.UNKNOWN_VERDICT: any(
                    grade.verdict not in _menu(scale) for grade in answered
                ),
                RubricQuirk.SCORE_BELIEVED: at_odds and scale == "binary",
                RubricQuirk.VERDICT_BELIEVED: at_odds and scale == "ternary",
                RubricQuirk.OFF_SCALE_SCORE: any(
                    grade.score not in BY_VERDICT[scale].values() for grade in answered
                ),
                RubricQuirk.NOT_A_NUMBER: any(math.isnan(grade.score) for grade in answered),
                RubricQuirk.NO_REASONING: any(
                    not isinstance(grade.reasoning, str) for grade in answered
                ),
                RubricQuirk.NOTHING_TO_EARN: not any(each.weight > 0 for each in rubric),
            }
        )
    )


def _menu(scale: Scale) -> list[str]:
    """The verdicts that the judge is asked to choose from."""
    return [each for each in MERITS if scale == "ternary" or each != "Partially Satisfied"]


def _item(criterion: Criterion, grade: Grade, merit: float, cause: Cause | None) -> EvidenceItem:
    """One criterion as `explain` reads it, with the verdict as the judge wrote it."""
    verdict = grade.verdict
    item = criterion_item(criterion).model_copy(
        update={
            "verdict": verdict if isinstance(verdict, str) else canonical_json(verdict),
            "score": merit if math.isfinite(merit) else None,
            "justification": grade.reasoning if isinstance(grade.reasoning, str) else "",
        }
    )
    return item if cause is None else item.model_copy(update={"cause": str(cause)})
