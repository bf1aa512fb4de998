"""Krippendorff's alpha (2011): agreement of any number of raters, gaps allowed.

With the squared difference for `interval`, both the observed and the expected disagreement are
sums of squares, so that no table of coincidences is needed. `ordinal` is the same on the mean
ranks of all pairable values, `nominal` on one indicator for each category.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from deepassay.findings.agreement.coefficients import ranks
from deepassay.findings.comparison.units import Floats

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: Final[tuple[Level, ...]] = ("nominal", "ordinal", "interval")


class _Summed(NamedTuple):
    """Of each unit: sums of its values, of their squares, and how far they lie apart."""

    sums: Floats
    squares: Floats
    within: Floats


class Alpha:
    """Alpha of units, each with the values that its raters gave.

    values: numbers for `ordinal` and `interval`. Units with fewer than two values are left out.
    """

    def __init__(self, units: Sequence[Sequence[Hashable]], level: Level) -> None:
        sizes = np.array([len(unit) for unit in units], dtype=int)
        self._sizes = np.where(sizes >= 2, sizes, 0)
        pairable = [unit for unit in units if len(unit) >= 2]
        self._unit = np.repeat(np.arange(len(units)), self._sizes)
        self._values = _columns([value for unit in pairable for value in unit], level)
        self._summed = None if level == "ordinal" else self._sums(self._values)

    def __call__(self, weights: Floats | None = None) -> float:
        """At most 1, NaN where all values are one and the same. weights: of the units."""
        weights = np.ones(len(self._sizes)) if weights is None else weights
        sizes, own = self._sizes, weights[self._unit]
        total = float(weights @ sizes)
        if total < 2:
            return float("nan")
        summed = self._summed or self._sums(ranks(self._values[:, 0], own)[:, None])
        observed = float(weights @ summed.within) / total
        expected = float(weights @ summed.squares - ((weights @ summed.sums) ** 2).sum() / total)
        return 1 - observed * (total - 1) / expected if expected > 1e-9 else float("nan")

    def _sums(self, values: Floats) -> _Summed:
        values = values - values.mean(axis=0) if len(values) else values  # for the last digits
        units = len(self._sizes)
        sums = np.column_stack(
            [np.bincount(self._unit, each, units).astype(float) for each in values.T]
        )
        squares = np.bincount(self._unit, (values**2).sum(axis=1), units).astype(float)
        pairs = np.maximum(self._sizes - 1, 1)
        return _Summed(sums, squares, (self._sizes * squares - (sums**2).sum(axis=1)) / pairs)


def _columns(values: Sequence[Hashable], level: Level) -> Floats:
    if level != "nominal":
        return np.array(values, dtype=float).reshape(-1, 1)
    places: Mapping[Hashable, int] = {each: at for at, each in enumerate(dict.fromkeys(values))}
    columns = np.zeros((len(values), max(1, len(places))))
    columns[np.arange(len(values)), np.array([places[value] for value in values], dtype=int)] = 1
    return columns
