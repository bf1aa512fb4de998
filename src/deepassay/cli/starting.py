"""`start`: what tasks and reports are, who could judge them, and what that would cost."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from deepassay.cli.help import listed, reads_file
from deepassay.cli.options import takes
from deepassay.cli.terminal import ProgressBar, note, show
from deepassay.errors import BadSetting, BadTasks
from deepassay.intake.choices import choices_in
from deepassay.intake.columns import NamedColumns
from deepassay.intake.folders import TEXTS, asked_in_folders
from deepassay.intake.notes import notes_among
from deepassay.results.tables import several
from deepassay.run.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deepassay.reports.report import Report
    from deepassay.run.asking.plan import Plan
    from deepassay.run.asking.starting import FirstSteps

_NOW: Final = "Protocols that have all they need"
_LATER: Final = "Protocols to be named, each with these options of `deepassay evaluate`"
EXAMPLE: Final = "openai:gpt-5-mini"
"""Whose prices are told where no judge can be reached."""


@listed(
    "deepassay start examples/own/pilot.csv",
    "deepassay start examples/demo/tasks.jsonl examples/demo/reports --judge openai:gpt-5-mini",
    group="score",
)
@reads_file()
@takes(
    *("judge", "base_url", "set", "columns", "limit", "criteria", "rubric", "ace", "reference"),
    *("baseline", "edition", "prices"),
)
def start(
    tasks: Annotated[
        Path | None, typer.Argument(help="A table of tasks, or all there is: reports.")
    ] = None,
    reports: Annotated[
        list[Path] | None, typer.Argument(help="Folders or tables of reports.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write assay.toml, which later commands read.")
    ] = False,
    further: Annotated[
        bool, typer.Option("--further", help="Say of every other protocol what it takes.")
    ] = False,
    *,
    settings: Settings,
) -> None:
    """Say what you have, who can judge it, and what that costs.

    First comes what can be counted without a judge. No model is asked, no page read.
    """
    if tasks is None:
        raise BadSetting(
            "Nothing is named.",
            "Give a table of tasks and the reports: deepassay start tasks.csv reports",
        )
    given = tuple(reports or (tasks,))
    try:
        plan = _planned(tasks, given, alone=not reports, settings=settings)
    except BadTasks as error:
        if reports or choices_in(error):
            raise
        _show_reports(tasks, settings, error)
        return
    from deepassay.results.wrapped_tables import COLUMNS, paragraphs
    from deepassay.run.asking.reachable import ReachableJudge, reachable_judges
    from deepassay.run.asking.starting import FirstSteps, judges_found

    show("What these are\n")
    show(paragraphs((f"  {line}" for line in plan.joins()), COLUMNS))
    _show_counts(plan.reports)
    found = reachable_judges(os.environ)
    if settings.judge != ("offline",):
        found.insert(0, ReachableJudge(settings.judge[0], "named by you", settings.base_url))
    judge = found[0] if found else ReachableJudge(EXAMPLE, "an example")
    first = FirstSteps(plan, settings, (str(tasks), [*map(str, given)]), judge, bool(found))
    for title, lines in (
        (_NOW, first.now()),
        *([(_LATER, first.later())] if further else []),
        ("Who can be asked", judges_found(found)),
        ("A plan", first.steps()),
    ):
        show(f"\n{title}\n")
        for line in lines:
            show(line)
        if title == _NOW and not further:
            show(paragraphs([f"  {first.others()}"], COLUMNS))
    _offer(first, write)


def _planned(tasks: Path, given: Sequence[Path], *, alone: bool, settings: Settings) -> Plan:
    """The plan of what runs by default. Raises BadTasks where there are reports alone."""
    from deepassay.run.asking.planning import plan_of

    texts = alone and tasks.is_dir() and any(x.suffix.lower() in TEXTS for x in tasks.iterdir())
    if texts and not (asked_in_folders(tasks) or notes_among(tasks.iterdir())):
        raise BadTasks(f"{tasks} holds reports.")
    nobody = settings.model_copy(update={"add_tasks": True, "judge": ("offline",)})
    return plan_of(tasks, list(given), nobody)


def _show_reports(path: Path, settings: Settings, fault: BadTasks) -> None:
    """What is to be said where there are no tasks. fault: why there are none."""
    from deepassay.reports.loaders import reports_of

    found = reports_of(path, columns=NamedColumns.of(settings.columns))
    agents = several(len({each.agent for each in found}), "agent")
    show(f"What these are\n\n  {several(len(found), 'report')} of {agents}, and no tasks.")
    if path.is_file():
        show(f"\n  It is no table of tasks: {fault.problem}")
    _show_counts(found)
    named = ", ".join(dict.fromkeys(each.task for each in found[:3]))
    show(
        "\nHow to go on\n\n  To judge more, one has to know what was asked: give a table of tasks "
        "with\n  columns id and prompt. The reports are named after these id:\n"
        f"  {named} …\n\n  deepassay start tasks.csv {shlex.quote(str(path))}"
    )


def _show_counts(reports: Sequence[Report]) -> None:
    """What code reads off the reports."""
    from deepassay.results.wrapped_tables import COLUMNS, as_narrow
    from deepassay.run.asking.starting import counted

    with ProgressBar() as progress:
        tables = counted(reports, lambda done, total: progress.show(done, total, ()))
    for table in tables:
        show(f"\n{as_narrow(table, COLUMNS)}")


def _offer(first: FirstSteps, write: bool) -> None:
    """Write assay.toml where that is wanted, or ask on a terminal whether it is."""
    from deepassay.cli.assay_toml import DEFAULT_FILE
    from deepassay.run.asking.starting import write_toml

    if not write and sys.stdin.isatty() and sys.stdout.isatty() and not DEFAULT_FILE.exists():
        show(f"\n{DEFAULT_FILE} would hold:\n\n{first.toml()}")
        write = typer.confirm(f"Write {DEFAULT_FILE}?", default=False)
    if write:
        write_toml(DEFAULT_FILE, first.toml())
        note(f"Wrote {DEFAULT_FILE}: `deepassay evaluate` needs no options now.")
    elif not DEFAULT_FILE.exists():
        note(f"--write keeps this as {DEFAULT_FILE}.")
