"""Tables and figures of the papers that are about sets of tasks, not about agents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean, median, pstdev
from typing import Final

from deepassay.errors import BadInput
from deepassay.results.tables import NONE, Table, percent
from deepassay.stats.intervals import t_interval
from deepassay.wings.papers.material import Cells, PaperMaterial, TaskFacts
from deepassay.wings.papers.rubrics import PAPER as RUBRICS
from deepassay.wings.papers.rubrics import STRATA


def distribution(title: str, *labels: str) -> Callable[[PaperMaterial], tuple[Table, ...]]:
    """How many tasks have each value of a label: one table a label."""

    def make(material: PaperMaterial) -> tuple[Table, ...]:
        known = [label for label in labels if any(label in t.labels for t in material.tasks)]
        if not known:
            raise BadInput(
                f"No task has a label {' or '.join(labels)}.", "Give tasks that have one."
            )
        return tuple(_distribution(title, label, material.tasks) for label in known)

    return make


def _distribution(title: str, label: str, tasks: Sequence[TaskFacts]) -> Table:
    counts = Counter(task.labels.get(label, "(none)") for task in tasks)
    rows = [
        (value, str(count), percent(count / len(tasks)))
        for value, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return Table.listed(f"{title} by {label}", (label.capitalize(), "Tasks", "Share"), rows)


MAJOR: Final = 11
"""Topics that table 4 of DeepResearch Bench shows."""


def bench_table4(material: PaperMaterial) -> tuple[Table, ...]:
    """The commonest topics of the first set, in per cent of each of two sets."""
    if len(material.given) != 2:
        raise BadInput(
            f"This table compares two sets of tasks; here are {len(material.given)}.",
            "Name two run files or task files.",
        )
    counts = [Counter(_votes(each.tasks)) for each in material.given]
    topics = [topic for topic, _ in counts[0].most_common()][:MAJOR]
    if not topics:
        raise BadInput("No task has a label topic.", "Give tasks that have one.")
    cells = Cells()
    names = [each.name for each in material.given]

    def cell(name: str, own: Counter[str], topic: str) -> str:
        share = 100 * own[topic] / own.total() if own else None
        return cells.number(share, 2, "no task has a label topic", name)

    rows = [
        (topic, *(cell(name, own, topic) for name, own in zip(names, counts, strict=True)))
        for topic in topics
    ]
    notes = [
        "Per cent of the tasks with a topic. In the paper topics stand across.",
        *(_counted(each.name, each.tasks) for each in material.given),
    ]
    title = "DeepResearch Bench, table 4: major topics of two sets"
    return (Table.listed(title, ("Category", *names), rows, (*notes, *cells.notes)),)


NO_TOPIC: Final = "none"
"""The answer that a task has none of the topics; it is left out of the shares."""


def _votes(tasks: Sequence[TaskFacts]) -> Iterator[str]:
    """Two for every task, as `tasks topics` counts them."""
    return (topic for task in tasks for topic in task.topics if topic != NO_TOPIC)


def _counted(name: str, tasks: Sequence[TaskFacts]) -> str:
    """How many tasks of a set are in its column, and how many of them by halves."""
    disputed = sum(len(set(task.topics)) > 1 for task in tasks)
    halves = f"; {disputed} got two different answers, each counts a half" if disputed else ""
    return f"{name}: {sum(1 for _ in _votes(tasks)) / 2:g} of {len(tasks)} tasks{halves}."


SECTIONS: Final = {
    "By Domain": ("domain", ()),
    "By Conceptual Breadth": ("breadth", STRATA["breadth"]),
    "By Logical Nesting": ("nesting", STRATA["nesting"]),
    "By Exploration": ("exploration", STRATA["exploration"]),
}
WORDS_NOTE: Final = (
    "Words of prompts. SD: divided by the number of prompts, as the printed ones are; 95% CI: "
    "Student's t with n - 1, as printed."
)


def table8(material: PaperMaterial) -> tuple[Table, ...]:
    """Words of prompts, overall and by each label."""
    rows = [("Overall Statistics", *[""] * 6), _words("All Prompts", material.tasks)]
    for name, (label, order) in SECTIONS.items():
        if own := list(_levels(material.tasks, label, order)):
            rows.append((name, *[""] * 6))
            rows += [_words(value, tasks) for value, tasks in own]
    heads = ("Subset", "Count", "Mean", "SD", "Median", "Min-Max", "95% CI")
    title = f"{RUBRICS}, table 8: words of prompts"
    return (Table.listed(title, heads, rows, (WORDS_NOTE,)),)


def _levels(
    tasks: Sequence[TaskFacts], label: str, order: Sequence[str] = ()
) -> Iterator[tuple[str, list[TaskFacts]]]:
    """The tasks with each value of a label, values in the given order, others by name."""
    groups: defaultdict[str, list[TaskFacts]] = defaultdict(list)
    for task in tasks:
        if label in task.labels:
            groups[task.labels[label]].append(task)
    for value in sorted(groups, key=lambda v: (order.index(v) if v in order else len(order), v)):
        yield value, groups[value]


def _words(name: str, tasks: Sequence[TaskFacts]) -> tuple[str, ...]:
    words = [task.words for task in tasks]
    interval = t_interval([float(each) for each in words])
    ends = f"[{interval.low:.1f}, {interval.high:.1f}]" if interval else NONE
    return (
        *(name, str(len(words)), f"{fmean(words):.1f}", f"{pstdev(words):.1f}"),
        *(f"{median(words):.1f}", f"{min(words)}-{max(words)}", ends),
    )


def _with_rubrics(material: PaperMaterial) -> list[TaskFacts]:
    tasks = [task for task in material.tasks if task.axes]
    if not tasks:
        raise BadInput("No task has a rubric.", "Name tasks with rubrics, or a run with them.")
    return tasks


def _histogram(title: str, head: str, numbers: Sequence[int]) -> tuple[Table, ...]:
    counts = Counter(numbers)
    rows = [(str(number), str(counts[number])) for number in sorted(counts)]
    note = (
        f"Mean {fmean(numbers):.1f}, from {min(numbers)} to {max(numbers)}; tasks: {len(numbers)}."
    )
    return (Table.listed(title, (head, "Tasks"), rows, (note,)),)


def figure9(material: PaperMaterial) -> tuple[Table, ...]:
    """How many axes the rubric of a task touches."""
    axes = [len(task.axes) for task in _with_rubrics(material)]
    return _histogram(f"{RUBRICS}, figure 9: axes of a task", "Axes", axes)


def figure10(material: PaperMaterial) -> tuple[Table, ...]:
    """How many criteria a task has."""
    sizes = [sum(task.axes.values()) for task in _with_rubrics(material)]
    return _histogram(f"{RUBRICS}, figure 10: criteria of a task", "Criteria", sizes)


def figure11(material: PaperMaterial) -> tuple[Table, ...]:
    """Which axes the criteria of each domain are on."""
    domains: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for task in _with_rubrics(material):
        domains[task.labels.get("domain", "(none)")].update(task.axes)
    axes = sorted({axis for own in domains.values() for axis in own})
    rows = [
        (domain, *(percent(own[axis] / own.total()) for axis in axes), str(own.total()))
        for domain, own in sorted(domains.items())
    ]
    title = f"{RUBRICS}, figure 11: axes of criteria by domain"
    return (Table.listed(title, ("Domain", *axes, "Criteria"), rows),)


BIN: Final = 25
"""Words from one column of the histogram to the next."""


def figure16(material: PaperMaterial) -> tuple[Table, ...]:
    """How many prompts have how many words."""
    words = [task.words for task in material.tasks]
    counts: Mapping[int, int] = Counter(number // BIN for number in words)
    rows = [
        (f"{BIN * place}-{BIN * place + BIN - 1}", str(counts.get(place, 0)))
        for place in range(max(counts) + 1)
    ]
    note = f"Mean {fmean(words):.1f}, median {median(words):.1f}; prompts: {len(words)}."
    return (
        Table.listed(
            f"{RUBRICS}, figure 16: words of prompts", ("Words", "Prompts"), rows, (note,)
        ),
    )


def figure17(material: PaperMaterial) -> tuple[Table, ...]:
    """Words of prompts by each dimension of complexity."""
    rows = [
        (label, *_words(value, tasks))
        for label, order in STRATA.items()
        for value, tasks in _levels(material.tasks, label, order)
    ]
    if not rows:
        raise BadInput(
            f"No task has one of the labels {', '.join(STRATA)}.", "Give tasks with them."
        )
    heads = ("Dimension", "Level", "Count", "Mean", "SD", "Median", "Min-Max", "95% CI")
    title = f"{RUBRICS}, figure 17: words of prompts by complexity"
    return (Table.listed(title, heads, rows, (WORDS_NOTE,), words=2),)
