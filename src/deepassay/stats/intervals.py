"""Intervals and limits: of a mean, of a share and of a correlation."""

from __future__ import annotations

from collections.abc import Sequence
from math import atanh, fsum, sqrt, tanh
from statistics import NormalDist, fmean
from typing import Final, NamedTuple

import numpy as np

from deepassay.stats.ranks import TIE, Floats

LEVEL: Final = 0.95
"""Of every interval and limit here."""

_Z: Final = NormalDist().inv_cdf((1 + LEVEL) / 2)

STRAIGHT: Final = 1e-9
"""Skewness by the root of n, below which there is nothing to correct."""


class Interval(NamedTuple):
    """Two ends, in the unit of the score."""

    low: float
    high: float


def t_interval(values: Sequence[float]) -> Interval | None:
    """Student's 95 % interval of a mean; None for fewer than two values, and where all are equal.

    Equal values do not say how far others lie from them. Not cut at the ends of the metric's range:
    a wide interval shows that the tasks are few.
    """
    n = len(values)
    if n < 2:
        return None
    from scipy.special import stdtrit  # scipy.stats takes longer to import

    mean = fmean(values)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / (n - 1))
    if deviation <= TIE:
        return None
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * deviation / sqrt(n)
    return Interval(mean - half, mean + half)


def wilson_interval(share: float, n: int) -> Interval:
    """The 95 % score interval of a share of n independent trials (Wilson 1927). n: at least 1.

    It stays inside [0, 1].
    """
    z2 = _Z**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def upper_limit(errors: int, n: int) -> float:
    """What the rate of errors does not pass, by the exact limit of Clopper and Pearson (1934).

    One-sided: errors as few as these in n trials have a probability of 1 - LEVEL at this rate. n:
    at least 1.
    """
    from scipy.special import betaincinv

    return 1.0 if errors >= n else float(betaincinv(errors + 1, n - errors, LEVEL))


def trials_for(errors: int, most: float) -> int:
    """The fewest trials in which so many errors show that the rate is at most `most`, in (0, 1)."""
    n = errors + 1
    while upper_limit(errors, n) > most:
        # The limit falls no faster than as errors by trials do.
        n = max(n + 1, int(n * upper_limit(errors, n) / most * 0.9))
    while n > errors + 1 and upper_limit(errors, n - 1) <= most:
        n -= 1
    return n


def fisher_interval(coefficient: float, n: int, *, ranks: bool = False) -> Interval | None:
    """The 95 % interval of a correlation of n independent pairs by Fisher's z (1921).

    ranks: for Spearman's coefficient, with the wider standard error of Bonett and Wright (2000).
    None for fewer than four pairs, and for a coefficient of 1 or -1, of which z is infinite.
    """
    if n < 4 or abs(coefficient) >= 1:
        return None
    error = sqrt((1 + coefficient**2 / 2 if ranks else 1) / (n - 3))
    half = _Z * error
    z = atanh(coefficient)
    return Interval(tanh(z - half), tanh(z + half))


def for_skewed(values: Floats) -> Interval | None:
    """The interval of a mean by Hall's transformation of Student's t (Hall 1992).

    Where values lean to one side, Student's interval is wrong at one end more often than it says;
    this one corrects for the skewness that is seen. values: shape (n,); None below three.
    """
    from scipy.special import stdtrit  # scipy.stats takes longer to import

    count = len(values)
    if count < 3:
        return None
    mean, spread = float(values.mean()), float(values.std())
    if spread <= TIE:
        return Interval(mean, mean)
    error = float(values.std(ddof=1)) / sqrt(count)
    lean = float(((values - mean) ** 3).mean()) / spread**3 / sqrt(count)
    reach = float(stdtrit(count - 1, (1 + LEVEL) / 2))

    def untransformed(t: float) -> float:
        if abs(lean) < STRAIGHT:
            return t
        return 3 / lean * (float(np.cbrt(1 + lean * (t - lean / 6))) - 1)

    return Interval(mean - untransformed(reach) * error, mean - untransformed(-reach) * error)
