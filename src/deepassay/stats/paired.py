"""Changes of the same units: is there one, is there none, and does it stand out from noise."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from deepassay.stats.intervals import Interval, Units, wilson_interval
from deepassay.stats.ranks import TIE, Floats, mean_ranks

NOISE: Final = 0.95
"""Share of the differences between two judgements of one report that lies within the noise."""


def mean_test(units: Units, against: float = 0.0) -> tuple[float, float]:
    """Student's t test of a mean: the one-sided p that it lies above, and that it lies below.

    Where the mean is the same without any one unit, Student's test knows no error: then by the
    signs, of which so many are alike once in 2 ** units; for a mean that is `against` itself both
    are 1. Two or three units that agree on a coarse scale show nothing.
    """
    from scipy.special import stdtr

    away = units.mean - against
    if units.error is None:
        return 1.0, 1.0
    if units.error <= TIE:
        chance = 0.5**units.count
        return (1.0 if away <= TIE else chance), (1.0 if away >= -TIE else chance)
    t, freedom = away / units.error, units.count - 1
    return float(stdtr(freedom, -t)), float(stdtr(freedom, t))


def equivalence(units: Units, margin: float) -> float:
    """The p of two one-sided tests (Schuirmann 1987): that a mean is further than `margin` from 0.

    Below .05, the 90 % interval lies within the margin.
    """
    return max(mean_test(units, -margin)[0], mean_test(units, margin)[1])


def area_above(ours: Floats, theirs: Floats) -> float | None:
    """The chance that one of `ours` is greater than one of `theirs`, ties counting half.

    The area under the curve by which the two are told apart; None where either is empty.
    """
    n, m = len(ours), len(theirs)
    if not n or not m:
        return None
    ranks = mean_ranks(np.concatenate([ours, theirs]))[:n]
    return float((ranks.sum() - n * (n + 1) / 2) / (n * m))


@dataclass(frozen=True)
class Detection:
    """Falls that noise alone seldom brings about.

    band: what NOISE of the absolute differences of untouched twins stay within. found: of n, those
    that fell by more. false_alarm: share of the twins that did.
    """

    band: float
    found: int
    n: int
    false_alarm: float

    @property
    def share(self) -> float:
        """Found of the changed ones, from 0 to 1."""
        return self.found / self.n

    @property
    def interval(self) -> Interval:
        """The 95 % interval by Wilson of the share that was found."""
        return wilson_interval(self.share, self.n)


def detection(falls: Floats, twins: Floats) -> Detection | None:
    """How many falls stand out. falls, twins: before less after; None where either is empty."""
    if not len(falls) or not len(twins):
        return None
    # The order statistic, and not a number between two of them: a band that no twin has reached.
    band = float(np.quantile(abs(twins), NOISE, method="higher")) + TIE
    found = int((falls > band).sum())
    return Detection(band, found, len(falls), float((twins > band).mean()))


def noise_of_pairs(one: Floats, other: Floats) -> float | None:
    """The standard deviation of a single judgement, from two of each report; None for none."""
    return sqrt(float(((one - other) ** 2).mean()) / 2) if len(one) else None
