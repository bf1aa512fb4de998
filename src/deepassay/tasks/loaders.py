"""Task files: our own JSON Lines and those of the published sets, told apart by their columns.

A loader is a function from rows to tasks. To add one, write the function and give it a line in
LAYOUTS; other packages register a `Layout`: see docs/extending.md.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.errors import BadTasks, Notice
from deepassay.files import BadFile
from deepassay.intake.archives import unpacked
from deepassay.intake.choosing import table_for
from deepassay.intake.columns import UNSAID, NamedColumns, option
from deepassay.intake.encodings import text_of
from deepassay.intake.folders import (
    TEXTS,
    asked_in_folders,
    is_of_chats,
    lone_tasks,
    named_files,
    prompt_in,
    tables_of_folder,
    which_file,
)
from deepassay.intake.notes import fields_above, notes_in, rows_of_notes
from deepassay.intake.rows import InputRow
from deepassay.intake.shapes import FrameLike, frame_rows, is_frame, tables_in_value
from deepassay.intake.tables import Tables
from deepassay.plugins import every
from deepassay.score import Json
from deepassay.tasks.like_layouts import refuse_without_prompts
from deepassay.tasks.live_layout import live_tasks
from deepassay.tasks.own import (
    bad_field,
    id_of,
    labels_of,
    own_tasks,
    tasks_of_rows,
    valid_task,
    value_of,
)
from deepassay.tasks.rows import as_bad_tasks, documents_in, rows_in_folder, tables_in
from deepassay.tasks.set_files import rows_of_layout
from deepassay.tasks.set_rows import field_in, set_rows
from deepassay.tasks.set_tables import (
    NoPrompts,
    PublishedSet,
    SeveralSets,
    name_in_file,
    one_set_of,
    published_sets,
    set_of,
)
from deepassay.tasks.task import Task
from deepassay.tasks.topics import BETWEEN, topic_named
from deepassay.tasks.yardsticks import odd_criteria
from deepassay.text import brief


def load_tasks(
    path: str | Path,
    live: bool = True,
    columns: NamedColumns = UNSAID,
    of_set: PublishedSet | None = None,
) -> tuple[Task, ...]:
    """Every task of a file, in its order: in a published layout, or as people have theirs.

    Also of a folder with a text or a JSON document for each task, and of a ZIP archive of these.
    of_set: whose layout it is, where that is said. live: of LiveResearchBench take the columns with
    open dates, not those filled in by the authors. columns: as said. Raises BadTasks with place.
    """
    path = Path(path)
    if path.suffix.lower() == ".zip" and path.is_file():
        with as_bad_tasks(path), unpacked(path) as inside:
            return load_tasks(inside, live, columns, of_set)
    named = None if of_set is None or columns.named else of_set.layout
    laid = [] if named is None else rows_of_layout(named, path)
    if path.is_dir() and not laid:
        known = None if columns.named or of_set else _set_of_folder(path)
        if known is None and (whole := _in_folder(path, live, columns, of_set)):
            return whole
        of_set = of_set or known
    read = {"": laid} if laid else tables_in(path, columns)
    tables = {sheet: rows for sheet, rows in read.items() if rows}
    if not tables:
        raise BadTasks(f"{path} holds no tasks.", "Check that it is the right file.")
    (first, *others) = tables.values()
    with as_bad_tasks(path):
        if of_set is not None and of_set.layout is not None:
            return _each_once(_tasks_of_set(of_set, first), path)
        if not columns.named and not others:
            of_set = one_set_of(path, first) if path.is_dir() else set_of(first)
            if of_set is not None:
                return _each_once(_tasks_of_set(of_set, first), path)
            refuse_without_prompts(first)
            if layout := _layout_of(first):
                return _each_once(layout.load(first, live), path)
        _refuse_reports(first, columns)
        rows, found = table_for(tables, columns, [["prompt"]], path.name)
        return _each_once(tasks_of_rows(rows, found, columns), path)


def _set_of_folder(folder: Path) -> PublishedSet | None:
    """The set whose files are called as those of a folder, one of which at least is of it.

    Raises SeveralSets, also where a few files in it are of sets that say no names of files, and
    BadTasks for what cannot be read.
    """
    files = documents_in(folder)
    named = [InputRow(each.relative_to(folder).as_posix(), {}) for each in files]
    layouts = [found.layout for found in published_sets().values() if found.layout]
    by_name = any(name_in_file(layout, row) is not None for layout in layouts for row in named)
    beside = [each for each in files if each.parent == folder]
    if not by_name and not 1 < len(beside) <= MOST_BESIDE:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever loads it tells of it
        try:
            found = one_set_of(folder, rows_in_folder(folder, () if by_name else beside))
        except SeveralSets:
            raise
        except BadTasks:
            if by_name:
                raise
            return None
    return found if found and found.layout and found.layout.files else None


MOST_BESIDE: Final = 12
"""Documents in a folder that are looked at, to see whether they are of several sets."""


def _tasks_of_set(found: PublishedSet, rows: Sequence[InputRow]) -> Iterator[tuple[str, Task]]:
    """The tasks of a published set. Raises BadTasks, also where its file is one of rubrics."""
    for row, fields in set_rows(found, rows):
        if "prompt" not in fields:
            raise NoPrompts(row, f"rubrics of {found.title}", "rubric")
        yield row.place, valid_task(row, fields, field_in(found))


def _each_once(found: Iterable[tuple[str, Task]], path: Path) -> tuple[Task, ...]:
    """The tasks, of which no two have one identifier. Of odd criteria a Notice tells."""
    tasks: dict[str, Task] = {}
    places: dict[str, str] = {}
    for place, task in found:
        if (first := places.setdefault(task.id, place)) != place:
            told = f"{place}: the identifier {task.id!r} stands there for the second time"
            remedy = "Give every task an identifier of its own."
            raise BadTasks(f"{told}, first in {first}.", remedy)
        tasks[task.id] = task
    if odd := odd_criteria({task.id: task.rubric for task in tasks.values() if task.rubric}):
        warnings.warn(Notice(f"{path.name}: {odd}."), stacklevel=3)
    return tuple(tasks.values())


def _in_folder(
    folder: Path, live: bool, columns: NamedColumns, of_set: PublishedSet | None
) -> tuple[Task, ...] | None:
    """A task for each text file of a folder that holds nothing else of weight, or `TASK/prompt.txt`
    in each of its folders; or those of a table in it, said or the only one; nothing for documents.
    """
    named, rest = named_files(folder, columns)
    asked: dict[str, Path] = {}
    for path, task in asked_in_folders(folder).items():
        asked.setdefault(task, path)
    reports = {*TEXTS} if not asked else {each.suffix.lower() for each in named}
    named = [x for x in named if x.parent == folder or x.suffix.lower() not in reports]
    if notes := [] if named or asked else notes_in(folder, columns):
        return _of_tables({"": rows_of_notes(notes)}, columns, folder.name)
    files = [each for each in sorted(folder.iterdir()) if not each.name.startswith((".", "_"))]
    documents = documents_in(folder)
    texts = [] if documents else [x for x in files if x.suffix.lower() in TEXTS]
    texts = [each for each in texts if each.stem.lower() != "readme"]
    if named or not (asked or texts) or (not asked and any(each.is_dir() for each in files)):
        only = None if named else lone_tasks(folder, columns)
        tables = named or ([only] if only else tables_of_folder(folder))
        alone = len(tables) == 1 and (is_of_chats(tables[0]) or {*documents} <= {*tables})
        if named or only or alone:
            tasks = [task for each in tables for task in load_tasks(each, live, rest, of_set)]
            return tuple({task.id: task for task in tasks}.values())
        if documents:
            return None
        if len(tables) > 1:
            with as_bad_tasks(folder):
                raise which_file(folder, tables, columns)
        inside = ", ".join(each.name for each in files[:5]) or "nothing"
        how = "Name the task file inside it, or a folder that has a text file for each task."
        raise BadTasks(f"{folder} is a folder.", f"{how} In it: {inside}.")
    found = []
    for id, path in asked.items() or ((each.stem, each) for each in texts):
        with as_bad_tasks(path):
            above, text = fields_above(text_of(path.read_bytes())[0].strip())
            row = InputRow(path.name, {"id": id, "prompt": prompt_in(path) or text})
        if above:
            told = f"{path.name}: what stands above the prompt is left out."
            warnings.warn(Notice(told), stacklevel=2)
        found.append((path.name, valid_task(row, dict(row.fields))))
    return tuple(task for _, task in found)


GivenTasks = (
    str | Path | Task | Mapping[str, Json] | Sequence[Task | Mapping[str, Json] | str] | FrameLike
)
"""A file, tasks as objects, mappings or texts, or a data frame."""


def tasks_of(
    given: GivenTasks,
    live: bool = True,
    columns: NamedColumns = UNSAID,
    of_set: PublishedSet | None = None,
) -> tuple[Task, ...]:
    """Tasks from a file in any known layout, or from objects. Raises BadTasks.

    A text is the name of a file; in a list, texts are prompts. Mappings and the rows of data frames
    have columns as files do.
    """
    if isinstance(given, str | Path):
        return load_tasks(given, live, columns, of_set)
    try:
        if is_frame(given):
            return _of_tables({"": frame_rows(given, "the data frame of tasks")}, columns)
        if isinstance(given, Mapping):
            if not (tables := tables_in_value(given, "task 1", "task")):
                raise BadTasks(f"{brief(given)} is no task.", _GIVEN)
            return _of_tables(tables, columns)
    except BadFile as error:
        raise BadTasks(f"{error.problem.removesuffix('.')}.", error.remedy) from error
    several = [given] if isinstance(given, Task) else given
    if isinstance(several, bytes) or not isinstance(several, Iterable):
        raise BadTasks(f"{brief(given)} is neither a file nor tasks.", _GIVEN)
    found: dict[str, Task] = {}
    rows: list[InputRow] = []
    for number, each in enumerate(several, start=1):
        if isinstance(each, Task):
            found[f"task {number}"] = each
        elif isinstance(each, Mapping | str):
            fields = {"prompt": each} if isinstance(each, str) else each
            rows.append(InputRow(f"task {number}", fields))
        else:
            raise BadTasks(f"task {number}: {brief(each)} is no task.", _GIVEN)
    if not found and not rows:
        raise BadTasks("No task is given.", _GIVEN)
    tasks = [*found.values(), *(_of_tables({"": rows}, columns) if rows else ())]
    if len({task.id for task in tasks}) < len(tasks):
        raise BadTasks("Two tasks have the same id.", "Give every task an id of its own.")
    return tuple(tasks)


def _of_tables(
    tables: Tables, columns: NamedColumns, name: str = "The tasks that are given"
) -> tuple[Task, ...]:
    """Tasks of rows that were given as values, or read. name: for messages. Raises BadTasks."""
    try:
        opened, found = table_for(tables, columns, [["prompt"]], name)
        return tuple(task for _, task in tasks_of_rows(opened, found, columns))
    except BadFile as error:
        raise BadTasks(f"{error.problem.removesuffix('.')}.", error.remedy) from error
    except BadTasks as error:
        raise BadTasks(error.problem, "Correct that value.") from error


_GIVEN: Final = "Give the path of a task file, Task objects, or mappings with id and prompt."


def bench_tasks(rows: Sequence[InputRow], live: bool) -> Iterator[tuple[str, Task]]:
    """`query.jsonl` of DeepResearch Bench: id (a number), topic, language, prompt.

    Names of topics that the paper shortens may be WebOrganizer's.
    """
    for row in rows:
        labels = labels_of(row, set="DeepResearch Bench", topic="topic")
        if "topic" in labels:
            labels["topic"] = topic_named(labels["topic"]) or labels["topic"]
        fields = {"id": id_of(row, "id"), "prompt": value_of(row, "prompt"), "labels": labels}
        if "language" in row.fields:
            fields["language"] = row.fields["language"]
        yield row.place, valid_task(row, fields)


def sorted_queries(rows: Sequence[InputRow], live: bool) -> Iterator[tuple[str, Task]]:
    """What `tasks topics` wrote, with labels: deep_research, yes or no, and an agreed topic, or the
    two topics of answers that differ.
    """
    for row in rows:
        topics = value_of(row, "topics")
        labels = {"deep_research": "yes" if row.fields["deep_research"] is True else "no"}
        if isinstance(topics, list) and topics:
            several = BETWEEN.join(dict.fromkeys(map(str, topics)))
            labels["topics" if BETWEEN in several else "topic"] = several
        fields = {name: value_of(row, name) for name in ("id", "prompt", "language")}
        yield row.place, valid_task(row, {**fields, "labels": labels})


_TIES_ID = re.compile(r"(?:ref|tied):\d{1,6}")


def reward_tasks(rows: Sequence[InputRow], live: bool) -> Iterator[tuple[str, Task]]:
    """RewardBench 2: a prompt with right and wrong completions in one of six subsets.

    Outside Ties one is right and three are wrong; in Ties identifiers are `ref:K` where one is
    right and `tied:K` where several are.
    """
    from deepassay.results.rewards import SUBSETS

    names = {each.casefold(): each for each in SUBSETS}
    for row in rows:
        subset = names.get(str(value_of(row, "subset")).casefold())
        if subset is None:
            raise bad_field(row, "subset", f"is none of {', '.join(SUBSETS)}")
        sides = {name: value_of(row, name) for name in ("chosen", "rejected")}
        identifier = id_of(row, "id")
        fields = {
            "id": identifier,
            "prompt": value_of(row, "prompt"),
            "labels": {"set": "RewardBench 2", "subset": subset},
            "completions": sides,
        }
        task = valid_task(row, fields)
        right, wrong = (len(each) if isinstance(each, list) else 0 for each in sides.values())
        counts = {"num_correct": right, "total_completions": right + wrong}
        for name, count in counts.items():
            if row.fields.get(name) not in (None, count):
                raise bad_field(row, name, f"says {row.fields[name]}, and there are {count}")
        if subset == "Ties":
            if not _TIES_ID.fullmatch(identifier):
                raise bad_field(row, "id", "must be ref:NUMBER or tied:NUMBER in the subset Ties")
            if identifier.startswith("ref") and right != 1:
                raise bad_field(row, "chosen", f"holds {right} completions where ref says one")
        elif (right, wrong) != (1, 3):
            raise bad_field(
                row, "chosen", f"{right} right and {wrong} wrong ones, in place of 1 and 3"
            )
        yield row.place, task


class Layout(NamedTuple):
    """A published layout: what it is called, the columns that give it away, how it is loaded.

    never: columns that none of its files has, since its loader would lose what they hold.
    """

    title: str
    columns: frozenset[str]
    load: Callable[[Sequence[InputRow], bool], Iterator[tuple[str, Task]]]
    never: frozenset[str] = frozenset()


LAYOUTS = (
    Layout(
        "RewardBench 2", frozenset({"id", "subset", "prompt", "chosen", "rejected"}), reward_tasks
    ),
    Layout("LiveResearchBench rows", frozenset({"qid", "question"}), live_tasks),
    Layout("LiveResearchBench rows", frozenset({"qid", "question_no_placeholder"}), live_tasks),
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


def _layout_of(rows: Sequence[InputRow]) -> Layout | None:
    """The layout whose columns are there."""
    if "article" in rows[0].fields:
        return None
    everywhere = {field for each in rows for field in each.fields}
    for layout in task_layouts():
        if layout.columns <= rows[0].fields.keys() and not layout.never & everywhere:
            return layout
    return None


def _refuse_reports(rows: Sequence[InputRow], columns: NamedColumns) -> None:
    """Raise BadTasks for a published file of reports: tasks and reports were exchanged."""
    if "article" in rows[0].fields and not rows[0].flat and not columns.named:
        raise BadTasks(
            f"{rows[0].place}: the field 'article' makes this a file of reports, not of tasks.",
            "Name the task file first, the reports after it; or, to take the prompts of this file: "
            f"{option([('prompt', 'prompt')])}",
        )
