"""Tasks ranked by comparisons of pairs, from their file to a file in the order of their ratings.

Beside the output stand the comparisons, from which everything is reckoned, and the table of all
ratings. Pairs are drawn once and kept, so that the same command goes on where it was stopped, and
tasks that were added join what is rated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from deepassay.curate.arena.comparisons import (
    Comparison,
    comparisons_file,
    drawn,
    played,
    read_comparisons,
    refuse_changed,
    repeats,
    write_comparisons,
)
from deepassay.curate.arena.pairing import draw_rounds
from deepassay.curate.arena.rank_eval import Compared, compare_tasks
from deepassay.curate.arena.standings import (
    Standing,
    ranking_file,
    standings,
    write_ranking,
)
from deepassay.errors import BadSetting, BadTasks
from deepassay.models.ask import Asker
from deepassay.run.making import Job, Made, MakerTerms, make_all
from deepassay.run.weaving import refuse_other_than_lines, task_fields
from deepassay.score import Unscored
from deepassay.tasks.entries import write_file
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task


@dataclass(frozen=True, kw_only=True)
class RankRequest(MakerTerms):
    """Everything that `tasks rank` takes, as on the command line; the maker is the judge.

    tasks: their file. rounds: that every task is to have been through. keep: so many of the best
    are written to the output, None: all. seed: of the pairs and the intervals. limit: only so many
    tasks take part, the first ones.
    """

    tasks: Path
    rounds: int = 2
    keep: int | None = None
    seed: int = 1


@dataclass
class Ranked(Made):
    """What came of it, by pairs. standings: all tasks, the best first; none if it was stopped."""

    standings: list[Standing] = field(default_factory=list)


OnPair = Callable[[Comparison, Compared | Unscored], None]


def rank_tasks(
    request: RankRequest,
    on_pair: OnPair = lambda pair, outcome: None,
    on_signal: Callable[[], None] = lambda: None,
) -> Ranked:
    """Have every pair that is drawn and not decided compared, and write the ranking.

    on_pair: called after each comparison. Raises BadInput. Stopped halfway it keeps what has been
    compared and leaves the ranking as it was.
    """
    tasks = load_tasks(request.tasks)[: request.limit]
    beside = comparisons_file(request.output)
    known = _known(request, beside)
    refuse_changed(known, tasks, beside)
    comparisons = {each.place: each for each in [*known, *_drawn(tasks, known, request)]}
    write_comparisons(beside, comparisons.values())  # refuses before anything is paid for
    by_id = {task.id: task for task in tasks}
    # A task may have left the file since it was drawn.
    there = by_id.keys()
    pairs = [each for each in comparisons.values() if each.second and there >= {*each.tasks}]
    wanted = [each for each in pairs if each.pending]
    made = Ranked(len(pairs), kept=len(pairs) - len(wanted))
    shown_before = repeats(comparisons.values())

    async def make(pair: Comparison, judge: Asker) -> Compared | Unscored:
        first, second = (by_id[name] for name in pair.tasks)
        return await compare_tasks(first, second, judge, shown_before[pair.place])

    def note(decided: Sequence[tuple[Comparison, Compared]]) -> None:
        for pair, said in decided:
            comparisons[pair.place] = pair.decided(said, request.maker)

    if wanted:
        try:
            make_all(Job(make, note, on_pair, calls=1), wanted, request, made, on_signal)
        finally:
            write_comparisons(beside, comparisons.values())
    if not made.left and not made.out_of_budget:
        chance = np.random.default_rng([request.seed, 0])  # rounds begin at 1
        made.standings = standings(tasks, list(comparisons.values()), chance)
        _write(request, made.standings)
    return made


def _known(request: RankRequest, beside: Path) -> list[Comparison]:
    """The comparisons that are there. Refuses to write over what is no ranking."""
    refuse_other_than_lines(request.output)
    if request.output.resolve() == request.tasks.resolve():
        raise BadSetting(
            f"The ranking would overwrite the tasks that it is made from: {request.tasks}.",
            "Give another output file.",
        )
    known = read_comparisons(beside) if beside.exists() else []
    if not beside.exists() and request.output.exists() and request.output.stat().st_size:
        raise BadTasks(
            f"{request.output} is there, and no comparisons in {beside.name} beside it.",
            "Give another output file: this one was not made by ranking.",
        )
    others = {each.verdict.judge for each in known if each.verdict} - {request.maker}
    if others:
        raise BadSetting(
            f"The comparisons in {beside} are by {', '.join(sorted(others))}, "
            f"not by {request.maker}.",
            "Have the same judge go on, or rank into another file.",
        )
    return known


def _drawn(
    tasks: Sequence[Task], known: Sequence[Comparison], request: RankRequest
) -> list[Comparison]:
    """Pairs that are wanted besides those that are known."""
    by_id = {task.id: task for task in tasks}
    begin = 1 + max((each.round for each in known), default=0)
    rounds = draw_rounds(played(known, tasks), request.rounds, request.seed, begin)
    return [each for number, pairs in rounds for each in drawn(number, pairs, by_id)]


def _write(request: RankRequest, ranked: Sequence[Standing]) -> None:
    kept = [task_fields(each.task) for each in ranked[: request.keep]]
    lines = (json.dumps(fields, ensure_ascii=False) for fields in kept)
    write_ranking(ranking_file(request.output), ranked)
    write_file(request.output, "".join(f"{line}\n" for line in lines))
