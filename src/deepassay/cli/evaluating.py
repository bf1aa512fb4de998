"""`evaluate`, `estimate`, `doctor`: scoring reports, and what that would take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deepassay.cli.options import (
    DEFAULT_RUN,
    BaseUrl,
    Judges,
    Prices,
    RunPath,
)
from deepassay.cli.request_options import not_overruled
from deepassay.cli.terminal import note, say_stopping, show

if TYPE_CHECKING:
    from deepassay.run.evaluate import Summary
    from deepassay.run.request import Request


def evaluate(request: Request) -> None:
    """Score reports. The same command run again resumes where it was stopped."""
    from deepassay.cli.progress import Progress
    from deepassay.run.evaluate import evaluate as score

    with Progress() as progress:
        summary = score(request, on_progress=progress.update, tell_of_signal=say_stopping)
    _tell(summary)
    if summary.signal:
        raise typer.Exit(128 + summary.signal)
    if summary.out_of_budget:
        raise typer.Exit(3)
    if not summary.tally.scored:
        note("Nothing was scored.")
        raise typer.Exit(1)
    lowest = summary.coverage
    if request.min_coverage is not None and lowest.share < request.min_coverage:
        note(
            f"Scored {lowest.share:.1%} of what was expected of {lowest.agent} under "
            f"{lowest.protocol}, less than --min-coverage {request.min_coverage:.1%}."
        )
        raise typer.Exit(1)


def _judges_of_protocols(per_protocol: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for table in per_protocol.values():
        yield from table.get("judge", [])


def _tell(summary: Summary) -> None:
    for line in summary.lines():
        note(line)


def estimate(request: Request) -> None:
    """Say what `evaluate` with the same options would ask and cost. Nothing is asked."""
    from deepassay.run.estimate import estimate as reckon

    for line in reckon(request).lines():
        show(line)


def doctor(
    context: typer.Context,
    judge: Judges = None,
    base_url: BaseUrl = None,
    prices: Prices = None,
    run: RunPath = DEFAULT_RUN,
    ask: Annotated[
        bool, typer.Option("--ask", help="Put one short question to each judge.")
    ] = False,
) -> None:
    """Check that keys, endpoints, prices and disk are fit for a run."""
    from deepassay.run.doctor import examine

    everyone = [*(judge or ["offline"]), *_judges_of_protocols(not_overruled(context))]
    checks = examine(
        list(dict.fromkeys(everyone)), base_url=base_url, prices=prices, run=run, ask=ask
    )
    for check in checks:
        show(f"{'ok  ' if check.fit else 'FAIL'}  {check.about}: {check.says}")
    raise typer.Exit(0 if all(check.fit for check in checks) else 1)
