"""Agents by their means, with the interval of each: a leaderboard as a picture."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.results.figures.figure import Figure, Material, Omitted, file_name
from deepassay.results.figures.style import short
from deepassay.results.ranking import Board
from deepassay.results.standings import Standing
from deepassay.results.tables import in_range
from deepassay.wings.papers.figures.boards import (
    figure_title,
    is_whole,
    named_as,
    notes_of,
    whole_boards,
)
from deepassay.wings.papers.figures.rows import Forest, ForestRow

CAPTION = (
    "Mean score of each agent over its tasks with the 95 % interval of Student's t; a mark without "
    "a line rests on one task, or on equal scores. The order is that of the leaderboard."
)


def ranking(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol, over all tasks."""
    for board in whole_boards(material):
        name = file_name("ranking", board.protocol)
        scored = [row for row in board.standings if row.summary.mean is not None]
        if not scored:
            yield Omitted(name, "no agent has a score")
            continue
        yield Figure.of(
            name,
            figure_title(board, "mean scores"),
            CAPTION,
            Forest([forest_row(each, board) for each in scored], axis_label(board), board.limits),
            ("rank", "agent", "mean", "low", "high", "scored", "expected"),
            (
                (
                    row.place,
                    named_as(row),
                    *mean_and_ends(row, board),
                    *map(str, row.summary.judgements),
                )
                for row in board.standings
            ),
            notes_of(board),
            words=2,
        )


def axis_label(board: Board) -> str:
    """The words at the axis of scores."""
    return f"{short(board.protocol, 60)} (mean and 95 % interval)"


def forest_row(row: Standing, board: Board, series: int = 0) -> ForestRow:
    """An agent with its mean, interval and number. series: its colour and mark."""
    summary = row.summary
    beside = in_range(summary.mean, board.limits)
    hollow = not is_whole(row)
    return ForestRow(named_as(row), summary.mean, summary.interval, series, hollow, beside)


def mean_and_ends(row: Standing, board: Board) -> tuple[str, ...]:
    """Mean, lower and upper end of the interval, with the digits of the scale."""
    numbers = (row.summary.mean, *(row.summary.interval or (None, None)))
    return tuple(in_range(number, board.limits) for number in numbers)
