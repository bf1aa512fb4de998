"""How often a judge contradicts people: the one error that all kinds of labels have.

Of verdicts, how far the judge's is from what people say, on average: the share that it gets wrong
where all say yes or no. Of scores, the share of pairs of reports that people put in an order and
the judge in the other; where the judge sees no difference, half. A coin errs in half of the pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from deepassay.stats.intervals import Interval, Units
from deepassay.stats.ranks import TIE, Floats
from deepassay.wings.people.calibration.labelled import Labelled

Unit = Literal["verdicts", "pairs of reports"]


class JudgeError(NamedTuple):
    """share: of the units that the judge gets wrong, in [0, 1].

    interval: at 95 %, see `Units.share_interval`. of: how many units have labels. tasks: on so many
    tasks, or pairs of them, each of which varies as a whole.
    """

    share: float
    interval: Interval
    unit: Unit
    of: int
    tasks: int


def contradiction(
    labelled: Labelled, *, answers: bool, fewest: int, seed: int
) -> JudgeError | None:
    """By the labels there are; None on fewer than `fewest` tasks.

    answers: whether the judge answers yes and no. seed: of which tasks are put together where too
    few have labels on two reports of which people prefer one.
    """
    there = np.flatnonzero(~np.isnan(labelled.theirs))
    ours, theirs = labelled.ours[there], labelled.theirs[there]
    groups = _groups([labelled.tasks[at] for at in there])
    if answers:
        wrong, weights = np.abs(ours - theirs), labelled.weights[there]
        return _of([(wrong[own], weights[own]) for own in groups], "verdicts", fewest)
    within = [_turned(ours[own], theirs[own]) for own in groups]
    if (found := _of(within, "pairs of reports", fewest)) is not None:
        return found
    order = np.random.default_rng(seed).permutation(len(there))
    couples = (order[at : at + 2] for at in range(0, len(order) - 1, 2))
    across = [_turned(ours[own], theirs[own]) for own in couples]
    return _of(across, "pairs of reports", fewest)


def _groups(tasks: Iterable[str]) -> list[list[int]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for at, task in enumerate(tasks):
        groups[task].append(at)
    return [*groups.values()]


Weighed = tuple[Floats, Floats]
"""Errors, and what each counts."""


def _turned(ours: Floats, theirs: Floats) -> Weighed:
    """Of each pair of which people prefer one: whether the judge prefers the other."""
    found = []
    for one, other in combinations(range(len(ours)), 2):
        gap = theirs[one] - theirs[other]
        if abs(gap) > TIE:
            lean = (ours[one] - ours[other]) * np.sign(gap)
            found.append(0.5 if abs(lean) <= TIE else float(lean < 0))
    return np.array(found), np.ones(len(found))


def _of(groups: Sequence[Weighed], unit: Unit, fewest: int) -> JudgeError | None:
    known = [own for own in groups if len(own[0])]
    if len(known) < fewest:
        return None
    units = Units(
        np.array([float(wrong @ weights) for wrong, weights in known]),
        np.array([float(weights.sum()) for _, weights in known]),
    )
    count = sum(len(wrong) for wrong, _ in known)
    return JudgeError(units.mean, units.share_interval(), unit, count, len(known))
