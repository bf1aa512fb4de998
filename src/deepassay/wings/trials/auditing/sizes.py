"""What an audit of so many reports can show, before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Final

from deepassay.stats.intervals import wilson_interval
from deepassay.stats.testing import ALPHA, POWER, sign_needed, smallest_effect
from deepassay.wings.trials.auditing.sentences import share_in_words

SHARES: Final = (0.9, 0.75, 0.65)
"""Of changed reports whose score moves as it should."""


def sizes(reports: int) -> Iterator[str]:
    """The size that is needed for what, and what this one shows."""
    needed = ", ".join(
        f"{sign_needed(each)} where {share_in_words(each)} of them fall" for each in SHARES
    )
    yield f"  to show that scores fall at all (power {share_in_words(POWER)}): {needed}"
    if reports < 2:
        return
    half = wilson_interval(0.5, reports)
    effect = smallest_effect(reports) * sqrt(2)
    yield (
        f"  with {reports}: shares to within {100 * (half.high - half.low) / 2:.0f} points; mean "
        f"changes from {effect:.2f} standard deviations of one judgement on; if not one is missed, "
        f"at most {share_in_words(1 - ALPHA ** (1 / reports))} are"
    )
