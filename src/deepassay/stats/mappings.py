"""Mappings from the scores of one scorer to those of another, and how far off they are.

A mapping is fitted on some groups of scores, such as the tasks of one half, and held to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from deepassay.stats.ranks import TIE, Floats

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


def differences_left_out(fit: Fit, old: Floats, new: Floats, groups: Sequence[str]) -> Floats:
    """New less mapped score of every report, by the mapping that never saw its group.

    groups: of each report, at least two different ones.
    """
    member = np.unique(np.array(groups), return_inverse=True)[1]
    residuals = np.empty_like(new)
    for group in range(int(member.max()) + 1):
        inside = member == group
        residuals[inside] = new[inside] - fit(old[~inside], new[~inside])(old[inside])
    return residuals


@dataclass(frozen=True)
class Cut:
    """1 from a score on, else 0."""

    at: float

    def __call__(self, old: Floats) -> Floats:
        """What is said of each score, same shape."""
        return np.asarray((old >= self.at - TIE).astype(float))


def youden_cut(old: Floats, new: Floats) -> Cut:
    """Where sensitivity + specificity is highest (Youden 1950), halfway between two scores.

    new: in [0, 1]. Of equal cuts the lowest; the lowest score where nothing tells them apart.
    """
    knots, where = np.unique(old, return_inverse=True)
    yes, no = (np.bincount(where, weights=side) for side in (new, 1 - new))
    if len(knots) < 2 or not yes.sum() or not no.sum():
        return Cut(float(knots[0]))
    # Of a cut below knot 1, 2 and so on: what is right above it, and what below.
    index = 1 - np.cumsum(yes)[:-1] / yes.sum() + np.cumsum(no)[:-1] / no.sum()
    best = int(np.argmax(index > index.max() - TIE))
    return Cut(float(knots[best : best + 2].mean()))


SPLITS: Final = 100
"""Splits into halves, unless said otherwise."""


def held_out(
    fit: Fit, old: Floats, new: Floats, groups: Sequence[str], seed: int, splits: int = SPLITS
) -> Floats:
    """What mappings that never saw a score's group make of it, shape (splits, n).

    Groups are split into halves by chance, as often as `splits` says; each half is mapped by what
    the other one was fitted to. groups: of each score, at least two different ones.
    """
    member = np.unique(np.array(groups), return_inverse=True)[1]
    count = int(member.max()) + 1
    generator = np.random.default_rng(seed)
    mapped = np.empty((splits, len(old)))
    for row in mapped:
        first = (generator.permutation(count) < count // 2)[member]
        for half in (first, ~first):
            row[half] = fit(old[~half], new[~half])(old[half])
    return mapped
