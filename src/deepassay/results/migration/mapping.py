"""Mappings from the scores of one judge to those of another, and how far they are off.

Isotonic regression is the rising function with the least squares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from deepassay.stats.ranks import Floats

Mapped = Callable[[Floats], Floats]
"""Old scores to new ones, shape (n,)."""

Fit = Callable[[Floats, Floats], Mapped]
"""From old and new scores of the same reports, shape (n,) each, to a mapping."""


@dataclass(frozen=True)
class Linear:
    """new = intercept + slope times old."""

    intercept: float
    slope: float

    def __call__(self, old: Floats) -> Floats:
        """The new scores, same shape."""
        return np.asarray(self.intercept + self.slope * old)


@dataclass(frozen=True)
class Isotonic:
    """A rising function: straight between knots, level beyond the first and the last."""

    old: Floats
    new: Floats

    def __call__(self, old: Floats) -> Floats:
        """The new scores, same shape."""
        return np.asarray(np.interp(old, self.old, self.new))


def constant(old: Floats, new: Floats) -> Linear:
    """The mean of the new scores, whatever the old: what a mapping has to beat."""
    del old
    return Linear(float(new.mean()), 0.0)


def linear(old: Floats, new: Floats) -> Linear:
    """By least squares; level where the old scores do not vary."""
    from_mean = old - old.mean()
    spread = float(from_mean @ from_mean)
    slope = float(from_mean @ new) / spread if spread > 0 else 0.0
    return Linear(float(new.mean()) - slope * float(old.mean()), slope)


def isotonic(old: Floats, new: Floats) -> Isotonic:
    """By least squares; what stands at the same old score is averaged first."""
    from scipy.optimize import isotonic_regression

    knots, where, counts = np.unique(old, return_inverse=True, return_counts=True)
    means = np.bincount(where, weights=new) / counts
    return Isotonic(knots, isotonic_regression(means, weights=counts).x)


FITS: Final[dict[str, Fit]] = {"linear": linear, "isotonic": isotonic}
"""The mappings that are offered."""


def left_out(fit: Fit, old: Floats, new: Floats, groups: Sequence[str]) -> Floats:
    """New less mapped score of every report, by the mapping that never saw its group.

    groups: of each report, at least two different ones.
    """
    member = np.unique(np.array(groups), return_inverse=True)[1]
    residuals = np.empty_like(new)
    for group in range(int(member.max()) + 1):
        inside = member == group
        residuals[inside] = new[inside] - fit(old[~inside], new[~inside])(old[inside])
    return residuals
