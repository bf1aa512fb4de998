"""How unscored tasks must have scored for a difference that the scored ones show to be none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np

from deepassay.results.unscored import End, Pair, flips_at
from deepassay.stats.ranks import Floats
from deepassay.stats.resampling import sign_flip_each
from deepassay.stats.units import Units

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
    p_of = {place: test.p for place, test in flips_at(pairs, worst, clusters, seed).items()}
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
