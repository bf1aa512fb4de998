"""Tasks ranked by comparisons of pairs, from their file to a file in the order of their ratings.

Beside the output stand the comparisons, from which everything is reckoned, and the table of all
ratings. Pairs are drawn once and kept, so that the same command goes on where it was stopped, and
tasks that were added join what is rated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from deepassay.curate.rank_eval import (
    Compared,
    Comparison,
    compare_tasks,
    comparisons_file,
    drawn,
    played,
    read_comparisons,
    refuse_changed,
    repeats,
    write_comparisons,
)
from deepassay.curate.ranking import Standing, draw_rounds, ranking_file, standings, write_ranking
from deepassay.errors import BadSetting, BadTasks
from deepassay.models.ask import Asker
from deepassay.run.making import NOBODY, Job, Listener, Made, make_all
from deepassay.run.settings import Settings
from deepassay.run.weaving import as_lines, refuse_other_than_lines
from deepassay.score import Unscored
from deepassay.tasks.entries import write_file
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task


@dataclass
class Ranked(Made):
    """What came of it, by pairs. standings: all tasks, the best first; none if it was stopped."""

    standings: list[Standing] = field(default_factory=list)


def rank_tasks(
    tasks: Path,
    output: Path,
    settings: Settings,
    *,
    rounds: int = 2,
    keep: int | None = None,
    seed: int = 1,
    listener: Listener = NOBODY,
) -> Ranked:
    """Have every pair that is drawn and not decided compared, and write the ranking.

    The first judge of the settings compares. rounds: that every task is to have been through.
    keep: so many of the best are written to the output, None: all. seed: of the pairs and the
    intervals. `settings.limit` counts tasks, the first ones. Stopped halfway it keeps what has
    been compared and leaves the ranking as it was. Raises BadInput.
    """
    judge = settings.judge[0]
    found = load_tasks(tasks)[: settings.limit]
    beside = comparisons_file(output)
    _refuse_overwriting(output, tasks, beside)
    known = _known(beside, judge)
    refuse_changed(known, found, beside)
    begin = 1 + max((each.round for each in known), default=0)
    by_id = {task.id: task for task in found}
    fresh = [
        each
        for number, pairs in draw_rounds(played(known, found), rounds, seed, begin)
        for each in drawn(number, pairs, by_id)
    ]
    comparisons = {each.place: each for each in [*known, *fresh]}
    write_comparisons(beside, comparisons.values())  # refuses before anything is paid for
    made = _compare(comparisons, by_id, beside, settings, listener)
    if not made.left and not made.out_of_budget:
        chance = np.random.default_rng([seed, 0])  # rounds begin at 1
        made.standings = standings(found, list(comparisons.values()), chance)
        write_ranking(ranking_file(output), made.standings)
        write_file(output, as_lines(each.task for each in made.standings[:keep]))
    return made


def _compare(
    comparisons: dict[tuple[int, str], Comparison],
    tasks: Mapping[str, Task],
    beside: Path,
    settings: Settings,
    listener: Listener,
) -> Ranked:
    """Have the pairs compared that are not decided, and keep the verdicts."""
    # A task may have left the file since it was drawn.
    there = tasks.keys()
    pairs = [each for each in comparisons.values() if each.second and there >= {*each.tasks}]
    wanted = [each for each in pairs if each.pending]
    made = Ranked(len(pairs), kept=len(pairs) - len(wanted))
    shown_before = repeats(comparisons.values())
    judge = settings.judge[0]

    async def make(pair: Comparison, asker: Asker) -> Compared | Unscored:
        first, second = (tasks[name] for name in pair.tasks)
        return await compare_tasks(first, second, asker, shown_before[pair.place])

    def note(decided: Sequence[tuple[Comparison, Compared]]) -> None:
        for pair, said in decided:
            comparisons[pair.place] = pair.decided(said, judge)

    try:
        asked = settings.model_copy(update={"maker": judge})
        make_all(Job(make, note, calls=1), wanted, asked, made, listener)
    finally:
        write_comparisons(beside, comparisons.values())
    return made


def _refuse_overwriting(output: Path, tasks: Path, beside: Path) -> None:
    """Refuse to write over what is no ranking."""
    refuse_other_than_lines(output)
    if output.resolve() == tasks.resolve():
        raise BadSetting(
            f"The ranking would overwrite the tasks that it is made from: {tasks}.",
            "Give another output file.",
        )
    if not beside.exists() and output.exists() and output.stat().st_size:
        raise BadTasks(
            f"{output} is there, and no comparisons in {beside.name} beside it.",
            "Give another output file: this one was not made by ranking.",
        )


def _known(beside: Path, judge: str) -> list[Comparison]:
    """The comparisons that are there. Refuses those of another judge."""
    known = read_comparisons(beside) if beside.exists() else []
    others = {each.verdict.judge for each in known if each.verdict} - {judge}
    if others:
        raise BadSetting(
            f"The comparisons in {beside} are by {', '.join(sorted(others))}, not by {judge}.",
            "Have the same judge go on, or rank into another file.",
        )
    return known
