"""The mean of what people say, from few labels of theirs and a judge's number for everything.

The estimate is that of prediction-powered inference (PPI; Angelopoulos, Bates, Fannjiang, Jordan
and Zrnic 2023, Science 382) with its power-tuned weight (PPI++; Angelopoulos, Duchi and Zrnic
2023, arXiv:2311.01453):

    mean of the labels + weight * (judge's mean without labels - judge's mean where labels are)

The weight is the one of least variance, minus the covariance of the two terms by the variance of
the second. It is unbiased whatever the judge does, as long as the labels stand on a random part of
the tasks: a useless judge gets a weight near 0, a judge on another scale the slope from its scale
to theirs. Both means are ratios of sums over tasks; the interval is by the delta method, each
task's influence corrected for its own part in the weight (as HC3; MacKinnon and White 1985).

Labels that stand where they count most have a known chance each of having been asked for. Then
each counts by its inverse (active inference; Zrnic and Candes 2024, arXiv:2403.03208), the judge's
means are that of the labelled ones so weighted and that of everything, and it is unbiased as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Final, NamedTuple

import numpy as np

from deepassay.stats.influence import Flags, LabelledTasks, ratio_of, student, sums_by
from deepassay.stats.intervals import Interval
from deepassay.stats.ranks import TIE, Floats, Places

SPENT: Final = 2
"""Degrees of freedom: of the mean of the labels, and of the weight."""


@dataclass(frozen=True)
class Powered:
    """A mean in the people's unit.

    interval: at 95 %; None where all labels say the same, which does not say how far others lie.
    weight: of the judge; 0 where nothing is without label. labels: how many of the `items` have
    one. labelled: on how many of the `tasks` they stand. spread: of the labels from task to task,
    as a standard deviation. shared: how much of its square the judge explains, in [0, 1].
    """

    value: float
    interval: Interval | None
    weight: float
    labels: int
    items: int
    labelled: int
    tasks: int
    spread: float
    shared: float

    @property
    def worth(self) -> float:
        """How many labels without a judge would say as much, see `more_labels`."""
        return self.labels / (1 - self.shared + self.shared * self.labelled / self.tasks)

    def more_labels(self, half_width: float) -> int | None:
        """About how many more labels the interval needs to be no wider, as many a task as now.

        With n of T tasks labelled the variance is spread² ((1 - shared) / n + shared / T). None
        where labels on everything are too few: then tasks are missing.
        """
        if self.interval and (self.interval.high - self.interval.low) / 2 <= half_width:
            return 0
        for n in range(self.labelled + 1, self.items * self.labelled // self.labels + 1):
            variance = (1 - self.shared) / n + self.shared / self.tasks
            if student(n - SPENT) * self.spread * sqrt(variance) <= half_width:
                return ceil((n - self.labelled) * self.labels / self.labelled)
        return None


class Influenced(NamedTuple):
    """An estimate, and how much each task moves it, shape (tasks,) by the numbers of the tasks.

    has_label: which of the tasks have labels.
    """

    found: Powered
    influence: Floats
    has_label: Flags


def powered(
    ours: Floats, theirs: Floats, tasks: Places, chances: Floats | None = None
) -> Influenced | None:
    """The mean of what people would say of everything, and how it comes about.

    ours: the judge's number of each item, shape (n,). theirs: the people's, nan where there is
    none. tasks: the number of each item's task. chances: by which each was to get a label, in
    (0, 1]; None where all are alike. None for labels on fewer than three tasks.
    """
    numbers, members = np.unique(tasks, return_inverse=True)
    known = ~np.isnan(theirs)
    counts = known.astype(float) if chances is None else known / np.where(known, chances, 1.0)

    def sums(values: Floats) -> Floats:
        return sums_by(members, values)

    with_label, everything = sums(counts), sums(np.ones_like(ours))
    kinds = LabelledTasks(with_label > 0, SPENT)
    labels = ratio_of(sums(counts * np.where(known, theirs, 0.0)), with_label)
    near = ratio_of(sums(counts * ours), with_label)
    if kinds.count <= SPENT or labels is None or near is None:
        return None
    if chances is None:
        far = ratio_of(sums(np.where(known, 0.0, ours)), sums((~known).astype(float))) or near
    else:
        far = ratio_of(sums(ours), everything) or near
    gap = far.influence - near.influence
    square = float(gap @ gap)
    weight, leverage = 0.0, np.zeros_like(gap)
    if square > TIE**2:
        weight, leverage = -float(labels.influence @ gap) / square, gap**2 / square
    influence = (labels.influence + weight * gap) / (1 - np.minimum(leverage, 1 - TIE))
    value = labels.value + weight * (far.value - near.value)
    half = kinds.reach(influence) * sqrt(float(influence @ influence))
    own, judged, both = (
        float(one.influence @ other.influence)
        for one, other in ((labels, labels), (near, near), (labels, near))
    )
    found = Powered(
        value,
        Interval(value - half, value + half) if half > TIE else None,
        weight,
        labels=int(np.count_nonzero(known)),
        items=len(ours),
        labelled=kinds.count,
        tasks=len(with_label),
        spread=sqrt(own * kinds.count),
        shared=both**2 / (own * judged) if own * judged > TIE**4 else 0.0,
    )
    of_all, has_label = np.zeros(int(numbers[-1]) + 1), np.zeros(int(numbers[-1]) + 1, dtype=bool)
    of_all[numbers], has_label[numbers] = influence, kinds.labelled
    return Influenced(found, of_all, has_label)
