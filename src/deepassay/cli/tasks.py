"""`tasks`: making what tasks are judged by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deepassay.cli.options import (
    DEFAULT_RUN,
    AllowUnpriced,
    BaseUrl,
    Budget,
    Deadline,
    MaxConnections,
    MaxOutput,
    Prices,
    RunPath,
    Temperature,
)
from deepassay.cli.terminal import note, say_stopping

if TYPE_CHECKING:
    from deepassay.run.curating import CriteriaRequest, Made
    from deepassay.score import Unscored
    from deepassay.tasks.criteria import Criteria
    from deepassay.tasks.task import Task

app = typer.Typer(
    help="Make what tasks are judged by.", no_args_is_help=True, rich_markup_mode=None
)


TaskFile = Annotated[Path, typer.Argument(help="JSON Lines, CSV or Parquet.")]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="JSON Lines, or YAML by its ending: added to.")
]
Maker = Annotated[str, typer.Option(help="offline, or PROVIDER:NAME.")]
Samples = Annotated[int, typer.Option(min=1, help="Answers that the weights are the mean of.")]
Edition = Annotated[
    Literal["paper", "code"], typer.Option(help="paper: checked; code: as the released program.")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Only the first tasks.")]


@app.callback()
def group() -> None:
    """Make what tasks are judged by."""


@app.command()
def criteria(
    tasks: TaskFile,
    output: Output,
    maker: Maker = "offline",
    samples: Samples = 5,
    edition: Edition = "paper",
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    max_output: MaxOutput = None,
    limit: Limit = None,
    max_connections: MaxConnections = 16,
    deadline: Deadline = 120.0,
    budget: Budget = None,
    allow_unpriced: AllowUnpriced = False,
    prices: Prices = None,
    run: RunPath = DEFAULT_RUN,
) -> None:
    """Make RACE's criteria for every task that the output file has none for.

    What the file has is kept as it is. The same command run again resumes where it was stopped.
    """
    from deepassay.run.curating import CriteriaRequest

    _curate(
        CriteriaRequest(
            tasks=tasks,
            output=output,
            maker=maker,
            samples=samples,
            edition=edition,
            base_url=base_url,
            temperature=temperature,
            max_output=max_output,
            limit=limit,
            run=run,
            max_connections=max_connections,
            deadline=deadline,
            budget=budget,
            allow_unpriced=allow_unpriced,
            prices=prices,
        )
    )


def _curate(request: CriteriaRequest) -> None:
    from deepassay.run.curating import curate
    from deepassay.score import Unscored

    def tell(task: Task, outcome: Criteria | Unscored) -> None:
        if isinstance(outcome, Unscored):
            note(f"  task {task.id}: {outcome.cause}: {outcome.detail}")

    made = curate(request, on_task=tell, on_signal=say_stopping)
    _tell(made, request)
    if made.signal:
        raise typer.Exit(128 + made.signal)
    if made.out_of_budget:
        raise typer.Exit(3)
    if made.failures:
        raise typer.Exit(1)


def _tell(made: Made, request: CriteriaRequest) -> None:
    already = f" ({made.kept} had them already)" if made.kept else ""
    having = made.kept + len(made.made)
    note(f"Criteria for {having} of {made.total} tasks are in {request.output}{already}.")
    if request.maker == "offline" and made.made:
        note("They were made by rule, a baseline: read them, or have a model make them (--maker).")
    if made.spent:
        note(f"Cost of {request.run} in all: ${made.spent:.4f}.")
    if made.failures or made.left:
        note(
            f"Without criteria: {len(made.failures) + made.left} tasks. Answers are kept in "
            f"{request.run}: the same command goes on from here"
            + (" with a larger --budget." if made.out_of_budget else ".")
        )
