"""`tasks check`: criteria on trial."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from deepassay.cli.help import listed
from deepassay.cli.options import BATCHES, MAKER, MODEL, TERMS, Own, takes
from deepassay.cli.terminal import complain, hand_over, note, teller
from deepassay.run.settings import Settings


@listed(
    "deepassay tasks check build/rubrics.assay --run build/check.assay",
    group="about a set",
)
@takes(
    MAKER,
    *MODEL,
    *(each for each in TERMS if each != "run"),
    Own("run", "Where what the maker says is kept.", default=Path("check.assay")),
    *BATCHES,
)
def check(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files.")],
    protocol: Annotated[list[str] | None, typer.Option(help="Only this; may be repeated.")] = None,
    format: Annotated[Literal["text", "markdown", "json"], typer.Option()] = "text",
    *,
    settings: Settings,
) -> None:
    """Find criteria that decide nothing, or ask two things.

    By the verdicts of the runs, with those that hang on each other; of two things a maker says
    it. The same command run again resumes where it was stopped.
    """
    from deepassay.wings.build.checking.steps import check_criteria

    found = check_criteria(runs, protocol or (), settings, teller())
    hand_over(found.written(format))
    for each in found.notes():
        note(each)
    if found.made.spent:
        note(f"Cost of {settings.run} in all: ${found.made.spent:.4f}.")
    lost = len(found.made.failures) + found.made.left if found.asked else 0
    if lost:
        complain(f"Not asked about: {lost} criteria. The same command goes on from here.")
    if found.made.signal:
        raise typer.Exit(128 + found.made.signal)
    if lost:
        raise typer.Exit(3 if found.made.out_of_budget else 1)
