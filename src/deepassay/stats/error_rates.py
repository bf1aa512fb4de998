"""How often a scorer says yes where people do, and a rate corrected for its errors.

Rogan and Gladen (1978): where people would say yes at a rate r, a judge of sensitivity s and
specificity c says yes at a rate of r s + (1 - r) (1 - c), so that

    r = (judge's rate + c - 1) / (s + c - 1).

The interval of that ratio is Fieller's (1954), with variances by the delta method over tasks and
Student's t. Unlike that of the delta method alone it knows that near s + c = 1, where the judge
answers as by chance, nothing can be said.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from deepassay.stats.influence import Flags, LabelledTasks, Ratio, ratio_of, sums_by
from deepassay.stats.intervals import Interval
from deepassay.stats.ranks import TIE, Floats, Places

CHANCE: Final = "the judge's yes and no may be chance"
BEYOND: Final = "the judge's rate is none that its errors can lead to"
ONE_SIDED: Final = "people said yes everywhere, or nowhere"


@dataclass(frozen=True)
class TrueRate:
    """A rate corrected for a judge's errors, in [0, 1], with its 95 % interval.

    Both are None where that cannot be; `why` says why.
    """

    value: float | None
    interval: Interval | None
    why: str = ""


def true_rate(ours: Floats, theirs: Floats, tasks: Places, of: Flags) -> TrueRate:
    """The rate at which people would say yes to the items `of`, if errors are the same everywhere.

    ours: what the judge said of each item, shape (n,), 1 for yes, 0 for no, or between. theirs: the
    share of people who said yes, nan where nobody was asked. tasks: the number of each item's task.
    of: whose rate, at least one item; the judge's errors are those on all items with labels.
    """
    members = np.unique(tasks, return_inverse=True)[1]
    known = ~np.isnan(theirs)
    yes, no = (np.where(known, side, 0.0) for side in (theirs, 1 - theirs))

    def share(part: Floats, whole: Floats) -> Ratio | None:
        return ratio_of(sums_by(members, part), sums_by(members, whole))

    rate = share(ours * of, of.astype(float))
    sensitivity, specificity = share(yes * ours, yes), share(no * (1 - ours), no)
    labelled = sums_by(members, known.astype(float)) > 0
    if rate is None or sensitivity is None or specificity is None:
        return TrueRate(None, None, ONE_SIDED)
    if np.count_nonzero(labelled) < 2:
        return TrueRate(None, None, CHANCE)
    above = Ratio(
        rate.value + specificity.value - 1,
        np.asarray(rate.influence + specificity.influence),
    )
    below = Ratio(
        sensitivity.value + specificity.value - 1,
        np.asarray(sensitivity.influence + specificity.influence),
    )
    return _fieller(above, below, LabelledTasks(labelled))


def _fieller(above: Ratio, below: Ratio, tasks: LabelledTasks) -> TrueRate:
    """The ratio and its interval, inside [0, 1]."""
    if below.value <= TIE:
        return TrueRate(None, None, CHANCE)
    value = above.value / below.value
    square = tasks.reach(above.influence - value * below.influence) ** 2
    # The interval is where a quadratic of the ratio is not above zero: first, 2 middle, last.
    first, middle, last = (
        one.value * other.value - square * float(one.influence @ other.influence)
        for one, other in ((below, below), (above, below), (above, above))
    )
    if first <= TIE**2:
        return TrueRate(None, None, CHANCE)
    root = sqrt(max(0.0, middle**2 - first * last))
    low, high = (middle - root) / first, (middle + root) / first
    if high < 0 or low > 1:
        return TrueRate(None, None, BEYOND)
    inside = Interval(max(0.0, low), min(1.0, high))
    return TrueRate(min(1.0, max(0.0, value)), inside)
