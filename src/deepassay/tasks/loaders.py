"""Task files: our own JSON Lines and those of the published sets, told apart by their columns.

A loader is a function from rows to tasks. To add one, write the function and give it a line in
LAYOUTS; other packages register a `Layout`: see docs/extending.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from deepassay.errors import BadTasks
from deepassay.plugins import every
from deepassay.results.rewards import SUBSETS
from deepassay.score import Json
from deepassay.tasks.fields import field_name, first_mistake, problem_of
from deepassay.tasks.rows import TaskRow, read_rows
from deepassay.tasks.rubric import published_rubric
from deepassay.tasks.task import Task
from deepassay.tasks.topics import BETWEEN, topic_named
from deepassay.text import brief

LIVE_CATEGORIES = {
    "infoco": "wide information search",
    "lifesp": "decision support",
    "market": "market analysis",
    "policy": "policy & regulation",
    "procon": "pros & cons",
    "prodcp": "competitive analysis",
    "rankli": "top rankings",
    "review": "literature review",
    "techsp": "technical support",
    "topic": "topic exploration",
}
"""The ten categories of LiveResearchBench, by the first letters of an identifier."""


def load_tasks(path: str | Path, live: bool = True) -> tuple[Task, ...]:
    """Every task of a file, in its order, whichever published layout it has.

    live: for LiveResearchBench, take the columns with open dates; False takes those in which
    the authors filled the dates in. Raises BadTasks naming file, line and field.
    """
    path = Path(path)
    rows = read_rows(path)
    if not rows:
        raise BadTasks(f"{path} holds no tasks.", "Check that it is the right file.")
    layout = _layout_of(rows)
    tasks: dict[str, Task] = {}
    for place, task in layout.load(rows, live):
        if task.id in tasks:
            raise BadTasks(
                f"{place}: the identifier {task.id!r} stands there for the second time.",
                "Give every task an identifier of its own.",
            )
        tasks[task.id] = task
    return tuple(tasks.values())


GivenTasks = str | Path | Task | Mapping[str, Json] | Sequence[Task | Mapping[str, Json]]
"""A file, or tasks as objects or as mappings with at least `id` and `prompt`."""


def tasks_of(given: GivenTasks) -> tuple[Task, ...]:
    """Tasks from a file in any known layout, or from objects. Raises BadTasks."""
    if isinstance(given, str | Path):
        return load_tasks(given)
    several = [given] if isinstance(given, Task | Mapping) else given
    if isinstance(several, bytes) or not isinstance(several, Iterable):
        raise BadTasks(f"{brief(given)} is neither a file nor tasks.", _GIVEN)
    tasks = tuple(_given(number, each) for number, each in enumerate(several, start=1))
    if not tasks:
        raise BadTasks("No task is given.", _GIVEN)
    if len({task.id for task in tasks}) < len(tasks):
        raise BadTasks("Two tasks have the same id.", "Give every task an id of its own.")
    return tasks


_GIVEN: Final = "Give the path of a task file, Task objects, or mappings with id and prompt."


def _given(number: int, task: object) -> Task:
    if isinstance(task, Task):
        return task
    if not isinstance(task, Mapping):
        raise BadTasks(f"task {number}: {brief(task)} is no task.", _GIVEN)
    return _task(TaskRow(f"task {number}", task), dict(task))


def own_tasks(rows: Sequence[TaskRow], live: bool) -> Iterator[tuple[str, Task]]:
    """Our own layout: the fields of `Task`, of which only id and prompt are required."""
    for row in rows:
        yield row.place, _task(row, {**row.fields, "id": _identifier(row, "id")})


def bench_tasks(rows: Sequence[TaskRow], live: bool) -> Iterator[tuple[str, Task]]:
    """`query.jsonl` of DeepResearch Bench: id (a number), topic, language, prompt.

    Names of topics that the paper shortens may be WebOrganizer's.
    """
    for row in rows:
        labels = _labels(row, set="DeepResearch Bench", topic="topic")
        if "topic" in labels:
            labels["topic"] = topic_named(labels["topic"]) or labels["topic"]
        fields = {"id": _identifier(row, "id"), "prompt": _value(row, "prompt"), "labels": labels}
        if "language" in row.fields:
            fields["language"] = row.fields["language"]
        yield row.place, _task(row, fields)


def sorted_queries(rows: Sequence[TaskRow], live: bool) -> Iterator[tuple[str, Task]]:
    """What `tasks topics` wrote, with labels: deep_research, yes or no, and an agreed topic, or the
    two topics of answers that differ.
    """
    for row in rows:
        topics = _value(row, "topics")
        labels = {"deep_research": "yes" if row.fields["deep_research"] is True else "no"}
        if isinstance(topics, list) and topics:
            several = BETWEEN.join(dict.fromkeys(map(str, topics)))
            labels["topics" if BETWEEN in several else "topic"] = several
        fields = {name: _value(row, name) for name in ("id", "prompt", "language")}
        yield row.place, _task(row, {**fields, "labels": labels})


def rubrics_tasks(rows: Sequence[TaskRow], live: bool) -> Iterator[tuple[str, Task]]:
    """`processed_data.jsonl` of ResearchRubrics: one task a line, its rubric inside."""
    for row in rows:
        labels = _labels(
            row,
            set="ResearchRubrics",
            domain="domain",
            breadth="conceptual_breadth",
            nesting="logical_nesting",
            exploration="exploration",
        )
        fields = {
            "id": _identifier(row, "sample_id"),
            "prompt": _value(row, "prompt"),
            "labels": labels,
            "rubric": published_rubric(_value(row, "rubrics")),
        }
        yield row.place, _task(row, fields)


def live_tasks(rows: Sequence[TaskRow], live: bool) -> Iterator[tuple[str, Task]]:
    """LiveResearchBench: one row a checklist item, or one a question where there is no checklist.

    Rows of one question need not stand together. Empty checklist cells are skipped, as the
    released program does. Where a file has only one kind of columns, those are taken.
    """
    question, item = _live_columns(rows[0], live)
    first: dict[str, TaskRow] = {}
    checklists: dict[str, list[str]] = {}
    for row in rows:
        qid = _identifier(row, "qid").removeprefix("qid_")
        if _value(row, question) != first.setdefault(qid, row).fields[question]:
            raise BadTasks(
                f"{row.place}: field '{question}' differs from that of {first[qid].place}, "
                f"which has the same qid {qid!r}.",
                "Give every question an identifier of its own.",
            )
        asked = row.fields.get(item)
        if not isinstance(asked, str | None):
            raise _bad(row, item, "is not a text")
        if asked and asked.strip():
            checklists.setdefault(qid, []).append(asked)
    for qid, row in first.items():
        labels = {"category": _live_category(qid)} | _labels(row, category="category")
        fields = {
            "id": qid,
            "prompt": row.fields[question],
            "labels": {"set": "LiveResearchBench"} | labels,
            "checklist": checklists.get(qid, []),
        }
        yield row.place, _task(row, fields)


def _live_columns(row: TaskRow, live: bool) -> tuple[str, str]:
    """The columns of question and checklist item, as asked for or as far as they are there."""
    wanted, other = ("", "_no_placeholder") if live else ("_no_placeholder", "")
    suffix = wanted if f"question{wanted}" in row.fields else other
    return f"question{suffix}", f"checklist{suffix}"


def _live_category(qid: str) -> str:
    known = (name for prefix, name in LIVE_CATEGORIES.items() if qid.startswith(prefix))
    return next(known, "unknown")


_TIES_ID = re.compile(r"(?:ref|tied):\d{1,6}")


def reward_tasks(rows: Sequence[TaskRow], live: bool) -> Iterator[tuple[str, Task]]:
    """RewardBench 2: a prompt with right and wrong completions in one of six subsets.

    Outside Ties one is right and three are wrong; in Ties identifiers are `ref:K` where one is
    right and `tied:K` where several are.
    """
    names = {each.casefold(): each for each in SUBSETS}
    for row in rows:
        subset = names.get(str(_value(row, "subset")).casefold())
        if subset is None:
            raise _bad(row, "subset", f"is none of {', '.join(SUBSETS)}")
        sides = {name: _value(row, name) for name in ("chosen", "rejected")}
        identifier = _identifier(row, "id")
        fields = {
            "id": identifier,
            "prompt": _value(row, "prompt"),
            "labels": {"set": "RewardBench 2", "subset": subset},
            "completions": sides,
        }
        task = _task(row, fields)
        right, wrong = (len(each) if isinstance(each, list) else 0 for each in sides.values())
        counts = {"num_correct": right, "total_completions": right + wrong}
        for name, count in counts.items():
            if row.fields.get(name) not in (None, count):
                raise _bad(row, name, f"says {row.fields[name]}, and there are {count}")
        if subset == "Ties":
            if not _TIES_ID.fullmatch(identifier):
                raise _bad(row, "id", "must be ref:NUMBER or tied:NUMBER in the subset Ties")
            if identifier.startswith("ref") and right != 1:
                raise _bad(row, "chosen", f"holds {right} completions where ref says one")
        elif (right, wrong) != (1, 3):
            raise _bad(row, "chosen", f"{right} right and {wrong} wrong ones, in place of 1 and 3")
        yield row.place, task


class Layout(NamedTuple):
    """A published layout: what it is called, the columns that give it away, how it is loaded.

    never: columns that none of its files has, since its loader would lose what they hold.
    """

    title: str
    columns: frozenset[str]
    load: Callable[[Sequence[TaskRow], bool], Iterator[tuple[str, Task]]]
    never: frozenset[str] = frozenset()


LAYOUTS = (
    Layout(
        "RewardBench 2", frozenset({"id", "subset", "prompt", "chosen", "rejected"}), reward_tasks
    ),
    Layout("LiveResearchBench rows", frozenset({"qid", "question"}), live_tasks),
    Layout("LiveResearchBench rows", frozenset({"qid", "question_no_placeholder"}), live_tasks),
    Layout("ResearchRubrics", frozenset({"sample_id", "prompt", "rubrics"}), rubrics_tasks),
    Layout(
        "DeepResearch Bench queries",
        frozenset({"id", "topic", "prompt"}),
        bench_tasks,
        never=frozenset({"labels", "checklist", "rubric"}),
    ),
    Layout("Queries with topics", frozenset({"id", "prompt", "deep_research"}), sorted_queries),
    Layout("DeepAssay tasks", frozenset({"id", "prompt"}), own_tasks),
)
"""Tried in this order: the first is taken whose columns are all there and none of `never`."""


@cache
def task_layouts() -> tuple[Layout, ...]:
    """All layouts that are installed; those of other packages are tried before ours."""
    found = every("tasks", Layout)
    return tuple(each for plugin, each in sorted(found, key=lambda pair: pair[0].ours))


def _layout_of(rows: Sequence[TaskRow]) -> Layout:
    row, everywhere = rows[0], {field for each in rows for field in each.fields}
    if "article" in row.fields:
        raise BadTasks(
            f"{row.place}: the field 'article' makes this a file of reports, not of tasks.",
            "Name the task file first, the reports after it.",
        )
    for layout in task_layouts():
        if layout.columns <= row.fields.keys() and not layout.never & everywhere:
            return layout
    known = "; ".join(
        f"{each.title} ({', '.join(sorted(each.columns))})" for each in task_layouts()
    )
    found = ", ".join(map(str, list(row.fields)[:12])) or "none"
    raise BadTasks(
        f"{row.place}: no known layout has these fields: {found}.",
        f"Known layouts and the fields they need: {known}.",
    )


def _task(row: TaskRow, fields: dict[str, Json]) -> Task:
    """A validated task, or BadTasks naming the field that is wrong."""
    try:
        return Task.model_validate(fields)
    except ValidationError as error:
        first = first_mistake(error)
    field = field_name(first["loc"])
    if first["type"] == "extra_forbidden":
        allowed = ", ".join(Task.model_fields)
        raise BadTasks(
            f"{row.place}: unknown field '{field}'.",
            f"A task has: {allowed}. What tables are to be cut by belongs into labels.",
        )
    raise _bad(row, field, problem_of(first))


def _value(row: TaskRow, field: str) -> Json:
    if row.fields.get(field) is None:
        raise _bad(row, field, "is missing")
    return row.fields[field]


def _identifier(row: TaskRow, field: str) -> str:
    """An identifier is a text; whole numbers are written out."""
    value = _value(row, field)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _bad(row, field, "must be a text or a whole number")
    return str(value)


def _labels(row: TaskRow, **columns: str) -> dict[str, str]:
    """Labels from columns of the row; a missing or empty one gives no label."""
    labels = {}
    for label, column in columns.items():
        value = column if label == "set" else row.fields.get(column)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise _bad(row, column, "is not a text")
        labels[label] = value
    return labels


def _bad(row: TaskRow, field: str, problem: str) -> BadTasks:
    return BadTasks(f"{row.place}: field '{field}': {problem}.", "Correct that line of the file.")
