"""Macro-F1 of a judge against people (ResearchRubrics, section 3.4, equation 3).

F1 of a class is 2 TP by 2 TP + FP + FN; macro-F1 is its mean over the classes. The paper does not
say what a class counts that neither side ever gives. It counts 0 in the authors' program, so that
full agreement on one class of three comes to 1/3; here it is left out of the mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, Literal

from deepassay.results.rubric_items import collapsed
from deepassay.weighing import NOT, PARTIAL, SATISFIED

Scale = Literal["ternary", "binary"]
Pair = tuple[str, str]
"""What a person said of a criterion, and what the judge said."""

CLASSES: Final[Mapping[Scale, tuple[str, ...]]] = {
    "ternary": (SATISFIED, PARTIAL, NOT),
    "binary": (SATISFIED, NOT),
}


@dataclass(frozen=True)
class ClassFigures:
    """One class. tp: both gave it. fp: only the judge did. fn: only the person did."""

    label: str
    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float | None:
        """Share of the judge's that are the person's too; None if the judge never gave it."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else None

    @property
    def recall(self) -> float | None:
        """Share of the person's that are the judge's too; None if no person gave it."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else None

    @property
    def f1(self) -> float | None:
        """In [0, 1]; None if neither gave it."""
        counted = 2 * self.tp + self.fp + self.fn
        return 2 * self.tp / counted if counted else None


def class_figures(pairs: Sequence[Pair], scale: Scale) -> tuple[ClassFigures, ...]:
    """Every class of a scale, from pairs of ternary verdicts. Other words belong to no class."""
    said = Counter((_on(scale, person), _on(scale, judge)) for person, judge in pairs)
    return tuple(
        ClassFigures(
            label,
            said[label, label],
            sum(n for (person, judge), n in said.items() if judge == label != person),
            sum(n for (person, judge), n in said.items() if person == label != judge),
        )
        for label in CLASSES[scale]
    )


def macro_f1(pairs: Sequence[Pair], scale: Scale) -> float | None:
    """The mean F1 of the classes that either side gave; None without any."""
    known = [each.f1 for each in class_figures(pairs, scale) if each.f1 is not None]
    return fmean(known) if known else None


def released_macro_f1(people: Sequence[str], judge: Sequence[str], scale: Scale) -> float:
    """As the released program counts: verdicts paired by position, absent classes 0.

    The longer side is cut to the shorter. Raises ValueError if nothing is left.
    """
    pairs = list(zip(people, judge, strict=False))
    if not pairs:
        raise ValueError("macro-F1 needs at least one pair of verdicts")
    return fmean(each.f1 or 0.0 for each in class_figures(pairs, scale))


def _on(scale: Scale, verdict: str) -> str:
    return collapsed(verdict, binary=scale == "binary")
