"""How far apart two distributions over the same classes are, and what chance would make of it.

Counts are weights of at least 0 for the same classes in the same order; they need not be whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from deepassay.stats.ranks import Floats

DRAWS: Final = 1000
"""Pairs of samples by which chance is told."""


class Association(NamedTuple):
    """chi_square: Pearson's. freedom: its degrees. v: Cramér's, in [0, 1]."""

    chi_square: float
    freedom: int
    v: float


def total_variation(ours: ArrayLike, theirs: ArrayLike) -> float | None:
    """Half the sum of the differences of shares, in [0, 1]; None where a side has nothing.

    The share of one side that would have to be of another class for the two to be equal.
    """
    sides = _shares(ours, theirs)
    return None if sides is None else float(np.abs(sides[0] - sides[1]).sum() / 2)


def jensen_shannon(ours: ArrayLike, theirs: ArrayLike) -> float | None:
    """The divergence of Jensen and Shannon (Lin 1991) in bits, in [0, 1]; None as above."""
    from scipy.special import rel_entr

    sides = _shares(ours, theirs)
    if sides is None:
        return None
    mean = (sides[0] + sides[1]) / 2
    return float(sum(rel_entr(side, mean).sum() for side in sides) / 2 / log(2))


def association(ours: ArrayLike, theirs: ArrayLike) -> Association | None:
    """Chi-square of the table of two rows, and what it says of strength whatever the sizes.

    Classes that neither side has are left out. None where a side has nothing, or both have only
    one class between them.
    """
    table = np.array([ours, theirs], dtype=float)
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2 or not table.sum(axis=1).all():
        return None
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi_square = float(((table - expected) ** 2 / expected).sum())
    return Association(chi_square, table.shape[1] - 1, sqrt(chi_square / float(table.sum())))


def top_overlap(ours: ArrayLike, theirs: ArrayLike, k: int) -> int:
    """How many of the k largest classes both sides share; of equal ones the earlier is larger."""
    first, second = (
        np.argsort(-np.asarray(side, float), kind="stable")[:k] for side in (ours, theirs)
    )
    return len(set(first.tolist()) & set(second.tolist()))


def by_chance(
    ours: ArrayLike, theirs: ArrayLike, chance: np.random.Generator, draws: int = DRAWS
) -> Iterator[tuple[Floats, Floats]]:
    """Pairs of samples of the sizes of these two, both drawn from what the two are together.

    Nothing where a side has nothing. Sizes are rounded.
    """
    sides = [np.asarray(side, dtype=float) for side in (ours, theirs)]
    sizes = [round(float(side.sum())) for side in sides]
    if not all(sizes):
        return
    law = sides[0] + sides[1]
    law = law / law.sum()
    drawn = [chance.multinomial(size, law, draws).astype(float) for size in sizes]
    yield from zip(*drawn, strict=True)


def _shares(ours: ArrayLike, theirs: ArrayLike) -> tuple[Floats, Floats] | None:
    one, other = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    return (one / one.sum(), other / other.sum()) if one.sum() and other.sum() else None
