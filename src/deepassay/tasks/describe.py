"""What a set of tasks is made of: prompts, labels, criteria, checklists; as tables, CSV, JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from statistics import fmean, median, stdev
from typing import Final

from deepassay.results.tables import NONE, Table, as_csv, printable_record, tables_as_text
from deepassay.results.weighing import LEVELS, Level
from deepassay.score import Json
from deepassay.tasks.rubric import Criterion
from deepassay.tasks.task import Task
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

    rubrics, checklists: None where no task has one; else over those that have. with_criteria,
    with_reference: tasks that have those of RACE.
    """

    tasks: int
    groups: tuple[LabelGroup, ...]
    rubrics: RubricsInBrief | None
    checklists: Spread | None
    with_criteria: int
    with_reference: int


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
    )


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


SPREAD: Final = ("mean", "SD", "median", "lowest", "highest")
WORDS_NOTE: Final = (
    "Words are what blanks separate, and every East Asian character by itself. "
    "SD: of a sample (n - 1)."
)
LEVELS_NOTE: Final = (
    "Levels by weight: 4 to 5 critically important, 2 to 3 important, 1 slightly important, and "
    "below 0 likewise; a weight in between has the level of the smaller whole number. Mandatory "
    "from 4 on, of either sign."
)


def write_description(description: Description, format: str) -> str:
    """The description as `text`, `markdown`, `csv` or `json`; CSV and JSON are not rounded."""
    if format == "json":
        return json.dumps(asdict(description), ensure_ascii=False) + "\n"
    if format == "csv":
        return as_csv([printable_record(line) for line in _lines(description)])
    return tables_as_text(_tables(description), format)


def _tables(description: Description) -> Iterator[Table]:
    yield _prompts(description)
    yield _per_task(description)
    if (rubrics := description.rubrics) is not None:
        yield _criteria_table("Criteria by axis", "axis", rubrics.by_axis, ())
        yield _criteria_table("Criteria by level", "level", rubrics.by_level, (LEVELS_NOTE,))
        if rubrics.by_domain:
            yield _domains(rubrics)


def _prompts(description: Description) -> Table:
    rows = (
        (group.label or "all tasks", group.value, str(group.words.count), *_cells(group.words))
        for group in description.groups
    )
    head = ("label", "value", "tasks", *SPREAD)
    return Table.listed("Words of prompts", head, rows, (WORDS_NOTE,), words=2)


def _per_task(description: Description) -> Table:
    """What a task has of this and that, over the tasks that have any."""
    rows = [
        (name, str(found.count), *_cells(found))
        for name, found in _spreads(description)
        if name != "weight of a criterion"
    ]
    rows += [
        (name, str(number), *(NONE for _ in SPREAD))
        for name, number in (
            ("criteria of RACE", description.with_criteria),
            ("reference", description.with_reference),
        )
        if number
    ]
    notes = (f"Over the tasks that have any, of {description.tasks}.",)
    return Table.listed("What a task has", ("", "tasks", *SPREAD), rows, notes)


def _criteria_table(
    title: str, what: str, groups: tuple[CriterionGroup, ...], notes: tuple[str, ...]
) -> Table:
    rows = (
        (
            *(group.name or NONE, str(group.criteria), f"{group.share:.1%}", str(group.tasks)),
            *(str(group.mandatory), str(group.penalties), f"{group.weight:.2f}"),
        )
        for group in groups
    )
    every = sum(group.criteria for group in groups)
    mandatory = sum(group.mandatory for group in groups) / every
    penalties = sum(group.penalties for group in groups) / every
    total = f"{every} criteria: {mandatory:.1%} mandatory, {penalties:.1%} penalties."
    head = (what, "criteria", "share", "tasks", "mandatory", "penalties", "mean weight")
    return Table.listed(title, head, rows, (total, *notes))


def _domains(rubrics: RubricsInBrief) -> Table:
    axes = [group.name for group in rubrics.by_axis]
    rows = (
        (domain, *(str(own.get(axis, 0)) for axis in axes), str(sum(own.values())))
        for domain, own in rubrics.by_domain.items()
    )
    head = ("domain", *(axis or NONE for axis in axes), "all")
    return Table.listed("Criteria by domain and axis", head, rows)


def _spreads(description: Description) -> Iterator[tuple[str, Spread]]:
    if (rubrics := description.rubrics) is not None:
        yield "criteria", rubrics.criteria
        yield "axes", rubrics.axes
        yield "sum of positive weights", rubrics.positive
        yield "sum of negative weights", rubrics.negative
        yield "weight of a criterion", rubrics.weights
    if description.checklists is not None:
        yield "checklist items", description.checklists


def _lines(description: Description) -> Iterator[dict[str, Json]]:
    """Every row of every table, with what it is about, for CSV."""
    for group in description.groups:
        where = {"label": group.label, "value": group.value}
        yield {"about": "words of prompts", **where, **asdict(group.words)}
    for name, found in _spreads(description):
        yield {"about": name, **asdict(found)}
    if (rubrics := description.rubrics) is not None:
        for about, groups in (("axis", rubrics.by_axis), ("level", rubrics.by_level)):
            for each in groups:
                fields = asdict(each)
                yield {"about": about, "value": fields.pop("name"), **fields}
        for domain, own in rubrics.by_domain.items():
            for axis, number in own.items():
                where = {"label": domain, "value": axis}
                yield {"about": "domain and axis", **where, "criteria": number}


def _cells(found: Spread) -> tuple[str, ...]:
    sd = NONE if found.sd is None else f"{found.sd:.1f}"
    return (
        f"{found.mean:.1f}",
        sd,
        *(f"{x:g}" for x in (found.median, found.lowest, found.highest)),
    )
