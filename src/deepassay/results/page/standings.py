"""Who is best, as a picture: each ranking as a table in which points and intervals are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.results.comparing import Contest
from deepassay.results.leads import said_of
from deepassay.results.opening import MIXED
from deepassay.results.overview import board_heading
from deepassay.results.ranking import Board
from deepassay.results.standings import Standing
from deepassay.results.tables import NONE, ends_of, in_range
from deepassay.stats.intervals import Interval

WIDTH: Final = 150
"""Of a picture, in units of its own; a point keeps MARGIN from either end."""

MARGIN: Final = 6.0


@dataclass(frozen=True)
class DrawnRow:
    """An agent. point, low, high: where its mean and the ends of its interval are drawn."""

    place: str
    agent: str
    score: str
    interval: str
    tasks: str
    ranked: bool
    point: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class DrawnBoard:
    """A ranking. said: who is best and how sure that is. axis: scores at both ends of a picture."""

    name: str
    said: str
    axis: tuple[str, str]
    rows: tuple[DrawnRow, ...]


def ranking_pictures(boards: Sequence[Board], contests: Sequence[Contest]) -> Iterator[DrawnBoard]:
    """Every ranking over all tasks in which somebody was scored, in the order of the boards.

    contests: under the protocols whose scores were made by one recipe, see `leading`.
    """
    said = {each.protocol: said_of(each) for each in contests}
    all_offline = all(board.offline for board in boards)
    for board in boards:
        rows = [row for row in board.standings if row.summary.mean is not None]
        if board.label is not None or not rows:
            continue
        axis = _axis(rows, board.limits)
        name = board.protocol if all_offline else board_heading(board)
        if board.baseline:
            name = name.replace(f"(baseline={board.baseline!r})", f" against {board.baseline}")
        yield DrawnBoard(
            name,
            said.get(board.protocol, MIXED),
            (in_range(axis.low, board.limits), in_range(axis.high, board.limits)),
            tuple(_row(row, board, axis) for row in rows),
        )


def _axis(rows: Sequence[Standing], limits: Interval | None) -> Interval:
    """From the lowest to the highest that is drawn, as far as scores can be."""
    values = [
        end for row in rows for end in (row.summary.mean or 0.0, *(row.summary.interval or ()))
    ]
    low, high = min(values), max(values)
    if limits is not None:
        low, high = max(low, limits.low), min(high, limits.high)
    return Interval(low, high)


def _row(row: Standing, board: Board, axis: Interval) -> DrawnRow:
    def at(value: float) -> float:
        share = (value - axis.low) / (axis.high - axis.low) if axis.high > axis.low else 0.5
        return round(MARGIN + min(1.0, max(0.0, share)) * (WIDTH - 2 * MARGIN), 1)

    summary = row.summary
    assert summary.mean is not None
    low, high = map(at, summary.interval) if summary.interval else (None, None)
    return DrawnRow(
        str(row.ranks or NONE),
        row.name,
        in_range(summary.mean, board.limits),
        ends_of(summary.interval, board.limits),
        f"{summary.tasks.scored}/{summary.tasks.expected}",
        row.ranks is not None,
        at(summary.mean),
        low,
        high,
    )
