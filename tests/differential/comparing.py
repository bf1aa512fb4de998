"""What ours makes of a case beside what other code makes of it, over many random cases."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

AGAIN = "asked again"
STOPS = "the program stops"


@dataclass(frozen=True)
class Comparison:
    """shown: the case, for a person. ours, other: numbers, words, lists and mappings of them."""

    shown: Any
    ours: Any
    other: Any


Check = Callable[[Random], Comparison]


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal, floats to 1e-12, NaN to NaN."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, int | float) and isinstance(other, int | float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return bool(one == other)


def compare(name: str, check: Check, seed: int, cases: int) -> dict[str, int]:
    """Go through so many cases; how many came to a number, and to what else.

    Raises AssertionError at the first that is unequal; that and every other error carry a note
    with the seed, by which the case can be drawn again.
    """
    ends: Counter[str] = Counter()
    for number in range(cases):
        try:
            found = check(Random(f"{name} {seed} {number}"))
            assert same(found.ours, found.other), (
                f"{found.shown}\nours:  {found.ours}\nother: {found.other}"
            )
        except Exception as error:
            again = f"python -m benchmarks.differential {number + 1} {seed} '{name}'"
            error.add_note(f"{name}, seed {seed}, case {number}; again: {again}")
            raise
        ends[found.ours if found.ours in (AGAIN, STOPS) else "a number"] += 1
    return dict(ends)
