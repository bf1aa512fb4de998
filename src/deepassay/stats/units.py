"""What varies independently: a task, or a cluster of tasks that have something in common.

The mean of n values in G clusters is a ratio of sums over clusters. Its standard error is that of
the cluster jackknife (CR3; Bell and McCaffrey 2002, MacKinnon, Nielsen and Webb 2023), with G - 1
degrees of freedom. Where every cluster is one task, that is Student's interval of a mean; where
all clusters are of one size, Student's interval of the means of clusters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from deepassay.stats.intervals import LEVEL, Interval
from deepassay.stats.ranks import TIE, Floats

NORMAL: Final = NormalDist().inv_cdf((1 + LEVEL) / 2)


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

    def interval(self, level: float = 0.95) -> Interval | None:
        """Student's t interval of the mean, by the number of units less one.

        None below two units, and where the mean is the same without any one of them.
        """
        if self.error is None or self.error <= TIE:
            return None
        from scipy.special import stdtrit  # scipy.stats takes longer to import

        half = float(stdtrit(self.count - 1, (1 + level) / 2)) * self.error
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
        trials = max(trials, 1.0) * (NORMAL / float(stdtrit(self.count - 1, level))) ** 2
        hits = share * trials
        low = float(betaincinv(hits, trials - hits + 1, 1 - level)) if hits > TIE else 0.0
        high = float(betaincinv(hits + 1, trials - hits, level)) if share < 1 - TIE else 1.0
        return Interval(low, high)
