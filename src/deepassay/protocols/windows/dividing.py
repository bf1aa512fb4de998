"""A long report in overlapping windows that a judge can be shown one at a time."""

from __future__ import annotations

from math import ceil
from typing import Final, NamedTuple

from deepassay.models.usage import estimate_tokens
from deepassay.protocols.parts import cuts_of

WINDOW: Final = 24_000
"""Tokens of a window, as `models.usage.estimate_tokens` counts: three quarters of the smallest
context that judges commonly have. Another number makes other questions, under other keys."""

OVERLAP: Final = 4_000
"""Characters that a window shares with the one before, so that no passage is cut in two."""

_LIGHTEST: Final = 4.3
"""Characters of a token at most."""


class Window(NamedTuple):
    """One window. number: from 1. start: its offset in the report."""

    number: int
    start: int
    text: str


def windows_of(report: str) -> list[Window]:
    """The windows of a report, in its order; every character stands in one of them."""
    cuts = cuts_of(report, lambda start: _reach(report, start), OVERLAP)
    return [
        Window(number, start, report[start:end])
        for number, (start, end) in enumerate(cuts, start=1)
    ]


def _reach(report: str, start: int) -> int:
    """How far a window may go that begins at `start`.

    A script differs from another in tokens a character, and one report may hold both: the
    window is shortened until its own text fits.
    """
    end = min(len(report), start + ceil(WINDOW * _LIGHTEST))
    while (tokens := estimate_tokens(report[start:end])) > WINDOW:
        end = start + (end - start) * WINDOW // tokens
    return end
