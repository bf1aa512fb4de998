"""The ranking of tasks: who is compared with whom in random disjoint pairs, and what comes of it.

DeepResearch Arena, section "Task Generation and Filtering". How tasks join a ranking that is there
already is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from deepassay.results.tables import as_csv
from deepassay.tasks.entries import write_file
from deepassay.tasks.task import Task
from deepassay.wings.build.arena.elo import Round, intervals, ratings, rounds_of
from deepassay.wings.build.arena.rank_eval import TaskComparison, TaskPair


def draw_rounds(
    played: Mapping[str, int], rounds: int, seed: int, begin: int = 1
) -> Iterator[tuple[int, list[TaskPair]]]:
    """Rounds, each with its number, until every task has been through so many of them.

    played: rounds that each task has been through, rests included. begin: number of the first
    round. Each round has a generator of its own, so that stopping between two changes nothing.
    """
    counts = dict(sorted(played.items()))  # the order of the tasks in their file decides nothing
    number = begin
    while owing := [task for task, count in counts.items() if count < rounds]:
        if len(counts) < 2:
            return
        rated = [task for task, count in counts.items() if count >= rounds]
        pairs = draw_round(owing, rated, np.random.default_rng([seed, number]))
        yield number, pairs
        for task in (each for pair in pairs for each in pair if each is not None):
            counts[task] += 1
        number += 1


def draw_round(
    owing: Sequence[str], rated: Sequence[str], chance: np.random.Generator
) -> list[TaskPair]:
    """One round: every task that owes one plays, and nobody plays twice.

    Against a rated task as long as there are any, drawn at random; the rest among themselves, and
    the odd one rests. Which of two is shown first is drawn as well.
    """
    players = [owing[place] for place in chance.permutation(len(owing))]
    opponents = [rated[place] for place in chance.permutation(len(rated))[: len(owing)]]
    joined = len(opponents)
    rest = players[joined:]
    couples = [*zip(players[:joined], opponents, strict=True)]
    couples += zip(rest[0::2], rest[1::2], strict=False)
    turned = chance.random(len(couples)) < 0.5
    pairs = [
        TaskPair(two, one) if turn else TaskPair(one, two)
        for (one, two), turn in zip(couples, turned, strict=True)
    ]
    return [*pairs, TaskPair(rest[-1], None)] if len(rest) % 2 else pairs


HEAD: Final = ("rank", "id", "rating", "low", "high", "compared", "won")


@dataclass(frozen=True)
class TaskStanding:
    """One task. rank: from 1. low, high: the interval of its rating. compared, won: how often.

    One that was never compared has neither rank nor interval, and the rating with which all begin.
    """

    rank: int | None
    task: Task
    rating: float
    low: float | None
    high: float | None
    compared: int
    won: int


def task_standings(
    tasks: Sequence[Task], comparisons: Sequence[TaskComparison], chance: np.random.Generator
) -> list[TaskStanding]:
    """Every task with its rating, the best first; of equal ones the earlier, uncompared ones last.

    Comparisons with tasks that are not among these count all the same. chance: for the intervals.
    """
    names = dict.fromkeys(task.id for task in tasks)
    names |= dict.fromkeys(name for each in comparisons for name in each.tasks)
    places = {name: place for place, name in enumerate(names)}
    rounds = _rounds(comparisons, places)
    rated = ratings(rounds, len(places))
    ends = intervals(rounds, len(places), chance)
    judged = [each for each in comparisons if each.verdict is not None]
    compared = Counter(name for each in judged for name in each.tasks)
    won = Counter(each.verdict.winner for each in judged if each.verdict is not None)
    # Sums in another order may differ in the last digits, which must not decide a rank.
    order = sorted(
        range(len(tasks)),
        key=lambda place: (
            not compared[tasks[place].id],
            -round(float(rated[place]), 6),
            place,
        ),
    )
    return [
        TaskStanding(
            rank if compared[tasks[place].id] else None,
            tasks[place],
            float(rated[place]),
            low=float(ends[place, 0]) if compared[tasks[place].id] else None,
            high=float(ends[place, 1]) if compared[tasks[place].id] else None,
            compared=compared[tasks[place].id],
            won=won[tasks[place].id],
        )
        for rank, place in enumerate(order, start=1)
    ]


def ranking_file(tasks: Path) -> Path:
    """The table that belongs to a file of ranked tasks."""
    return tasks.with_name(f"{tasks.stem}.ranking.csv")


def write_ranking(path: Path, ranked: Sequence[TaskStanding]) -> None:
    """Write the table of all tasks anew. Raises BadTasks."""
    rows = []
    for each in ranked:
        numbers = (
            None if value is None else round(value, 1)
            for value in (each.rating, each.low, each.high)
        )
        cells = (each.rank, each.task.id, *numbers, each.compared, each.won)
        rows.append(dict(zip(HEAD, cells, strict=True)))
    write_file(path, as_csv(rows, HEAD))


def _rounds(comparisons: Sequence[TaskComparison], places: dict[str, int]) -> list[Round]:
    rows = []
    for each in comparisons:
        if each.verdict is None or each.second is None:
            continue
        sure = each.verdict.confidence
        outcome = sure if each.verdict.winner == each.first else 1 - sure
        rows.append((each.round, places[each.first], places[each.second], outcome))
    return rounds_of(rows)
