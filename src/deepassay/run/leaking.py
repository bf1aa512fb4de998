"""The leakage test over a set of tasks, with one model after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deepassay.curate.arena.leakage import (
    MOST_TOKENS,
    TEMPERATURE,
    Continuation,
    Trial,
    as_json,
    continued,
    with_similarities,
)
from deepassay.errors import BadSetting, BadTasks
from deepassay.run.making import Job, Made, SoloTerms, make_all
from deepassay.run.terms import Terms
from deepassay.score import Cause, Unscored, canonical_json
from deepassay.tasks.entries import write_file
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rows import read_rows
from deepassay.tasks.task import Task

Outcomes = dict[str, Continuation | Unscored]
OnTask = Callable[[str, Task, Continuation | Unscored], None]

_NOT_ASKED: Final = Unscored(Cause.NOT_ASKED, "the test was stopped before it came to this")


@dataclass(frozen=True, kw_only=True)
class LeakageRequest(Terms):
    """Everything that `tasks leakage` takes, as on the command line.

    tasks: their file. output: for a line on each task and model, written anew each time. labels:
    of tasks, by which averages are wanted.
    """

    tasks: Path
    models: tuple[str, ...] = ("offline",)
    output: Path | None = None
    labels: tuple[str, ...] = ()
    base_url: str | None = None
    temperature: float = TEMPERATURE
    max_output: int = MOST_TOKENS
    limit: int | None = None

    def __post_init__(self) -> None:
        self.refuse_infinite("temperature")
        if len(set(self.models)) < len(self.models):
            raise BadSetting("A model is named twice.", "Name every --model once.")

    def terms(self, model: str) -> SoloTerms:
        """What is asked of one of the models."""
        return SoloTerms(
            maker=model,
            base_url=self.base_url,
            temperature=self.temperature,
            max_output=self.max_output,
            run=self.run,
            max_connections=self.max_connections,
            deadline=self.deadline,
            budget=self.budget,
            allow_unpriced=self.allow_unpriced,
            prices=self.prices,
        )


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
    request: LeakageRequest,
    on_task: OnTask = lambda model, task, outcome: None,
    on_signal: Callable[[], None] = lambda: None,
) -> Leakage:
    """Have every model continue every task, and compare. Answers are kept in the run file.

    on_task: called after each. Raises BadInput.
    """
    tasks = load_tasks(request.tasks)[: request.limit]
    _refuse_unknown(request.labels, tasks)
    if request.output is not None:
        _refuse_foreign(request.output)
    found = Leakage()
    for model in request.models:
        outcomes: Outcomes = {}
        if not found.signal and not found.out_of_budget:
            outcomes, made = _continue_all(tasks, request.terms(model), on_task, on_signal)
            found.spent, found.signal = made.spent, made.signal
            found.out_of_budget = made.out_of_budget
        found.trials += [Trial(model, task, outcomes.get(task.id, _NOT_ASKED)) for task in tasks]
    found.trials = with_similarities(found.trials)
    if request.output is not None:
        lines = [canonical_json(as_json(each)) + "\n" for each in found.trials]
        write_file(request.output, "".join(lines))
    return found


def _continue_all(
    tasks: Sequence[Task], terms: SoloTerms, on_task: OnTask, on_signal: Callable[[], None]
) -> tuple[Outcomes, Made]:
    """What one model makes of the tasks, by identifier, as far as it came."""
    outcomes: Outcomes = {}

    def keep(found: Sequence[tuple[Task, Continuation]]) -> None:
        outcomes.update((task.id, continuation) for task, continuation in found)

    def tell(task: Task, outcome: Continuation | Unscored) -> None:
        on_task(terms.maker, task, outcome)

    made = Made(len(tasks))
    make_all(Job(continued, keep, tell, calls=1), tasks, terms, made, on_signal)
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
