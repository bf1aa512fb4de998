"""Correlation of two rows of numbers, of which every pair may count several times."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from deepassay.stats.intervals import Interval, fisher_interval
from deepassay.stats.ranks import TIE, Floats, Places, mean_ranks, tied

FEW: Final = 200
"""Observations of which each pair is looked at sooner than they are sorted."""


class Coefficient(NamedTuple):
    """In [-1, 1]. interval: None for fewer than four independent pairs, and at either end."""

    value: float
    interval: Interval | None


def pearson(ours: ArrayLike, theirs: ArrayLike, weights: Floats | None = None) -> float | None:
    """Pearson's coefficient; None for fewer than two pairs or where one side is constant.

    weights: how often each pair counts.
    """
    sides = [np.asarray(side, dtype=float) for side in (ours, theirs)]
    counts = np.ones(len(sides[0])) if weights is None else weights
    there = counts > 0
    if not there.any() or any(np.ptp(side[there]) <= TIE for side in sides):
        return None
    one, other = (side - (counts @ side) / counts.sum() for side in sides)
    below = np.sqrt((counts @ one**2) * (counts @ other**2))
    return float(np.clip((counts @ (one * other)) / below, -1, 1))


def spearman(ours: ArrayLike, theirs: ArrayLike, weights: Floats | None = None) -> float | None:
    """Spearman's coefficient: Pearson's of the ranks, equal values sharing their mean rank."""
    return pearson(mean_ranks(ours, weights), mean_ranks(theirs, weights), weights)


def pearson_with_interval(ours: ArrayLike, theirs: ArrayLike, trials: int) -> Coefficient | None:
    """trials: how many of the pairs are independent of each other, for Fisher's interval."""
    value = pearson(ours, theirs)
    return None if value is None else Coefficient(value, fisher_interval(value, trials))


def spearman_with_interval(ours: ArrayLike, theirs: ArrayLike, trials: int) -> Coefficient | None:
    """Spearman's coefficient with the interval of ranks, which is wider; None without variance."""
    value = spearman(ours, theirs)
    return None if value is None else Coefficient(value, fisher_interval(value, trials, ranks=True))


class Kendall:
    """Kendall's coefficients over observations that belong to tasks.

    Both are functions of how often each task counts, shape (tasks,), whole numbers. A task that
    was drawn twice makes no pairs with its own copy: all of them would be ties.
    """

    def __init__(self, ours: ArrayLike, theirs: ArrayLike, task: Places | None = None) -> None:
        """task: the number of each observation's task, none left out; None: each is its own."""
        one, other = tied(ours), tied(theirs)
        # Tied in the first of the three: an observation with its own copy.
        self._sides = (np.arange(len(one)), one, other)
        self._task = np.arange(len(one)) if task is None else task

    def tau_a(self, counts: Floats | None = None) -> float | None:
        """Concordant less discordant pairs, by all pairs. Ties pull it towards 0."""
        lead, pairs, *_ = self._total(counts)
        return float(lead / pairs) if pairs else None

    def tau_b(self, counts: Floats | None = None) -> float | None:
        """Kendall's tau-b: over the geometric mean of the pairs without a tie on either side."""
        lead, _, one, other = self._total(counts)
        return float(lead / sqrt(one * other)) if one and other else None

    @cached_property
    def _within(self) -> Floats:
        """What `_pairs` gives for the observations of each task, shape (4, tasks)."""
        order = np.argsort(self._task, kind="stable")
        ends = np.cumsum(np.bincount(self._task))[:-1]
        own = np.array([self._pairs(rows) for rows in np.split(order, ends)])
        return own.reshape(-1, 4).T

    def _total(self, counts: Floats | None) -> Floats:
        """What `_pairs` gives for all observations, without those of a task with its copies."""
        if counts is None:
            counts = np.ones(self._within.shape[1])
        rows = np.repeat(np.arange(len(self._task)), counts[self._task].astype(int))
        return np.asarray(np.array(self._pairs(rows)) - self._within @ (counts**2 - counts))

    def _pairs(self, rows: Places) -> tuple[float, float, float, float]:
        """Lead, all pairs, and those without a tie on the one side and on the other."""
        sides = [side[rows] for side in self._sides]
        every, one, other = ((len(rows) ** 2 - _squares(side)) / 2 for side in sides)
        if not one or not other:
            return 0.0, every, one, other
        if len(rows) <= FEW:
            signs = [np.sign(np.subtract.outer(side, side)) for side in sides[1:]]
            return float(np.sum(signs[0] * signs[1]) // 2), every, one, other
        from scipy.stats import kendalltau  # takes a second to import

        tau = float(kendalltau(*sides[1:]).statistic)
        return round(tau * sqrt(one * other)), every, one, other


def _squares(groups: Places) -> int:
    sizes = np.bincount(groups)
    return int(sizes @ sizes)


def concordance(grades: ArrayLike, labels: ArrayLike) -> Callable[[Floats | None], float | None]:
    """How often the one of two with the higher label has the higher grade; equal grades are half.

    Of two labels it is the area under the curve. What is returned takes how often each counts,
    and gives None where all labels are equal.
    """
    groups, classes = tied(grades), tied(labels)
    size = int(groups.max(initial=-1)) + 1
    levels = range(int(classes.max(initial=-1)) + 1)

    def area(weights: Floats | None = None) -> float | None:
        counts = np.ones(len(groups)) if weights is None else weights
        own = [np.bincount(groups, counts * (classes == level), size) for level in levels]
        above = pairs = 0.0
        for low, lower in enumerate(own):
            beneath = np.cumsum(lower) - lower / 2
            for higher in own[low + 1 :]:
                above += float(higher @ beneath)
                pairs += float(higher.sum() * lower.sum())
        return above / pairs if pairs else None

    return area
