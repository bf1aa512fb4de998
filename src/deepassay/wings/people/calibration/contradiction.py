"""How often a judge contradicts people: the one error that all kinds of labels have.

Of verdicts on items, how far the judge's is from what people say, on average: the share that it
gets wrong where all say yes or no; of a judge that grades, how far its grades lie from people's.
Items make no pairs, since no ranking puts them in an order. Of scores, the share of pairs of
reports on one task that people put in an order and the judge in the other; where the judge sees no
difference, half. A coin errs in half of the pairs. Reports on different tasks make no pair:
rankings compare none, and tasks differ in more than their reports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from deepassay.results.tables import several
from deepassay.stats.intervals import Interval, Units
from deepassay.stats.ranks import TIE, Floats
from deepassay.wings.people.calibration.labelled import Labelled

Unit = Literal["verdicts", "pairs of reports"]


class JudgeError(NamedTuple):
    """share: of the units that the judge gets wrong, in [0, 1].

    interval: at 95 %, see `Units.share_interval`. of: how many units have labels. tasks: on so many
    tasks, each of which varies as a whole.
    """

    share: float
    interval: Interval
    unit: Unit
    of: int
    tasks: int


def contradiction(labelled: Labelled, *, fewest: int) -> JudgeError | str:
    """By the labels there are; why it is not known on fewer than `fewest` tasks, and for numbers of
    a judge on items that are not from 0 to 1, as people's are.
    """
    there = np.flatnonzero(~np.isnan(labelled.theirs))
    ours, theirs = labelled.ours[there], labelled.theirs[there]
    groups = _groups([labelled.tasks[at] for at in there])
    if labelled.part == "items":
        if len(ours) and (ours.min() < 0 or ours.max() > 1):
            return "the judge's numbers on items are not from 0, no, to 1, yes"
        wrong, weights = np.abs(ours - theirs), labelled.weights[there]
        return _of([(wrong[own], weights[own]) for own in groups], "verdicts", fewest)
    return _of([_turned(ours[own], theirs[own]) for own in groups], "pairs of reports", fewest)


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


def _of(groups: Sequence[Weighed], unit: Unit, fewest: int) -> JudgeError | str:
    known = [own for own in groups if len(own[0])]
    if len(known) < fewest:
        there = "labels" if unit == "verdicts" else "people put reports on one task in an order"
        return f"{there} on {several(len(known), 'task')}; {fewest} are needed"
    units = Units(
        np.array([float(wrong @ weights) for wrong, weights in known]),
        np.array([float(weights.sum()) for _, weights in known]),
    )
    count = sum(len(wrong) for wrong, _ in known)
    return JudgeError(units.mean, units.share_interval(), unit, count, len(known))
