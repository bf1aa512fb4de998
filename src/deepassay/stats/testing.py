"""What a number of tasks can show (power of the paired t test), and many tests at once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from math import sqrt
from typing import Final

ALPHA: Final = 0.05
"""Below this p, two agents are called different."""

POWER: Final = 0.8
FAR: Final = 6.5
"""Standard errors from zero; the chance of the wrong sign is then below 1e-10."""

MOST: Final = 10_000_000
"""Tasks; where more would be needed, no number is given."""


def power(effect: float, n: int, alpha: float = ALPHA) -> float:
    """The chance that n differences of mean/deviation `effect` come out different from zero.

    Two-sided at the level alpha, by the noncentral t distribution. n: at least 2.
    """
    from scipy.special import nctdtr, stdtrit

    limit = float(stdtrit(n - 1, 1 - alpha / 2))
    center = abs(effect) * sqrt(n)
    if center > limit + 30:  # the function below is undefined so far out
        return 1.0
    right = float(nctdtr(n - 1, -center, -limit))
    # Significant in the wrong direction: part of the test's power, and undefined far out as well.
    wrong = float(nctdtr(n - 1, center, -limit)) if center < FAR else 0.0
    return right + wrong


@cache
def smallest_effect(n: int, alpha: float = ALPHA) -> float:
    """The smallest effect (mean by deviation) that n differences show with power POWER."""
    high = 1.0
    while power(high, n, alpha) < POWER:
        high *= 2
    low = 0.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle, n, alpha) >= POWER else (middle, high)
    return high


def needed(effect: float, alpha: float = ALPHA) -> int | None:
    """The fewest differences that show an effect with power POWER; None if beyond MOST."""

    def enough(n: int) -> bool:
        return power(effect, n, alpha) >= POWER

    fewest = 2 + bisect_left(range(2, MOST + 1), True, key=enough)
    return fewest if fewest <= MOST else None


def sign_test(better: float, worse: float) -> float:
    """The exact two-sided p of as many changes for the better and the worse, by a fair coin.

    What did not move is in neither. 1 where nothing moved.
    """
    from scipy.special import bdtr

    n = better + worse
    return min(1.0, 2 * float(bdtr(min(better, worse), int(n), 0.5))) if n else 1.0


def sign_needed(share: float) -> int | None:
    """The fewest changes that show a direction with power POWER, of which `share` go one way.

    share: of one half to 1. None if beyond MOST.
    """
    from scipy.special import bdtr, bdtrc, bdtrik

    def enough(n: int) -> bool:
        # The largest count of the rarer direction at which the test still says so.
        limit = int(bdtrik(ALPHA / 2, n, 0.5)) if bdtr(0, n, 0.5) <= ALPHA / 2 else -1
        while bdtr(limit + 1, n, 0.5) <= ALPHA / 2:
            limit += 1
        if limit < 0:
            return False
        return float(bdtr(limit, n, 1 - share) + bdtrc(n - limit - 1, n, 1 - share)) >= POWER

    return next((n for n in range(6, 100_000) if enough(n)), None) if share > 0.5 else None


def holm(values: Sequence[float]) -> list[float]:
    """The p values adjusted (Holm 1979): the chance of any false alarm is then at most p."""
    adjusted = [0.0] * len(values)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - place) * values[index]))
        adjusted[index] = highest
    return adjusted
