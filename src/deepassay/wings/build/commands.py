"""`tasks`: making what tasks are judged by, and saying what a set of tasks is made of."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from deepassay.cli.comparing import TableFormat
from deepassay.cli.help import HelpfulGroup, listed
from deepassay.cli.options import (
    BATCHES,
    MAKER,
    MODEL,
    TERMS,
    Own,
    SaidOfColumns,
    TaskFile,
    takes,
)
from deepassay.cli.terminal import (
    complain,
    finish_making,
    hand_over,
    note,
    say_stopping,
    tell_failure,
    teller,
)
from deepassay.results.tables import several
from deepassay.run.settings import Settings
from deepassay.text import first_few
from deepassay.wings.build.arena import commands as arena
from deepassay.wings.build.authoring import commands as authoring
from deepassay.wings.build.checking.command import check
from deepassay.wings.build.experts import commands as experts
from deepassay.wings.build.set_commands import recount, sets

if TYPE_CHECKING:
    from deepassay.run.asking.making import MakingSubject
    from deepassay.wings.build.topics.steps import TopicsFound
    from deepassay.wings.build.yardsticks.steps import Leakage

WORKFLOWS = """
Chains of steps, where each reads what the one before it wrote:
  for any tasks    criteria, checklist, or author > rubric
  from recordings  transcribe > inspire > weave > rank; in one go: build
  with experts     survey > draft > clarify > refine > checklist-from > verify
                   > quality
"""

app = typer.Typer(
    cls=HelpfulGroup,
    help="Describe tasks, and make what they are judged by.",
    no_args_is_help=True,
    rich_markup_mode=None,
    rich_help_panel="task sets",
    epilog=WORKFLOWS,
)

Output = Annotated[
    Path, typer.Option("--output", "-o", help="JSON Lines, or YAML by its ending: added to.")
]
RUBRICS = Own("rubric", "Rubrics to take.  [those of the tasks]")
BY_RULE = "They were made by rule, a baseline: read them, or have a model make them (--maker)."


@app.callback()
def group() -> None:
    """Describe tasks, and make what they are judged by."""


@app.command()
@listed(
    "deepassay tasks criteria examples/demo/tasks.jsonl -o criteria.yaml --run criteria.assay",
    group="what tasks are judged by",
)
@takes(
    MAKER,
    Own("edition", "paper: checked; code: as the released program."),
    *MODEL,
    *("columns", "limit"),
    *TERMS,
    *BATCHES,
)
def criteria(
    tasks: TaskFile,
    output: Output,
    samples: Annotated[
        int, typer.Option(min=1, help="Answers that the weights are the mean of.")
    ] = 5,
    *,
    settings: Settings,
) -> None:
    """Make RACE's criteria for tasks that have none.

    What the file has is kept as it is. The same command run again resumes where it was stopped.
    """
    from deepassay.wings.build.yardsticks.steps import make_criteria

    made = make_criteria(tasks, output, settings, samples=samples, listener=teller())
    by_rule = settings.maker == "offline" and made.made
    finish_making(made, output, settings, "criteria", [BY_RULE] if by_rule else [])


@app.command()
@listed(
    "deepassay tasks checklist examples/demo/tasks.jsonl -o ace.yaml --run ace.assay",
    group="what tasks are judged by",
)
@takes(MAKER, *MODEL, "columns", "limit", *TERMS, *BATCHES)
def checklist(tasks: TaskFile, output: Output, *, settings: Settings) -> None:
    """Make ACE's weighted checklists for tasks that have none.

    What the file has is kept as it is. The same command run again resumes where it was stopped.
    """
    from deepassay.wings.build.yardsticks.steps import make_checklists

    made = make_checklists(tasks, output, settings, listener=teller())
    by_rule = settings.maker == "offline" and made.made
    finish_making(made, output, settings, "checklists", [BY_RULE] if by_rule else [])


@app.command()
@listed(
    "deepassay tasks rubric examples/demo/tasks.jsonl --rubric examples/demo/rubrics.yaml -o "
    "bare.yaml --without-examples --run rubrics.assay",
    group="what tasks are judged by",
)
@takes(RUBRICS, MAKER, *MODEL, "columns", "limit", *TERMS, *BATCHES)
def rubric(
    tasks: TaskFile,
    output: Output,
    without_examples: Annotated[
        bool, typer.Option("--without-examples", help="Take the examples out of every criterion.")
    ] = False,
    augment: Annotated[
        bool, typer.Option("--augment", help="Have a model expand every criterion.")
    ] = False,
    *,
    settings: Settings,
) -> None:
    """Write rubrics of tasks as a file to read, edit and share.

    What the file has is kept as it is. The same command run again resumes where it was stopped.
    """
    from deepassay.wings.build.yardsticks.steps import change_rubrics

    made = change_rubrics(
        tasks,
        output,
        settings,
        without_examples=without_examples,
        augment=augment,
        listener=teller(),
    )
    remarks = []
    if made.without:
        names = first_few(made.without, 3)
        remarks.append(f"{several(len(made.without), 'other task')} without a rubric: {names}.")
    finish_making(made, output, settings, "rubrics", remarks)


@app.command()
@listed(
    "deepassay tasks describe examples/demo/tasks.jsonl --rubric examples/demo/rubrics.yaml",
    "deepassay tasks describe examples/demo/tasks.jsonl --format csv",
    group="about a set",
)
def describe(
    tasks: TaskFile,
    rubric: Annotated[
        Path | None, typer.Option(help="Rubrics to take.  [those of the tasks]")
    ] = None,
    set: Annotated[str | None, typer.Option(help="A published set, or the file of one.")] = None,
    columns: SaidOfColumns = None,
    format: Annotated[TableFormat, typer.Option()] = "text",
) -> None:
    """Say what a set of tasks is made of."""
    from deepassay.intake.columns import UNSAID
    from deepassay.tasks.bibliography import BIBLIOGRAPHY_FILE
    from deepassay.tasks.describe import describe as count
    from deepassay.tasks.describe import describe_alone
    from deepassay.tasks.description_tables import write_description
    from deepassay.tasks.like_layouts import tell_of_like_layouts
    from deepassay.tasks.loaders import load_tasks
    from deepassay.tasks.rubric import RUBRIC_FILE, rubric_file
    from deepassay.tasks.set_tables import NoPrompts, SeveralSets, set_named

    said = columns or UNSAID
    try:
        of_set = set_named(set) if set else None
        found = load_tasks(tasks, columns=said, of_set=None if rubric else of_set)
    except NoPrompts as alone:
        kind = rubric_file(of_set) if alone.field == RUBRIC_FILE.field else BIBLIOGRAPHY_FILE
        hand_over(write_description(describe_alone(kind, tasks), format))
        return
    except SeveralSets as several:
        if format in ("csv", "json") or rubric or columns:
            raise
        for name, title in several.files.items():
            hand_over(f"{name}: {title}\n\n")
            describe(tasks / name, format=format)
        return
    said.refuse_unmet()
    if of_set is None:
        tell_of_like_layouts({task.labels.get("set") for task in found})
    if rubric is not None:
        found = rubric_file(of_set).join(found, rubric)
    hand_over(write_description(count(found), format))


@app.command()
@listed(
    "deepassay tasks leakage examples/demo/tasks.jsonl -o leakage.jsonl --run leakage.assay",
    "deepassay tasks leakage examples/demo/tasks.jsonl --by category --max-leaked 0 --run "
    "leakage.assay",
    group="about a set",
)
@takes(
    "base_url",
    Own("temperature", "Sent to the models.  [0.1]"),
    Own("max_output", "Tokens of one continuation at most.  [500]"),
    *("columns", "limit"),
    *TERMS,
    *BATCHES,
    help="""See whether models know tasks by heart.

    They are shown the first half of every task, and asked for the second. The same
    command run again resumes where it was stopped.
    """,
)
def leakage(
    tasks: TaskFile,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", help="Whom to test: PROVIDER:NAME; may be repeated.  [offline]"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="JSON Lines, one for each task and model: written anew."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(help="A label to cut by; may be repeated.  [language, discipline]"),
    ] = None,
    format: Annotated[TableFormat, typer.Option()] = "text",
    max_leaked: Annotated[
        int | None,
        typer.Option(min=0, help="Exit with 1 if more tasks are leaked for any model."),
    ] = None,
    *,
    settings: Settings,
) -> None:
    """Measure how much of each task models know by heart, and write a line for each trial."""
    from deepassay.wings.build.leakage.leakage_tables import LABELS, write_leakage
    from deepassay.wings.build.yardsticks.steps import measure_leakage

    found = measure_leakage(
        tasks,
        settings,
        models=models or ["offline"],
        output=output,
        labels=by or (),
        on_task=_tell_leakage,
        on_signal=say_stopping,
    )
    if not found.signal:
        hand_over(write_leakage(found.trials, format, by or LABELS))
    _finish_leakage(found, settings.run, max_leaked)


def _finish_leakage(found: Leakage, run: Path, max_leaked: int | None) -> None:
    """Say what it rests on, and exit accordingly."""
    if found.spent:
        note(f"Cost of {run} in all: ${found.spent:.4f}.")
    if found.missing:
        complain(f"Not tested: {found.missing} of {len(found.trials)}.")
    if found.untestable:
        note(f"Prompts without two halves cannot be tested: {found.untestable} of these.")
    if found.missing > found.untestable:
        note(
            f"Answers are kept in {run}: the same command goes on from here"
            + (" with a larger --budget." if found.out_of_budget else ".")
        )
    if found.signal:
        raise typer.Exit(128 + found.signal)
    if found.out_of_budget:
        raise typer.Exit(3)
    most = inf if max_leaked is None else max_leaked
    too_many = {model: count for model, count in found.leaked.items() if count > most}
    for model, count in too_many.items():
        complain(f"{model}: {several(count, 'task')} leaked, more than --max-leaked {max_leaked}.")
    if found.missing or too_many:
        raise typer.Exit(1)


def _tell_leakage(model: str, task: MakingSubject, outcome: object) -> None:
    tell_failure(task, outcome, f"{model}, task")


@listed(
    "deepassay tasks topics examples/demo/queries.jsonl --size 60 --run topics.assay",
    "deepassay tasks topics examples/demo/queries.jsonl --size 100 --language en --language zh "
    "--language sw --run topics.assay",
    group="from what users ask",
)
@takes(
    *(MAKER, *MODEL, "columns", Own("limit", "Only the first queries."), *TERMS),
    help="""See what users research, and the tasks each topic gets.

    Queries that ask for deep research are sorted under 22 topics, each asked twice with the menu
    the other way round. The same command run again resumes where it was stopped.
    """,
)
def topics(
    queries: Annotated[
        Path, typer.Argument(help="Queries with id and prompt: JSON Lines, CSV or Parquet.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON Lines: added to.")] = Path(
        "topics.jsonl"
    ),
    size: Annotated[int, typer.Option(min=1, help="Tasks of the set to be made.")] = 100,
    language: Annotated[
        list[str] | None, typer.Option(help="Of its tasks; may be repeated.  [en, zh]")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(help="A set with topics, to compare the distribution with.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the order of the menus.")] = 1,
    format: Annotated[TableFormat, typer.Option()] = "text",
    *,
    settings: Settings,
) -> None:
    """Count the topics of queries that users sent, and say how many tasks each topic is to have."""
    from deepassay.cli.terminal import ProgressBar
    from deepassay.wings.build.topics.steps import TopicTerms, find_topics
    from deepassay.wings.build.topics.topic_tables import write_topics

    terms = TopicTerms(size, tuple(language or ("en", "zh")), seed, compare)
    with ProgressBar() as progress:

        def show(done: int, of: int) -> None:
            progress.show(done, of, ())

        found = find_topics(
            queries, output, settings, terms, listener=teller("query"), on_progress=show
        )
    if found.demands is not None:
        hand_over(write_topics(found.demands, found.allocation, found.compared, format))
    remarks = [*_remarks(found, output, settings)]
    useless = "" if found.allocation is not None else NO_TOPIC.format(queries, output)
    finish_making(found, output, settings, "verdicts", remarks, items="queries", useless=useless)


NO_TOPIC: Final = (
    "No query of {} has a topic, so no tasks were allotted: {} says why. Give queries that ask for "
    "research, or another model with --maker."
)


def _remarks(found: TopicsFound, output: Path, settings: Settings) -> Iterator[str]:
    from deepassay.wings.build.topics.topic_tables import allocation_file

    if found.allocation is not None:
        yield f"Tasks by topic and language are in {allocation_file(output)}."
    if settings.maker == "offline":
        yield "They were sorted by rule, a baseline that counts words: name a model with --maker."


app.command()(check)
app.command()(sets)
app.command()(recount)
app.command()(arena.transcribe)
app.command()(arena.inspire)
app.command()(arena.weave)
app.command()(arena.rank)
app.command()(arena.build)
app.command()(arena.provenance)
app.command()(topics)
app.command()(authoring.author)
app.command()(experts.survey)
app.command()(experts.draft)
app.command()(experts.clarify)
app.command()(experts.refine)
app.command("checklist-from")(experts.checklist_from)
app.command()(experts.verify)
app.command()(experts.quality)
