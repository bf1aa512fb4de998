"""Weighted criteria: what weights and verdicts mean, and the one number that comes of them.

ResearchRubrics, equation 1: the sum of weight times merit over all criteria, by the sum of the
positive weights; a merit is 1, 0.5 or 0, and a fault that a report has subtracts. Nothing is
clipped: a report may fall below 0.

A criterion without a verdict is open. It is no zero, which would take away what a report may have
earned and waive what it may have done wrong. The score stands between the two ends that it could
have; it is given as if the open criteria of each sign had, on average, the merit of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import fsum
from typing import Final, Literal, NamedTuple, Self

SATISFIED: Final = "Satisfied"
PARTIAL: Final = "Partially Satisfied"
NOT: Final = "Not Satisfied"

MERITS: Final[Mapping[str, float]] = {SATISFIED: 1.0, PARTIAL: 0.5, NOT: 0.0}
"""How far a criterion is met, by its verdict (ResearchRubrics, section 3.4)."""

MANDATORY: Final = 4.0
"""From this size of a weight on, a criterion is mandatory; below, it is optional."""


OFF_SCALE: Final = "verdict off the scale"
NO_AXIS: Final = "(none)"


class Level(StrEnum):
    """What weights mean, from the greatest merit to the greatest fault (Table 4)."""

    CRITICALLY_IMPORTANT = "Critically Important"
    IMPORTANT = "Important"
    SLIGHTLY_IMPORTANT = "Slightly Important"
    SLIGHTLY_DETRIMENTAL = "Slightly Detrimental"
    DETRIMENTAL = "Detrimental"
    CRITICALLY_DETRIMENTAL = "Critically Detrimental"
    WEIGHTLESS = "Without Weight"
    """Of a weight of 0, which Table 4 does not have."""


LEVELS: Final = tuple(Level)
"""In their order, what has no weight last."""


def level_of(weight: float) -> Level:
    """A weight between two whole numbers has the level of the smaller one."""
    if not weight:
        return Level.WEIGHTLESS
    size = abs(weight)
    rank = 0 if size >= MANDATORY else 1 if size >= 2 else 2
    return LEVELS[rank if weight > 0 else 5 - rank]


class WeightedMerit(NamedTuple):
    """A weight, and the merit that was found: 1, 0.5, 0, or None while it is open."""

    weight: float
    merit: float | None


def collapsed(verdict: str, *, binary: bool) -> str:
    """The verdict on the binary scale: partly satisfied is not satisfied (section 4.1)."""
    return NOT if binary and verdict == PARTIAL else verdict


def passed(verdict: str | None, weight: float) -> bool | None:
    """Whether a report is as it should be: a merit wholly there, a fault not at all."""
    return None if verdict is None else verdict == (NOT if weight < 0 else SATISFIED)


@dataclass(frozen=True)
class GradedCriterion:
    """One criterion of one report. weight: negative for a fault. verdict: None if none came.

    cause: why there is no verdict.
    """

    key: str
    axis: str
    weight: float
    mandatory: bool
    verdict: str | None
    cause: str = ""

    @classmethod
    def kept(
        cls,
        key: str,
        axis: str | None,
        weight: float | None,
        mandatory: bool | None,
        verdict: object,
        cause: str | None,
    ) -> Self:
        """From what a score keeps. Edition `code` keeps verdicts as judges wrote them."""
        known = str(verdict) if verdict in MERITS else None
        why = "" if known else OFF_SCALE if cause is None else cause
        return cls(key, axis or NO_AXIS, weight or 0.0, bool(mandatory), known, why)

    @cached_property
    def penalty(self) -> bool:
        """Whether it describes a fault."""
        return self.weight < 0

    @cached_property
    def level(self) -> Level:
        """What its weight means (Table 4)."""
        return level_of(self.weight)

    @cached_property
    def obligation(self) -> str:
        """`mandatory` or `optional`."""
        return "mandatory" if self.mandatory else "optional"

    @cached_property
    def passed(self) -> bool | None:
        """Whether the report is as it should be; None where no verdict came."""
        return passed(self.verdict, self.weight)

    @cached_property
    def ternary(self) -> WeightedMerit:
        """Its weight, and how far it is met."""
        return self._mark(binary=False)

    @cached_property
    def binary(self) -> WeightedMerit:
        """Its weight, and how far it is met where partly satisfied counts as not satisfied."""
        return self._mark(binary=True)

    def _mark(self, *, binary: bool) -> WeightedMerit:
        verdict = self.verdict and collapsed(self.verdict, binary=binary)
        return WeightedMerit(self.weight, None if verdict is None else MERITS[verdict])


Over = Literal["positive", "all"]
"""What a sum is divided by: the positive weights, or all of them."""


def compliance(
    marks: Sequence[WeightedMerit],
    over: Over = "positive",
    extremes: tuple[float, float] = (0.0, 1.0),
) -> float | None:
    """The score. None with nothing above 0 to divide by, or if all marks of one sign are open.

    extremes: the lowest and the highest merit that there is.
    """
    if _possible(marks, over) <= 0:
        return None
    decided = [(weight, merit) for weight, merit in marks if merit is not None]
    if len(decided) == len(marks):
        return _share(decided, marks, over)
    earned = _mean_merit([mark for mark in marks if mark.weight > 0])
    lost = _mean_merit([mark for mark in marks if mark.weight < 0])
    if earned is None or lost is None:
        return None
    assumed = [(weight, _or_else(merit, earned if weight > 0 else lost)) for weight, merit in marks]
    low, high = limits(marks, over, extremes)
    # Rounding must not carry an assumed merit past the ends.
    return min(max(_share(assumed, marks, over), low), high)


def limits(
    marks: Sequence[WeightedMerit],
    over: Over = "positive",
    extremes: tuple[float, float] = (0.0, 1.0),
) -> tuple[float, float]:
    """The score if every open criterion went as badly as it can, and as well as it can.

    (0, 0) with nothing to divide by.
    """
    low, high = extremes
    worst = [
        (each.weight, _or_else(each.merit, low if each.weight > 0 else high)) for each in marks
    ]
    best = [(each.weight, _or_else(each.merit, high if each.weight > 0 else low)) for each in marks]
    return _share(worst, marks, over), _share(best, marks, over)


def scale_of(weights: Iterable[float]) -> tuple[float, float]:
    """The lowest and the highest score that a rubric with these weights allows."""
    return limits([WeightedMerit(weight, None) for weight in weights])


def _or_else(merit: float | None, other: float) -> float:
    return other if merit is None else merit


def _mean_merit(marks: Sequence[WeightedMerit]) -> float | None:
    """Mean by weight over marks of one sign that are decided; None if all of some are open."""
    known = [(mark.weight, mark.merit) for mark in marks if mark.merit is not None]
    if not known:
        return None if marks else 0.0
    return fsum(weight * merit for weight, merit in known) / fsum(weight for weight, _ in known)


def _possible(marks: Iterable[WeightedMerit], over: Over) -> float:
    return fsum([weight for weight, _ in marks if weight > 0 or over == "all"])


def _share(
    merits: Iterable[tuple[float, float]], marks: Iterable[WeightedMerit], over: Over
) -> float:
    """Equation 1. The sums are exact before they are rounded, so that no order matters."""
    possible = _possible(marks, over)
    return fsum([weight * merit for weight, merit in merits]) / possible if possible > 0 else 0.0
