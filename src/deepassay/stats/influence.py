"""The delta method over tasks: how much each task, with all that hangs on it, moves a ratio.

The variance of an estimate is the sum of the squares of its tasks' influences. Tasks that people
have labels for are few and the others many, so that each kind has its own degrees of freedom, which
are put together as Welch (1947) and Satterthwaite (1946) do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.stats.ranks import Floats, Places

LEVEL: Final = 0.95
"""Of intervals."""

Flags = NDArray[np.bool_]


class Ratio(NamedTuple):
    """A sum by a size. influence: of each task, shape (tasks,)."""

    value: float
    influence: Floats


def ratio_of(sums: Floats, sizes: Floats) -> Ratio | None:
    """The sums of tasks by their sizes, shape (tasks,) each; None if there is nothing."""
    size = float(sizes.sum())
    if not size:
        return None
    value = float(sums.sum()) / size
    return Ratio(value, (sums - value * sizes) / size)


def sums_by(task: Places, values: Floats) -> Floats:
    """The sum of the values of each task. task: the number of each value's."""
    return np.asarray(np.bincount(task, weights=values), dtype=float)


@dataclass(frozen=True)
class LabelledTasks:
    """Tasks with labels, at least two, and without. spent: degrees of freedom of the former."""

    labelled: Flags
    spent: int = 1

    @property
    def count(self) -> int:
        """How many have labels."""
        return int(np.count_nonzero(self.labelled))

    @property
    def others(self) -> int:
        """How many have none."""
        return len(self.labelled) - self.count

    @cached_property
    def _factors(self) -> Floats:
        others = self.others
        return np.where(
            self.labelled,
            self.count / (self.count - 1),
            others / (others - 1) if others > 1 else 1.0,
        )

    def covariance(self, one: Floats, other: Floats) -> float:
        """Of two estimates, by their influences."""
        return float((self._factors * one) @ other)

    def reach(self, influence: Floats) -> float:
        """How many standard errors the interval of an estimate goes to either side."""
        parts = [
            (float(self._factors[where] @ influence[where] ** 2), freedom)
            for where, freedom in (
                (self.labelled, self.count - self.spent),
                (~self.labelled, self.others - 1),
            )
            if freedom > 0
        ]
        below = sum(part**2 / freedom for part, freedom in parts)
        variance = sum(part for part, _ in parts)
        return student(variance**2 / below if below else self.count - self.spent)


def student(freedom: float) -> float:
    """The quantile of Student's t that intervals use."""
    from scipy.special import stdtrit  # scipy.stats takes longer to import

    return float(stdtrit(freedom, (1 + LEVEL) / 2))
