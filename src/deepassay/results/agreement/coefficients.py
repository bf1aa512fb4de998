"""Correlations of which every pair counts so many times, and Cohen's kappa of a table.

NaN stands where one side is constant. Values that differ by less than half of 1e-9 are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.results.comparison.units import Floats

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


class Kendall:
    """Pairs of observations, of which every task counts so many times. n log n a figure."""

    def __init__(self, ours: Floats, theirs: Floats, task: NDArray[np.intp]) -> None:
        """task: the number of the task of each observation, in rising order, none left out."""
        one, other = (
            np.unique(np.round(side, _DECIMALS), return_inverse=True)[1] for side in (ours, theirs)
        )
        self._task = task
        self._groups = (np.arange(len(task)), one, other)
        self._levels = list(_levels(one, other))
        begins = np.flatnonzero(np.diff(task, prepend=-1))[1:]
        within = [
            _pairs(np.sign(one[own, None] - one[own]), np.sign(other[own, None] - other[own]))
            for own in np.split(np.arange(len(task)), begins)
        ]
        self._lead, *self._untied = np.array(within).reshape(-1, 4).T

    def tau_a(self, counts: Floats) -> float:
        """Lead by all pairs (DeepResearch Arena, equation 18). Ties pull it towards 0."""
        below = self._apart(counts, 0)
        return self._ahead(counts) / below if below else float("nan")

    def tau_b(self, counts: Floats) -> float:
        """Lead by the geometric mean of the pairs without a tie on either side."""
        below = np.sqrt(self._apart(counts, 1) * self._apart(counts, 2))
        return float(self._ahead(counts) / below) if below else float("nan")

    def _ahead(self, counts: Floats) -> float:
        """Concordant less discordant pairs."""
        weights = counts[self._task]
        found = sum(level.lead(weights) for level in self._levels)
        return float(found - _copies(counts) @ self._lead)

    def _apart(self, counts: Floats, side: int) -> float:
        """All pairs (side 0), or those without a tie on our or their side (1, 2)."""
        weights = counts[self._task]
        tied = np.bincount(self._groups[side], weights)
        found = (weights.sum() ** 2 - tied @ tied) / 2
        return float(found - _copies(counts) @ self._untied[side])


def _copies(counts: Floats) -> Floats:
    # A task that was drawn twice is no pair with its own copy: all would be ties.
    return counts**2 - counts


def _pairs(one: Floats, other: Floats) -> tuple[float, float, float, float]:
    """Of a table of signs: lead, all pairs, those without a tie on the one side and the other."""
    n = len(one)
    found = (one * other).sum(), n * n - n, abs(one).sum(), abs(other).sum()
    lead, every, ours, theirs = (float(each) / 2 for each in found)
    return lead, every, ours, theirs


class _Level(NamedTuple):
    """Pairs whose ranks on one side first differ in the same binary digit.

    order: the observations by block, then by rank on the other side. low: 1 for those whose digit
    is 0. high: places of the others in that order; ends: where, for each of these, its block and
    those equal to it begin and end, shape (4, high).
    """

    order: NDArray[np.intp]
    low: Floats
    high: NDArray[np.intp]
    ends: NDArray[np.intp]

    def lead(self, weights: Floats) -> float:
        """Concordant less discordant pairs."""
        own = weights[self.order]
        sums = np.concatenate([[0.0], np.cumsum(own * self.low)])
        begin, first, last, end = sums[self.ends]
        return float(own[self.high] @ ((first - begin) - (end - last)))


def _levels(one: NDArray[np.intp], other: NDArray[np.intp]) -> Iterator[_Level]:
    for digit in range(int(one.max(initial=0)).bit_length()):
        block = one >> (digit + 1)
        order = np.lexsort((other, block))
        high = np.flatnonzero(one[order] >> digit & 1)
        place = (block * (other.max() + 1) + other)[order]
        keys, blocks = place[high], block[order]
        ends = (
            np.searchsorted(blocks, blocks[high], "left"),
            np.searchsorted(place, keys, "left"),
            np.searchsorted(place, keys, "right"),
            np.searchsorted(blocks, blocks[high], "right"),
        )
        low = np.where(one[order] >> digit & 1, 0.0, 1.0)
        yield _Level(order, low, high, np.array(ends))


def kappa(table: Floats) -> float:
    """Cohen's kappa (1960) of a square table of counts; NaN if chance settles everything."""
    total = table.sum()
    if not total:
        return float("nan")
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / total**2
    return float("nan") if chance >= 1 else (float(np.trace(table)) / total - chance) / (1 - chance)
