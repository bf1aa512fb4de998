"""Which kinds of criteria failures come from (ResearchRubrics, section 3.4, equation 2).

A failure is a Not Satisfied verdict on any criterion, so that by the paper's words and by its
program a fault avoided counts as a failure and a fault committed does not. `inverted` is ours: a
fault fails when it is met.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from statistics import fmean
from typing import Final, Literal, NamedTuple

from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.rubric_items import Reading
from deepassay.results.tables import NONE
from deepassay.results.weighing import LEVELS, NOT, PARTIAL, SATISFIED, GradedCriterion

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


def failed(
    lines: Iterable[GradedCriterion], *, binary: bool = False, inverted: bool = False
) -> list[GradedCriterion]:
    """The criteria that fail. One without a verdict does not.

    binary: partly satisfied is taken for not. inverted: faults fail when they are met.
    """
    merits = (NOT, PARTIAL) if binary else (NOT,)
    faults = (SATISFIED,) if inverted else merits
    return [line for line in lines if line.verdict in (faults if line.weight < 0 else merits)]


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
        failures = failed(each.lines, binary=binary, inverted=inverted)
        total = len(failures)
        if not total:
            continue
        own = Counter([line.axis for line in failures])
        failing.add(each.task)
        counts.update(own)
        graded_axes = {line.axis for line in each.lines if line.verdict is not None}
        for axis in own if edition == "code" else graded_axes:
            leaves[axis].append((each.place, own[axis] / total))
    shares = {axis: _share(below) for axis, below in sorted(leaves.items())}
    return Breakdown(shares, dict(sorted(counts.items())), counts.total(), len(failing), len(tasks))


class Failing(NamedTuple):
    """Criteria that fail, of those with a verdict."""

    failed: int
    known: int

    def __str__(self) -> str:
        return f"{self.failed}/{self.known}"


def failing(graded: Iterable[Reading]) -> dict[tuple[str, str], Failing]:
    """By axis, and `mandatory`, `optional` or a level; a fault fails when it is met."""
    known: Counter[tuple[str, str, str]] = Counter()
    bad: Counter[tuple[str, str, str]] = Counter()
    for each in graded:
        lines = [line for line in each.lines if line.verdict is not None]
        for counts, own in ((known, lines), (bad, failed(lines, inverted=True))):
            counts.update([(line.axis, line.obligation, line.level) for line in own])
    found: dict[tuple[str, str], Failing] = {}
    for kind, count in known.items():
        for name in kind[1:]:
            before = found.get((kind[0], name), Failing(0, 0))
            found[kind[0], name] = Failing(before.failed + bad[kind], before.known + count)
    return found


def shares_by_obligation(graded: Iterable[Reading]) -> dict[tuple[str, str], float]:
    """The paper's share of each axis, parted into its mandatory and its optional criteria.

    By axis and `mandatory` or `optional`; the two of an axis add up to its share in `breakdown`.
    """
    leaves: defaultdict[tuple[str, str], list[Leaf]] = defaultdict(list)
    for each in graded:
        own = Counter([(line.axis, line.obligation) for line in failed(each.lines)])
        total = own.total()
        axes = {line.axis for line in each.lines if line.verdict is not None} if total else ()
        for kind in product(axes, ("mandatory", "optional")):
            leaves[kind].append((each.place, own[kind] / total))
    return {kind: _share(below).mean for kind, below in sorted(leaves.items())}


def _share(leaves: Sequence[Leaf]) -> Share:
    means = task_means(leaves)
    return Share(fmean(means.values()), len(means))


IMPORTANCE: Final = ("mandatory", "optional", *LEVELS)

DOMAIN: Final = "domain"
"""The label of tasks by which failures are parted."""


@dataclass(frozen=True)
class AgentFailures:
    """The failures in one agent's reports, counted in each way once for all tables and figures."""

    graded: Sequence[Reading]

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The axes of all criteria, sorted."""
        return tuple(sorted({line.axis for each in self.graded for line in each.lines}))

    @cached_property
    def paper(self) -> Breakdown:
        """Where they come from by the paper's formula."""
        return breakdown(self.graded)

    @cached_property
    def code(self) -> Breakdown:
        """Where they come from by the formula of the authors' program."""
        return breakdown(self.graded, "code")

    @cached_property
    def binary(self) -> Breakdown:
        """By the paper's formula, with partly satisfied taken for not."""
        return breakdown(self.graded, binary=True)

    @cached_property
    def inverted(self) -> Breakdown:
        """By the paper's formula, but faults fail when they are met."""
        return breakdown(self.graded, inverted=True)

    @cached_property
    def by_obligation(self) -> Mapping[tuple[str, str], float]:
        """The share of each axis in two parts, see `shares_by_obligation`."""
        return shares_by_obligation(self.graded)

    @cached_property
    def by_importance(self) -> Mapping[tuple[str, str], Failing]:
        """How many of the criteria with a verdict fail, see `failing`."""
        return failing(self.graded)

    @cached_property
    def by_domain(self) -> Mapping[str, Breakdown]:
        """By the paper's formula, over the tasks of each domain; NONE where a task has none."""
        domains: defaultdict[str, list[Reading]] = defaultdict(list)
        for each in self.graded:
            domains[each.labels.get(DOMAIN, NONE)].append(each)
        return {domain: breakdown(own) for domain, own in sorted(domains.items())}
