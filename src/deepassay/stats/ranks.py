"""Ranks, and the one rule by which values are equal: see the docstring of the package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Flags = NDArray[np.bool_]

TIE: Final = 1e-9
"""Values that differ by no more are equal."""


def tied(values: ArrayLike) -> Places:
    """The number of each value's group of equal values, from 0 for the lowest; same shape."""
    row = np.asarray(values, dtype=float)
    order = np.argsort(row, kind="stable")
    groups = np.empty(len(row), dtype=np.intp)
    groups[order] = np.cumsum(np.diff(row[order], prepend=row[order][:1]) > TIE)
    return groups


def mean_ranks(values: ArrayLike, weights: Floats | None = None) -> Floats:
    """Ranks from 1, the lowest; equal values share their mean.

    weights: how often each value counts.
    """
    groups = tied(values)
    sizes = np.bincount(groups, weights)
    return np.asarray((np.cumsum(sizes) - (sizes - 1) / 2)[groups])


def place(value: float, among: Iterable[float]) -> int:
    """The place of a value, 1 for the highest; equal values share the better place."""
    return 1 + sum(other - value > TIE for other in among)
