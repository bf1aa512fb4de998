"""A long report in overlapping windows that a judge can be shown one at a time."""

from __future__ import annotations

from typing import Final, NamedTuple

from deepassay.models.usage import cuts_by_tokens

WINDOW: Final = 24_000
"""Tokens of a window, as `models.usage.estimate_tokens` counts: three quarters of the smallest
context that judges commonly have. Another number makes other questions, under other keys."""

OVERLAP: Final = 4_000
"""Characters that a window shares with the one before, so that no passage is cut in two."""


class Window(NamedTuple):
    """One window. number: from 1. start: its offset in the report."""

    number: int
    start: int
    text: str


def windows_of(report: str) -> list[Window]:
    """The windows of a report, in its order; every character stands in one of them."""
    cuts = cuts_by_tokens(report, WINDOW, OVERLAP)
    return [
        Window(number, start, report[start:end])
        for number, (start, end) in enumerate(cuts, start=1)
    ]
