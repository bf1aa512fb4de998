"""The leakage test over a set of tasks, with one model after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deepassay.curate.leakage import (
    MOST_TOKENS,
    TEMPERATURE,
    Continuation,
    Trial,
    as_json,
    continued,
    with_similarities,
)
from deepassay.errors import BadSetting, BadTasks
from deepassay.run.making import Item, Job, Listener, Made, make_all
from deepassay.run.settings import Settings
from deepassay.score import Cause, Unscored, canonical_json
from deepassay.tasks.entries import write_file
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rows import read_rows
from deepassay.tasks.task import Task

Outcomes = dict[str, Continuation | Unscored]
OnTask = Callable[[str, Item, object], None]

_NOT_ASKED: Final = Unscored(Cause.NOT_ASKED, "the test was stopped before it came to this")


@dataclass
class Leakage:
    """What came of it. trials: model by model. signal: that stopped it, or 0."""

    trials: list[Trial] = field(default_factory=list)
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
    def most_leaked(self) -> int:
        """Tasks that are leaked for the model for which most are."""
        leaked = Counter(
            each.model for each in self.trials if each.similarity and each.similarity.leaked
        )
        return max(leaked.values(), default=0)


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
    given = load_tasks(tasks)[: settings.limit]
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
        found.trials += [Trial(model, task, outcomes.get(task.id, _NOT_ASKED)) for task in given]
    found.trials = with_similarities(found.trials)
    if output is not None:
        lines = [canonical_json(as_json(each)) + "\n" for each in found.trials]
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
    make_all(Job(continued, keep, calls=1), tasks, asked, made, listener)
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
