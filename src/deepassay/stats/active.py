"""Which items to have labelled next, so that a comparison becomes sure by few labels.

Active inference (Zrnic and Candes 2024, arXiv:2403.03208): each item gets a label with a chance in
proportion to how far its label may lie from what the judge's number makes of it, mixed with an even
chance, and counts by the inverse of it. The estimate is then right whatever the judge does, and
sure by fewer labels the better it is known where the judge errs.

Chances rise from round to round and never fall; `stats.spread` draws by them. So more labels later
add to those that are there, and the chance by which an item came to be drawn is that of the last
round alone. What is learnt of a task's items comes from labels of other tasks, so that the chance
of an item does not hang on what was drawn of its own task.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from deepassay.stats.powered_ranks import PoweredGap, powered_gaps
from deepassay.stats.prediction_powered import powered
from deepassay.stats.ranks import TIE, Floats, Places, tied

EVEN: Final = 0.35
"""The part of labels that is spread evenly: what is thought to be sure may not be."""

PRIOR: Final = 10.0
"""As many labels of a kind count as much as what was thought of it before."""

FOLDS: Final = 5
FEWEST: Final = 8
"""Labels of other tasks below which nothing is learnt from them."""

BINS: Final = 6
"""Kinds of judge's numbers, where it gives more different ones."""


def kinds_of(ours: Floats) -> Places:
    """The kind of each item, by the judge's number: alike where it says the same, or about that."""
    groups = tied(ours)
    if int(groups.max(initial=-1)) < BINS:
        return groups
    ends = np.quantile(ours, np.arange(1, BINS) / BINS)
    return np.searchsorted(np.unique(ends), ours, side="right")


class DrawnLabels(NamedTuple):
    """What is there of labels: theirs, nan without one, and by which chance each came to be drawn.

    Shape (n,) each.
    """

    theirs: Floats
    chances: Floats


def expected_errors(of: TwoAgents, labels: DrawnLabels, seed: int) -> Floats:
    """How far each label is expected to lie from a straight line through the judge's numbers.

    Root mean squares of the items of a kind of an agent, each learnt from labels of other tasks;
    shape (n,). A judge may be right to call one agent's items met and wrong to call the other's so.
    What an agent's own labels do not say yet is taken from those of both, and what these do not say
    from what the numbers say of themselves, see `doubt_of`.
    """
    kinds, doubt = kinds_of(of.ours), doubt_of(of.ours)
    fold = np.random.default_rng([seed, 7]).integers(0, FOLDS, int(of.task.max()) + 1)[of.task]
    known = ~np.isnan(labels.theirs)
    theirs = np.where(known, labels.theirs, 0.0)
    weights = np.where(known, 1 / np.where(known, labels.chances, 1.0), 0.0)
    found = np.empty(len(of.ours))
    for each in range(FOLDS):
        here, own = fold == each, weights * (fold != each)
        count = np.count_nonzero(own)
        if count < FEWEST:
            found[here] = doubt[here]
            continue
        own = own * (count / own.sum())  # as many labels as there are, however unlike they weigh
        line = _line(of.ours, theirs, own)
        for side in (0, 1):
            if np.count_nonzero(own[of.agent == side]) >= FEWEST:
                mine = of.agent == side
                line = np.where(mine, _line(of.ours, theirs, own * mine), line)
        squares = (theirs - line) ** 2
        of_both = _roots(kinds, own, squares, doubt)
        found[here] = _roots(2 * kinds + of.agent, own, squares, of_both)[here]
    return found


def _line(ours: Floats, theirs: Floats, weights: Floats) -> Floats:
    """The people's, by a straight line through the judge's."""
    middle, mean = (float(weights @ each) / weights.sum() for each in (ours, theirs))
    square = float(weights @ (ours - middle) ** 2)
    slope = float(weights @ ((ours - middle) * (theirs - mean))) / square if square > TIE else 0.0
    return np.asarray(mean + slope * (ours - middle))


def _roots(kinds: Places, weights: Floats, squares: Floats, doubt: Floats) -> Floats:
    """Roots of mean squares by kind, drawn to what was thought of it, at the level of all."""
    count = int(kinds.max()) + 1
    there = np.maximum(np.bincount(kinds, minlength=count), 1)
    thought = np.bincount(kinds, doubt**2, count) / there
    before = PRIOR * float(thought[kinds].mean())  # nothing is sure while no label is off
    level = (float(weights @ squares) + before) / (float(weights @ thought[kinds]) + before)
    sizes = np.bincount(kinds, weights, count)
    sums = np.bincount(kinds, weights * squares, count)
    return np.asarray(np.sqrt((sums + PRIOR * level * thought) / (sizes + PRIOR))[kinds])


def doubt_of(ours: Floats) -> Floats:
    """What a number says of itself: a share of judges who say yes is in doubt at a half.

    The deviation of a label of which this is the mean, never less than that of one mistake in 20.
    """
    return np.sqrt(np.clip(ours * (1 - ours), 0.05 * 0.95, None))


def chances_for(errors: Floats, labels: float) -> Floats:
    """The chance of each item to be drawn, so many labels together; at most 1 each. shape (n,).

    errors: expected, see above, times what an item counts for in the comparison; 0 for none.
    """
    there = errors > 0
    size = int(there.sum())
    chances = np.zeros(len(errors))
    if labels >= size:
        chances[there] = 1.0
        return chances
    wanted = EVEN / size + (1 - EVEN) * errors[there] / errors[there].sum()
    scale, full = float(labels), np.zeros(size, dtype=bool)
    for _ in range(size):  # what is surely drawn leaves its part to the others
        rest = wanted * ~full
        scale = (labels - np.count_nonzero(full)) / rest.sum()
        more = ~full & (wanted * scale >= 1)
        if not more.any():
            break
        full |= more
    chances[there] = np.where(full, 1.0, np.minimum(1.0, wanted * scale))
    return chances


def raised(before: Floats, errors: Floats, more: int) -> Floats:
    """The chances of a further round, none lower than before, by which so many more are drawn."""
    wanted = float(before.sum()) + more
    low, high = 0.0, float(np.count_nonzero(errors > 0)) + 1
    for _ in range(60):
        middle = (low + high) / 2
        found = np.maximum(before, chances_for(errors, middle))
        if found.sum() < wanted:
            low = middle
        else:
            high = middle
    return np.maximum(before, chances_for(errors, high))


@dataclass(frozen=True)
class TwoAgents:
    """What a judge said of the items of two agents, in one order, shape (n,) each.

    ours: from 0 to 1. agent: 0 or 1. task: the number of each item's.
    """

    ours: Floats
    agent: Places
    task: Places

    def errors(self, labels: DrawnLabels, seed: int) -> Floats:
        """What each item is expected to be off by, times what it counts for in the difference."""
        found = expected_errors(self, labels, seed)
        return np.asarray(found / np.bincount(self.agent)[self.agent])

    def gap(self, labels: DrawnLabels, fewest: int) -> PoweredGap | None:
        """The first less the second, by people; None with labels on too few tasks of either."""
        found = []
        for side in (0, 1):
            own = self.agent == side
            theirs = labels.theirs[own]
            if len(set(self.task[own][~np.isnan(theirs)].tolist())) < fewest:
                return None
            found.append(powered(self.ours[own], theirs, self.task[own], labels.chances[own]))
        one, other = found
        return powered_gaps([one, other])[0] if one and other else None
