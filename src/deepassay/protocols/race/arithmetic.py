"""RACE's arithmetic in edition `paper`: from marks and weights to a score, asking nobody.

DeepResearch Bench, section 3.1.3, equation 2. A mark is what a judge gave on one criterion, 0 to
10; scores are shares in [0, 1], 0.5 where target and reference do equally well. The arithmetic
of edition `code` is in `released`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum  # the same last digit in every Python, unlike sum()
from typing import Final

from deepassay.protocols.protocol import ScoreDetails
from deepassay.results.evidence import EvidenceItem
from deepassay.score import Score
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria, Dimension, WeightedCriterion

BOUNDS: Final = (0.0, 1.0)
HIGHEST: Final = 10.0
PARITY: Final = 0.5

Marks = Sequence[float]
"""A mark for every criterion, in the order of the dimensions and of the criteria in each."""


def weighted(
    criteria: Criteria, *, criteria_weights: bool = True, dimension_weights: bool = True
) -> Criteria:
    """The criteria with the weights that count: all sums brought to 1, or all weights equal.

    criteria_weights, dimension_weights: whether those of the task count; the ablations of Table 2.
    """
    shares = {each: criteria.dimension_weight[each] for each in DIMENSIONS}
    return Criteria(
        dimension_weight=dict(
            zip(DIMENSIONS, _normalised(list(shares.values()), dimension_weights), strict=True)
        ),
        criterions={
            each: _reweighted(criteria.criterions[each], criteria_weights) for each in DIMENSIONS
        },
    )


def _reweighted(
    listed: Sequence[WeightedCriterion], by_weight: bool
) -> tuple[WeightedCriterion, ...]:
    given = [each.weight for each in listed]
    weights = _normalised(given, by_weight)
    if weights == given:
        return tuple(listed)
    pairs = zip(listed, weights, strict=True)
    return tuple(each.model_copy(update={"weight": weight}) for each, weight in pairs)


def _normalised(weights: Sequence[float], by_weight: bool) -> list[float]:
    if not by_weight:
        return [1 / len(weights)] * len(weights)
    total = fsum(weights)
    return [weight / total for weight in weights]


@dataclass(frozen=True)
class Totals:
    """Weighted marks of one article, 0 to 10: of each dimension, and over all of them."""

    dimensions: Mapping[Dimension, float]
    overall: float


def totals(criteria: Criteria, marks: Marks) -> Totals:
    """S_d and S_int of section 3.1.3. criteria: as `weighted` gives them."""
    following = iter(marks)
    means = {
        dimension: fsum(each.weight * next(following) for each in criteria.criterions[dimension])
        for dimension in DIMENSIONS
    }
    return Totals(means, fsum(criteria.dimension_weight[each] * means[each] for each in DIMENSIONS))


def relative_share(target: float, reference: float) -> float:
    """Equation 2. Parity where both are 0: the paper is silent, and they are equal."""
    both = target + reference
    return target / both if both > 0 else PARITY


class RaceDetails(ScoreDetails):
    """What is kept of a score.

    totals: weighted marks of target and reference, overall and by dimension. dimension_weight:
    the weights that counted. position: of the target, in each reading. not_asked: why nobody was.
    """

    totals: Mapping[str, Mapping[str, float]] | None = None
    dimension_weight: Mapping[Dimension, float] | None = None
    position: tuple[str, ...] | None = None
    not_asked: str | None = None


@dataclass(frozen=True)
class Marked:
    """One reading of a task's articles. analyses: the judge's reasons, as the marks are ordered.

    position: where the target stood, `first` or `second`, or `alone`.
    """

    target: Marks
    reference: Marks
    analyses: Sequence[str]
    position: str


def relative_score(criteria: Criteria, readings: Sequence[Marked]) -> Score:
    """The score against the reference; weighted totals are means over several readings.

    criteria: as `weighted` gives them. parts: the four dimensions.
    """
    target = totals(criteria, _means([each.target for each in readings]))
    reference = totals(criteria, _means([each.reference for each in readings]))
    return Score(
        relative_share(target.overall, reference.overall),
        BOUNDS,
        parts={
            each: relative_share(target.dimensions[each], reference.dimensions[each])
            for each in DIMENSIONS
        },
        details=RaceDetails(
            items=_items(criteria, readings),
            totals={"target": _shown(target), "reference": _shown(reference)},
            dimension_weight=criteria.dimension_weight,
            position=tuple(each.position for each in readings),
        ).to_json(),
    )


def absolute_score(criteria: Criteria, reading: Marked) -> Score:
    """The score of an article that was marked alone: its weighted mark, a tenth of it."""
    target = totals(criteria, reading.target)
    return Score(
        _tenth(target.overall),
        BOUNDS,
        parts={each: _tenth(target.dimensions[each]) for each in DIMENSIONS},
        details=RaceDetails(
            items=_items(criteria, [reading]),
            totals={"target": _shown(target)},
            dimension_weight=criteria.dimension_weight,
            position=(reading.position,),
        ).to_json(),
    )


def overall_score(mark: float, justification: str) -> Score:
    """The score of the baseline: one mark without criteria, a tenth of it."""
    item = EvidenceItem(
        key="overall", item="the whole article", score=mark, justification=justification
    )
    return Score(_tenth(mark), BOUNDS, details=RaceDetails(items=(item,)).to_json())


def parity(reason: str) -> Score:
    """0.5 throughout, for a report that is its own reference."""
    details = RaceDetails(not_asked=reason).to_json()
    return Score(PARITY, BOUNDS, parts=dict.fromkeys(DIMENSIONS, PARITY), details=details)


def _tenth(mark: float) -> float:
    return min(mark / HIGHEST, 1.0)  # weights that sum to 1 may miss it by a last digit


def _means(readings: Sequence[Marks]) -> list[float]:
    return [_mean(marks) for marks in zip(*readings, strict=True)]


def _shown(found: Totals) -> dict[str, float]:
    return {"overall": found.overall} | {each: found.dimensions[each] for each in DIMENSIONS}


def _items(criteria: Criteria, readings: Sequence[Marked]) -> tuple[EvidenceItem, ...]:
    """One line for each criterion, as `explain` reads it: the target's mark is its score."""
    listed = [(name, each) for name in DIMENSIONS for each in criteria.criterions[name]]
    items = []
    for index, (dimension, each) in enumerate(listed):
        item = EvidenceItem(
            key=f"c{index + 1}",
            item=each.criterion,
            dimension=dimension,
            weight=each.weight,
            score=_mean([reading.target[index] for reading in readings]),
            justification=" / ".join(reading.analyses[index] for reading in readings),
        )
        if readings[0].reference:
            mean = _mean([reading.reference[index] for reading in readings])
            item = item.model_copy(update={"reference": mean})
        items.append(item)
    return tuple(items)


def _mean(marks: Marks) -> float:
    return fsum(marks) / len(marks)
