"""`tasks sets` and `tasks recount`: published sets, and their published verdicts."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated, Literal

import typer

from deepassay.cli.comparing import TableFormat
from deepassay.cli.help import listed
from deepassay.cli.terminal import hand_over


@listed("deepassay tasks sets", "deepassay tasks sets drb2 --format json", group="about a set")
def sets(
    named: Annotated[
        list[str] | None, typer.Argument(help="Sets, or files of them.  [all]")
    ] = None,
    format: Annotated[Literal["text", "json"], typer.Option()] = "text",
) -> None:
    """List published sets, and how each is judged."""
    from deepassay.files import as_json
    from deepassay.run.asking.sets import rows_of_sets

    rows = rows_of_sets(named or ())
    if format == "json":
        hand_over(as_json(rows))
        return
    blocks = []
    for row in rows:
        lines = (f"{key:9}  {value}" for key, value in row.items() if key != "set")
        said = (
            textwrap.fill(each, 80, initial_indent="  ", subsequent_indent=" " * 13)
            for each in lines
        )
        blocks.append("\n".join([row["set"], *said]))
    hand_over("\n\n".join(blocks) + "\n")


@listed(group="about a set")
def recount(
    set: Annotated[str, typer.Argument(help="A published set, or the file of one.")],
    files: Annotated[list[Path], typer.Argument(help="Files of verdicts, or folders of them.")],
    format: Annotated[TableFormat, typer.Option()] = "text",
) -> None:
    """Count the published verdicts of a set again.

    Its published figures stand beside; exit status 1 where one is another.
    """
    from deepassay.run.asking.sets import recounted_figures
    from deepassay.wings.build.recount_table import write_recount

    figures = recounted_figures(set, files)
    hand_over(write_recount(figures, format))
    if not all(each.equal for each in figures):
        raise typer.Exit(1)
