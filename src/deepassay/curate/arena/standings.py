"""Tasks in the order of their Elo ratings, reckoned from comparisons."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from deepassay.curate.arena.comparisons import Comparison
from deepassay.curate.arena.elo import Round, intervals, ratings, rounds_of
from deepassay.curate.arena.review import guarded
from deepassay.tasks.entries import write_file
from deepassay.tasks.task import Task

HEAD: Final = ("rank", "id", "rating", "low", "high", "compared", "won")


@dataclass(frozen=True)
class Standing:
    """One task. rank: from 1. low, high: the interval of its rating. compared, won: how often."""

    rank: int
    task: Task
    rating: float
    low: float
    high: float
    compared: int
    won: int


def standings(
    tasks: Sequence[Task], comparisons: Sequence[Comparison], chance: np.random.Generator
) -> list[Standing]:
    """Every task with its rating, the best first; of equal ones the earlier.

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
    order = sorted(range(len(tasks)), key=lambda place: (-round(float(rated[place]), 6), place))
    return [
        Standing(
            rank,
            tasks[place],
            float(rated[place]),
            float(ends[place, 0]),
            float(ends[place, 1]),
            compared[tasks[place].id],
            won[tasks[place].id],
        )
        for rank, place in enumerate(order, start=1)
    ]


def ranking_file(tasks: Path) -> Path:
    """The table that belongs to a file of ranked tasks."""
    return tasks.with_name(f"{tasks.stem}.ranking.csv")


def write_ranking(path: Path, ranked: Sequence[Standing]) -> None:
    """Write the table of all tasks anew. Raises BadTasks."""
    out = io.StringIO(newline="")
    table = csv.writer(out, lineterminator="\n")
    table.writerow(HEAD)
    for each in ranked:
        numbers = (f"{value:.1f}" for value in (each.rating, each.low, each.high))
        table.writerow([each.rank, guarded(each.task.id), *numbers, each.compared, each.won])
    write_file(path, out.getvalue())


def _rounds(comparisons: Sequence[Comparison], places: dict[str, int]) -> list[Round]:
    rows = []
    for each in comparisons:
        if each.verdict is None or each.second is None:
            continue
        sure = each.verdict.confidence
        outcome = sure if each.verdict.winner == each.first else 1 - sure
        rows.append((each.round, places[each.first], places[each.second], outcome))
    return rounds_of(rows)
