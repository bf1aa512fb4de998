"""What an agent, or a log of it, tells of its use: taken only where it can be believed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from deepassay.score import Json

_COUNT: Final = re.compile(r"[a-z_]{0,40}tokens")
"""A name of a count of tokens."""


def usage_counts(usage: Json, cost: Json) -> tuple[dict[str, int] | None, float | None]:
    """Counts of tokens and USD as somebody tells them, None for what cannot be believed."""
    counts = {
        name: value
        for name, value in (usage.items() if isinstance(usage, Mapping) else ())
        if _COUNT.fullmatch(name) and type(value) is int and 0 <= value < 10**12
    }
    is_price = isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < 10**6
    return counts or None, float(cost) if is_price else None


def seconds_of(told: Json) -> float:
    """Seconds as somebody tells them, 0 for what cannot be believed."""
    is_time = isinstance(told, int | float) and not isinstance(told, bool) and 0 <= told < 10**9
    return float(told) if is_time else 0.0
