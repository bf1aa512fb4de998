"""Every agent under both judges."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from deepassay.results.aggregate import task_means
from deepassay.results.migration.mapping import FITS, left_out
from deepassay.stats.intervals import Interval
from deepassay.stats.ranks import Floats, place
from deepassay.stats.units import Units

ReportKey = tuple[str, str, int]
"""Agent, task and sample of a report."""


@dataclass(frozen=True)
class AgentShift:
    """One agent: means over tasks by either judge, ranks from 1, and new less old.

    left: new less mapped, by the better mapping of the other agents' reports. Intervals are
    Student's over tasks, None for fewer than two.
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
        interval=own.shift.interval(),
        left=None if own.left is None else own.left.mean,
        left_interval=None if own.left is None else own.left.interval(),
    )
