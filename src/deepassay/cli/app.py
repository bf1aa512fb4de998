"""The command `deepassay` and its subcommands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepassay import __version__
from deepassay.cli import (
    agreeing,
    comparing,
    evaluating,
    exporting,
    figures,
    findings,
    perturbing,
    reports,
    sources,
    tasks,
)
from deepassay.cli.configuration import read_configuration
from deepassay.cli.request_options import with_options

app = typer.Typer(
    name="deepassay",
    help="Says, with evidence, how good the reports of deep-research agents are.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


DOCTORS = ("judge", "base_url", "prices", "run")
"""Settings that `doctor` takes too."""


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
) -> None:
    """Take defaults of `evaluate`, `estimate` and `doctor` from assay.toml, if there is one."""
    del version
    if context.invoked_subcommand in ("evaluate", "estimate", "doctor"):
        options, per_protocol = read_configuration(config)
        doctors = {name: options[name] for name in DOCTORS if name in options}
        context.default_map = {"evaluate": options, "estimate": options, "doctor": doctors}
        context.obj = per_protocol


app.command("evaluate")(with_options(evaluating.evaluate))
app.command("estimate")(with_options(evaluating.estimate))
app.command()(evaluating.doctor)
app.command()(findings.leaderboard)
app.command()(comparing.compare)
app.command()(findings.explain)
app.command()(figures.figures)
app.command()(findings.html)
app.command()(exporting.export)
app.command()(findings.replay)
app.command()(reports.lint)
app.command()(reports.clean)
app.command()(reports.statements)
app.command()(reports.convert)
app.command()(perturbing.perturb)
app.add_typer(agreeing.app, name="agree")
app.add_typer(sources.app, name="sources")
app.add_typer(tasks.app, name="tasks")
