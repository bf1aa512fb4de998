"""Soft Elo: ratings from comparisons that are sure to some degree, and how sure ratings are.

DeepResearch Arena, section "Task Generation and Filtering", equations 1 to 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

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
