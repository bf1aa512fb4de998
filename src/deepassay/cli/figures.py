"""`figures`: what run files say, as pictures."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.terminal import note, show


class PictureFormat(StrEnum):
    """How figures are written."""

    SVG = "svg"
    PNG = "png"
    BOTH = "both"


def figures(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run files or published scores.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the figures.")],
    format: Annotated[PictureFormat, typer.Option()] = PictureFormat.SVG,
    only: Annotated[
        list[str] | None, typer.Option(help="Only this kind of figure; may be repeated.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Draw scores by this label of tasks.")] = None,
    agents: Annotated[
        Path | None,
        typer.Option(help="Draw scores by family: file of agent, family, collected."),
    ] = None,
    allow_mixed: Annotated[
        bool, typer.Option("--allow-mixed", help="Draw scores of unequal recipes, marked.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
) -> None:
    """Draw rankings, differences, noise, lengths and what each protocol has to show."""
    from deepassay.run.figures import PNG, SVG, material, write_figures

    formats = (SVG, PNG) if format is PictureFormat.BOTH else (format.value,)
    what = material(runs, by, agents, allow_mixed=allow_mixed)
    written = write_figures(what, output, formats, runs, only=only or (), force=force)
    for path, figure in written.files:
        show(f"{path}: {figure.title}. {figure.caption}")
    for omitted in written.omitted:
        show(f"{omitted.name}: not drawn, {omitted.why}")
    if written.lacking:
        signs = "".join(sorted(written.lacking)[:10])
        note(
            f"No font is installed for {len(written.lacking)} of the characters ({signs}): they "
            "are empty boxes in PNG. Install one, such as Noto Sans CJK SC, or use SVG."
        )
    if not written.files:
        raise typer.Exit(1)
