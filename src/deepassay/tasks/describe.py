"""What a set of tasks is made of: prompts, labels, criteria, checklists; as tables, CSV, JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

from deepassay.errors import BadTasks
from deepassay.results.weighing import LEVELS, Level
from deepassay.tasks.entries import EntryFile
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import Criterion
from deepassay.text import count_words


@dataclass(frozen=True)
class Spread:
    """Numbers in brief. count: of them. sd: that of a sample (n - 1), None for one number."""

    count: int
    mean: float
    sd: float | None
    median: float
    lowest: float
    highest: float


@dataclass(frozen=True)
class LabelGroup:
    """Tasks with the same value of a label; label and value are empty for all tasks."""

    label: str
    value: str
    words: Spread


@dataclass(frozen=True)
class CriterionGroup:
    """Criteria of one axis or of one level, over all tasks.

    share: of all criteria. tasks: in which there are any. mandatory, penalties: how many of them
    are. weight: mean of their weights.
    """

    name: str
    criteria: int
    share: float
    tasks: int
    mandatory: int
    penalties: int
    weight: float


@dataclass(frozen=True)
class RubricsInBrief:
    """The rubrics of a set.

    criteria, axes: for each task. positive, negative: sums of the weights of each task.
    by_domain: criteria by domain and axis, where tasks have the label `domain`.
    """

    criteria: Spread
    axes: Spread
    weights: Spread
    positive: Spread
    negative: Spread
    by_axis: tuple[CriterionGroup, ...]
    by_level: tuple[CriterionGroup, ...]
    by_domain: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Description:
    """A set of tasks. groups: all tasks first, then by the values of each label.

    rubrics, checklists, works: None where no task has one; else over those that have; works are
    those that an expert cites. with_criteria,
    with_reference: tasks that have those of RACE.
    """

    tasks: int
    groups: tuple[LabelGroup, ...]
    rubrics: RubricsInBrief | None
    checklists: Spread | None
    with_criteria: int
    with_reference: int
    works: Spread | None = None


def describe(tasks: Sequence[Task]) -> Description:
    """Count what there is. tasks: at least one. Words are those of `count_words`."""
    graded = [task for task in tasks if task.rubric]
    return Description(
        tasks=len(tasks),
        groups=tuple(_groups(tasks)),
        rubrics=_rubrics(graded) if graded else None,
        checklists=_spread_or_none(len(task.checklist) for task in tasks if task.checklist),
        with_criteria=sum(task.criteria is not None for task in tasks),
        with_reference=sum(task.reference is not None for task in tasks),
        works=_spread_or_none(len(task.bibliography) for task in tasks if task.bibliography),
    )


def describe_alone(kind: EntryFile[Any], path: Path) -> Description:
    """Count what a file has that belongs beside tasks, without these. Raises BadTasks."""
    loaded = kind.load(path)
    if not loaded:
        raise BadTasks(f"{path}: it has no {kind.many}.", "Check that it is the right file.")
    tasks = [
        Task.model_validate({"id": id, "prompt": id, kind.field: kind.value(entry)})
        for id, entry in loaded.items()
    ]
    return replace(describe(tasks), groups=())


def spread_of(numbers: Sequence[float]) -> Spread:
    """At least one number in brief."""
    return Spread(
        count=len(numbers),
        mean=fmean(numbers),
        sd=stdev(numbers) if len(numbers) > 1 else None,
        median=median(numbers),
        lowest=min(numbers),
        highest=max(numbers),
    )


def _spread_or_none(numbers: Iterable[float]) -> Spread | None:
    return spread_of(found) if (found := list(numbers)) else None


def _groups(tasks: Sequence[Task]) -> Iterable[LabelGroup]:
    words = {task.id: float(count_words(task.prompt)) for task in tasks}
    yield LabelGroup("", "", spread_of(list(words.values())))
    for label in dict.fromkeys(chain.from_iterable(task.labels for task in tasks)):
        lengths: dict[str, list[float]] = {}
        for task in tasks:
            if label in task.labels:
                lengths.setdefault(task.labels[label], []).append(words[task.id])
        for value in sorted(lengths):
            yield LabelGroup(label, value, spread_of(lengths[value]))


def _rubrics(tasks: Sequence[Task]) -> RubricsInBrief:
    rubrics = [task.rubric for task in tasks]
    return RubricsInBrief(
        criteria=spread_of([len(rubric) for rubric in rubrics]),
        axes=spread_of([len({each.axis for each in rubric}) for rubric in rubrics]),
        weights=spread_of([each.weight for rubric in rubrics for each in rubric]),
        positive=spread_of([sum(max(each.weight, 0) for each in rubric) for rubric in rubrics]),
        negative=spread_of([sum(min(each.weight, 0) for each in rubric) for rubric in rubrics]),
        by_axis=tuple(
            sorted(_grouped(tasks, _axis), key=lambda group: (-group.criteria, group.name))
        ),
        by_level=tuple(
            sorted(_grouped(tasks, _level), key=lambda group: LEVELS.index(Level(group.name)))
        ),
        by_domain=_by_domain(tasks),
    )


def _axis(criterion: Criterion) -> str:
    return criterion.axis


def _level(criterion: Criterion) -> str:
    return criterion.level.value


def _grouped(tasks: Sequence[Task], name: Callable[[Criterion], str]) -> Iterable[CriterionGroup]:
    groups: dict[str, list[tuple[str, Criterion]]] = {}
    for task in tasks:
        for each in task.rubric:
            groups.setdefault(name(each), []).append((task.id, each))
    total = sum(map(len, groups.values()))
    for own, found in groups.items():
        yield CriterionGroup(
            name=own,
            criteria=len(found),
            share=len(found) / total,
            tasks=len({task for task, _ in found}),
            mandatory=sum(each.mandatory for _, each in found),
            penalties=sum(each.weight < 0 for _, each in found),
            weight=fmean(each.weight for _, each in found),
        )


def _by_domain(tasks: Sequence[Task]) -> dict[str, dict[str, int]]:
    counted: dict[str, Counter[str]] = {}
    for task in tasks:
        if domain := task.labels.get("domain"):
            counted.setdefault(domain, Counter()).update(each.axis for each in task.rubric)
    return {domain: dict(counted[domain]) for domain in sorted(counted)}
