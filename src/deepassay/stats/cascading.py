"""Which verdicts of a cheap judge stand, so that few of all verdicts are other than they would be.

Learn then test (Angelopoulos, Bates, Candes, Jordan, Lei 2021, arXiv:2110.01052): from the surest
verdicts on, a threshold is let down as long as the share of all verdicts that then stand and are
wrong is shown to be within the risk; at the first that is not, it stays. In that fixed order no
correction is needed. Each side, yes and no, has half of the risk and of the error. Shown is it by
the upper end of a 95 % interval (Clopper and Pearson 1934, over units: `Units.share_interval`), so
that the risk is kept in 95 of 100 learnings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from deepassay.stats.influence import sums_by
from deepassay.stats.intervals import Units
from deepassay.stats.ranks import Flags, Floats, Places

STEPS: Final = 50
"""Thresholds that are tried on each side, at the most."""

FEWEST: Final = 2
"""Units without which nothing is shown."""


class SettledVerdicts(NamedTuple):
    """Grades from `high` on stand as yes, up to `low` as no; None: none does.

    wrong: of all verdicts, those that stand and are wrong, in the labels that it was learnt on.
    stands: of all verdicts, those that stand.
    """

    low: float | None
    high: float | None
    wrong: float
    stands: float

    def covers(self, grades: Floats) -> Flags:
        """Which of these verdicts stand."""
        found = np.zeros(len(grades), dtype=np.bool_)
        if self.high is not None:
            found |= grades >= self.high
        if self.low is not None:
            found |= grades <= self.low
        return found


def what_stands(grades: Floats, truth: Floats, units: Places, risk: float) -> SettledVerdicts:
    """grades: of the cheap judge, 1 for a sure yes, 0 for a sure no. truth: 1 or 0, or between.

    units: the number of what each verdict varies with, as the page. risk: the share of all verdicts
    that may stand and be wrong, in (0, 1).
    """
    yes = np.unique(grades[grades > 0.5])[::-1]
    no = np.unique(grades[grades < 0.5])
    high = _last(yes, lambda end: grades >= end, 1 - truth, units, risk / 2)
    low = _last(no, lambda end: grades <= end, truth, units, risk / 2)
    found = SettledVerdicts(low, high, 0.0, 0.0)
    stands = found.covers(grades)
    wrong = np.where(grades >= 0.5, 1 - truth, truth)
    return found._replace(wrong=float((stands * wrong).mean()), stands=float(stands.mean()))


def _last(
    ends: Floats, stands: Callable[[float], Flags], wrong: Floats, units: Places, risk: float
) -> float | None:
    """The last of the thresholds, the surest first, up to which the risk is shown to be kept.

    No further than where most of what stands is right: a judge may be surely wrong.
    """
    numbers, place = np.unique(units, return_inverse=True)
    if len(numbers) < FEWEST:
        return None
    if len(ends) > STEPS:
        ends = ends[np.linspace(0, len(ends) - 1, STEPS).astype(int)]
    sizes = sums_by(place, np.ones_like(wrong))
    found = None
    for end in ends.tolist():
        standing = stands(end)
        lost = sums_by(place, np.where(standing, wrong, 0.0))
        if 2 * lost.sum() > standing.sum() or Units(lost, sizes).share_interval().high > risk:
            break
        found = end
    return found
