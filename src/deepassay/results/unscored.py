"""What unscored tasks could have scored: a rank and a p hold whatever that would have been.

An agent may lack exactly the tasks that it would have failed. So a task that it was asked, and has
no score for, may have any score that the metric allows; a task that it was not asked says nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum, inf, isfinite
from statistics import fmean

from deepassay.results.aggregate import Ranges
from deepassay.results.records import Judged
from deepassay.score import Unscored
from deepassay.stats.intervals import Interval
from deepassay.stats.resampling import Permutation, sign_flip_each
from deepassay.stats.units import Units

Ends = Mapping[str, Interval]
"""The lowest and the highest value that each task can have; both are one where it is known."""


def possible_scores(scored: Mapping[str, float], tasks: Iterable[str], ranges: Ranges) -> Ends:
    """Of one agent: its score of each task, or the range of the task, endless where unknown."""
    unknown = Interval(-inf, inf)
    return {
        task: Interval(scored[task], scored[task]) if task in scored else ranges.get(task, unknown)
        for task in tasks
    }


def possible_by_agent(
    records: Mapping[str, Sequence[Judged]],
    means: Mapping[str, Mapping[str, float]],
    ranges: Ranges,
) -> dict[str, Ends]:
    """Of every agent, over the tasks that it was asked. means: of its tasks that have a score."""
    return {
        agent: possible_scores(means[agent], sorted({each.task for each in own}), ranges)
        for agent, own in records.items()
    }


def possible_differences(ours: Ends, theirs: Ends) -> Ends:
    """Of two agents, over the tasks that both were asked."""
    return {
        task: Interval(ours[task].low - theirs[task].high, ours[task].high - theirs[task].low)
        for task in sorted(ours.keys() & theirs.keys())
    }


def possible_mean(ends: Ends) -> Interval:
    """The lowest and the highest mean over all tasks."""
    low, high = (fmean(each[end] for each in ends.values()) for end in (0, 1))
    return Interval(low, high)


def is_known(ends: Ends) -> bool:
    """Whether every task has ends."""
    return all(isfinite(end) for each in ends.values() for end in each)


def sign_flips(
    several: Sequence[Ends], clusters: Mapping[str, str] | None, seed: int
) -> list[tuple[Permutation | None, Permutation | None]]:
    """Tests by changes of sign: with the largest p that ends allow, and at the lower ends.

    several: the differences of each pair. None where ends are not known.
    """
    units: list[Units] = []
    for ends in filter(is_known, several):
        units.append(Units.of(nearest_zero(ends), clusters))
        if not _is_scored(ends):
            units.append(Units.of({task: low for task, (low, _) in ends.items()}, clusters))
    found = iter(sign_flip_each(units, seed))
    tests: list[tuple[Permutation | None, Permutation | None]] = []
    for ends in several:
        largest = next(found) if is_known(ends) else None
        whole = largest is None or _is_scored(ends)
        tests.append((largest, largest if whole else next(found)))
    return tests


def _is_scored(ends: Ends) -> bool:
    return all(low == high for low, high in ends.values())


def nearest_zero(ends: Ends) -> dict[str, float]:
    """Values by which the mean comes as near to zero as the ends allow.

    None have a larger p by changes of sign. Where the mean is above zero at both ends, a change of
    signs reaches it if the values that it turns sum to zero or less: the lower the values, the
    more changes do. Below zero it is the same, and a mean of zero has a p of 1.
    """
    low, high = (fsum(each[end] for each in ends.values()) for end in (0, 1))
    share = min(1.0, max(0.0, -low / (high - low))) if high > low else 0.0
    return {task: each.low + share * (each.high - each.low) for task, each in ends.items()}


def causes_of(records: Iterable[Judged], scored: Collection[str]) -> dict[str, int]:
    """Why tasks of one agent have no score, counted by tasks; several causes of one are joined."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for each in records:
        if each.task not in scored and isinstance(each.outcome, Unscored):
            found[each.task].add(str(each.outcome.cause))
    return dict(sorted(Counter("/".join(sorted(own)) for own in found.values()).items()))
