"""A figure and its interval, by drawing tasks with replacement.

A figure is a function of how often each task counts: once each gives the figure itself, the draws
of the bootstrap give its interval (percentiles). Undefined figures are NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Final

import numpy as np

from deepassay.results.comparison.resampling import drawn_counts
from deepassay.results.comparison.units import Floats
from deepassay.results.intervals import Interval

DRAWS: Final = 999
ENOUGH: Final = 0.95
"""The share of draws in which a figure must be defined for an interval."""

Statistic = Callable[[Floats], float]
"""From how often each task counts, shape (tasks,), to a figure, NaN where it is undefined."""


@dataclass(frozen=True)
class Figure:
    """A figure with its name, and on how many of what it rests. value: None if undefined."""

    name: str
    value: float | None
    interval: Interval | None
    n: int
    unit: str


def counts_of(tasks: int, seed: int, draws: int = DRAWS) -> Floats:
    """How often each task was drawn, shape (draws, tasks)."""
    return drawn_counts(tasks, seed, draws)


def figure(name: str, statistic: Statistic, counts: Floats, n: int, unit: str) -> Figure:
    """The figure over all tasks, with its 95 % interval.

    No interval for one task, or where draws leave it undefined.
    """
    tasks = counts.shape[1]
    value = statistic(np.ones(tasks))
    if isnan(value):
        return Figure(name, None, None, n, unit)
    return Figure(name, value, _interval(statistic, counts), n, unit)


def _interval(statistic: Statistic, counts: Floats) -> Interval | None:
    if counts.shape[1] < 2:
        return None
    drawn = np.array([statistic(each) for each in counts])
    known = drawn[~np.isnan(drawn)]
    if len(known) < ENOUGH * len(drawn):
        return None
    low, high = np.quantile(known, [0.025, 0.975])
    return Interval(float(low), float(high))


def ratio(part: Floats, whole: Floats) -> Statistic:
    """Sum of `part` by sum of `whole`, which hold a number for each task."""

    def share(counts: Floats) -> float:
        below = float(counts @ whole)
        return float(counts @ part) / below if below else float("nan")

    return share
