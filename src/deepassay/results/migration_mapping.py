"""Every agent under two judges, and what a mapping from the one to the other leaves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.score import ReportKey
from deepassay.stats.intervals import Interval, for_skewed
from deepassay.stats.mappings import FITS, Fit, differences_left_out
from deepassay.stats.ranks import Floats, place


@dataclass(frozen=True)
class AgentShift:
    """One agent: means over tasks by either judge, ranks from 1, and new less old.

    left: new less mapped, by the better mapping of the other agents' reports. Intervals are those
    of `for_skewed` over tasks, at 95 %, as far as the scale of the scores goes; that of `left`
    holds what the mapping itself owes to the tasks at hand, by a jackknife.
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


class _AgentMeans(NamedTuple):
    """The tasks of one agent: means by the old judge and by the new, shape (tasks,) each."""

    old: Floats
    new: Floats
    left: Floats | None


def agent_shifts(
    old: Floats,
    new: Floats,
    places: Sequence[ReportKey],
    mapping: str,
    limits: Interval | None = None,
) -> tuple[AgentShift, ...]:
    """The agents in the order of their names. old, new: scores of reports, shape (reports,).

    limits: of the scores, None where none are declared. An agent's residuals are those of a mapping
    made without it; with a single agent, without the task.
    """
    agents = np.array([agent for agent, _, _ in places])
    tasks = np.unique(np.array([task for _, task, _ in places]), return_inverse=True)[1]
    names = sorted(set(agents.tolist()))
    own = {}
    for agent in names:
        inside = agents == agent
        if len(names) > 1:
            left = _left(FITS[mapping], old, new, inside, tasks)
        elif len(set(tasks.tolist())) > 1:
            left = _by_task(
                differences_left_out(FITS[mapping], old, new, list(map(str, tasks))), tasks
            )
        else:
            left = None
        own[agent] = _AgentMeans(
            _by_task(old[inside], tasks[inside]), _by_task(new[inside], tasks[inside]), left
        )
    return tuple(_shift(agent, each, own.values(), limits) for agent, each in own.items())


def _by_task(values: Floats, tasks: NDArray[np.intp]) -> Floats:
    """The mean of each task, several answers to it counting as one, shape (tasks,)."""
    counts = np.bincount(tasks)
    return np.asarray((np.bincount(tasks, weights=values)[counts > 0]) / counts[counts > 0])


def _left(
    fit: Fit, old: Floats, new: Floats, inside: NDArray[np.bool_], tasks: NDArray[np.intp]
) -> Floats:
    """Pseudo-values of an agent's mean residual, shape (tasks,): their mean and its error.

    Each leaves a task out, of the agent and of those that the mapping is made of.
    """

    def residual(kept: NDArray[np.bool_]) -> float:
        mapped = fit(old[~inside & kept], new[~inside & kept])
        own = inside & kept
        return float(_by_task(new[own] - mapped(old[own]), tasks[own]).mean())

    found = np.unique(tasks[inside])
    whole = residual(np.ones_like(inside))
    if min(len(found), len(set(tasks[~inside].tolist()))) < 2:
        return np.array([whole])
    without = np.array([residual(tasks != task) for task in found])
    return len(found) * whole - (len(found) - 1) * without


def _on_scale(gaps: Floats, limits: Interval | None) -> Interval | None:
    """The interval of a mean of gaps between scores, none of which is wider than their scale.

    Beyond it lies only what a mapping made there, of which the mean itself tells.
    """
    found = for_skewed(gaps)
    if found is None or limits is None:
        return found
    most = max(limits.high - limits.low, abs(float(gaps.mean())))
    return Interval(max(found.low, -most), min(found.high, most))


def _shift(
    agent: str, own: _AgentMeans, everyone: Collection[_AgentMeans], limits: Interval | None
) -> AgentShift:
    old, new = float(own.old.mean()), float(own.new.mean())
    return AgentShift(
        agent,
        len(own.old),
        old=old,
        new=new,
        old_rank=place(old, [float(each.old.mean()) for each in everyone]),
        new_rank=place(new, [float(each.new.mean()) for each in everyone]),
        shift=new - old,
        interval=_on_scale(own.new - own.old, limits),
        left=None if own.left is None else float(own.left.mean()),
        left_interval=None if own.left is None else _on_scale(own.left, limits),
    )
