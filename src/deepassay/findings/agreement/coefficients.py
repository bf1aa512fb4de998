"""Correlations of which every pair counts so many times, and Cohen's kappa of a table.

NaN stands where one side is constant. Values that differ by less than half of 1e-9 are equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.findings.comparison.units import Floats

_DECIMALS = 9


def straight(ours: Floats, theirs: Floats, weights: Floats | None = None) -> float:
    """Pearson's coefficient (DeepResearch Arena, equation 17). weights: how often pairs count."""
    weights = np.ones(len(ours)) if weights is None else weights
    there = weights > 0
    if not there.any() or any(np.ptp(np.round(side[there], 12)) == 0 for side in (ours, theirs)):
        return float("nan")
    total = weights.sum()
    ours, theirs = (side - (weights @ side) / total for side in (ours, theirs))
    below = np.sqrt((weights @ ours**2) * (weights @ theirs**2))
    return float(np.clip((weights @ (ours * theirs)) / below, -1, 1))


def ranked(ours: Floats, theirs: Floats, weights: Floats | None = None) -> float:
    """Spearman's coefficient: Pearson's of the ranks, equal values sharing their mean rank.

    Equation 16 of DeepResearch Arena is the same where no values are equal.
    """
    weights = np.ones(len(ours)) if weights is None else weights
    return straight(ranks(ours, weights), ranks(theirs, weights), weights)


def ranks(values: Floats, weights: Floats) -> Floats:
    """The mean rank of each value among all, each of which counts so many times."""
    _, group = np.unique(np.round(values, _DECIMALS), return_inverse=True)
    sizes = np.bincount(group, weights)
    return np.asarray((np.cumsum(sizes) - (sizes - 1) / 2)[group])


class Kendall(NamedTuple):
    """Pairs of observations by the tasks that the two belong to, shape (tasks, tasks) each.

    lead: concordant less discordant ones. all: how many. ours, theirs: those without a tie.
    """

    lead: Floats
    all: Floats
    ours: Floats
    theirs: Floats

    @classmethod
    def of(cls, ours: Floats, theirs: Floats, task: NDArray[np.intp]) -> Kendall:
        """task: the number of the task of each observation, in rising order, none left out."""
        begins = np.flatnonzero(np.diff(task, prepend=-1))
        tasks = len(begins)
        sums = np.zeros((4, tasks, tasks))
        for at, own in enumerate(np.split(np.arange(len(ours)), begins[1:])):
            one, other = (
                np.sign(np.round(side[own, None] - side, _DECIMALS)) for side in (ours, theirs)
            )
            for found, pairs in zip(
                sums, (one * other, np.ones_like(one), abs(one), abs(other)), strict=True
            ):
                found[at] = np.add.reduceat(pairs.sum(axis=0), begins)
        sums[1] -= np.diag(np.bincount(task))  # no observation is a pair with itself
        return cls(*sums / 2)

    def tau_a(self, counts: Floats) -> float:
        """Lead by all pairs (DeepResearch Arena, equation 18). Ties pull it towards 0."""
        below = _pairs(self.all, counts)
        return _pairs(self.lead, counts) / below if below else float("nan")

    def tau_b(self, counts: Floats) -> float:
        """Lead by the geometric mean of the pairs without a tie on either side."""
        below = np.sqrt(_pairs(self.ours, counts) * _pairs(self.theirs, counts))
        return float(_pairs(self.lead, counts) / below) if below else float("nan")


def _pairs(found: Floats, counts: Floats) -> float:
    # A task that was drawn twice is no pair with its own copy: all would be ties.
    own = np.diag(found)
    return float(counts @ found @ counts - (counts**2 - counts) @ own)


def kappa(table: Floats) -> float:
    """Cohen's kappa (1960) of a square table of counts; NaN if chance settles everything."""
    total = table.sum()
    if not total:
        return float("nan")
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / total**2
    return float("nan") if chance >= 1 else (float(np.trace(table)) / total - chance) / (1 - chance)
