"""Which items to have labelled next, so that a comparison becomes sure by few labels.

Active inference (Zrnic and Candes 2024, arXiv:2403.03208): each item gets a label with a chance in
proportion to how far its label may lie from what the judge's number makes of it, mixed with an even
chance, and counts by the inverse of it. The estimate is then right whatever the judge does, and
sure by fewer labels the better it is known where the judge errs.

Every item keeps one random number for good (permanent random numbers; Ohlsson 1995). It is drawn
once its chance has passed that number. So more labels later add to those that are there, and the
chance by which an item came to be drawn is that of the last round alone. What is learnt of a task's
items comes from labels of other tasks, so that the chance of an item does not hang on its own
number.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from deepassay.stats.ranks import Floats, Places, tied

EVEN: Final = 0.2
"""The part of labels that is spread evenly: what is thought to be sure may not be."""

PRIOR: Final = 4.0
"""As many labels of a kind count as much as what was thought of it before."""

FOLDS: Final = 5
BINS: Final = 6
"""Kinds of judge's numbers, where it gives more different ones."""


def kinds_of(ours: Floats) -> Places:
    """The kind of each item, by the judge's number: alike where it says the same, or about that."""
    groups = tied(ours)
    if int(groups.max(initial=-1)) < BINS:
        return groups
    ends = np.quantile(ours, np.arange(1, BINS) / BINS)
    return np.searchsorted(np.unique(ends), ours, side="right")


def expected_errors(
    ours: Floats,
    theirs: Floats,
    kinds: Places,
    tasks: Places,
    chances: Floats | None,
    doubt: Floats,
    seed: int,
) -> Floats:
    """How far each label is expected to lie from what the judge's number makes of it; shape (n,).

    theirs: nan without a label. kinds: of items that err alike. chances: by which those with labels
    came to be drawn. doubt: what stands in place of labels while there are none, see `doubt_of`.
    Root mean squares, each learnt from labels of other tasks.
    """
    fold = np.random.default_rng([seed, 7]).integers(0, FOLDS, int(tasks.max()) + 1)[tasks]
    known = ~np.isnan(theirs)
    weights = np.where(known, 1.0 if chances is None else 1 / np.where(known, chances, 1.0), 0.0)
    found = np.empty(len(ours))
    count = int(kinds.max()) + 1
    for each in range(FOLDS):
        here, own = fold == each, weights * (fold != each)
        if np.count_nonzero(own) < 2 * PRIOR:
            found[here] = doubt[here]
            continue
        # As many labels as there are, however unlike their weights are.
        own = own * (np.count_nonzero(own) / own.sum())
        labels = np.where(known, theirs, 0.0)
        size = np.bincount(kinds, own, count)
        total = np.bincount(kinds, own * labels, count)
        everywhere = float((own @ labels) / own.sum())
        means = (total + PRIOR * everywhere) / (size + PRIOR)
        away = np.where(known, (labels - means[kinds]) ** 2, 0.0)
        # What is known of the kind, drawn to what was thought of it, at the level of all.
        there = np.maximum(np.bincount(kinds, minlength=count), 1)
        thought = np.bincount(kinds, doubt**2, count) / there
        level = float((own @ away) / max(own @ thought[kinds], 1e-12))
        squares = (np.bincount(kinds, own * away, count) + PRIOR * level * thought) / (size + PRIOR)
        found[here] = np.sqrt(squares)[kinds[here]]
    return found


def doubt_of(ours: Floats, low: float, high: float) -> Floats:
    """What a number says of itself: a share of judges who say yes is in doubt at a half.

    The deviation of a label of which this is the mean, never less than that of one mistake in 20.
    low, high: the ends of the judge's numbers.
    """
    share = (ours - low) / max(high - low, 1e-12)
    return np.sqrt(np.clip(share * (1 - share), 0.05 * 0.95, None))


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
