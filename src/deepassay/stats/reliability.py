"""How far raters agree: Krippendorff's alpha (2011), intraclass correlations (Shrout, Fleiss 1979).

Alpha is of any number of raters, gaps allowed.

With the squared difference for `interval`, both the observed and the expected disagreement are
sums of squares, so that no table of coincidences is needed. `ordinal` is the same on the mean
ranks of all pairable values, `nominal` on one indicator for each category. `ratio`, the squared
quotient of difference and sum, has no such form and compares every two different values.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from deepassay.stats.ranks import Floats, Places, mean_ranks

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: Final[tuple[Level, ...]] = ("nominal", "ordinal", "interval", "ratio")

MOST_VALUES: Final = 2000
"""How many different values `ratio` compares with each other; each pair of them takes 8 bytes."""


class _Summed(NamedTuple):
    """Of each unit: sums of its values, of their squares, and how far they lie apart."""

    sums: Floats
    squares: Floats
    within: Floats


class Alpha:
    """Alpha of units, each with the values that its raters gave.

    values: numbers, but for `nominal`. Units with fewer than two values are left out.
    """

    def __init__(self, units: Sequence[Sequence[Hashable]], level: Level) -> None:
        self._ratio = None
        sizes = np.array([len(unit) for unit in units], dtype=int)
        self._sizes = np.where(sizes >= 2, sizes, 0)
        pairable = [unit for unit in units if len(unit) >= 2]
        self._unit = np.repeat(np.arange(len(units)), self._sizes)
        self._values = _columns([value for unit in pairable for value in unit], level)
        if level == "ratio":
            self._ratio = _RatioMetric(self._values[:, 0], self._sizes)
        self._summed = None if level in ("ordinal", "ratio") else self._sums(self._values)

    def __call__(self, weights: Floats | None = None) -> float | None:
        """At most 1, None where all values are one and the same. weights: of the units.

        With `ratio` None also for values below zero, and for more than MOST_VALUES different ones.
        """
        weights = np.ones(len(self._sizes)) if weights is None else weights
        sizes, own = self._sizes, weights[self._unit]
        total = float(weights @ sizes)
        if total < 2:
            return None
        if self._ratio is not None:
            within, expected = self._ratio(weights, own)
            return 1 - within * (total - 1) / expected if expected > 1e-9 else None
        summed = self._summed or self._sums(mean_ranks(self._values[:, 0], own)[:, None])
        observed = float(weights @ summed.within) / total
        expected = float(weights @ summed.squares - ((weights @ summed.sums) ** 2).sum() / total)
        return 1 - observed * (total - 1) / expected if expected > 1e-9 else None

    def _sums(self, values: Floats) -> _Summed:
        values = values - values.mean(axis=0) if len(values) else values  # for the last digits
        units = len(self._sizes)
        sums = np.column_stack(
            [np.bincount(self._unit, each, units).astype(float) for each in values.T]
        )
        squares = np.bincount(self._unit, (values**2).sum(axis=1), units).astype(float)
        pairs = np.maximum(self._sizes - 1, 1)
        return _Summed(sums, squares, (self._sizes * squares - (sums**2).sum(axis=1)) / pairs)


class _RatioMetric:
    """Disagreement by the metric of ratio scales.

    values: the pairable ones, unit after unit. sizes: of each unit, 0 if it is left out.
    """

    def __init__(self, values: Floats, sizes: Places) -> None:
        different, self._place = np.unique(values, return_inverse=True)
        self._usable = len(different) <= MOST_VALUES and not (different < 0).any()
        if not self._usable:
            return
        sums = np.add.outer(different, different)
        apart = np.subtract.outer(different, different)
        self._metric = np.divide(apart, sums, out=np.zeros_like(sums), where=sums > 0) ** 2
        self._within = np.zeros(len(sizes))
        ends = np.cumsum(sizes)  # the values stand unit after unit
        for at in np.flatnonzero(sizes):
            own = self._place[ends[at] - sizes[at] : ends[at]]
            self._within[at] = self._metric[np.ix_(own, own)].sum() / (sizes[at] - 1)

    def __call__(self, weights: Floats, own: Floats) -> tuple[float, float]:
        """Observed and expected, up to the same factor. weights: of units, own: of values."""
        if not self._usable:
            return 0.0, 0.0
        counts = np.bincount(self._place, own, len(self._metric))
        return float(weights @ self._within), float(counts @ self._metric @ counts)


def _columns(values: Sequence[Hashable], level: Level) -> Floats:
    if level != "nominal":
        return np.array(values, dtype=float).reshape(-1, 1)
    places: Mapping[Hashable, int] = {each: at for at, each in enumerate(dict.fromkeys(values))}
    columns = np.zeros((len(values), max(1, len(places))))
    columns[np.arange(len(values)), np.array([places[value] for value in values], dtype=int)] = 1
    return columns


class Intraclass(NamedTuple):
    """Of one rating, at most 1. one_one: ICC(1,1), two_one: ICC(2,1), three_one: ICC(3,1).

    None where nothing varies.
    """

    one_one: float | None
    two_one: float | None
    three_one: float | None


class OneWay:
    """ICC(1,1) of targets, each of which was rated by people of its own.

    ratings: those of each target. Where targets have unequal numbers, k is n0 of the analysis of
    variance: (N - sum of squares / N) / (n - 1). Bench's equation 8 is the case of equal numbers.
    """

    def __init__(self, ratings: Sequence[Sequence[float]]) -> None:
        rows = [np.asarray(row, dtype=float) for row in ratings]
        self._sizes = np.array([len(row) for row in rows], dtype=float)
        self._means = np.array([row.mean() if len(row) else 0.0 for row in rows])
        self._spread = np.array([len(row) and len(row) * row.var() for row in rows])

    def __call__(self, weights: Floats | None = None) -> float | None:
        """At most 1. weights: how often each target counts.

        None for fewer than two targets, for one rating each, and where nothing varies.
        """
        weights = np.ones(len(self._sizes)) if weights is None else weights
        sizes = weights * self._sizes
        total, targets = float(sizes.sum()), float(weights[self._sizes > 0].sum())
        if targets < 2 or total <= targets:
            return None
        grand = (sizes @ self._means) / total
        between = float(sizes @ (self._means - grand) ** 2) / (targets - 1)
        within = float(weights @ self._spread) / (total - targets)
        k = (total - (sizes @ self._sizes) / total) / (targets - 1)
        return _quotient(between - within, between + (k - 1) * within)


def one_way(ratings: Sequence[Sequence[float]]) -> float | None:
    """ICC(1,1), each target once: see `OneWay`."""
    return OneWay(ratings)()


def intraclass(ratings: ArrayLike, weights: Floats | None = None) -> Intraclass:
    """All three, of ratings without gaps: shape (targets, raters), two of each at least.

    weights: how often each target counts, whole numbers. Raises ValueError for less than that.
    """
    table = np.asarray(ratings, dtype=float)
    if table.ndim == 2 and weights is not None:
        table = np.repeat(table, weights.astype(int), axis=0)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError("an intraclass correlation needs two targets and two raters")
    n, k = table.shape
    rows, columns, grand = table.mean(axis=1), table.mean(axis=0), table.mean()
    between = k * float(((rows - grand) ** 2).sum()) / (n - 1)
    raters = n * float(((columns - grand) ** 2).sum()) / (k - 1)
    residue = table - rows[:, None] - columns + grand
    error = float((residue**2).sum()) / ((n - 1) * (k - 1))
    spread = between + (k - 1) * error
    within = float(table.var(axis=1, ddof=1).mean())
    return Intraclass(
        _quotient(between - within, between + (k - 1) * within),
        _quotient(between - error, spread + k * (raters - error) / n),
        _quotient(between - error, spread),
    )


def _quotient(above: float, below: float) -> float | None:
    return above / below if below > 1e-12 else None
