"""Compliance and pass rates of graded rubrics: mandatory against optional, and by axis.

ResearchRubrics (section 4.2) tells mandatory criteria from optional ones and strata of tasks
apart. Compliance with some of the criteria is equation 1 over these alone. The paper has no pass
rate; ours is the share of criteria that are as they should be: merits there, faults avoided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from deepassay.glossary import legend, meaning
from deepassay.results.aggregate import Count, Leaf, task_means
from deepassay.results.ranges import inside
from deepassay.results.reading import GradedRubrics
from deepassay.results.rubric_items import Reading, mean_over_tasks
from deepassay.results.tables import Table, decimals, ends_of, of_label, percent, scored_of
from deepassay.results.weighing import GradedCriterion, compliance, scale_of
from deepassay.stats.intervals import Interval, t_interval

HEAD: Final = (
    "tasks",
    "verdicts",
    "compliance",
    "95 % interval",
    "binary",
    "passed",
    "every one passed",
)
NOTES: Final = (
    f"compliance: {meaning('compliance')}; {legend('binary')} A task where they are all faults "
    "has none. tasks: with a compliance, of expected.",
    legend("passed", "every one passed"),
)


@dataclass(frozen=True)
class Compliance:
    """Some criteria of one agent's reports.

    tasks: with a compliance, of expected. verdicts: of these criteria. mean, binary: compliance
    as graded and with partly satisfied taken for not, None where no task has a positive weight.
    interval: of the mean, Student's t over tasks, cut where no mean of them can be. passed: share
    of criteria, mean over tasks. whole: reports in which every one passed, of those in which that
    is settled.
    """

    tasks: Count
    verdicts: Count
    mean: float | None
    interval: Interval | None
    binary: float | None
    passed: float | None
    whole: Count


def compliance_of(lines: Iterable[GradedCriterion], *, binary: bool = False) -> float | None:
    """Equation 1 over these lines, as in the score itself."""
    return compliance([line.binary if binary else line.ternary for line in lines])


def task_compliance(graded: Iterable[Reading], *, binary: bool = False) -> list[float]:
    """The compliance of each task that has one, the mean over its readings."""
    return list(task_means(_compliances(graded, binary)).values())


def mean_compliance(graded: Iterable[Reading], *, binary: bool = False) -> float | None:
    """The mean over tasks; None where no task has a compliance."""
    return mean_over_tasks(_compliances(graded, binary))


def _compliances(graded: Iterable[Reading], binary: bool) -> list[Leaf]:
    return _values(graded, lambda lines: compliance_of(lines, binary=binary))


def compliance_with(graded: Sequence[Reading], tasks: int) -> Compliance:
    """The figures of one agent. graded: with the criteria in question. tasks: how many expected."""
    means = task_compliance(graded)
    verdicts = [line.verdict for each in graded for line in each.lines]
    settled = [whole for each in graded if (whole := _whole(each.lines)) is not None]
    return Compliance(
        Count(len(means), tasks),
        Count(sum(each is not None for each in verdicts), len(verdicts)),
        fmean(means) if means else None,
        inside(t_interval(means), _range_of_mean(graded)),
        mean_compliance(graded, binary=True),
        mean_over_tasks(_values(graded, _share_passed)),
        Count(sum(settled), len(settled)),
    )


def compliance_tables(
    graded: GradedRubrics, label: tuple[str, str] | None = None
) -> tuple[Table, ...]:
    """Mandatory against optional, then by axis; none if nothing is a graded rubric."""
    if not graded.of_one_recipe:
        return ()
    name = f"{graded.records[0].protocol}{of_label(label)}"
    return (
        Table.listed(
            f"{name}: mandatory and optional criteria",
            ("agent", "criteria", *HEAD),
            _rows(graded, lambda line: line.obligation),
            (*NOTES, *graded.missing),
            words=2,
        ),
        Table.listed(
            f"{name}: by axis",
            ("agent", "axis", *HEAD),
            _rows(graded, lambda line: line.axis),
            graded.missing,
            words=2,
            detail=True,
        ),
    )


def _range_of_mean(graded: Sequence[Reading]) -> Interval | None:
    """Where the mean over tasks can be: how low, the weights of the criteria say."""
    counted = [each for each in graded if compliance_of(each.lines) is not None]
    low = mean_over_tasks(_values(counted, _lowest))
    return None if low is None else Interval(low, 1.0)


def _lowest(lines: Iterable[GradedCriterion]) -> float:
    return scale_of([each.weight for each in lines])[0]


def _values(
    graded: Iterable[Reading],
    figure: Callable[[Sequence[GradedCriterion]], float | None],
) -> list[Leaf]:
    return [(each.place, value) for each in graded if (value := figure(each.lines)) is not None]


def _share_passed(lines: Iterable[GradedCriterion]) -> float | None:
    known = [line.passed for line in lines if line.passed is not None]
    return fmean(known) if known else None


def _whole(lines: Sequence[GradedCriterion]) -> bool | None:
    """Whether every line passed; None while that hangs on a verdict that did not come."""
    passed = {line.passed for line in lines}
    return False if False in passed else None if None in passed else True


def _rows(
    graded: GradedRubrics, kind: Callable[[GradedCriterion], str]
) -> Iterator[tuple[str, ...]]:
    for agent, judged in graded.agents.items():
        tasks = len({each.task for each in judged})
        for name, own in _parted(graded.readings[agent], kind).items():
            yield agent, name, *_cells(compliance_with(own, tasks))


def _parted(
    graded: Iterable[Reading], kind: Callable[[GradedCriterion], str]
) -> dict[str, list[Reading]]:
    """The readings with the criteria of each kind alone, kinds by their names."""
    kinds: defaultdict[str, list[Reading]] = defaultdict(list)
    for reading in graded:
        own: defaultdict[str, list[GradedCriterion]] = defaultdict(list)
        for line in reading.lines:
            own[kind(line)].append(line)
        for name, lines in own.items():
            kinds[name].append(reading._replace(lines=tuple(lines)))
    return dict(sorted(kinds.items()))


def _cells(figures: Compliance) -> tuple[str, ...]:
    return (
        scored_of(figures.tasks),
        scored_of(figures.verdicts),
        decimals(figures.mean, 4),
        ends_of(figures.interval, (0, 1)),
        decimals(figures.binary, 4),
        percent(figures.passed),
        scored_of(figures.whole),
    )
