"""What unscored tasks could have scored: a rank and a p hold whatever that would have been.

An agent may lack exactly the tasks that it would have failed. So a task that it was asked, and has
no score for, may have any score that the metric allows; a task that it was not asked says nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum, inf, isfinite
from statistics import fmean
from typing import Final, NamedTuple

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


LEVEL: Final = 0.05
"""A p below it shows a difference."""

_HALVINGS: Final = 12
"""The tipping point is found to a part in so many powers of two of the range."""


class Tipping(NamedTuple):
    """Where a difference that the scored tasks show by themselves is shown no more.

    p: of the scored tasks alone, below LEVEL. at: the mean difference of the unscored tasks from
    which on, towards the other agent, it is; None where not even the worst of them changes it.
    """

    p: float
    at: float | None


def tipping_points(
    several: Sequence[Ends], clusters: Mapping[str, str] | None, seed: int
) -> list[Tipping | None]:
    """How bad unscored tasks would have to be (Yan, Lee and Li 2009, who call it a tipping point).

    several: the differences of each pair. All unscored tasks of a pair move together, in equal
    parts of their ways from the mean of the scored ones to their worst ends. None where no task is
    unscored, where an end is not known, or where the scored tasks show nothing.
    """
    moving = {
        place: pair for place, ends in enumerate(several) if (pair := _Moving.of(ends)) is not None
    }
    alone = _tests([pair.scored for pair in moving.values()], clusters, seed)
    shown = {place: p for (place, pair), p in zip(moving.items(), alone, strict=True) if p < LEVEL}
    held = dict.fromkeys(shown, 0.0)  # parts of the way at which it still is shown
    tips = dict.fromkeys(_fall(moving, dict.fromkeys(shown, 1.0), clusters, seed), 1.0)
    for _ in range(_HALVINGS):
        middle = {place: (held[place] + tip) / 2 for place, tip in tips.items()}
        fallen = _fall(moving, middle, clusters, seed)
        for place, part in middle.items():
            (tips if place in fallen else held)[place] = part
    found: list[Tipping | None] = [None] * len(several)
    for place, p in shown.items():
        at = moving[place].mean_at(tips[place]) if place in tips else None
        found[place] = Tipping(p, at)
    return found


class _Moving(NamedTuple):
    """A pair of which tasks are unscored. ways: of these, the first value and the worst."""

    scored: Mapping[str, float]
    ways: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, ends: Ends) -> _Moving | None:
        scored = {task: low for task, (low, high) in ends.items() if low == high}
        if not is_known(ends) or not 0 < len(scored) < len(ends):
            return None
        mean = fmean(scored.values())
        worst = 0 if mean > 0 else 1
        return cls(
            scored,
            {
                task: (min(max(mean, each.low), each.high), each[worst])
                for task, each in ends.items()
                if task not in scored
            },
        )

    def at(self, part: float) -> dict[str, float]:
        """All differences, the unscored ones so far on their ways."""
        moved = {task: first + part * (last - first) for task, (first, last) in self.ways.items()}
        return {**self.scored, **moved}

    def mean_at(self, part: float) -> float:
        """The mean of the unscored ones there."""
        return fmean(first + part * (last - first) for first, last in self.ways.values())


def _fall(
    moving: Mapping[int, _Moving],
    parts: Mapping[int, float],
    clusters: Mapping[str, str] | None,
    seed: int,
) -> set[int]:
    """Of which pairs nothing is shown any more, so far on the way of each; or the opposite is."""
    values = [moving[place].at(part) for place, part in parts.items()]
    tests = zip(parts, values, _tests(values, clusters, seed), strict=True)
    return {
        place
        for place, each, p in tests
        if p >= LEVEL or fsum(each.values()) * fsum(moving[place].scored.values()) <= 0
    }


def _tests(
    several: Sequence[Mapping[str, float]], clusters: Mapping[str, str] | None, seed: int
) -> list[float]:
    """P by changes of sign."""
    return [each.p for each in sign_flip_each([Units.of(v, clusters) for v in several], seed)]


def causes_of(records: Iterable[Judged], scored: Collection[str]) -> dict[str, int]:
    """Why tasks of one agent have no score, counted by tasks; several causes of one are joined."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for each in records:
        if each.task not in scored and isinstance(each.outcome, Unscored):
            found[each.task].add(str(each.outcome.cause))
    return dict(sorted(Counter("/".join(sorted(own)) for own in found.values()).items()))
