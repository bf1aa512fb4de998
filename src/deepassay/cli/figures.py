"""`figures`: results as pictures, with what packages know of the judge."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from deepassay.cli.comparing import JudgedBy, hold_scored
from deepassay.cli.help import listed
from deepassay.cli.leaderboard import with_columns
from deepassay.cli.results import ScoredRuns
from deepassay.cli.terminal import end_with_nothing, note, show
from deepassay.results.judge_evidence import JudgeEvidence


@listed(
    "deepassay figures run.assay -o figures --only ranking --format png",
    "deepassay figures run.assay -o by-language --by language --agents examples/demo/agents.csv",
    group="look",
)
def _figures(
    runs: ScoredRuns,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the figures.")],
    format: Annotated[Literal["svg", "png", "both"], typer.Option()] = "svg",
    only: Annotated[
        list[str] | None, typer.Option(help="Only this kind of figure; may be repeated.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Draw scores by this label of tasks.")] = None,
    agents: Annotated[
        Path | None,
        typer.Option(help="Draw scores by family: file of agent, family, collected."),
    ] = None,
    allow_mixed: Annotated[
        bool,
        typer.Option("--allow-mixed", hidden=True, help="Draw scores of unequal recipes, marked."),
    ] = False,
    judged_by: JudgedBy = None,
    *,
    on_judge: Mapping[JudgeEvidence, Path],
    no_captions: Annotated[
        bool, typer.Option("--no-captions", help="Leave captions out of the pictures.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print captions, and every figure not drawn.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
) -> None:
    """Draw the results of runs as figures."""
    from deepassay.run.showing.figures import material, write_figures

    formats = ("svg", "png") if format == "both" else (format,)
    judges = judged_by or ()
    what = material(runs, by, agents, on_judge, allow_mixed=allow_mixed, judged_by=judges)
    written = write_figures(
        what, output, formats, runs, only=only or (), force=force, captioned=not no_captions
    )
    for line in written.lines(verbose=verbose):
        show(line)
    if written.lacking:
        signs = "".join(sorted(written.lacking)[:10])
        note(
            f"No font is installed for {len(written.lacking)} of the characters ({signs}): they "
            "are empty boxes in PNG. Install one, such as Noto Sans CJK SC, or use SVG."
        )
    if not written.files:
        end_with_nothing("No figure was drawn: --verbose says of each what it needs.")
    hold_scored(runs, judges)


figures = with_columns(_figures, beside_only=True)
