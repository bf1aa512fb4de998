"""`tasks rank`: tasks in the order of their worth, found by comparing pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.making import finish_making
from deepassay.cli.options import (
    DEFAULT_RUN,
    AllowUnpriced,
    BaseUrl,
    Budget,
    Deadline,
    MaxConnections,
    MaxOutput,
    Prices,
    RunPath,
    Temperature,
)
from deepassay.cli.terminal import note, say_stopping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deepassay.run.ranking import Ranked, RankRequest
    from deepassay.tasks.curate.arena.comparisons import Comparison


def rank(
    tasks: Annotated[Path, typer.Argument(help="JSON Lines, CSV or Parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON Lines: the best first.")],
    rounds: Annotated[int, typer.Option(min=1, help="Comparisons of every task.")] = 2,
    keep: Annotated[int | None, typer.Option(min=1, help="So many of the best.  [all]")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the pairs and the intervals.")] = 1,
    judge: Annotated[str, typer.Option(help="offline, or PROVIDER:NAME.")] = "offline",
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    max_output: MaxOutput = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first tasks.")] = None,
    max_connections: MaxConnections = 16,
    deadline: Deadline = 120.0,
    budget: Budget = None,
    allow_unpriced: AllowUnpriced = False,
    prices: Prices = None,
    run: RunPath = DEFAULT_RUN,
) -> None:
    """Rank tasks by Elo ratings from comparisons of random pairs, and keep the best.

    Comparisons and ratings are kept beside the output. The same command run again resumes where it
    was stopped; tasks that were added are compared with those that are rated.
    """
    from deepassay.run.ranking import RankRequest

    _rank(
        RankRequest(
            tasks=tasks,
            output=output,
            rounds=rounds,
            keep=keep,
            seed=seed,
            maker=judge,
            base_url=base_url,
            temperature=temperature,
            max_output=max_output,
            limit=limit,
            run=run,
            max_connections=max_connections,
            deadline=deadline,
            budget=budget,
            allow_unpriced=allow_unpriced,
            prices=prices,
        )
    )


def _rank(request: RankRequest) -> None:
    from deepassay.run.ranking import rank as compare
    from deepassay.tasks.curate.arena.comparisons import comparisons_file

    made = compare(request, on_pair=_tell, on_signal=say_stopping)
    told = replace(request, output=comparisons_file(request.output))
    finish_making(made, told, "verdicts", [*_remarks(made, request)], items="pairs")


def _remarks(made: Ranked, request: RankRequest) -> Iterator[str]:
    from deepassay.tasks.curate.arena.ranking import ranking_file

    if made.standings:
        kept = len(made.standings[: request.keep])
        yield (
            f"The best {kept} of {len(made.standings)} tasks are in {request.output}, all ratings "
            f"in {ranking_file(request.output)}."
        )
    if request.maker == "offline":
        yield "Pairs were compared by rule, a baseline that sees how tasks are worded."


def _tell(pair: Comparison, outcome: object) -> None:
    from deepassay.score import Unscored

    if isinstance(outcome, Unscored):
        note(f"  {pair.id}: {outcome.cause}: {outcome.detail}")
