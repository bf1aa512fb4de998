"""Intraclass correlation of the ratings that several people gave (Shrout and Fleiss 1979)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Intraclass(NamedTuple):
    """Of one rating, at most 1. one_one: ICC(1,1), two_one: ICC(2,1), three_one: ICC(3,1).

    None where nothing varies.
    """

    one_one: float | None
    two_one: float | None
    three_one: float | None


def one_way(ratings: Sequence[Sequence[float]]) -> float | None:
    """ICC(1,1): every target was rated by people of its own.

    ratings: those of each target. Where targets have unequal numbers, k is n0 of the analysis of
    variance: (N - sum of squares / N) / (n - 1). Bench's equation 8 is the case of equal numbers.
    None for fewer than two targets, for one rating each, and where nothing varies.
    """
    rows = [np.asarray(row, dtype=float) for row in ratings if len(row)]
    sizes = np.array([len(row) for row in rows], dtype=float)
    total, targets = sizes.sum(), len(rows)
    if targets < 2 or total <= targets:
        return None
    means = np.array([row.mean() for row in rows])
    grand = (sizes @ means) / total
    between = float(sizes @ (means - grand) ** 2) / (targets - 1)
    within = sum(float(((row - row.mean()) ** 2).sum()) for row in rows) / (total - targets)
    k = (total - (sizes @ sizes) / total) / (targets - 1)
    return _quotient(between - within, between + (k - 1) * within)


def intraclass(ratings: ArrayLike) -> Intraclass:
    """All three, of ratings without gaps: shape (targets, raters), two of each at least.

    Raises ValueError for less than that.
    """
    table = np.asarray(ratings, dtype=float)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError("an intraclass correlation needs two targets and two raters")
    n, k = table.shape
    rows, columns, grand = table.mean(axis=1), table.mean(axis=0), table.mean()
    between = k * float(((rows - grand) ** 2).sum()) / (n - 1)
    raters = n * float(((columns - grand) ** 2).sum()) / (k - 1)
    residue = table - rows[:, None] - columns + grand
    error = float((residue**2).sum()) / ((n - 1) * (k - 1))
    spread = between + (k - 1) * error
    return Intraclass(
        one_way(table.tolist()),
        _quotient(between - error, spread + k * (raters - error) / n),
        _quotient(between - error, spread),
    )


def _quotient(above: float, below: float) -> float | None:
    return above / below if below > 1e-12 else None
