"""Making what tasks are judged by: from a task file to a file of criteria, rubrics or checklists.

The file grows by one task after the other, in the order of the tasks; what it holds already is
neither asked nor changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final, TypeVar

from deepassay.errors import BadSetting, BadTasks
from deepassay.models.ask import Asker
from deepassay.protocols.ace.checklists import make_checklist
from deepassay.run.asking.first_tasks import first_tasks
from deepassay.run.asking.making import (
    NOBODY,
    Listener,
    Made,
    MakingJob,
    MakingSubject,
    make_all,
    maker_of,
)
from deepassay.run.settings import Settings
from deepassay.score import Cause, Unscored, canonical_json
from deepassay.tasks.ace import ACE_FILE, TaskAce
from deepassay.tasks.criteria import CRITERIA_FILE, TaskCriteria
from deepassay.tasks.entries import Entries, EntryFile, TaskEntry, write_file
from deepassay.tasks.rows import read_rows
from deepassay.tasks.rubric import RUBRIC_FILE, TaskRubric
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import DIMENSIONS
from deepassay.wings.build.leakage.leakage import (
    MOST_TOKENS,
    TEMPERATURE,
    Continuation,
    LeakageTrial,
    continued,
    trial_as_json,
    with_similarities,
)
from deepassay.wings.build.yardsticks import race_criteria as making
from deepassay.wings.build.yardsticks.rubrics import AUGMENT, REMOVE_EXAMPLES, changed_rubric

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
        found = await making.devise_criteria(task, maker, samples, settings.edition)
        return found if isinstance(found, Unscored) else TaskCriteria(found, task.prompt)

    job = _entry_job(make, output, CRITERIA_FILE, calls=samples + len(DIMENSIONS))
    wanted, made = _lacking(first_tasks(tasks, settings), output, CRITERIA_FILE)
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

    wanted, made = _lacking(first_tasks(tasks, settings), output, ACE_FILE)
    make_all(_entry_job(make, output, ACE_FILE, calls=1), wanted, settings, made, listener)
    return made


@dataclass
class ChangedRubrics(Made):
    """What came of it, of the tasks that have a rubric. without: those that have none, by name."""

    without: Sequence[str] = ()


def change_rubrics(
    tasks: Path,
    output: Path,
    settings: Settings,
    *,
    without_examples: bool = False,
    augment: bool = False,
    listener: Listener = NOBODY,
) -> ChangedRubrics:
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
    given, rubrics = _rubrics(tasks, settings)
    having = [task for task in given if task.id in rubrics]
    wanted, known = _lacking(having, output, RUBRIC_FILE)
    without = [task.id for task in given if task.id not in rubrics]
    made = ChangedRubrics(known.total, kept=known.kept, without=without)

    async def make(task: Task, maker: Asker) -> TaskRubric | Unscored:
        return await changed_rubric(task, rubrics[task.id], changes, maker, date.today())

    if changes:
        most = max((len(task.rubric) for task in wanted), default=1)
        make_all(
            _entry_job(make, output, RUBRIC_FILE, calls=most), wanted, settings, made, listener
        )
    else:
        RUBRIC_FILE.write_new(output, {task.id: rubrics[task.id] for task in wanted})
        made.made += [task.id for task in wanted]
    return made


def _entry_job(
    make: Callable[[Task, Asker], Awaitable[E | Unscored]],
    output: Path,
    kind: EntryFile[E],
    calls: int,
) -> MakingJob[Task, E]:
    def write(found: Sequence[tuple[Task, E]]) -> None:
        kind.write_new(output, {task.id: entry for task, entry in found})

    return MakingJob(make, write, calls)


def _lacking(tasks: Sequence[Task], output: Path, kind: EntryFile[E]) -> tuple[list[Task], Made]:
    """The tasks of which the file holds nothing yet, and how far the work has come."""
    known = kind.load(output) if output.exists() else Entries[E]()
    if any(task.id in known for task in tasks):
        kind.check(tasks, known, output)
    wanted = [task for task in tasks if task.id not in known]
    return wanted, Made(len(tasks), kept=len(tasks) - len(wanted))


def _rubrics(path: Path, settings: Settings) -> tuple[Sequence[Task], Mapping[str, TaskRubric]]:
    """All tasks, and the rubrics of those that have one, with what is known of their making."""
    tasks, given = first_tasks(path, settings), Entries[TaskRubric]()
    if (rubrics := settings.rubric) is not None:
        tasks, given = RUBRIC_FILE.join(tasks, rubrics), RUBRIC_FILE.load(rubrics)
    having = [task for task in tasks if task.rubric]
    if not having:
        raise BadTasks(
            f"{path} has a rubric for none of its tasks.",
            "Give a file of rubrics: --rubric FILE.",
        )
    return tasks, {
        task.id: TaskRubric(
            rubric=task.rubric,
            prompt=task.prompt,
            history=() if (entry := given.of(task)) is None else entry.history,
        )
        for task in having
    }


Outcomes = dict[str, Continuation | Unscored]
OnTask = Callable[[str, MakingSubject, object], None]

_NOT_ASKED: Final = Unscored(Cause.NOT_ASKED, "the test was stopped before it came to this")


@dataclass
class Leakage:
    """What came of it. trials: model by model. signal: that stopped it, or 0."""

    trials: list[LeakageTrial] = field(default_factory=list)
    spent: float = 0.0
    signal: int = 0
    out_of_budget: bool = False

    @property
    def missing(self) -> int:
        """Trials without a continuation."""
        return sum(isinstance(each.outcome, Unscored) for each in self.trials)

    @property
    def untestable(self) -> int:
        """Trials of them whose prompt has no two halves, however often they are tried."""
        failures = (each.outcome for each in self.trials if isinstance(each.outcome, Unscored))
        return sum(each.cause is Cause.MISSING_INPUT for each in failures)

    @property
    def leaked(self) -> Counter[str]:
        """How many tasks are leaked, by models."""
        return Counter(
            each.model for each in self.trials if each.similarity and each.similarity.leaked
        )


def measure_leakage(
    tasks: Path,
    settings: Settings,
    *,
    models: Sequence[str] = ("offline",),
    output: Path | None = None,
    labels: Sequence[str] = (),
    on_task: OnTask = lambda model, task, outcome: None,
    on_signal: Callable[[], None] = lambda: None,
) -> Leakage:
    """Have every model continue every task, and compare. Answers are kept in the run file.

    output: for a line on each task and model, written anew each time. labels: of tasks, by which
    averages are wanted. Without a temperature and a longest answer in the settings the paper's
    hold. on_task: called after each. Raises BadInput.
    """
    if len(set(models)) < len(models):
        raise BadSetting("A model is named twice.", "Name every --model once.")
    given = first_tasks(tasks, settings)
    _refuse_unknown(labels, given)
    if output is not None:
        _refuse_foreign(output)
    found = Leakage()
    for model in models:
        outcomes: Outcomes = {}
        if not found.signal and not found.out_of_budget:
            outcomes, made = _continue_all(model, given, settings, on_task, on_signal)
            found.spent, found.signal = made.spent, made.signal
            found.out_of_budget = made.out_of_budget
        found.trials += [
            LeakageTrial(model, task, outcomes.get(task.id, _NOT_ASKED)) for task in given
        ]
    found.trials = with_similarities(found.trials)
    if output is not None:
        lines = [canonical_json(trial_as_json(each)) + "\n" for each in found.trials]
        write_file(output, "".join(lines))
    return found


def _continue_all(
    model: str,
    tasks: Sequence[Task],
    settings: Settings,
    on_task: OnTask,
    on_signal: Callable[[], None],
) -> tuple[Outcomes, Made]:
    """What one model makes of the tasks, by identifier, as far as it came."""
    outcomes: Outcomes = {}

    def keep(found: Sequence[tuple[Task, Continuation]]) -> None:
        outcomes.update((task.id, continuation) for task, continuation in found)

    asked = settings.model_copy(
        update={
            "maker": model,
            "temperature": TEMPERATURE if settings.temperature is None else settings.temperature,
            "max_output": settings.max_output or MOST_TOKENS,
        }
    )
    made = Made(len(tasks))
    listener = Listener(lambda task, outcome: on_task(model, task, outcome), on_signal)
    make_all(MakingJob(continued, keep, calls=1), tasks, asked, made, listener)
    return {**outcomes, **made.failures}, made


def _refuse_unknown(labels: Sequence[str], tasks: Sequence[Task]) -> None:
    known = dict.fromkeys(name for task in tasks for name in task.labels)
    for label in labels:
        if label not in known:
            raise BadSetting(f"No task has the label {label!r}.", f"There are: {', '.join(known)}.")


def _refuse_foreign(path: Path) -> None:
    """Refuse to write over what is no earlier result, and where nothing can be written."""
    if not path.exists():
        write_file(path, "")  # refuses before anything is paid for
    elif not all({"task", "model", "labels"} <= row.fields.keys() for row in read_rows(path)):
        raise BadTasks(
            f"{path} holds something else than results of the leakage test.",
            "Give another file: this one would be written over.",
        )
