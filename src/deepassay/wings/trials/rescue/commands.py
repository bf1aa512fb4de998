"""`rescue`: published scores of a judge that is gone, beside those of one that is there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.comparing import JudgedBy, TableFormat
from deepassay.cli.evaluating import score_all
from deepassay.cli.help import listed
from deepassay.cli.options import BATCHES, MODEL, TERMS, takes
from deepassay.cli.terminal import end_with_nothing, hand_over, note
from deepassay.errors import BadSetting
from deepassay.run.settings import Settings


@listed(
    "deepassay rescue examples/rescue/old --judged-by judge-2025 --under examples/rescue/new "
    "--judged-by examples/rescue/new=judge-2026",
    "deepassay rescue examples/rescue/old --judged-by judge-2025 --under examples/rescue/new "
    "--judged-by examples/rescue/new=judge-2026 --format csv",
    group="trials",
)
@takes(
    *("judge", "edition", *MODEL, "effort", "structured", "context_window", "cleaner", "maker"),
    *("criteria", "reference", "date", "frozen_dates", "repeat", "columns"),
    *TERMS,
    *BATCHES,
)
def rescue(
    published: Annotated[
        list[Path],
        typer.Argument(
            help="Old scores: folders as the Bench program writes them, its rows, or run files."
        ),
    ],
    under: Annotated[
        list[Path] | None,
        typer.Option(help="New scores of some of these reports, likewise; may be repeated."),
    ] = None,
    judged_by: JudgedBy = None,
    tasks: Annotated[
        Path | None, typer.Option(help="Tasks, to have --judge score anchors first, into --run.")
    ] = None,
    reports: Annotated[
        list[Path] | None, typer.Option(help="The published reports; may be repeated.")
    ] = None,
    anchors: Annotated[
        int,
        typer.Option(min=1, help="So many tasks, drawn by chance, of which reports are scored."),
    ] = 20,
    protocol: Annotated[
        str | None, typer.Option(help="Of old and new scores, where they have several.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of anchors and intervals.")] = 0,
    format: Annotated[TableFormat, typer.Option()] = "text",
    *,
    settings: Settings,
) -> None:
    """Say what a judge of today would give published reports.

    Anchors are reports that both judges scored. Says what can be claimed of each agent and of the
    order of each two, and refuses where anchors are too few.
    """
    from deepassay.wings.trials.rescue.anchors import draw_anchors
    from deepassay.wings.trials.rescue.reading import by_side, in_folders, join_sides, read_side
    from deepassay.wings.trials.rescue.tables import write_rescued

    _check(tasks, reports, under)
    new = in_folders(under or [])
    of_old, of_new = by_side(judged_by or [], under or [])
    old = read_side(in_folders(published), of_old, protocol, "old")
    if tasks is not None:
        drawn = draw_anchors(old, tasks, reports or [], anchors, seed, settings)
        for line in drawn.told():
            note(line)
        if not score_all(drawn.tasks, drawn.reports, drawn.settings).tally.scored:
            end_with_nothing("No anchor was scored. The causes stand above.")
        new.append(settings.run)
    sides = join_sides(old, read_side(new, of_new, protocol, "new"))
    hand_over(write_rescued(sides, seed, format))
    for joined in sides.joined:
        for line in joined.lines():
            note(line)
    raise typer.Exit(0 if sides.whole else 1)


def _check(tasks: Path | None, reports: list[Path] | None, under: list[Path] | None) -> None:
    """Refuse what leads to no new scores."""
    if (tasks is None) != (not reports):
        raise BadSetting("--tasks and --reports go together.", "Give both, or --under alone.")
    if tasks is None and not under:
        raise BadSetting(
            "There are no new scores.",
            "Name them with --under, or have --judge make some with --tasks and --reports.",
        )
