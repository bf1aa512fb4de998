"""`tasks author`: rubrics written by three people, in rounds that are answered in the browser."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.help import listed
from deepassay.cli.options import SaidOfColumns, TaskFile
from deepassay.cli.terminal import complain, hand_over, note
from deepassay.intake.columns import UNSAID
from deepassay.results.tables import several

if TYPE_CHECKING:
    from deepassay.wings.build.authoring.steps import AuthoringState

Names = list[str] | None


@listed(
    "deepassay tasks author examples/demo/tasks.jsonl -o house.yaml",
    "deepassay tasks author examples/demo/tasks.jsonl -o house.yaml --proposer ana --reviewer "
    "bo --final cy",
    group="what tasks are judged by",
)
def author(
    tasks: TaskFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Rubrics that are done: .yaml or .jsonl.")
    ],
    *,
    proposer: Annotated[
        Names, typer.Option(help="Who writes the criteria; several take turns over the tasks.")
    ] = None,
    reviewer: Annotated[
        Names, typer.Option(help="Who reviews them, and goes on until both agree.")
    ] = None,
    final: Annotated[Names, typer.Option(help="Who decides at the end, on his own.")] = None,
    answers: Annotated[
        list[Path] | None,
        typer.Option(help="A study of `annotate` that is not in the folder; may be repeated."),
    ] = None,
    axis: Annotated[
        Names, typer.Option(help="An axis besides the six of ResearchRubrics; may be repeated.")
    ] = None,
    by: Annotated[str, typer.Option(help="Who edited the drafts.")] = "unnamed",
    columns: SaidOfColumns = None,
) -> None:
    """Have rubrics written by three people, in rounds.

    Criteria are proposed, reviewed until both agree, and decided on by a third. Each run takes
    what was answered since, says what is open, what is worth a look and how far people agree,
    and makes the next round for `annotate serve`. Drafts may be edited in between.
    """
    from deepassay.results.tables import tables_as_text
    from deepassay.wings.build.authoring.rubric_round_tables import (
        agreement_table,
        findings_table,
        stages_table,
    )
    from deepassay.wings.build.authoring.steps import RubricAuthors
    from deepassay.wings.build.authoring.steps import author as go_on

    people = RubricAuthors(proposer or (), reviewer or (), final or ())
    found = go_on(
        *(tasks, output, people),
        answers=answers or (),
        axes=axis or (),
        by=by,
        columns=columns or UNSAID,
    )
    tables = [stages_table(found.drafts), agreement_table(found.drafts)]
    tables += [findings_table(found.findings)]
    hand_over(tables_as_text([each for each in tables if each.rows], "text"))
    _tell(found, output)
    if found.unusable:
        raise typer.Exit(1)


def _tell(found: AuthoringState, output: Path) -> None:
    """What came of it, and what to do next."""
    for each in found.passed_over:
        complain(f"Not taken: {each}. If it should count, put it into the drafts by hand.")
    for name in found.unusable:
        complain(
            f"Not written: the rubric of {name} has no weight above 0. Correct it in the drafts, "
            "or set its stage back."
        )
    for name in found.older:
        complain(
            f"{output} keeps the rubric of {name} that it has: take it out there, and the edited "
            "one is written."
        )
    if found.edited:
        note(f"Edited in the drafts, and kept in their history: {', '.join(found.edited)}.")
    if found.taken:
        note(f"Answers taken: {len(found.taken)}.")
    if found.written:
        note(f"Rubrics added to {output}: {len(found.written)}.")
    if found.tasks is not None:
        note(f"Prompts were changed: evaluate with the tasks of {found.tasks}.")
    if found.round is None:
        note("All of them are done." if not found.unusable else "Nobody has anything left.")
        return
    if found.outdated:
        note(
            f"The round before asks of {several(len(found.outdated), 'task')} what has changed in "
            f"the drafts: {found.round.name} takes its place. What was answered there counts."
        )
    left = ", ".join(f"{who} ({len(tasks)})" for who, tasks in found.left.items())
    note(f"Still to be answered: {left}. Serve it, and run this command again:")
    raters = ",".join(_raters(found.round))
    serve = ("annotate", "serve", str(found.round), "--raters", raters, "--study", str(found.study))
    note("  " + shlex.join(["deepassay", *serve]))


def _raters(items: Path) -> list[str]:
    from deepassay.runfile.questions import read_asked_items

    return list(dict.fromkeys(rater for each in read_asked_items(items) for rater in each.raters))
