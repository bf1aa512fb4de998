"""Sets of verdicts that leave out what people would say no more often than is stated.

Conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster 2024, ICLR, arXiv:2208.02814;
of a set that misses the label it is split conformal prediction): the share of each word among the
labels of a kind of verdict is counted on half of the labelled tasks; on the other half the sets are
made as large as needed, so that with one more task, had it gone as wrong as can be, no more would
be missed on average. A task counts as a whole, since its verdicts are not independent.

The promise is an average over tasks to come that are drawn as the labelled ones were: not for every
single task, nor for every kind of verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from deepassay.stats.influence import sums_by
from deepassay.stats.ranks import Floats, Places


@dataclass(frozen=True)
class VerdictSets:
    """sets: whether a word is in the set of a kind, shape (kinds, words). shares: of the labels of
    a kind, counted on the first half, shape as sets. missed: share of labels of the second half
    that are not in their set, a task as any other; None without such tasks.
    """

    sets: NDArray[np.bool_]
    shares: Floats
    missed: float | None
    tasks: int


def tasks_for(risk: float) -> int:
    """How many tasks with labels are needed for sets of one word at all: half of them decide."""
    return 2 * ceil(1 / risk - 1)


def verdict_sets(
    kinds: Places, words: Places, tasks: Places, size: tuple[int, int], risk: float, seed: int
) -> VerdictSets:
    """By the verdicts that have labels.

    kinds: of each, words: its label, tasks: its task, as numbers. size: how many kinds and words
    there are. risk: the share of labels that may be missed, in (0, 1). seed: of the halves.
    """
    numbers, place = np.unique(tasks, return_inverse=True)
    first = (np.random.default_rng(seed).permutation(len(numbers)) < len(numbers) // 2)[place]
    counts = np.full(size, 1 / size[1])  # before anything is seen, every word as any other
    np.add.at(counts, (kinds[first], words[first]), 1.0)
    shares = counts / counts.sum(axis=1, keepdims=True)
    rest = ~first
    count = len(np.unique(place[rest]))
    best = shares == shares.max(axis=1, keepdims=True)
    # The lowest share of a word that is in its set; the more there are, the less is missed.
    for least in [*np.unique(shares)[::-1], 0.0]:
        sets = best | (shares >= least)
        missed = _missed(sets, kinds[rest], words[rest], place[rest])
        if missed is not None and (count * missed + 1) / (count + 1) <= risk:
            return VerdictSets(sets, shares, missed, len(numbers))
    whole = np.ones(size, dtype=np.bool_)
    return VerdictSets(whole, shares, None if missed is None else 0.0, len(numbers))


def _missed(sets: NDArray[np.bool_], kinds: Places, words: Places, tasks: Places) -> float | None:
    """The mean over tasks of the share of labels that are not in their set."""
    if not len(kinds):
        return None
    own = np.unique(tasks, return_inverse=True)[1]
    lost = sums_by(own, (~sets[kinds, words]).astype(float))
    return float((lost / sums_by(own, np.ones(len(own)))).mean())
