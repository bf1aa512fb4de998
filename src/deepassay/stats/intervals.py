"""Intervals and limits: of a mean, of a share and of a correlation.

`Units` are what varies independently: tasks, or clusters of tasks that have something in common.
The mean of n values in G clusters is a ratio of sums over clusters. Its standard error is that of
the cluster jackknife (CR3; Bell and McCaffrey 2002, MacKinnon, Nielsen and Webb 2023), with G - 1
degrees of freedom. Where every cluster is one task, that is Student's interval of a mean; where
all clusters are of one size, Student's interval of the means of clusters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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


@dataclass(frozen=True)
class Units:
    """Sums of values and how many there are, shape (units,) each."""

    sums: Floats
    sizes: Floats

    @classmethod
    def of(cls, values: Mapping[str, float], clusters: Mapping[str, str] | None = None) -> Units:
        """The values of tasks, each by itself or with those of the same cluster."""
        if clusters is None:
            return cls(np.array(list(values.values()), dtype=float), np.ones(len(values)))
        together: defaultdict[str, list[float]] = defaultdict(list)
        for task, value in values.items():
            together[clusters[task]].append(value)
        return cls(
            np.array([fsum(own) for own in together.values()], dtype=float),
            np.array([len(own) for own in together.values()], dtype=float),
        )

    @property
    def count(self) -> int:
        """How many units there are."""
        return len(self.sums)

    @cached_property
    def mean(self) -> float:
        """Over all values, each weighing the same."""
        return fsum(self.sums.tolist()) / fsum(self.sizes.tolist())

    @cached_property
    def left_out(self) -> Floats:
        """The mean without each unit in turn, shape (units,)."""
        return np.asarray((self.sums.sum() - self.sums) / (self.sizes.sum() - self.sizes))

    @cached_property
    def error(self) -> float | None:
        """The standard error of the mean; None for fewer than two units."""
        if self.count < 2:
            return None
        return sqrt(
            (self.count - 1) / self.count * fsum(((self.left_out - self.mean) ** 2).tolist())
        )

    def interval(self) -> Interval | None:
        """Student's t interval of the mean, by the number of units less one.

        None below two units, and where the mean is the same without any one of them.
        """
        if self.error is None or self.error <= TIE:
            return None
        from scipy.special import stdtrit  # scipy.stats takes longer to import

        half = float(stdtrit(self.count - 1, (1 + LEVEL) / 2)) * self.error
        return Interval(self.mean - half, self.mean + half)

    def share_interval(self) -> Interval:
        """The 95 % interval of a mean that is a share, of two units at least.

        The exact one of Clopper and Pearson with the number of trials that would vary as much,
        which is smaller where units differ (Korn and Graubard 1998, Survey Methodology 24). It is
        wide where no trial failed, and its ends are rarely passed where shares lean to one side.
        """
        from scipy.special import betaincinv, stdtrit

        share, error = self.mean, self.error or 0.0
        trials = share * (1 - share) / error**2 if error > TIE else float(self.count)
        level = (1 + LEVEL) / 2
        trials = max(trials, 1.0) * (_Z / float(stdtrit(self.count - 1, level))) ** 2
        hits = share * trials
        low = float(betaincinv(hits, trials - hits + 1, 1 - level)) if hits > TIE else 0.0
        high = float(betaincinv(hits + 1, trials - hits, level)) if share < 1 - TIE else 1.0
        return Interval(low, high)
