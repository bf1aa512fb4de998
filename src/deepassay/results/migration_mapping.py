"""Mappings from the scores of one judge to those of another, and every agent under both."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from deepassay.results.aggregate import task_means
from deepassay.stats.intervals import Interval, for_skewed
from deepassay.stats.ranks import Floats, place
from deepassay.stats.units import Units

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


ReportKey = tuple[str, str, int]
"""Agent, task and sample of a report."""


@dataclass(frozen=True)
class AgentShift:
    """One agent: means over tasks by either judge, ranks from 1, and new less old.

    left: new less mapped, by the better mapping of the other agents' reports. Intervals are
    those of `for_skewed` over tasks, at 95 %.
    """

    agent: str
    tasks: int
    old: float
    new: float
    old_rank: int
    new_rank: int
    shift: float
    interval: Interval | None
    left: float | None
    left_interval: Interval | None


class _Sides(NamedTuple):
    """The tasks of one agent: by the old judge, by the new, new less old, new less mapped."""

    old: Units
    new: Units
    shift: Units
    left: Units | None


def agent_shifts(
    old: Floats, new: Floats, places: Sequence[ReportKey], mapping: str
) -> tuple[AgentShift, ...]:
    """The agents in the order of their names. old, new: scores of reports, shape (reports,).

    An agent's residuals are those of a mapping made without it; with a single agent, without the
    task.
    """
    agents = [agent for agent, _, _ in places]
    groups = agents if len(set(agents)) > 1 else [task for _, task, _ in places]
    left = left_out(FITS[mapping], old, new, groups) if len(set(groups)) > 1 else None
    sides = {
        agent: _Sides(
            _units(agent, places, old),
            _units(agent, places, new),
            _units(agent, places, new - old),
            None if left is None else _units(agent, places, left),
        )
        for agent in sorted(set(agents))
    }
    return tuple(_shift(agent, own, sides.values()) for agent, own in sides.items())


def _units(agent: str, places: Sequence[ReportKey], values: Floats) -> Units:
    means = task_means(
        ((task, sample), float(value))
        for (name, task, sample), value in zip(places, values, strict=True)
        if name == agent
    )
    return Units.of({str(task): mean for task, mean in means.items()})


def _shift(agent: str, own: _Sides, everyone: Collection[_Sides]) -> AgentShift:
    return AgentShift(
        agent,
        own.old.count,
        old=own.old.mean,
        new=own.new.mean,
        old_rank=place(own.old.mean, [each.old.mean for each in everyone]),
        new_rank=place(own.new.mean, [each.new.mean for each in everyone]),
        shift=own.shift.mean,
        interval=for_skewed(own.shift.sums),
        left=None if own.left is None else own.left.mean,
        left_interval=None if own.left is None else for_skewed(own.left.sums),
    )
