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

from deepassay.results.aggregate import Ranges
from deepassay.results.records import Judged
from deepassay.score import Unscored
from deepassay.stats.intervals import Interval
from deepassay.stats.paired_signs import sign_flip_pairs
from deepassay.stats.ranks import Flags, Floats
from deepassay.stats.resampling import EXACT, Permutation, sign_flip_each
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


def possible_mean(ends: Ends) -> Interval:
    """The lowest and the highest mean over all tasks."""
    low, high = (fmean(each[end] for each in ends.values()) for end in (0, 1))
    return Interval(low, high)


def is_known(ends: Ends) -> bool:
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
        tasks = asked_of_both(self, other)
        ours, theirs = self.at(tasks), other.at(tasks)
        return Possible(tasks, ours.low - theirs.high, ours.high - theirs.low)

    @property
    def is_known(self) -> bool:
        """Whether every task has ends."""
        return bool(np.isfinite(self.low).all() and np.isfinite(self.high).all())

    @cached_property
    def is_scored(self) -> Flags:
        """Of which tasks the value is known, shape (tasks,)."""
        return np.asarray(self.low == self.high)

    @cached_property
    def sums(self) -> tuple[float, float]:
        """Of all lowest and of all highest values."""
        low = fsum(self.low.tolist())
        return low, low if self.is_scored.all() else fsum(self.high.tolist())

    @property
    def mean(self) -> Interval:
        """The lowest and the highest mean over all tasks."""
        low, high = self.sums
        return Interval(low / len(self.tasks), high / len(self.tasks))

    @property
    def end_nearest_zero(self) -> End | None:
        """At which of the ends the mean is nearest to zero; None where it is zero in between.

        No values have a larger p by changes of sign. Where the mean is above zero at both ends, a
        change of signs reaches it if the values that it turns sum to zero or less: the lower the
        values, the more changes do. Below zero it is the same, and a mean of zero has a p of 1.
        """
        low, high = self.sums
        return None if low < 0 < high else "low" if low >= 0 else "high"


def asked_of_both(ours: Possible, theirs: Possible) -> tuple[str, ...]:
    """The tasks that both were asked, sorted."""
    if ours.tasks == theirs.tasks:
        return ours.tasks
    return tuple(sorted({*ours.tasks} & {*theirs.tasks}))


Pair = tuple[Possible, Possible]
"""Two agents."""


def sign_flips(
    pairs: Sequence[Pair], clusters: Mapping[str, str] | None, seed: int
) -> list[tuple[Permutation | None, Permutation | None]]:
    """Tests of differences by changes of sign: the largest p that ends allow, and at the lower
    ends. None where ends are not known.
    """
    nearest: dict[int, End] = {}
    lowest: dict[int, End] = {}
    largest: dict[int, Permutation] = {}
    for place, pair in enumerate(pairs):
        gaps = pair[0].less(pair[1])
        if not gaps.is_known:
            continue
        if (end := gaps.end_nearest_zero) is not None:
            nearest[place] = end
        else:
            units = len({clusters[task] for task in gaps.tasks} if clusters else gaps.tasks)
            largest[place] = Permutation(1.0, units <= EXACT)
        if not gaps.is_scored.all():
            lowest[place] = "low"
    largest |= _flips_at(pairs, nearest, clusters, seed)
    at_lowest = largest | _flips_at(pairs, lowest, clusters, seed)
    return [(largest.get(place), at_lowest.get(place)) for place in range(len(pairs))]


def _flips_at(
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
        if agent.is_scored.all():
            end = "low"
        key = id(agent), end
        if key not in self._places:
            self._places[key] = len(self.values)
            own = agent.at(self._tasks)
            self.values.append(own.low if end == "low" else own.high)
        return self._places[key]


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


_CLEAR: Final = 0.03
"""No p by drawn changes of sign strays so far: it is thirteen standard errors of one at LEVEL."""

_AT_ONCE: Final = 256
"""Pairs whose differences are held at a time."""


def tipping_points(
    pairs: Sequence[Pair], clusters: Mapping[str, str] | None, seed: int
) -> list[Tipping | None]:
    """How bad unscored tasks would have to be (Yan, Lee and Li 2009, who call it a tipping point).

    All unscored tasks of a pair move together, in equal parts of their ways from the mean of the
    scored ones to their worst ends. None where no task is unscored, where an end is not known, or
    where the scored tasks show nothing.
    """
    shown: dict[int, float] = {}
    for begin in range(0, len(pairs), _AT_ONCE):
        some = enumerate(pairs[begin : begin + _AT_ONCE], start=begin)
        moving = {place: each for place, pair in some if (each := _Moving.of(pair))}
        tests = _tests([each.scored for each in moving.values()], clusters, seed)
        shown |= {place: p for place, p in zip(moving, tests, strict=True) if p < LEVEL}
    held = dict.fromkeys(shown, 0.0)  # parts of the way at which it still is shown
    tips = dict.fromkeys(_fall_at_last(pairs, shown, clusters, seed), 1.0)
    tipped = {place: moved for place in tips if (moved := _Moving.of(pairs[place]))}
    for _ in range(_HALVINGS):
        middle = {place: (held[place] + tip) / 2 for place, tip in tips.items()}
        fallen = _fall(tipped, middle, clusters, seed)
        for place, part in middle.items():
            (tips if place in fallen else held)[place] = part
    found: list[Tipping | None] = [None] * len(pairs)
    for place, p in shown.items():
        at = tipped[place].mean_at(tips[place]) if place in tips else None
        found[place] = Tipping(p, at)
    return found


class _Moving(NamedTuple):
    """A pair of which tasks are unscored: what each scored one has, and the ways of the others.

    first, last: of each way; last is the worst for what the scored ones show.
    """

    scored: Mapping[str, float]
    unscored: tuple[str, ...]
    first: Floats
    last: Floats

    @classmethod
    def of(cls, pair: Pair) -> _Moving | None:
        gaps = pair[0].less(pair[1])
        known = gaps.is_scored
        if not gaps.is_known or not 0 < known.sum() < len(known):
            return None
        names = np.array(gaps.tasks, dtype=object)
        scored = dict(zip(names[known].tolist(), gaps.low[known].tolist(), strict=True))
        mean = fmean(scored.values())
        low, high = gaps.low[~known], gaps.high[~known]
        first = np.minimum(np.maximum(mean, low), high)
        return cls(scored, tuple(names[~known].tolist()), first, low if mean > 0 else high)

    def at(self, part: float) -> dict[str, float]:
        """All differences, the unscored ones so far on their ways."""
        moved = (self.first + part * (self.last - self.first)).tolist()
        return {**self.scored, **dict(zip(self.unscored, moved, strict=True))}

    def mean_at(self, part: float) -> float:
        """The mean of the unscored ones there."""
        return fmean((self.first + part * (self.last - self.first)).tolist())

    @property
    def worst(self) -> End:
        """Which of the ends `last` is."""
        return "low" if fmean(self.scored.values()) > 0 else "high"


def _fall_at_last(
    pairs: Sequence[Pair], shown: Iterable[int], clusters: Mapping[str, str] | None, seed: int
) -> list[int]:
    """Of which pairs nothing is shown any more where their unscored tasks are as bad as can be.

    That is one test of the ends, which agents share, wherever it leaves no doubt. Its draws meet
    other tasks than those of the pair by itself, so near LEVEL these are asked.
    """
    worst: dict[int, End] = {}
    turned: set[int] = set()
    for place in shown:
        if (moved := _Moving.of(pairs[place])) is not None:
            worst[place] = moved.worst
            if _has_turned(moved, 1.0):
                turned.add(place)
    p_of = {place: test.p for place, test in _flips_at(pairs, worst, clusters, seed).items()}
    fallen = {place for place, p in p_of.items() if p >= LEVEL} | turned
    near = {place: 1.0 for place, p in p_of.items() if abs(p - LEVEL) <= _CLEAR}
    moving = {place: moved for place in near if (moved := _Moving.of(pairs[place]))}
    return [*sorted(fallen - near.keys() | _fall(moving, near, clusters, seed))]


def _has_turned(moving: _Moving, part: float) -> bool:
    """Whether the mean of all is not on the side any more on which that of the scored ones is."""
    return fsum(moving.at(part).values()) * fsum(moving.scored.values()) <= 0


def _fall(
    moving: Mapping[int, _Moving],
    parts: Mapping[int, float],
    clusters: Mapping[str, str] | None,
    seed: int,
) -> set[int]:
    """Of which pairs nothing is shown any more, so far on the way of each; or the opposite is."""
    tests = _tests([moving[place].at(part) for place, part in parts.items()], clusters, seed)
    return {
        place
        for (place, part), p in zip(parts.items(), tests, strict=True)
        if p >= LEVEL or _has_turned(moving[place], part)
    }


def _tests(
    several: Sequence[Mapping[str, float]], clusters: Mapping[str, str] | None, seed: int
) -> list[float]:
    """The p of each paired test by changes of sign, from the differences by task."""
    return [each.p for each in sign_flip_each([Units.of(v, clusters) for v in several], seed)]


def causes_of(records: Iterable[Judged], scored: Collection[str]) -> dict[str, int]:
    """Why tasks of one agent have no score, counted by tasks; several causes of one are joined."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for each in records:
        if each.task not in scored and isinstance(each.outcome, Unscored):
            found[each.task].add(str(each.outcome.cause))
    return dict(sorted(Counter("/".join(sorted(own)) for own in found.values()).items()))
