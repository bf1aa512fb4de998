"""Making what tasks are judged by: from a task file to a file of criteria, rubrics or checklists.

The file grows by one task after the other, in the order of the tasks; what it holds already is
neither asked nor changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal, TypeVar

from deepassay.curate.checklists import make_checklist
from deepassay.curate.making import make_criteria
from deepassay.curate.rubrics import AUGMENT, REMOVE_EXAMPLES, Change, changed
from deepassay.errors import BadSetting, BadTasks
from deepassay.models.ask import Asker
from deepassay.run.making import Job, Made, MakerTerms, make_all
from deepassay.score import Unscored
from deepassay.tasks.ace import ACE_FILE, AceItem, TaskAce
from deepassay.tasks.criteria import CRITERIA_FILE, DIMENSIONS, Criteria, TaskCriteria
from deepassay.tasks.entries import Entries, Entry, EntryFile
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rubric import RUBRIC_FILE, TaskRubric
from deepassay.tasks.task import Task


@dataclass(frozen=True, kw_only=True)
class CriteriaRequest(MakerTerms):
    """Everything that `tasks criteria` takes, as on the command line.

    tasks: their file. samples: of the weights of dimensions, averaged.
    """

    tasks: Path
    samples: int = 5
    edition: Literal["paper", "code"] = "paper"


@dataclass(frozen=True, kw_only=True)
class ChecklistRequest(MakerTerms):
    """Everything that `tasks checklist` takes, as on the command line. tasks: their file."""

    tasks: Path


@dataclass(frozen=True, kw_only=True)
class RubricRequest(MakerTerms):
    """Everything that `tasks rubric` takes, as on the command line.

    tasks: their file. rubric: a file of rubrics to start from, else the tasks' own.
    without_examples, augment: what is done to them, in this order; neither: they are written as
    they are.
    """

    tasks: Path
    rubric: Path | None = None
    without_examples: bool = False
    augment: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.augment and self.maker == "offline":
            raise BadSetting(
                "There is no rule by which criteria could be augmented.",
                "Name a model that expands them, for example --maker openai:NAME.",
            )

    @property
    def changes(self) -> tuple[Change, ...]:
        """What is done to every rubric, in this order."""
        wanted = ((REMOVE_EXAMPLES, self.without_examples), (AUGMENT, self.augment))
        return tuple(change for change, asked in wanted if asked)


E = TypeVar("E", bound=Entry)

OnTask = Callable[[Task, Criteria | Unscored], None]
OnChecklist = Callable[[Task, tuple[AceItem, ...] | Unscored], None]
OnRubric = Callable[[Task, TaskRubric | Unscored], None]


def curate(
    request: CriteriaRequest,
    on_task: OnTask = lambda task, outcome: None,
    on_signal: Callable[[], None] = lambda: None,
) -> Made:
    """Make criteria for every task that the file lacks.

    on_task: called after each, when its criteria are in the file. Raises BadInput.
    """
    tasks = load_tasks(request.tasks)[: request.limit]
    wanted, made = _lacking(tasks, request.output, CRITERIA_FILE)

    async def make(task: Task, maker: Asker) -> Criteria | Unscored:
        return await make_criteria(task, maker, request.samples, request.edition)

    def write(found: Sequence[tuple[Task, Criteria]]) -> None:
        entries = {task.id: TaskCriteria(criteria, task.prompt) for task, criteria in found}
        CRITERIA_FILE.write_new(request.output, entries)

    if wanted:
        CRITERIA_FILE.write_new(request.output, {})  # refuses before anything is paid for
        job = Job(make, write, on_task, calls=request.samples + len(DIMENSIONS))
        make_all(job, wanted, request, made, on_signal)
    return made


def draw_up(
    request: ChecklistRequest,
    on_task: OnChecklist = lambda task, outcome: None,
    on_signal: Callable[[], None] = lambda: None,
) -> Made:
    """Make an ACE checklist for every task that the file lacks.

    on_task: called after each, when its checklist is in the file. Raises BadInput.
    """
    tasks = load_tasks(request.tasks)[: request.limit]
    wanted, made = _lacking(tasks, request.output, ACE_FILE)

    def write(found: Sequence[tuple[Task, tuple[AceItem, ...]]]) -> None:
        entries = {
            task.id: TaskAce(items=items, prompt=task.prompt, made_by=request.maker)
            for task, items in found
        }
        ACE_FILE.write_new(request.output, entries)

    if wanted:
        ACE_FILE.write_new(request.output, {})  # refuses before anything is paid for
        make_all(Job(make_checklist, write, on_task, calls=1), wanted, request, made, on_signal)
    return made


def rewrite(
    request: RubricRequest,
    on_task: OnRubric = lambda task, outcome: None,
    on_signal: Callable[[], None] = lambda: None,
) -> Made:
    """Write the rubric of every task that has one and that the file lacks, changed as asked.

    on_task: called after each, when its rubric is in the file. Raises BadInput.
    """
    tasks, sources = _sources(request)
    wanted, made = _lacking(tasks, request.output, RUBRIC_FILE)

    async def make(task: Task, maker: Asker) -> TaskRubric | Unscored:
        return await changed(task, sources[task.id], request.changes, maker, date.today())

    def write(found: Sequence[tuple[Task, TaskRubric]]) -> None:
        RUBRIC_FILE.write_new(request.output, {task.id: rubric for task, rubric in found})

    if not request.changes:
        RUBRIC_FILE.write_new(request.output, {task.id: sources[task.id] for task in wanted})
        made.made += [task.id for task in wanted]
    elif wanted:
        RUBRIC_FILE.write_new(request.output, {})  # refuses before anything is paid for
        job = Job(make, write, on_task, calls=max(len(task.rubric) for task in wanted))
        make_all(job, wanted, request, made, on_signal)
    return made


def _lacking(tasks: Sequence[Task], output: Path, kind: EntryFile[E]) -> tuple[list[Task], Made]:
    """The tasks of which the file holds nothing yet, and how far the work has come."""
    known = kind.load(output) if output.exists() else Entries[E]()
    if any(task.id in known for task in tasks):
        kind.check(tasks, known, output)
    wanted = [task for task in tasks if task.id not in known]
    return wanted, Made(len(tasks), kept=len(tasks) - len(wanted))


def _sources(request: RubricRequest) -> tuple[list[Task], Mapping[str, TaskRubric]]:
    """The tasks that have a rubric, and these rubrics with what is known of their making."""
    tasks, given = load_tasks(request.tasks), Entries[TaskRubric]()
    if request.rubric is not None:
        tasks, given = RUBRIC_FILE.join(tasks, request.rubric), RUBRIC_FILE.load(request.rubric)
    having = [task for task in tasks[: request.limit] if task.rubric]
    if not having:
        raise BadTasks(
            f"{request.tasks} has a rubric for none of its tasks.",
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
