"""Agreement of a judge with people, class by class.

DeepResearch Bench, appendix D, checks the FACT judge so: of the pairs that people call supported,
how many does the judge call supported, and the same for those that are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deepassay.results.intervals import Interval, wilson_interval


@dataclass(frozen=True)
class ClassAgreement:
    """One class of the people's labels.

    n: how many they gave. agreed: on how many of them the judge said the same. interval: of the
    share, Wilson's.
    """

    label: str
    n: int
    agreed: int
    interval: Interval

    @property
    def rate(self) -> float:
        """Share on which both agree, in [0, 1]."""
        return self.agreed / self.n


@dataclass(frozen=True)
class Agreement:
    """All classes, all pairs together, and Cohen's kappa (1960), None where chance settles it."""

    classes: tuple[ClassAgreement, ...]
    overall: ClassAgreement
    kappa: float | None


def agreement_by_class(labels: Sequence[tuple[str, str]]) -> Agreement:
    """How far a judge agrees with people. labels: (what people say, what the judge says).

    Raises ValueError without labels.
    """
    if not labels:
        raise ValueError("agreement needs at least one label")
    people = Counter(human for human, _ in labels)
    agreed = Counter(human for human, judge in labels if human == judge)
    rows = tuple(_row(label, n, agreed[label]) for label, n in sorted(people.items()))
    return Agreement(rows, _row("all", len(labels), agreed.total()), cohens_kappa(labels))


def _row(label: str, n: int, agreed: int) -> ClassAgreement:
    return ClassAgreement(label, n, agreed, wilson_interval(agreed / n, n))


def cohens_kappa(labels: Sequence[tuple[str, str]]) -> float | None:
    """Agreement beyond chance, at most 1; None if both always say one and the same thing."""
    n = len(labels)
    ours, theirs = (Counter(pair[side] for pair in labels) for side in (0, 1))
    chance = sum(ours[label] * theirs[label] for label in ours) / (n * n)
    observed = sum(one == other for one, other in labels) / n
    return None if chance == 1 else (observed - chance) / (1 - chance)
