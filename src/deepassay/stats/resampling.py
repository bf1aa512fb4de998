"""What draws with replacement and changes of sign tell: intervals, ranks, p."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import fsum
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepassay.stats.intervals import Interval, Units
from deepassay.stats.ranks import TIE, Floats

DRAWS: Final = 9999
EXACT: Final = 12
"""Up to so many units, all 2^n changes of sign are gone through."""

_CELLS: Final = 4_000_000  # draws times units at a time: 32 MB of numbers
_COUNTED: Final = 250_000  # of these at a time: 2 MB, where counts of all take as much as draws
_TOGETHER: Final = 128  # of which sums of draws are held
_KEPT: Final = 24_000_000  # bytes of a draw; larger ones are drawn each time
_ROUNDING: Final = 1e-12  # of the largest sum: sums that differ by less are equal

Draw = Callable[[np.random.Generator, int, int], NDArray[np.integer[Any]]]


class Permutation(NamedTuple):
    """p: two-sided. exact: over all changes of sign, not over a sample of them."""

    p: float
    exact: bool


def resampled(columns: Floats, seed: int, draws: int = DRAWS) -> Floats:
    """Sums over units drawn with replacement: (units, k) becomes (draws, k)."""
    portions = _portions(_counts, seed, draws, len(columns))
    return np.concatenate([*products(portions, columns)])


def drawn_counts(units: int, seed: int, draws: int) -> Floats:
    """How often each unit was drawn, shape (draws, units)."""
    return np.concatenate(list(_portions(_counts, seed, draws, units)))


def bca_each(several: Sequence[Units], seed: int) -> list[Interval | None]:
    """The 95 % bias-corrected and accelerated bootstrap interval of each mean (Efron 1987).

    Faster together where units are as many. None for fewer than two units, and where leaving one
    out never changes the mean.
    """
    found: dict[int, Interval] = {}
    for places in alike([units if _varies(units) else None for units in several]):
        own = [several[place] for place in places]
        sums = np.column_stack([units.sums for units in own])
        sizes = np.column_stack([units.sizes for units in own])
        if (sizes == sizes[:, :1]).all():  # as of tasks, which are single units
            sizes = sizes[:, :1]
        drawn = resampled(np.hstack([sums, sizes]), seed)
        # Each is sorted: side by side in memory that takes a third.
        means = np.ascontiguousarray((drawn[:, : len(own)] / drawn[:, len(own) :]).T)
        found |= zip(places, _bca(own, means), strict=True)
    return [found.get(place) for place in range(len(several))]


def alike(several: Sequence[Units | None]) -> Iterator[list[int]]:
    """The places of those that have as many units, together, not too many at a time."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, units in enumerate(several):
        if units is not None:
            places[units.count].append(place)
    for own in places.values():
        yield from (own[begin : begin + _TOGETHER] for begin in range(0, len(own), _TOGETHER))


def _varies(units: Units) -> bool:
    """Whether leaving one out changes the mean."""
    if units.count < 2:
        return False
    left_out = units.left_out
    scale = float(np.abs(left_out).max())
    most = float(np.abs(left_out.mean() - left_out).max())
    return most > max(_ROUNDING * scale, TIE / units.count)


def _bca(several: Sequence[Units], means: Floats) -> Iterator[Interval]:
    """From the means of the draws, shape (several, draws), which are sorted in place."""
    from scipy.special import ndtr, ndtri

    means.sort(axis=1)
    draws = means.shape[1]
    left_out = np.stack([units.left_out for units in several])
    gaps = left_out.mean(axis=1, keepdims=True) - left_out
    # A draw of every unit once has the same mean, up to rounding.
    slack = _ROUNDING * np.abs(left_out).max(axis=1)
    middle = np.array([units.mean for units in several])
    ends = zip(means, middle - slack, middle + slack, strict=True)
    below = [
        row.searchsorted(low, "left") / draws / 2 + row.searchsorted(high, "right") / draws / 2
        for row, low, high in ends
    ]
    bias = ndtri(np.array(below))[:, None]
    powers = zip((gaps**3).tolist(), (gaps**2).tolist(), strict=True)
    leaning = [fsum(cubes) / fsum(squares) ** 1.5 / 6 for cubes, squares in powers]
    shifted = bias + ndtri(np.array([0.025, 0.975]))
    levels = ndtr(bias + shifted / (1 - np.array(leaning)[:, None] * shifted))
    return (Interval(*ends) for ends in _quantiles(means, levels).tolist())


def _quantiles(ordered: Floats, levels: Floats) -> Floats:
    """What `numpy.quantile` gives of each row, which is sorted. levels: of the same row, in [0, 1].

    ordered: shape (rows, n). levels: shape (rows, k), as is what comes out.
    """
    places = (ordered.shape[1] - 1) * levels
    lower = np.floor(places)
    part = places - lower
    at = lower.astype(int)
    one = np.take_along_axis(ordered, at, axis=1)
    other = np.take_along_axis(ordered, np.minimum(at + 1, ordered.shape[1] - 1), axis=1)
    # From the nearer of both, as numpy rounds it.
    near_other = other - (other - one) * (1 - part)
    return np.asarray(np.where(part >= 0.5, near_other, one + (other - one) * part))


def sign_flip(units: Units, seed: int, draws: int = DRAWS) -> Permutation:
    """How often the mean is as far from zero if the sign of every unit is left to chance.

    Of a sample of changes the observed one is a member, so p is never zero and the test keeps its
    level (Phipson and Smyth 2010). A cluster changes its sign as a whole.
    """
    return sign_flip_each([units], seed, draws)[0]


def sign_flip_each(several: Sequence[Units], seed: int, draws: int = DRAWS) -> list[Permutation]:
    """The sign-flip test of each of several, faster together where units are as many."""
    found: dict[int, Permutation] = {}
    for places in alike(several):
        sums = np.column_stack([several[place].sums for place in places])
        reached = np.array([is_reached_by(several[place].sums) for place in places])
        portions, exact, of = drawn_signs(len(sums), seed, draws)
        extreme = sum(
            np.count_nonzero(np.abs(each) >= reached, axis=0) for each in products(portions, sums)
        )
        for place, more in zip(places, extreme, strict=True):
            found[place] = Permutation((int(more) + (not exact)) / of, exact)
    return [found[place] for place in range(len(several))]


def is_reached_by(values: Floats) -> float:
    """From which sum on, to either side, a change of signs is as far from zero as the values are.

    Sums that differ by no more than rounding are equal.
    """
    return abs(fsum(values.tolist())) - _ROUNDING * float(np.abs(values).sum())


def products(portions: Iterable[Floats], columns: Floats) -> Iterator[Floats]:
    """Each portion times the columns; it is let go before the next is made: each takes 32 MB."""
    return map(columns.__rmatmul__, portions)


def drawn_signs(units: int, seed: int, draws: int) -> tuple[Iterable[Floats], bool, int]:
    """Changes of sign, shape (rows, units) each; whether they are all that there are; of how many.

    Of a sample, what was observed is one more.
    """
    if units <= EXACT:
        return [_all_signs(units)], True, 2**units
    return _portions(_signs, seed, draws, units), False, draws + 1


def _portions(draw: Draw, seed: int, draws: int, units: int) -> Iterator[Floats]:
    """The draws, shape (rows, units), in portions that keep the memory small.

    They are kept for the next pairs of agents over as many tasks, unless there are too many.
    """
    drawn = _kept if draws * units <= _KEPT else _drawn
    return (each.astype(float) for each in drawn(draw, seed, draws, units))


def _drawn(draw: Draw, seed: int, draws: int, units: int) -> Iterable[NDArray[np.integer[Any]]]:
    generator, rows = np.random.default_rng(seed), max(1, _CELLS // units)
    return (draw(generator, min(rows, draws - begun), units) for begun in range(0, draws, rows))


@lru_cache(maxsize=4)
def _kept(draw: Draw, seed: int, draws: int, units: int) -> tuple[NDArray[np.integer[Any]], ...]:
    return tuple(_drawn(draw, seed, draws, units))


def _counts(generator: np.random.Generator, rows: int, units: int) -> NDArray[np.integer[Any]]:
    """How often each unit was drawn."""
    drawn = generator.integers(0, units, (rows, units))
    some = max(1, _COUNTED // units)
    return np.concatenate([_counted(drawn[at : at + some]) for at in range(0, rows, some)])


def _counted(drawn: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """How often each unit stands in each row, in as few bytes as that takes."""
    rows, units = drawn.shape
    places = drawn + units * np.arange(rows)[:, None]
    counts = np.bincount(places.ravel(), minlength=rows * units).reshape(rows, units)
    return counts.astype(np.min_scalar_type(counts.max()))


def _signs(generator: np.random.Generator, rows: int, units: int) -> NDArray[np.integer[Any]]:
    """Random signs, 1 or -1, shape (rows, units)."""
    return 1 - 2 * generator.integers(0, 2, (rows, units), dtype=np.int8)


@cache
def _all_signs(units: int) -> Floats:
    """Every change of sign, shape (2 ** units, units)."""
    bits = np.arange(2**units)[:, None] >> np.arange(units) & 1
    return np.asarray(1.0 - 2.0 * bits)


class RankInterval(NamedTuple):
    """Lowest and highest rank of an agent, from 1, the best."""

    low: int
    high: int


def rank_intervals(
    agents: Mapping[str, Mapping[str, Interval]],
    clusters: Mapping[str, str] | None,
    seed: int,
    draws: int = DRAWS,
) -> dict[str, RankInterval]:
    """From the ends between which each agent's tasks lie, over the tasks that all agents have.

    The middle 95 % of the ranks over all draws, from the best that each draw allows to the worst;
    equal means share the better rank. Empty for fewer than two such tasks or clusters.
    """
    if not agents:
        return {}
    shared = sorted(set.intersection(*(set(own) for own in agents.values())))
    rows = [
        Units.of({task: own[task][end] for task in shared}, clusters)
        for end in (0, 1)
        for own in agents.values()
    ]
    if rows[0].count < 2:
        return {}
    sums = resampled(np.column_stack([*(row.sums for row in rows), rows[0].sizes]), seed, draws)
    means = np.ascontiguousarray((sums[:, :-1] / sums[:, -1:]).T)
    lows, highs = np.split(means, 2)
    count = np.min_scalar_type(len(agents) + 1)  # bytes of few agents are summed fast
    found = {}
    for agent, low, high in zip(agents, lows, highs, strict=True):
        best = 1 + (lows > high + TIE).sum(axis=0, dtype=count)
        worst = 1 + (highs > low + TIE).sum(axis=0, dtype=count) - (high > low + TIE)
        ends = (
            np.quantile(ranks, level, method="inverted_cdf")
            for ranks, level in ((best, 0.025), (worst, 0.975))
        )
        found[agent] = RankInterval(*map(int, ends))
    return found


FEWER_DRAWS: Final = 999
"""For the many figures of one table."""

ENOUGH: Final = 0.95
"""The share of draws in which a figure must be defined for an interval."""

Statistic = Callable[[Floats], float | None]
"""From how often each task counts, shape (tasks,), to a figure, None where it is undefined."""


@dataclass(frozen=True)
class ResampledFigure:
    """A figure with its name, and on how many of what it rests. value: None if undefined."""

    name: str
    value: float | None
    interval: Interval | None
    n: int
    unit: str


def resampled_figure(
    name: str, statistic: Statistic, counts: Floats, n: int, unit: str, *, expanded: bool = False
) -> ResampledFigure:
    """The figure over all tasks, with its 95 % interval: percentiles of the draws.

    counts: how often each draw has each task, shape (draws, tasks). expanded: with percentiles
    further out, by as much as Student's t for so many tasks goes beyond the normal law, since those
    of few tasks are too narrow (Hesterberg 2015, section 5.3). No interval for one task, where
    draws leave the figure undefined or are all the same, and where it lacks the figure.
    """
    value = statistic(np.ones(counts.shape[1]))
    levels = _expanded(counts.shape[1]) if expanded else (0.025, 0.975)
    found = None if value is None else _percentiles(statistic, counts, levels)
    if value is None or found is None or found.high - found.low <= TIE:
        return ResampledFigure(name, value, None, n, unit)
    holds = found.low <= value <= found.high
    return ResampledFigure(name, value, found if holds else None, n, unit)


def _expanded(units: int) -> tuple[float, float]:
    """The levels whose normal quantiles are those of Student's t for so many units."""
    from scipy.special import ndtr, stdtrit

    if units < 2:
        return 0.025, 0.975
    low = float(ndtr(stdtrit(units - 1, 0.025) * (units / (units - 1)) ** 0.5))
    return low, 1 - low


def _percentiles(
    statistic: Statistic, counts: Floats, levels: tuple[float, float]
) -> Interval | None:
    if counts.shape[1] < 2:
        return None
    rows = {bytes(each): each for each in counts}  # of few tasks, few draws differ
    told = {row: statistic(each) for row, each in rows.items()}
    known = [value for each in counts if (value := told[bytes(each)]) is not None]
    if len(known) < ENOUGH * len(counts):
        return None
    low, high = np.quantile(known, levels)
    return Interval(float(low), float(high))


def ratio(part: Floats, whole: Floats) -> Statistic:
    """Sum of `part` by sum of `whole`, which hold a number for each task."""

    def share(counts: Floats) -> float | None:
        below = float(counts @ whole)
        return float(counts @ part) / below if below else None

    return share
