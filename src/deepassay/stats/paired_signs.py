"""Changes of sign for the differences of many pairs, at the price of a few columns.

Every pair of a hundred agents is nearly five thousand pairs, and a sum of signs times a difference
is the difference of two sums of signs: one product for each agent serves all its pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from deepassay.stats.intervals import Units
from deepassay.stats.ranks import Floats
from deepassay.stats.resampling import (
    DRAWS,
    Permutation,
    alike,
    drawn_signs,
    is_reached_by,
    products,
    sign_flip,
    sign_flip_each,
)

_ROUNDING: Final = float(np.finfo(float).eps)


def sign_flip_pairs(
    columns: Floats, pairs: Sequence[tuple[int, int]], seed: int, draws: int = DRAWS
) -> list[Permutation]:
    """What `sign_flip` says of one column less another, for each pair of their places.

    columns: a value for each unit, shape (units, columns). A product for each column rounds
    otherwise than one for each pair; where that could decide whether a change of signs reaches
    what was observed, the pair's own differences decide.
    """
    if len(pairs) <= columns.shape[1]:
        alone = np.ones(len(columns))
        gaps = [Units(columns[:, one] - columns[:, other], alone) for one, other in pairs]
        return sign_flip_each(gaps, seed, draws)
    rows = np.ascontiguousarray(columns.T)
    reached = [is_reached_by(rows[one] - rows[other]) for one, other in pairs]
    level = columns - columns.mean(axis=1, keepdims=True)  # what all share is in no difference
    summed = len(level) * np.abs(level).sum(axis=0) + 4 * np.abs(columns).sum(axis=0)
    doubt = _ROUNDING * summed
    extreme = np.zeros(len(pairs), dtype=int)
    portions, exact, of = drawn_signs(len(columns), seed, draws)
    for signs in portions:
        sums = np.ascontiguousarray((signs @ level).T)
        apart = np.empty(len(signs))
        for place, (one, other) in enumerate(pairs):
            np.abs(np.subtract(sums[one], sums[other], out=apart), out=apart)
            unclear = doubt[one] + doubt[other]
            surely = apart > reached[place] + unclear
            at_most = apart >= reached[place] - unclear
            extreme[place] += (sure := np.count_nonzero(surely))
            if np.count_nonzero(at_most) > sure:
                those = np.flatnonzero(at_most & ~surely)
                own = signs[those] @ (rows[one] - rows[other])
                extreme[place] += np.count_nonzero(np.abs(own) >= reached[place])
        del signs  # before the next portion is made, see `products`
    return [Permutation((int(more) + (not exact)) / of, exact) for more in extreme]


PAt = Callable[[float, Units], float]
"""The p at a part of a way, at which the values are these."""


def flips_on_ways(ways: Sequence[tuple[Units, Units]], seed: int) -> Iterator[tuple[int, PAt]]:
    """What `sign_flip` says of values on the way between two places, for each with its number.

    Every sum of signs moves in a straight line, so two products serve all of a way; where rounding
    could decide, the values themselves do.
    """
    for places in alike([first for first, _ in ways]):
        starts = np.column_stack([ways[place][0].sums for place in places])
        steps = np.column_stack([ways[place][1].sums for place in places]) - starts
        portions, exact, of = drawn_signs(len(starts), seed, DRAWS)
        both = np.hstack([starts, steps])
        sums, begun = np.empty((both.shape[1], of - (not exact))), 0
        for some in products(portions, both):
            sums[:, begun : begun + len(some)] = some.T
            begun += len(some)
        doubt = 4 * len(both) * _ROUNDING * np.abs(both).sum(axis=0)
        for number, place in enumerate(places):
            step = number + len(places)
            unclear = float(doubt[number] + doubt[step])
            yield place, partial(_p_at, sums[number], sums[step], unclear, exact, of, seed)


def _p_at(
    start: Floats,
    step: Floats,
    unclear: float,
    exact: bool,
    of: int,
    seed: int,
    part: float,
    units: Units,
) -> float:
    apart = np.abs(start + part * step)
    reached = is_reached_by(units.sums)
    extreme = np.count_nonzero(apart >= reached - unclear)
    if np.count_nonzero(apart > reached + unclear) < extreme:
        return sign_flip(units, seed).p
    return (int(extreme) + (not exact)) / of
