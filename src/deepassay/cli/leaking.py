"""`tasks leakage`: whether models can finish tasks that they should not know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.findings import TableFormat
from deepassay.cli.grouping import ungrouped
from deepassay.cli.options import BaseUrl, FirstTasks, TaskFile, Terms
from deepassay.cli.terminal import hand_over, note, say_stopping

if TYPE_CHECKING:
    from deepassay.curate.arena.leakage import Continuation
    from deepassay.run.leaking import Leakage, LeakageRequest
    from deepassay.score import Unscored
    from deepassay.tasks.task import Task


Models = Annotated[
    list[str] | None,
    typer.Option("--model", help="Whom to test: PROVIDER:NAME; may be repeated.  [offline]"),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="JSON Lines, one for each task and model: written anew."),
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--by", help="A label to cut by; may be repeated.  [language, discipline]"),
]
MaxLeaked = Annotated[
    int | None, typer.Option(min=0, help="Exit with 1 if more tasks are leaked for any model.")
]
Format = Annotated[TableFormat, typer.Option("--format")]
Temperature = Annotated[float, typer.Option(min=0.0)]
MaxOutput = Annotated[int, typer.Option(min=1, help="Tokens of one continuation at most.")]


@ungrouped
def leakage(
    tasks: TaskFile,
    *,
    models: Models = None,
    output: Output = None,
    by: Labels = None,
    format: Format = TableFormat.TEXT,
    max_leaked: MaxLeaked = None,
    base_url: BaseUrl = None,
    temperature: Temperature = 0.1,
    max_output: MaxOutput = 500,
    limit: FirstTasks = None,
    terms: Terms,
) -> None:
    """Show models the first half of every task, and see how much of the second they know.

    The same command run again resumes where it was stopped.
    """
    from deepassay.run.leaking import LeakageRequest

    request = LeakageRequest(
        tasks=tasks,
        models=tuple(models or ["offline"]),
        output=output,
        labels=tuple(by or ()),
        base_url=base_url,
        temperature=temperature,
        max_output=max_output,
        limit=limit,
        **vars(terms),
    )
    _measure(request, format, max_leaked)


def _measure(request: LeakageRequest, format: TableFormat, max_leaked: int | None) -> None:
    from deepassay.curate.arena.leakage_tables import LABELS, write_leakage
    from deepassay.run.leaking import measure_leakage

    found = measure_leakage(request, on_task=_tell_failure, on_signal=say_stopping)
    if not found.signal:
        hand_over(write_leakage(found.trials, format.value, request.labels or LABELS))
    _finish(found, request, max_leaked)


def _finish(found: Leakage, request: LeakageRequest, max_leaked: int | None) -> None:
    """Say what it rests on, and exit accordingly."""
    if found.spent:
        note(f"Cost of {request.run} in all: ${found.spent:.4f}.")
    if found.missing:
        note(f"Not tested: {found.missing} of {len(found.trials)}.")
    if found.untestable:
        note(f"Prompts without two halves cannot be tested: {found.untestable} of these.")
    if found.missing > found.untestable:
        note(
            f"Answers are kept in {request.run}: the same command goes on from here"
            + (" with a larger --budget." if found.out_of_budget else ".")
        )
    if found.signal:
        raise typer.Exit(128 + found.signal)
    if found.out_of_budget:
        raise typer.Exit(3)
    too_many = max_leaked is not None and found.most_leaked > max_leaked
    if found.missing or too_many:
        raise typer.Exit(1)


def _tell_failure(model: str, task: Task, outcome: Continuation | Unscored) -> None:
    from deepassay.score import Unscored

    if isinstance(outcome, Unscored):
        note(f"  {model}, task {task.id}: {outcome.cause}: {outcome.detail}")
