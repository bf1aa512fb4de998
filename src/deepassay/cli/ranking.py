"""`tasks rank`: tasks in the order of their worth, found by comparing pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.grouping import ungrouped
from deepassay.cli.making import finish_making
from deepassay.cli.options import BestFirst, FirstTasks, Model, Rounds, Settings, TaskFile, Terms
from deepassay.cli.terminal import note, say_stopping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deepassay.curate.arena.comparisons import Comparison
    from deepassay.run.ranking import Ranked, RankRequest


@ungrouped
def rank(
    tasks: TaskFile,
    output: BestFirst,
    *,
    rounds: Rounds = 2,
    keep: Annotated[int | None, typer.Option(min=1, help="So many of the best.  [all]")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the pairs and the intervals.")] = 1,
    judge: Model = "offline",
    settings: Settings,
    limit: FirstTasks = None,
    terms: Terms,
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
            **vars(settings),
            limit=limit,
            **vars(terms),
        )
    )


def _rank(request: RankRequest) -> None:
    from deepassay.curate.arena.comparisons import comparisons_file
    from deepassay.run.ranking import rank_tasks

    made = rank_tasks(request, on_pair=_tell, on_signal=say_stopping)
    told = replace(request, output=comparisons_file(request.output))
    finish_making(made, told, "verdicts", [*_remarks(made, request)], items="pairs")


def _remarks(made: Ranked, request: RankRequest) -> Iterator[str]:
    from deepassay.curate.arena.standings import ranking_file

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
