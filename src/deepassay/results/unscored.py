"""What unscored tasks could have scored: a rank and a p hold whatever that would have been.

An agent may lack exactly the tasks that it would have failed. So a task that it was asked, and has
no score for, may have any score that the metric allows; a task that it was not asked says nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, inf, isfinite
from statistics import fmean
from typing import Final, Literal, NamedTuple

import numpy as np

from deepassay.results.ranges import Ranges
from deepassay.results.records import Judged
from deepassay.score import Unscored
from deepassay.stats.intervals import Interval, Units
from deepassay.stats.paired_signs import sign_flip_pairs
from deepassay.stats.ranks import Flags, Floats
from deepassay.stats.resampling import EXACT, Permutation, sign_flip_each

_EPS: Final = float(np.finfo(float).eps)

GO_ON: Final = "the same `deepassay evaluate` goes on with what was not asked"
"""What gives a score to a report that a run did not come to, or whose batch is under way."""


LONGER: Final = (
    "where answers were cut, a larger `--max-output` with another `--run` asks all anew, as "
    "another recipe"
)
"""What gives a score where the limit was too low, which would cut the same answers again."""


class ToCome(NamedTuple):
    """Judgements that nobody was asked for yet, of how many."""

    open: int
    expected: int


NOTHING_TO_COME: Final = ToCome(0, 0)

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


def possible_mean(ends: Ends) -> Interval:
    """The lowest and the highest mean over all tasks."""
    low, high = (fmean([each[end] for each in ends.values()]) for end in (0, 1))
    return Interval(low, high)


def has_all_ends(ends: Ends) -> bool:
    """Whether every task has ends."""
    return all(isfinite(end) for each in ends.values() for end in each)


End = Literal["low", "high"]


@dataclass(frozen=True, eq=False)
class Possible:
    """What each task of an agent or a pair could score, least and most.

    tasks: sorted. low, high: of each task, shape (tasks,); equal where it is scored.
    """

    tasks: tuple[str, ...]
    low: Floats
    high: Floats

    @classmethod
    def of(cls, ends: Ends) -> Possible:
        """From the ends of each task."""
        tasks = tuple(sorted(ends))
        low, high = (np.array([ends[task][end] for task in tasks], dtype=float) for end in (0, 1))
        return cls(tasks, low, high)

    def at(self, tasks: tuple[str, ...]) -> Possible:
        """Of these tasks alone, which are among its own."""
        if tasks == self.tasks:
            return self
        place = {task: number for number, task in enumerate(self.tasks)}
        places = [place[task] for task in tasks]
        return Possible(tasks, self.low[places], self.high[places])

    def less(self, other: Possible) -> Possible:
        """One agent less another, over the tasks that both were asked."""
        ours, theirs = _over_tasks_of_both(self, other)
        return Possible(ours.tasks, ours.low - theirs.high, ours.high - theirs.low)

    @cached_property
    def is_known(self) -> bool:
        """Whether every task has ends."""
        return bool(np.isfinite(self.low).all() and np.isfinite(self.high).all())

    @cached_property
    def is_scored(self) -> Flags:
        """Of which tasks the value is known, shape (tasks,)."""
        return np.asarray(self.low == self.high)

    @cached_property
    def is_wholly_scored(self) -> bool:
        """Whether that is so of every task."""
        return bool(self.is_scored.all())

    @cached_property
    def sums(self) -> tuple[float, float]:
        """Of all lowest and of all highest values."""
        low = fsum(self.low.tolist())
        return low, low if self.is_wholly_scored else fsum(self.high.tolist())

    @cached_property
    def rounding(self) -> float:
        """How far the difference of two such sums may be from the sum of differences, at most."""
        return 4 * _EPS * float(np.maximum(np.abs(self.low), np.abs(self.high)).sum())

    @property
    def mean(self) -> Interval:
        """The lowest and the highest mean over all tasks."""
        low, high = self.sums
        return Interval(low / len(self.tasks), high / len(self.tasks))


def asked_of_both(ours: Possible, theirs: Possible) -> tuple[str, ...]:
    """The tasks that both were asked, sorted."""
    if ours.tasks == theirs.tasks:
        return ours.tasks
    return tuple(sorted({*ours.tasks} & {*theirs.tasks}))


Pair = tuple[Possible, Possible]
"""Two agents."""


def _end_nearest_zero(one: Possible, other: Possible) -> End | None:
    """At which of the ends of one less another, over the same tasks, their mean is nearest to zero;
    None where it is zero in between.

    No values have a larger p by changes of sign. Where the mean is above zero at both ends, a
    change of signs reaches it if the values that it turns sum to zero or less: the lower the
    values, the more changes do. Below zero it is the same, and a mean of zero has a p of 1.
    """
    low, high = one.sums[0] - other.sums[1], one.sums[1] - other.sums[0]
    if min(abs(low), abs(high)) <= one.rounding + other.rounding:  # their own sums decide
        low, high = one.less(other).sums
    return None if low < 0 < high else "low" if low >= 0 else "high"


def sign_flips(
    pairs: Sequence[Pair], clusters: Mapping[str, str] | None, seed: int
) -> list[tuple[Permutation | None, Permutation | None]]:
    """Tests of differences by changes of sign: the largest p that ends allow, and at the lower
    ends. None where ends are not known.
    """
    largest = largest_flips(pairs, clusters, seed)
    lowest: dict[int, End] = {
        place: "low"
        for place in largest
        if not all(each.is_wholly_scored for each in _over_tasks_of_both(*pairs[place]))
    }
    at_lowest = largest | flips_at(pairs, lowest, clusters, seed)
    return [(largest.get(place), at_lowest.get(place)) for place in range(len(pairs))]


def largest_flips(
    pairs: Sequence[Pair], clusters: Mapping[str, str] | None, seed: int
) -> dict[int, Permutation]:
    """The tests with the largest p that ends allow, by the places of the pairs whose are known."""
    nearest: dict[int, End] = {}
    found: dict[int, Permutation] = {}
    for place, pair in enumerate(pairs):
        one, other = _over_tasks_of_both(*pair)
        if not (one.is_known and other.is_known):
            continue
        if (end := _end_nearest_zero(one, other)) is not None:
            nearest[place] = end
        else:
            units = len({clusters[task] for task in one.tasks} if clusters else one.tasks)
            found[place] = Permutation(1.0, units <= EXACT)
    return found | flips_at(pairs, nearest, clusters, seed)


def _over_tasks_of_both(one: Possible, other: Possible) -> Pair:
    tasks = asked_of_both(one, other)
    return one.at(tasks), other.at(tasks)


def flips_at(
    pairs: Sequence[Pair],
    ends: Mapping[int, End],
    clusters: Mapping[str, str] | None,
    seed: int,
) -> dict[int, Permutation]:
    """Tests of the pairs at these places, with every difference at this end."""
    alike: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place in ends:
        alike[asked_of_both(*pairs[place])].append(place)
    found: dict[int, Permutation] = {}
    for tasks, places in alike.items():
        columns = _TaskColumns(tasks)
        between = [columns.less(*pairs[place], ends[place]) for place in places]
        grid = np.column_stack(columns.values)
        if clusters is None:
            tests = sign_flip_pairs(grid, between, seed)
        else:
            gaps = ((grid[:, one] - grid[:, other]).tolist() for one, other in between)
            units = [Units.of(dict(zip(tasks, own, strict=True)), clusters) for own in gaps]
            tests = sign_flip_each(units, seed)
        found |= zip(places, tests, strict=True)
    return found


class _TaskColumns:
    """The ends of agents over some tasks, each once."""

    def __init__(self, tasks: tuple[str, ...]) -> None:
        self._tasks = tasks
        self._places: dict[tuple[int, End], int] = {}
        self.values: list[Floats] = []

    def less(self, one: Possible, other: Possible, end: End) -> tuple[int, int]:
        """Where the two stand whose difference is at this end."""
        return self._place(one, end), self._place(other, "high" if end == "low" else "low")

    def _place(self, agent: Possible, end: End) -> int:
        if agent.is_wholly_scored:
            end = "low"
        key = id(agent), end
        if key not in self._places:
            self._places[key] = len(self.values)
            own = agent.at(self._tasks)
            self.values.append(own.low if end == "low" else own.high)
        return self._places[key]


def causes_of(records: Iterable[Judged], scored: Collection[str]) -> dict[str, int]:
    """Why tasks of one agent have no score, counted by tasks; several causes of one are joined."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for each in records:
        if each.task not in scored and isinstance(each.outcome, Unscored):
            found[each.task].add(str(each.outcome.cause))
    return dict(sorted(Counter("/".join(sorted(own)) for own in found.values()).items()))
