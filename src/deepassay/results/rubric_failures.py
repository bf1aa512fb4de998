"""Which kinds of criteria failures come from (ResearchRubrics, section 3.4, equation 2).

A failure is a Not Satisfied verdict on any criterion, so that by the paper's words and by its
program a fault avoided counts as a failure and a fault committed does not. `inverted` is ours: a
fault fails when it is met.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Literal, NamedTuple

from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.rubric_items import GradedCriterion, Reading, collapsed
from deepassay.weighing import NOT, SATISFIED

Edition = Literal["paper", "code"]


class Share(NamedTuple):
    """The share that one kind has of a task's failures, mean over tasks, which are counted."""

    mean: float
    tasks: int


@dataclass(frozen=True)
class Breakdown:
    """Where the failures of one agent come from, by the kind of criterion.

    shares: of the failures of a task, averaged over the tasks in which the kind occurs (edition
    `paper`) or fails (edition `code`), so that they need not add up to 1. counts: failures of
    each kind, and failures: all of them. failing, tasks: tasks with a failure, and all that were
    graded.
    """

    shares: Mapping[str, Share]
    counts: Mapping[str, int]
    failures: int
    failing: int
    tasks: int

    def pooled(self, kind: str) -> float | None:
        """The share of a kind in all failures together; None if there are none."""
        return self.counts.get(kind, 0) / self.failures if self.failures else None


def failed(line: GradedCriterion, *, binary: bool = False, inverted: bool = False) -> bool:
    """Whether a criterion fails. One without a verdict does not.

    binary: partly satisfied is taken for not. inverted: faults fail when they are met.
    """
    if line.verdict is None:
        return False
    worst = SATISFIED if inverted and line.penalty else NOT
    return collapsed(line.verdict, binary=binary) == worst


def breakdown(
    graded: Iterable[Reading],
    edition: Edition = "paper",
    *,
    binary: bool = False,
    inverted: bool = False,
) -> Breakdown:
    """Failures by axis. Reports without a failure say nothing about where failures come from.

    Within a task the mean over judges and repeats, then over answers.
    """
    leaves: defaultdict[str, list[Leaf]] = defaultdict(list)
    counts: Counter[str] = Counter()
    failing: set[str] = set()
    tasks: set[str] = set()
    for each in graded:
        tasks.add(each.task)
        own = _failures(each.lines, binary=binary, inverted=inverted)
        total = own.total()
        if not total:
            continue
        failing.add(each.task)
        counts += own
        graded_axes = {line.axis for line in each.lines if line.verdict is not None}
        for axis in own if edition == "code" else graded_axes:
            leaves[axis].append((each.place, own[axis] / total))
    shares = {axis: _share(below) for axis, below in sorted(leaves.items())}
    return Breakdown(shares, dict(sorted(counts.items())), counts.total(), len(failing), len(tasks))


def shares_by_obligation(graded: Iterable[Reading]) -> dict[tuple[str, str], float]:
    """The paper's share of each axis, parted into its mandatory and its optional criteria.

    By axis and `mandatory` or `optional`; the two of an axis add up to its share in `breakdown`.
    """
    leaves: defaultdict[tuple[str, str], list[Leaf]] = defaultdict(list)
    for each in graded:
        own = Counter((line.axis, line.obligation) for line in each.lines if failed(line))
        total = own.total()
        axes = {line.axis for line in each.lines if line.verdict is not None} if total else ()
        for kind in product(axes, ("mandatory", "optional")):
            leaves[kind].append((each.place, own[kind] / total))
    return {kind: _share(below).mean for kind, below in sorted(leaves.items())}


def _failures(lines: Sequence[GradedCriterion], *, binary: bool, inverted: bool) -> Counter[str]:
    return Counter(line.axis for line in lines if failed(line, binary=binary, inverted=inverted))


def _share(leaves: Sequence[Leaf]) -> Share:
    means = task_means(leaves)
    return Share(fmean(means.values()), len(means))
