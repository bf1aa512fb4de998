"""How far two say the same of each item: shares by class, Cohen's kappa, F1 of classes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from deepassay.stats.intervals import Interval, wilson_interval
from deepassay.stats.ranks import Floats

Pair = tuple[str, str]
"""What a person said of an item, and what the judge said."""


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


def agreement_by_class(pairs: Sequence[Pair]) -> Agreement:
    """How far a judge agrees with people (DeepResearch Bench, appendix D).

    Raises ValueError without pairs.
    """
    if not pairs:
        raise ValueError("agreement needs at least one label")
    people = Counter(human for human, _ in pairs)
    agreed = Counter(human for human, judge in pairs if human == judge)
    rows = tuple(_row(label, n, agreed[label]) for label, n in sorted(people.items()))
    return Agreement(rows, _row("all", len(pairs), agreed.total()), kappa(pairs))


def _row(label: str, n: int, agreed: int) -> ClassAgreement:
    return ClassAgreement(label, n, agreed, wilson_interval(agreed / n, n))


def kappa(pairs: Sequence[Pair]) -> float | None:
    """Agreement beyond chance, at most 1; None without pairs and if both say one and the same."""
    words = {word: at for at, word in enumerate(dict.fromkeys(w for pair in pairs for w in pair))}
    table = np.zeros((len(words), len(words)))
    for one, other in pairs:
        table[words[one], words[other]] += 1
    return kappa_of_table(table)


def kappa_of_table(table: Floats) -> float | None:
    """Cohen's kappa of a square table of counts; None for no counts and for one class alone."""
    total = float(table.sum())
    if not total:
        return None
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / total**2
    return None if chance >= 1 else (float(np.trace(table)) / total - chance) / (1 - chance)


@dataclass(frozen=True)
class ClassFigures:
    """One class, in weights. tp: both gave it. fp: only the judge did. fn: only the person did."""

    label: str
    tp: float
    fp: float
    fn: float

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


def class_figures(
    pairs: Sequence[Pair], labels: Sequence[str], weights: Sequence[float] | None = None
) -> tuple[ClassFigures, ...]:
    """Every class, in the order of labels. Words that are no label belong to no class.

    weights: of the pairs, 1 each if not given.
    """
    said = weighed(pairs, weights)
    return tuple(
        ClassFigures(
            label,
            said[label, label],
            sum(n for (person, judge), n in said.items() if judge == label != person),
            sum(n for (person, judge), n in said.items() if person == label != judge),
        )
        for label in labels
    )


def weighed(pairs: Sequence[Pair], weights: Sequence[float] | None) -> Mapping[Pair, float]:
    """How much each pair weighs in all; those that are not there weigh nothing."""
    if weights is None:
        return Counter(pairs)
    together: defaultdict[Pair, float] = defaultdict(float)
    for pair, weight in zip(pairs, weights, strict=True):
        together[pair] += weight
    return together


def macro_f1(
    pairs: Sequence[Pair],
    labels: Sequence[str],
    absent: float | None = None,
    weights: Sequence[float] | None = None,
) -> float | None:
    """The mean F1 of the classes; None without any.

    absent: what a class counts that neither side gave; None leaves it out of the mean. weights:
    see `class_figures`.
    """
    found = class_figures(pairs, labels, weights)
    known = [absent if each.f1 is None else each.f1 for each in found]
    counted = [each for each in known if each is not None]
    return fmean(counted) if counted else None
