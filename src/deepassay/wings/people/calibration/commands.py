"""`calibrate`: what people would say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.comparing import JudgedBy, TableFormat
from deepassay.cli.help import listed
from deepassay.cli.results import Force, ScoredRuns
from deepassay.cli.terminal import complain, hand_over, note


@listed(
    "deepassay calibrate examples/calibration/*.jsonl --human examples/calibration/people.csv "
    "--judged-by gemini",
    "deepassay calibrate examples/calibration/*.jsonl --human examples/calibration/people.csv "
    "--judged-by gemini -o build/calibration.json --format csv > build/calibration.csv",
    group="people",
)
def calibrate(
    runs: ScoredRuns,
    human: Annotated[
        list[Path],
        typer.Option(
            help="What people said of some of the reports, as `agree` reads it; may be repeated."
        ),
    ],
    protocol: Annotated[
        list[str] | None, typer.Option(help="Only this protocol; may be repeated.")
    ] = None,
    judged_by: JudgedBy = None,
    drawn: Annotated[
        Path | None,
        typer.Option(help="What `annotate draw` wrote: labels count by their chances."),
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option(min=0.001, max=0.999, help="Say which verdicts to see at this risk."),
    ] = None,
    to_see: Annotated[Path | None, typer.Option(help="Write these verdicts as CSV.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of splits and draws.")] = 0,
    format: Annotated[TableFormat, typer.Option()] = "text",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the calibration for `leaderboard` too."),
    ] = None,
    force: Force = False,
) -> None:
    """Estimate what people would say, from few labels. Nothing is asked."""
    from deepassay.run.showing.output import check_output, write_output
    from deepassay.wings.people.calibration.seeing import as_rows
    from deepassay.wings.people.calibration.steps import calibrate_runs

    _check_risk(risk, to_see, drawn)
    if to_see is not None:
        check_output(to_see, runs, force=force)
    if output is not None:
        check_output(output, runs, force=force)
    found = calibrate_runs(human, runs, seed, protocol or (), judged_by or (), drawn, risk)
    hand_over(found.written(format))
    for remark in found.remarks:
        note(remark)
    if found.problem:
        complain(found.problem)
    elif output is not None:
        write_output(output, found.kept.to_json(), runs, force=force)
        note(f"Wrote {output}.")
    if to_see is not None and found.seeing:
        write_output(to_see, as_rows(found.seeing), runs, force=force)
        note(f"Wrote {to_see}.")
    raise typer.Exit(0 if found.joined.whole and not found.problem else 1)


def _check_risk(risk: float | None, to_see: Path | None, drawn: Path | None) -> None:
    from deepassay.errors import BadSetting

    if risk is not None and drawn is not None:
        raise BadSetting(
            "--risk takes labels on tasks drawn at random, and --drawn has others.",
            "Leave one of them out.",
        )
    if to_see is not None and risk is None:
        raise BadSetting("--to-see writes what is seen at a risk.", "Name it: --risk 0.1.")
