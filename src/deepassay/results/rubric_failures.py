"""Which kinds of criteria failures come from (ResearchRubrics, section 3.4, equation 2).

A failure is a Not Satisfied verdict on any criterion, so that by the paper's words and by its
program a fault avoided counts as a failure and a fault committed does not. `inverted` is ours: a
fault fails when it is met.

Failures of graded rubrics as tables: by axis, by importance, and by domain and axis.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Final, Literal, NamedTuple

from deepassay.glossary import legend, meaning
from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.rubric_items import GradedRubrics, Reading
from deepassay.results.tables import NONE, Table, decimals, of_label
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


AXIS_HEAD: Final = (
    *("agent", "axis", "failures", "share (paper)", "tasks", "share (code)", "tasks (code)"),
    *("pooled", "binary", "share (binary)", "inverted", "share (inverted)"),
)
AXIS_NOTES: Final = (
    f"{legend('failures')} share: "
    "of a task's failures, mean over tasks with a failure in which the axis occurs (paper) or "
    "fails (code); the shares of an agent need not add up to 1. pooled: of all failures together.",
    f"binary: failures with {meaning('binary')}. {legend('inverted')} The shares of both are by "
    "the paper's formula.",
)

IMPORTANCE: Final = ("mandatory", "optional", *LEVELS)
IMPORTANCE_NOTE: Final = (
    "Criteria that fail, of those with a verdict; here a fault fails when it is met. The levels "
    "are those of the paper's Table 4."
)

DOMAIN: Final = "domain"
DOMAIN_NOTE: Final = (
    "Share of a task's failures, by the paper's formula, over the tasks of one domain. failing: "
    "tasks with a failure, of those graded."
)


def failure_tables(
    graded: GradedRubrics, label: tuple[str, str] | None = None
) -> tuple[Table, ...]:
    """Failures by axis; over all tasks also by importance, and by domain where tasks have one."""
    if not graded.of_one_recipe:
        return ()
    read = {agent: own for agent, own in graded.readings.items() if own}
    name = f"{graded.records[0].protocol}{of_label(label)}: failures"
    notes = (*AXIS_NOTES, *graded.missing)
    rows = _axis_rows(read)
    by_axis = Table.listed(f"{name} by axis", AXIS_HEAD, rows, notes, words=2, detail=True)
    if label is not None:
        return (by_axis,)
    by_importance = Table.listed(
        f"{name} by axis and importance",
        ("agent", "axis", *IMPORTANCE),
        _importance_rows(read),
        (IMPORTANCE_NOTE, *graded.missing),
        words=2,
        detail=True,
    )
    if not any(DOMAIN in each.labels for each in graded.records):
        return by_axis, by_importance
    by_domain = _domain_table(f"{name} by domain and axis", read, graded.missing)
    return by_axis, by_importance, by_domain


def _axis_rows(graded: Mapping[str, Sequence[Reading]]) -> Iterator[tuple[str, ...]]:
    for agent, own in graded.items():
        paper, code = breakdown(own), breakdown(own, "code")
        binary, inverted = breakdown(own, binary=True), breakdown(own, inverted=True)
        for axis in _axes(own):
            yield (
                agent,
                axis,
                str(paper.counts.get(axis, 0)),
                *_mean_and_tasks(paper, axis),
                *_mean_and_tasks(code, axis),
                decimals(paper.pooled(axis), 4),
                str(binary.counts.get(axis, 0)),
                _mean(binary, axis),
                str(inverted.counts.get(axis, 0)),
                _mean(inverted, axis),
            )


def _importance_rows(graded: Mapping[str, Sequence[Reading]]) -> Iterator[tuple[str, ...]]:
    for agent, own in graded.items():
        found = failing(own)
        for axis in _axes(own):
            cells = (found.get((axis, name)) for name in IMPORTANCE)
            yield agent, axis, *(NONE if each is None else str(each) for each in cells)


def _domain_table(
    title: str, graded: Mapping[str, Sequence[Reading]], missing: tuple[str, ...]
) -> Table:
    axes = _axes([each for own in graded.values() for each in own])
    rows = []
    for agent, own in graded.items():
        for domain in sorted({each.labels.get(DOMAIN, NONE) for each in own}):
            found = breakdown([each for each in own if each.labels.get(DOMAIN, NONE) == domain])
            shares = (_mean(found, axis) for axis in axes)
            rows.append((agent, domain, f"{found.failing}/{found.tasks}", *shares))
    head = ("agent", DOMAIN, "failing", *axes)
    return Table.listed(title, head, rows, (DOMAIN_NOTE, *missing), words=2, detail=True)


def _axes(graded: Sequence[Reading]) -> list[str]:
    return sorted({line.axis for each in graded for line in each.lines})


def _mean_and_tasks(found: Breakdown, axis: str) -> tuple[str, str]:
    share = found.shares.get(axis)
    return _mean(found, axis), f"{share.tasks if share else 0}/{found.tasks}"


def _mean(found: Breakdown, axis: str) -> str:
    share = found.shares.get(axis)
    return decimals(share.mean if share else None, 4)
