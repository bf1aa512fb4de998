"""`tasks`: making what tasks are judged by, and saying what a set of tasks is made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deepassay.cli import inspiring, leaking, ranking, transcribing, weaving
from deepassay.cli.findings import TableFormat
from deepassay.cli.grouping import ungrouped
from deepassay.cli.making import finish_making
from deepassay.cli.options import FirstTasks, Model, Settings, TaskFile, Terms
from deepassay.cli.terminal import hand_over, note, say_stopping

if TYPE_CHECKING:
    from deepassay.run.curating import ChecklistRequest, CriteriaRequest, RubricRequest
    from deepassay.tasks.task import Task

app = typer.Typer(
    help="Describe tasks, and make what they are judged by.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


Output = Annotated[
    Path, typer.Option("--output", "-o", help="JSON Lines, or YAML by its ending: added to.")
]
Samples = Annotated[int, typer.Option(min=1, help="Answers that the weights are the mean of.")]
Edition = Annotated[
    Literal["paper", "code"], typer.Option(help="paper: checked; code: as the released program.")
]
Rubrics = Annotated[Path | None, typer.Option(help="Rubrics to take.  [those of the tasks]")]
WithoutExamples = Annotated[
    bool, typer.Option("--without-examples", help="Take the examples out of every criterion.")
]
BY_RULE = "They were made by rule, a baseline: read them, or have a model make them (--maker)."
Augment = Annotated[bool, typer.Option("--augment", help="Have a model expand every criterion.")]


@app.callback()
def group() -> None:
    """Describe tasks, and make what they are judged by."""


@app.command()
@ungrouped
def criteria(
    tasks: TaskFile,
    output: Output,
    *,
    maker: Model = "offline",
    samples: Samples = 5,
    edition: Edition = "paper",
    settings: Settings,
    limit: FirstTasks = None,
    terms: Terms,
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
            **vars(settings),
            limit=limit,
            **vars(terms),
        )
    )


@app.command()
@ungrouped
def checklist(
    tasks: TaskFile,
    output: Output,
    *,
    maker: Model = "offline",
    settings: Settings,
    limit: FirstTasks = None,
    terms: Terms,
) -> None:
    """Make ACE's weighted checklist for every task that the output file has none for.

    What the file has is kept as it is. The same command run again resumes where it was stopped.
    """
    from deepassay.run.curating import ChecklistRequest

    request = ChecklistRequest(
        tasks=tasks,
        output=output,
        maker=maker,
        **vars(settings),
        limit=limit,
        **vars(terms),
    )
    _draw_up(request)


@app.command()
@ungrouped
def rubric(
    tasks: TaskFile,
    output: Output,
    *,
    rubric: Rubrics = None,
    without_examples: WithoutExamples = False,
    augment: Augment = False,
    maker: Model = "offline",
    settings: Settings,
    limit: FirstTasks = None,
    terms: Terms,
) -> None:
    """Write the rubrics of tasks as a file to read, edit and share, as they are or changed.

    What the file has is kept as it is. The same command run again resumes where it was stopped.
    """
    from deepassay.run.curating import RubricRequest

    request = RubricRequest(
        tasks=tasks,
        output=output,
        rubric=rubric,
        without_examples=without_examples,
        augment=augment,
        maker=maker,
        **vars(settings),
        limit=limit,
        **vars(terms),
    )
    _rewrite(request)


@app.command()
def describe(
    tasks: TaskFile,
    rubric: Rubrics = None,
    format: Annotated[TableFormat, typer.Option()] = TableFormat.TEXT,
) -> None:
    """Say what a set is made of: lengths of prompts, labels, criteria, axes, checklists."""
    from deepassay.tasks.describe import describe as count
    from deepassay.tasks.describe import write_description
    from deepassay.tasks.loaders import load_tasks
    from deepassay.tasks.rubric import RUBRIC_FILE

    found = load_tasks(tasks)
    if rubric is not None:
        found = RUBRIC_FILE.join(found, rubric)
    hand_over(write_description(count(found), format.value))


app.command()(transcribing.transcribe)
app.command()(inspiring.inspire)
app.command()(leaking.leakage)
app.command()(weaving.weave)
app.command()(ranking.rank)
app.command()(weaving.build)
app.command()(weaving.provenance)


def _curate(request: CriteriaRequest) -> None:
    from deepassay.run.curating import curate

    made = curate(request, on_task=_tell_failure, on_signal=say_stopping)
    by_rule = request.maker == "offline" and made.made
    finish_making(made, request, "criteria", [BY_RULE] if by_rule else [])


def _draw_up(request: ChecklistRequest) -> None:
    from deepassay.run.curating import draw_up

    made = draw_up(request, on_task=_tell_failure, on_signal=say_stopping)
    by_rule = request.maker == "offline" and made.made
    finish_making(made, request, "checklists", [BY_RULE] if by_rule else [])


def _rewrite(request: RubricRequest) -> None:
    from deepassay.run.curating import rewrite

    made = rewrite(request, on_task=_tell_failure, on_signal=say_stopping)
    finish_making(made, request, "rubrics")


def _tell_failure(task: Task, outcome: object) -> None:
    from deepassay.score import Unscored

    if isinstance(outcome, Unscored):
        note(f"  task {task.id}: {outcome.cause}: {outcome.detail}")
