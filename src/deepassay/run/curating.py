"""Making what tasks are judged by: from a task file to a file of criteria, rubrics or checklists.

The file grows by one task after the other, in the order of the tasks; what it holds already is
neither asked nor changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TypeVar

from deepassay.curate import making
from deepassay.curate.checklists import make_checklist
from deepassay.curate.rubrics import AUGMENT, REMOVE_EXAMPLES, changed
from deepassay.errors import BadSetting, BadTasks
from deepassay.models.ask import Asker
from deepassay.run.making import NOBODY, Job, Listener, Made, make_all, maker_of
from deepassay.run.settings import Settings
from deepassay.score import Unscored
from deepassay.tasks.ace import ACE_FILE, TaskAce
from deepassay.tasks.criteria import CRITERIA_FILE, DIMENSIONS, TaskCriteria
from deepassay.tasks.entries import Entries, EntryFile, TaskEntry
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rubric import RUBRIC_FILE, TaskRubric
from deepassay.tasks.task import Task

E = TypeVar("E", bound=TaskEntry)


def make_criteria(
    tasks: Path,
    output: Path,
    settings: Settings,
    *,
    samples: int = 5,
    listener: Listener = NOBODY,
) -> Made:
    """Make criteria for every task that the output lacks. Raises BadInput.

    samples: of the weights of dimensions, averaged.
    """

    async def make(task: Task, maker: Asker) -> TaskCriteria | Unscored:
        found = await making.make_criteria(task, maker, samples, settings.edition)
        return found if isinstance(found, Unscored) else TaskCriteria(found, task.prompt)

    job = _job(make, output, CRITERIA_FILE, calls=samples + len(DIMENSIONS))
    wanted, made = _lacking(load_tasks(tasks)[: settings.limit], output, CRITERIA_FILE)
    make_all(job, wanted, settings, made, listener)
    return made


def make_checklists(
    tasks: Path, output: Path, settings: Settings, *, listener: Listener = NOBODY
) -> Made:
    """Make an ACE checklist for every task that the output lacks. Raises BadInput."""

    async def make(task: Task, maker: Asker) -> TaskAce | Unscored:
        found = await make_checklist(task, maker)
        if isinstance(found, Unscored):
            return found
        return TaskAce(items=found, prompt=task.prompt, made_by=maker_of(settings))

    wanted, made = _lacking(load_tasks(tasks)[: settings.limit], output, ACE_FILE)
    make_all(_job(make, output, ACE_FILE, calls=1), wanted, settings, made, listener)
    return made


def change_rubrics(
    tasks: Path,
    output: Path,
    settings: Settings,
    *,
    without_examples: bool = False,
    augment: bool = False,
    listener: Listener = NOBODY,
) -> Made:
    """Write the rubric of every task that has one and that the output lacks, changed as asked.

    Rubrics are those of `settings.rubric`, else the tasks' own. Examples are taken out before a
    model expands the criteria; with neither they are written as they are. Raises BadInput.
    """
    if augment and maker_of(settings) == "offline":
        raise BadSetting(
            "There is no rule by which criteria could be augmented.",
            "Name a model that expands them, for example --maker openai:NAME.",
        )
    wishes = ((REMOVE_EXAMPLES, without_examples), (AUGMENT, augment))
    changes = tuple(change for change, asked in wishes if asked)
    having, rubrics = _rubrics(tasks, settings)
    wanted, made = _lacking(having, output, RUBRIC_FILE)

    async def make(task: Task, maker: Asker) -> TaskRubric | Unscored:
        return await changed(task, rubrics[task.id], changes, maker, date.today())

    if changes:
        most = max((len(task.rubric) for task in wanted), default=1)
        make_all(_job(make, output, RUBRIC_FILE, calls=most), wanted, settings, made, listener)
    else:
        RUBRIC_FILE.write_new(output, {task.id: rubrics[task.id] for task in wanted})
        made.made += [task.id for task in wanted]
    return made


def _job(
    make: Callable[[Task, Asker], Awaitable[E | Unscored]],
    output: Path,
    kind: EntryFile[E],
    calls: int,
) -> Job[Task, E]:
    def write(found: Sequence[tuple[Task, E]]) -> None:
        kind.write_new(output, {task.id: entry for task, entry in found})

    return Job(make, write, calls)


def _lacking(tasks: Sequence[Task], output: Path, kind: EntryFile[E]) -> tuple[list[Task], Made]:
    """The tasks of which the file holds nothing yet, and how far the work has come."""
    known = kind.load(output) if output.exists() else Entries[E]()
    if any(task.id in known for task in tasks):
        kind.check(tasks, known, output)
    wanted = [task for task in tasks if task.id not in known]
    return wanted, Made(len(tasks), kept=len(tasks) - len(wanted))


def _rubrics(path: Path, settings: Settings) -> tuple[list[Task], Mapping[str, TaskRubric]]:
    """The tasks that have a rubric, and these rubrics with what is known of their making."""
    tasks, given = load_tasks(path), Entries[TaskRubric]()
    if (rubrics := settings.rubric) is not None:
        tasks, given = RUBRIC_FILE.join(tasks, rubrics), RUBRIC_FILE.load(rubrics)
    having = [task for task in tasks[: settings.limit] if task.rubric]
    if not having:
        raise BadTasks(
            f"{path} has a rubric for none of its tasks.",
            "Give a file of rubrics: --rubric FILE.",
        )
    return having, {
        task.id: TaskRubric(
            rubric=task.rubric,
            prompt=task.prompt,
            history=() if (entry := given.of(task)) is None else entry.history,
        )
        for task in having
    }
