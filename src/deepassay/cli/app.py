"""The command `deepassay` and its subcommands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepassay import __version__
from deepassay.cli import comparing, evaluating, reports, results, sources
from deepassay.run.settings_file import read_settings
from deepassay.wings.build import commands as tasks
from deepassay.wings.people.agreement import commands as agreeing
from deepassay.wings.people.annotate import commands as annotating
from deepassay.wings.people.calibration import commands as calibrating
from deepassay.wings.research import commands as researching
from deepassay.wings.trials import robustness_commands as robustness
from deepassay.wings.trials.auditing import commands as auditing

app = typer.Typer(
    name="deepassay",
    help="Says, with evidence, how good the reports of deep-research agents are.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


EVALUATING = ("evaluate", "estimate", "doctor", "settings", "research", "audit")
READING_THE_FILE = (*EVALUATING, "lint")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"deepassay {__version__}")
        raise typer.Exit


@app.callback()
def configure(
    context: typer.Context,
    config: Annotated[
        Path | None, typer.Option(help="Read options from this file instead of assay.toml.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True)
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", help="Print results and problems only; may stand anywhere."),
    ] = False,
) -> None:
    """Take settings of what evaluates and of `lint` from assay.toml, if there is one."""
    del version, quiet
    if context.invoked_subcommand in READING_THE_FILE:
        file = read_settings(config)
        given = {
            name: getattr(file, name)
            for name in file.model_fields_set - {"per_protocol", "lint", "agent"}
        }
        context.default_map = dict.fromkeys(EVALUATING, given)
        # A run file of scores does not become one of an audit.
        context.default_map["audit"] = {name: given[name] for name in given if name != "run"}
        context.obj = file


app.command()(evaluating.evaluate)
app.command()(researching.research)
app.command()(researching.sandbox)
app.command()(evaluating.estimate)
app.command()(evaluating.doctor)
app.command()(evaluating.settings)
app.command()(evaluating.protocols)
app.command()(results.leaderboard)
app.command()(comparing.compare)
app.command()(calibrating.calibrate)
app.command()(auditing.audit)
app.command()(results.explain)
app.command()(results.figures)
app.command()(results.html)
app.command()(results.export)
app.command()(results.replay)
app.command()(results.merge)
app.command()(results.batches)
app.command()(reports.lint)
app.command()(reports.clean)
app.command()(reports.statements)
app.command()(reports.convert)
app.command()(researching.standardise)
app.command()(reports.perturb)
app.add_typer(agreeing.app, name="agree")
app.add_typer(annotating.app, name="annotate")
app.add_typer(robustness.app, name="robustness")
app.add_typer(sources.app, name="sources")
app.add_typer(tasks.app, name="tasks")
