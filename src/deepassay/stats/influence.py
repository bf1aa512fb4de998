"""How much each task, with all that hangs on it, moves a ratio: the delta method over tasks.

The variance of an estimate is the sum of the squares of its tasks' influences, which are those of
the jackknife that leaves a task out (as in `stats.units`). Tasks that people have labels for are
few and the others many, so that each kind has its own degrees of freedom, which are put together
as Welch (1947) and Satterthwaite (1946) do.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.stats.ranks import TIE, Floats, Places

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
    value, count = float(sums.sum()) / size, np.count_nonzero(sizes)
    without = np.maximum(size - sizes, TIE)
    return Ratio(value, sqrt(1 - 1 / count) * (sums - value * sizes) / without)


def sums_by(task: Places, values: Floats) -> Floats:
    """The sum of the values of each task. task: the number of each value's."""
    return np.asarray(np.bincount(task, weights=values), dtype=float)


@dataclass(frozen=True)
class LabelledTasks:
    """Tasks with labels, and without. spent: degrees of freedom that the former are fewer by."""

    labelled: Flags
    spent: int = 1

    @property
    def count(self) -> int:
        """The number of tasks that have labels."""
        return int(np.count_nonzero(self.labelled))

    def reach(self, influence: Floats) -> float:
        """How many standard errors the interval of an estimate goes to either side."""
        return student(self.freedom(influence))

    def freedom(self, influence: Floats) -> float:
        """The degrees of freedom of its error."""
        parts = [
            (float(influence[where] @ influence[where]), freedom)
            for where, freedom in (
                (self.labelled, self.count - self.spent),
                (~self.labelled, len(self.labelled) - self.count - 1),
            )
            if freedom > 0
        ]
        below = sum(part**2 / freedom for part, freedom in parts)
        variance = sum(part for part, _ in parts)
        return variance**2 / below if below else self.count - self.spent


def student(freedom: float) -> float:
    """The quantile of Student's t that intervals use."""
    from scipy.special import stdtrit  # scipy.stats takes longer to import

    return float(stdtrit(freedom, (1 + LEVEL) / 2))
