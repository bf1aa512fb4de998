"""`evaluate`, `estimate`, `doctor`, `settings`: scoring reports, and what that would take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.options import EVALUATION, ReportPaths, TaskFile, takes
from deepassay.cli.terminal import note, say_stopping, show
from deepassay.run.settings import Settings

if TYPE_CHECKING:
    from deepassay.run.evaluate import Summary


@takes(*EVALUATION)
def evaluate(tasks: TaskFile, reports: ReportPaths, *, settings: Settings) -> None:
    """Score reports. The same command run again resumes where it was stopped."""
    from deepassay.cli.progress import Progress
    from deepassay.run.evaluate import evaluate as score

    with Progress() as progress:
        summary = score(tasks, reports, settings, progress.update, say_stopping)
    _tell(summary)
    if summary.signal:
        raise typer.Exit(128 + summary.signal)
    if summary.out_of_budget:
        raise typer.Exit(3)
    if not summary.tally.scored:
        note("Nothing was scored.")
        raise typer.Exit(1)
    lowest = summary.coverage
    if settings.min_coverage is not None and lowest.share < settings.min_coverage:
        note(
            f"Scored {lowest.share:.1%} of what was expected of {lowest.agent} under "
            f"{lowest.protocol}, less than --min-coverage {settings.min_coverage:.1%}."
        )
        raise typer.Exit(1)


def _tell(summary: Summary) -> None:
    for line in summary.lines():
        note(line)


@takes(*EVALUATION)
def estimate(tasks: TaskFile, reports: ReportPaths, *, settings: Settings) -> None:
    """Say what `evaluate` with the same options would ask and cost. Nothing is asked."""
    from deepassay.run.estimate import estimate as reckon

    for line in reckon(tasks, reports, settings).lines():
        show(line)


@takes("judge", "base_url", "prices", "run")
def doctor(
    settings: Settings,
    ask: Annotated[
        bool, typer.Option("--ask", help="Put one short question to each judge.")
    ] = False,
) -> None:
    """Check that keys, endpoints, prices and disk are fit for a run."""
    from deepassay.run.doctor import examine

    checks = examine(settings, ask=ask)
    for check in checks:
        show(f"{'ok  ' if check.fit else 'FAIL'}  {check.about}: {check.says}")
    raise typer.Exit(0 if all(check.fit for check in checks) else 1)
