"""Who is compared with whom: random disjoint pairs, round by round.

DeepResearch Arena, section "Task Generation and Filtering". How tasks join a ranking that is there
already is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from deepassay.results.tables import as_csv
from deepassay.tasks.entries import write_file
from deepassay.tasks.task import Task
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


START: Final = 1200.0
K_FACTOR: Final = 32.0
SCALE: Final = 400.0
"""Points of rating by which the better is expected to win ten times of eleven."""

RESAMPLES: Final = 1000
LEVEL: Final = 0.95
COVERED: Final = {1: 80, 2: 90}
"""Percent of cases in which an interval holds what the rating would be on average, by rounds; from
four rounds on it is 95 and more (`benchmarks/ranking.py`)."""

_CELLS: Final = 250_000
"""Ratings reckoned at the same time, about: what the bootstrap holds in memory."""

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class Round:
    """Comparisons in which no task occurs twice.

    first, second: places of the tasks that are compared. outcome: of the first, from 0 to 1; that
    of the second is what is missing to 1. All three have the same length.
    """

    first: Places
    second: Places
    outcome: Floats


def rounds_of(compared: Sequence[tuple[int, int, int, float]]) -> list[Round]:
    """Rounds in their order, from (round, first, second, outcome of the first)."""
    ordered = sorted(compared, key=lambda row: row[0])
    return [
        Round(
            np.array([row[1] for row in rows], np.intp),
            np.array([row[2] for row in rows], np.intp),
            np.array([row[3] for row in rows], np.float64),
        )
        for rows in (list(each) for _, each in groupby(ordered, key=lambda row: row[0]))
    ]


def expected_outcome(own: Floats, other: Floats) -> Floats:
    """The outcome that two ratings promise the first of them (equation 1)."""
    return np.asarray(1.0 / (1.0 + 10.0 ** ((other - own) / SCALE)))


def ratings(rounds: Sequence[Round], tasks: int) -> Floats:
    """The rating of each of so many tasks after these rounds; their sum stays what it was."""
    reckoned = np.full((tasks, 1), START)
    for each in rounds:
        _gain(reckoned, each.first, each.second, each.outcome[:, None])
    return reckoned[:, 0]


def intervals(
    rounds: Sequence[Round],
    tasks: int,
    chance: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Floats:
    """Low and high end for each task, of shape (tasks, 2): percentiles of a bootstrap.

    Comparisons are drawn with replacement from all of them. One that is drawn several times counts
    as often, in its own round, one after the other.
    """
    lengths = [len(each.first) for each in rounds]
    if not sum(lengths):
        return np.full((tasks, 2), START)
    reckoned = np.empty((tasks, resamples), np.float32)
    step = max(1, _CELLS // tasks)
    for begin in range(0, resamples, step):
        part = reckoned[:, begin : begin + step]
        times = _times(sum(lengths), part.shape[1], chance)
        part[:] = _resampled(rounds, np.split(times, np.cumsum(lengths)[:-1]), tasks)
    # Sorted where they stand: a quantile would copy all of them, twice.
    reckoned.sort(axis=1)
    outside = (1 - level) / 2 * (resamples - 1)
    ends = [int(np.floor(outside)), int(np.ceil(resamples - 1 - outside))]
    return reckoned[:, ends].astype(np.float64)


def _times(comparisons: int, resamples: int, chance: np.random.Generator) -> NDArray[np.int64]:
    """How often each resample has each comparison, of shape (comparisons, resamples)."""
    drawn = chance.integers(0, comparisons, (comparisons, resamples))
    cells = drawn * resamples + np.arange(resamples)
    counted = np.bincount(cells.ravel(), minlength=comparisons * resamples)
    return counted.reshape(comparisons, resamples)


def _resampled(rounds: Sequence[Round], times: Sequence[NDArray[np.int64]], tasks: int) -> Floats:
    reckoned = np.full((tasks, times[0].shape[1]), START)
    for each, often in zip(rounds, times, strict=True):
        for turn in range(int(often.max(initial=0))):
            pairs, resamples = np.nonzero(often > turn)
            cells = (each.first[pairs], resamples), (each.second[pairs], resamples)
            _gain(reckoned, *cells, each.outcome[pairs])
    return reckoned


def _gain(
    reckoned: Floats,
    first: Places | tuple[Places, Places],
    second: Places | tuple[Places, Places],
    outcome: Floats,
) -> None:
    """What the first gains the second loses (equations 2 and 3), so that the sum stays."""
    gained = K_FACTOR * (outcome - expected_outcome(reckoned[first], reckoned[second]))
    reckoned[first] += gained
    reckoned[second] -= gained


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
