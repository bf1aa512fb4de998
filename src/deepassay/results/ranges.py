"""Between which limits scores and their means can lie."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Final

from deepassay.results.records import Judged
from deepassay.score import Score
from deepassay.stats.intervals import Interval

Ranges = Mapping[str, Interval]
"""The lowest and the highest score that the metric allows on each task."""


def ranges_of(records: Iterable[Judged]) -> dict[str, Interval]:
    """The range of each task, as all scores of the task declare it: every rubric has its own.

    A task without a score has the range that all others have, if that is one and the same. A task
    of which no range is known, or several are, is not in it.
    """
    declared: defaultdict[str, set[tuple[float, float] | None]] = defaultdict(set)
    for each in records:
        own = declared[each.task]
        if isinstance(each.outcome, Score):
            own.add(each.outcome.bounds)
    everywhere = set().union(*declared.values())
    known = {task: own or everywhere for task, own in declared.items()}
    return {
        task: Interval(*limits)
        for task, own in known.items()
        if len(own) == 1 and (limits := next(iter(own))) is not None
    }


def widest_range(records: Iterable[Judged]) -> Interval | None:
    """From the lowest to the highest end of the ranges that scores declare: their unit.

    None where a score declares none: it may be outside of what the others declare.
    """
    declared = [each.outcome.bounds for each in records if isinstance(each.outcome, Score)]
    known = [bounds for bounds in declared if bounds is not None]
    if not known or len(known) < len(declared):
        return None
    return Interval(min(low for low, _ in known), max(high for _, high in known))


def range_of_mean(tasks: Iterable[str], ranges: Ranges) -> Interval | None:
    """How low and how high the mean over these tasks can be; None where that is not known."""
    own = [ranges.get(task) for task in tasks]
    known = [limits for limits in own if limits is not None]
    if not known or len(known) < len(own):
        return None
    return Interval(*(fmean([limits[end] for limits in known]) for end in (0, 1)))


WITHIN: Final = Interval(0.0, 1.0)
"""Where a mean is kept by a metric that clips it."""


def clipped(mean: float) -> float:
    """A mean as such a metric has it: one outside is at the nearer limit."""
    return min(max(mean, WITHIN.low), WITHIN.high)


def inside(interval: Interval | None, limits: Interval | None) -> Interval | None:
    """The part of an interval that the metric can take; what it covers stays covered."""
    if interval is None or limits is None:
        return interval
    return Interval(max(interval.low, limits.low), min(interval.high, limits.high))
