"""Intraclass correlation of the ratings that several people gave (Shrout and Fleiss 1979)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from deepassay.results.comparison.units import Floats


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
