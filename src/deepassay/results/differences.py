"""One agent less another, over the tasks that both have a score for; many pairs at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from deepassay.results.aggregate import Count, answers_of
from deepassay.results.ranges import inside, widest_range
from deepassay.results.records import Judged
from deepassay.results.tipping import Tipping, tipping_points
from deepassay.results.unscored import Ends, Possible, largest_flips, sign_flips
from deepassay.stats.intervals import Interval, Units
from deepassay.stats.ranks import TIE, Flags, Floats
from deepassay.stats.resampling import Permutation, bca_each
from deepassay.stats.testing import ALPHA, holm, needed, smallest_effect
from deepassay.stats.variance import Answers, judge_of, judged_share, stdev

TOGETHER: Final = 64  # pairs for which tasks are drawn at a time


@dataclass(frozen=True)
class ComparisonTerms:
    """What a reader asks for. tie: differences that are no larger are ties, in the unit of the
    score. by, cluster: labels of tasks. difference: of which the tasks it needs are to be told.
    pairs: False where only agents by themselves are looked at. leading: what is said of who is
    first, see `comparing.leading`.
    """

    tie: float = TIE
    by: str | None = None
    cluster: str | None = None
    difference: float | None = None
    seed: int = 0
    pairs: bool = True
    leading: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """One agent less another, over the tasks of both; numbers in the unit of the score.

    tasks: with a score of both, of those asked of both. possible: the mean over all of those had
    the unscored ones scored worst for the first agent and best for the second, and the reverse;
    None where no range is known. units: what is taken for independent, tasks or clusters.
    permutation: with the largest p that unscored tasks could lead to, None where nothing can be
    tested. worst: at the lower end of `possible`. deviation: of the differences of tasks. effect:
    mean by deviation (d_z). wins, losses, ties: tasks. adjusted: p by Holm among all pairs of a
    board, None for a pair that was asked for alone. shown: the smallest difference that so many
    units show at level .05 with power .8. needed: units for the difference that was asked about.
    judge: the share of the variance of the mean that the judge's noise makes, None where nothing
    was judged again. tipping: see `unscored.tipping_points`. reach: between which ends differences
    lie; None where no range is known.
    """

    one: str
    other: str
    tasks: Count
    possible: Interval | None
    units: int
    mean: float
    interval: Interval | None
    bootstrap: Interval | None
    permutation: Permutation | None
    worst: Permutation | None
    adjusted: float | None
    deviation: float | None
    effect: float | None
    wins: int
    losses: int
    ties: int
    shown: float | None
    needed: int | None
    judge: float | None
    tipping: Tipping | None
    reach: Interval | None = None

    @property
    def can_show(self) -> float | None:
        """The smallest difference that the units show; None where the scale has none as large."""
        if self.shown is None or self.reach is None or self.shown <= self.reach.high:
            return self.shown
        return None

    def enough(self, tests: int = 1) -> int | None:
        """Units that show a difference as large as this one with power .8, at .05 for all tests.

        None where nothing is known of their spread, or where no number would do.
        """
        if not self.shown or abs(self.mean) <= TIE:
            return None
        return needed(abs(self.mean) / self.shown * smallest_effect(self.units), ALPHA / tests)

    def turned(self) -> Difference:
        """The second agent less the first."""
        tipping = self.tipping
        if tipping is not None and tipping.at is not None:
            tipping = tipping._replace(at=-tipping.at)
        return replace(
            self,
            one=self.other,
            other=self.one,
            possible=_negative(self.possible),
            mean=-self.mean,
            interval=_negative(self.interval),
            bootstrap=_negative(self.bootstrap),
            effect=None if self.effect is None else -self.effect,
            wins=self.losses,
            losses=self.wins,
            tipping=tipping,
        )


def _negative(interval: Interval | None) -> Interval | None:
    return Interval(-interval.high, -interval.low) if interval else None


class Side(NamedTuple):
    """One agent, for the comparisons with all others.

    possible: what each task that it was asked can have. scored: which of them have a score, shape
    (tasks,). reach: the widest range of its scores. answers: see `answers_of`; none where nothing
    was judged again.
    """

    possible: Possible
    scored: Flags
    reach: Interval | None
    answers: Answers
    is_reference: bool

    @classmethod
    def of(
        cls,
        records: Sequence[Judged],
        means: Mapping[str, float],
        ends: Ends,
        is_reference: bool,
    ) -> Side:
        """From what is known of it. means: of tasks. ends: see `unscored.possible_scores`."""
        answers = answers_of(records) if len(records) > len(ends) else {}
        again = judge_of(answers) is not None
        possible = Possible.of(ends)
        scored = np.array([task in means for task in possible.tasks], dtype=bool)
        return cls(possible, scored, widest_range(records), answers if again else {}, is_reference)

    def at(self, tasks: tuple[str, ...]) -> tuple[Flags, Floats]:
        """Which of these tasks have a score, and that."""
        if tasks == self.possible.tasks:
            return self.scored, self.possible.low
        wanted = {*tasks}
        there = np.array([task in wanted for task in self.possible.tasks], dtype=bool)
        return self.scored[there], self.possible.low[there]


class _ComparedPair(NamedTuple):
    """Two agents over the tasks of both. possible: over those that both were asked.

    tasks, gaps: those that both have a score for, and the differences, shape (tasks,).
    """

    one: str
    other: str
    sides: tuple[Side, Side]
    possible: Possible
    tasks: Sequence[str]
    gaps: Floats
    units: Units

    @classmethod
    def of(
        cls, one: str, other: str, sides: Mapping[str, Side], clusters: Mapping[str, str] | None
    ) -> _ComparedPair:
        ours, theirs = sides[one], sides[other]
        possible = ours.possible.less(theirs.possible)
        (we, our_means), (they, their_means) = (s.at(possible.tasks) for s in (ours, theirs))
        both = we & they
        gaps = our_means[both] - their_means[both]
        tasks = [*compress(possible.tasks, both.tolist())]
        units = Units(gaps, np.ones(len(gaps)))
        if clusters is not None:
            units = Units.of(dict(zip(tasks, gaps.tolist(), strict=True)), clusters)
        return cls(one, other, (ours, theirs), possible, tasks, gaps, units)


def differences(
    shared: Mapping[tuple[str, str], int],
    sides: Mapping[str, Side],
    clusters: Mapping[str, str] | None,
    terms: ComparisonTerms,
    aside: Sequence[tuple[str, str]] = (),
) -> tuple[list[Difference], list[float]]:
    """That of every pair, in their order, and p alone of the pairs that are put aside.

    shared: how many tasks each has together. aside: only where `terms` ask for who leads.
    """
    names = sorted(shared, key=shared.__getitem__)  # what is drawn serves all of as many tasks
    pairs = [(sides[one].possible, sides[other].possible) for one, other in (*names, *aside)]
    tests: list[tuple[Permutation | None, Permutation | None]]
    if terms.leading:
        largest = largest_flips(pairs, clusters, terms.seed)
        tests = [(largest.get(place), None) for place in range(len(pairs))]
    else:
        tests = sign_flips(pairs, clusters, terms.seed)
    tests, others = tests[: len(names)], [test.p for test, _ in tests[len(names) :] if test]
    tipped = [*shared][:1] if terms.leading else names
    between = [(sides[one].possible, sides[other].possible) for one, other in tipped]
    tips = dict(zip(tipped, tipping_points(between, clusters, terms.seed), strict=True))
    found: dict[tuple[str, str], Difference] = {}
    for begin in range(0, len(names), TOGETHER):
        some = slice(begin, begin + TOGETHER)
        own = [_ComparedPair.of(*pair, sides, clusters) for pair in names[some]]
        units = [] if terms.leading else [pair.units for pair in own]
        bootstraps = bca_each(units, terms.seed) or [None] * len(own)
        for pair, test, bootstrap in zip(own, tests[some], bootstraps, strict=True):
            both = pair.one, pair.other
            found[both] = _difference(pair, test, bootstrap, tips.get(both), terms)
    return [found[pair] for pair in shared], others


def _difference(
    pair: _ComparedPair,
    tests: tuple[Permutation | None, Permutation | None],
    bootstrap: Interval | None,
    tipping: Tipping | None,
    terms: ComparisonTerms,
) -> Difference:
    one, other, sides, possible, tasks, gaps, units = pair
    wins, losses = (int(np.count_nonzero(sign * gaps > terms.tie)) for sign in (1, -1))
    deviation = stdev(gaps) if len(gaps) > 1 else None
    shown, enough = _plan(units, terms.difference)
    reach = _reach(sides)
    tested = units.count > 1 and not any(side.is_reference for side in sides)
    permutation, worst = tests if tested else (None, None)
    return Difference(
        one,
        other,
        tasks=Count(len(gaps), len(possible.tasks)),
        possible=possible.mean if possible.is_known else None,
        units=units.count,
        mean=units.mean,
        interval=inside(units.interval(), reach),
        bootstrap=bootstrap,
        permutation=permutation,
        worst=worst,
        adjusted=None,
        deviation=deviation,
        effect=units.mean / deviation if deviation and deviation > TIE else None,
        wins=wins,
        losses=losses,
        ties=len(gaps) - wins - losses,
        shown=shown,
        needed=enough,
        judge=_judges_share(sides, {*tasks}, deviation),
        tipping=tipping if tested else None,
        reach=reach,
    )


def _reach(sides: Iterable[Side]) -> Interval | None:
    """Between which ends differences lie: the width of the scale, to either side, where both have
    one.
    """
    reaches = [side.reach for side in sides]
    limits = [each for each in reaches if each is not None]
    if not limits or len(limits) < len(reaches):
        return None
    wide = max(each.high for each in limits) - min(each.low for each in limits)
    return Interval(-wide, wide)


def _plan(units: Units, difference: float | None) -> tuple[float | None, int | None]:
    """The smallest difference that the units show, and how many one of this size needs."""
    if units.error is None or units.error <= TIE:
        return None, None
    deviation = units.error * sqrt(units.count)
    enough = None if difference is None else needed(difference / deviation)
    return deviation * smallest_effect(units.count), enough


def _judges_share(
    sides: Iterable[Side], tasks: Collection[str], deviation: float | None
) -> float | None:
    """Of the variance of the differences: what both sides owe to the judge, at most all."""
    if deviation is None or deviation <= TIE:
        return None
    found = 0.0
    for side in sides:
        answers = {task: own for task, own in side.answers.items() if task in tasks}
        judge = judge_of(answers)
        if judge is None:
            return None
        found += judge**2 * judged_share(answers)
    return min(1.0, found / deviation**2)


def adjusted(found: Sequence[Difference], others: Sequence[float] = ()) -> list[Difference]:
    """With p by Holm over the pairs that can be tested at all. others: p of further such pairs."""
    tested = [*(each.permutation.p for each in found if each.permutation), *others]
    corrected = iter(holm(tested))
    return [replace(each, adjusted=next(corrected)) if each.permutation else each for each in found]
