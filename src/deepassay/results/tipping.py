"""How unscored tasks must have scored for a difference that the scored ones show to be none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress
from math import fsum
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np

from deepassay.results.unscored import End, Pair, flips_at
from deepassay.stats.intervals import Units
from deepassay.stats.paired_signs import flips_on_ways
from deepassay.stats.ranks import Flags, Floats
from deepassay.stats.resampling import sign_flip_each

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
    found: list[Tipping | None] = [None] * len(pairs)
    for some in _at_once(pairs, range(len(pairs))):
        alone = [each.of_scored(clusters) for each in some.values()]
        for place, test in zip(some, sign_flip_each(alone, seed), strict=True):
            if test.p < LEVEL:
                found[place] = Tipping(test.p, None)
    shown = [place for place, tip in enumerate(found) if tip is not None]
    for some in _at_once(pairs, _fall_at_last(pairs, shown, clusters, seed)):
        parts = _tips([*some.values()], clusters, seed)
        for number, (place, moving) in enumerate(some.items()):
            if (tip := found[place]) is not None:
                found[place] = tip._replace(at=fmean(moving.at(parts[number]).tolist()))
    return found


class _Moving(NamedTuple):
    """A pair of which tasks are unscored: what the scored ones have, and the ways of the others.

    tasks: all of both, of which those that are `known` have a score. scored: their differences.
    first, last: of each way; last is the worst for what the scored ones show. end: which of the
    ends that is.
    """

    tasks: tuple[str, ...]
    known: Flags
    scored: Floats
    first: Floats
    last: Floats
    end: End

    @classmethod
    def of(cls, pair: Pair) -> _Moving | None:
        gaps = pair[0].less(pair[1])
        known = gaps.is_scored
        if not gaps.is_known or not 0 < np.count_nonzero(known) < len(known):
            return None
        scored = gaps.low[known]
        mean = fmean(scored.tolist())
        low, high = gaps.low[~known], gaps.high[~known]
        first = np.minimum(np.maximum(mean, low), high)
        end: End = "low" if mean > 0 else "high"
        last = low if end == "low" else high
        return cls(gaps.tasks, known, scored, first, last, end)

    def at(self, part: float) -> Floats:
        """The unscored ones, so far on their ways."""
        return self.first + part * (self.last - self.first)

    def of_scored(self, clusters: Mapping[str, str] | None) -> Units:
        """What varies among the scored ones."""
        return _units(compress(self.tasks, self.known.tolist()), self.scored, clusters)

    def all_at(self, part: float, clusters: Mapping[str, str] | None) -> Units:
        """What varies among all, the scored ones first, the others so far on their ways."""
        sides = (compress(self.tasks, which.tolist()) for which in (self.known, ~self.known))
        values = np.concatenate([self.scored, self.at(part)])
        return _units(chain.from_iterable(sides), values, clusters)

    def has_turned(self, part: float) -> bool:
        """Whether the mean of all is not on the side any more on which the scored ones' is."""
        scored = self.scored.tolist()
        return fsum([*scored, *self.at(part).tolist()]) * fsum(scored) <= 0


def _units(tasks: Iterable[str], values: Floats, clusters: Mapping[str, str] | None) -> Units:
    if clusters is None:
        return Units(values, np.ones(len(values)))
    return Units.of(dict(zip(tasks, values.tolist(), strict=True)), clusters)


def _at_once(pairs: Sequence[Pair], places: Sequence[int]) -> Iterator[dict[int, _Moving]]:
    """Those of the pairs at these places that move at all, not too many at a time."""
    for begin in range(0, len(places), _AT_ONCE):
        some = places[begin : begin + _AT_ONCE]
        yield {place: each for place in some if (each := _Moving.of(pairs[place]))}


def _fall_at_last(
    pairs: Sequence[Pair], shown: Sequence[int], clusters: Mapping[str, str] | None, seed: int
) -> list[int]:
    """Of which pairs nothing is shown any more where their unscored tasks are as bad as can be.

    That is one test of the ends, which agents share, wherever it leaves no doubt. Its draws meet
    other tasks than those of the pair by itself, so near LEVEL these are asked.
    """
    worst: dict[int, End] = {}
    fallen: set[int] = set()
    for some in _at_once(pairs, shown):
        worst |= {place: each.end for place, each in some.items()}
        fallen |= {place for place, each in some.items() if each.has_turned(1.0)}
    near = []
    for place, test in flips_at(pairs, worst, clusters, seed).items():
        if abs(test.p - LEVEL) <= _CLEAR:
            near.append(place)
        elif test.p >= LEVEL:
            fallen.add(place)
    for some in _at_once(pairs, [place for place in near if place not in fallen]):
        tests = sign_flip_each([each.all_at(1.0, clusters) for each in some.values()], seed)
        fallen |= {place for place, test in zip(some, tests, strict=True) if test.p >= LEVEL}
    return sorted(fallen)


def _tips(
    several: Sequence[_Moving], clusters: Mapping[str, str] | None, seed: int
) -> dict[int, float]:
    """The part of its way at which each shows nothing any more, or the opposite; by places."""
    ways = [(each.all_at(0.0, clusters), each.all_at(1.0, clusters)) for each in several]
    found: dict[int, float] = {}
    for place, p_at in flips_on_ways(ways, seed):
        moving = several[place]
        held, tip = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (held + tip) / 2
            if moving.has_turned(middle) or p_at(middle, moving.all_at(middle, clusters)) >= LEVEL:
                tip = middle
            else:
                held = middle
        found[place] = tip
    return found
