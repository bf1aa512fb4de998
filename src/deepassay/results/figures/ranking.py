"""Agents by their means, with the interval of each: a leaderboard as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from deepassay.results.figures.coverage import is_whole, named_as, notes_of, said
from deepassay.results.figures.figure import PAGE, Figure, Omitted, file_name
from deepassay.results.figures.material import Material
from deepassay.results.figures.rows import Row, draw_rows, height_of, reach
from deepassay.results.figures.style import Look, short
from deepassay.results.overview import heading
from deepassay.results.ranking import Board
from deepassay.results.tables import NONE, Table, in_range

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas

CAPTION = (
    "Mean score of each agent over its tasks with the 95 % interval of Student's t; a mark without "
    "a line rests on one task, or on equal scores. The order is that of the leaderboard."
)


def ranking(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol, over all tasks."""
    for board in material.boards:
        if board.label is None:
            yield _figure(board)


def _figure(board: Board) -> Figure | Omitted:
    name = file_name("ranking", board.protocol)
    scored = [row for row in board.standings if row.summary.mean is not None]
    if not scored:
        return Omitted(name, "no agent has a score")
    rows = [
        Row(
            named_as(each), each.summary.mean, each.summary.interval, hollow=not is_whole(each),
            beside=in_range(each.summary.mean, board.limits),
        )
        for each in scored
    ]  # fmt: skip
    ends = reach([(row.value, row.interval) for row in rows], board.limits)

    def draw(canvas: Canvas, look: Look) -> None:
        axes = canvas.subplots()
        draw_rows(axes, look, rows)
        axes.set_xlim(*ends)
        axes.set_xlabel(f"{short(board.protocol, 60)} (mean and 95 % interval)")

    notes = notes_of(board)
    return Figure(
        name,
        f"{short(heading(board), 80)}: mean scores",
        said(CAPTION, *notes),
        table(board),
        draw,
        (PAGE * 0.75, height_of(len(rows))),
        notes,
    )


def table(board: Board) -> Table:
    """The means and intervals of a board, as the leaderboard has them."""
    return Table(
        f"{heading(board)}: mean scores",
        ("rank", "agent", "mean", "low", "high", "scored", "expected"),
        tuple(
            (
                str(row.rank or NONE),
                named_as(row),
                in_range(row.summary.mean, board.limits),
                *(in_range(end, board.limits) for end in row.summary.interval or (None, None)),
                *map(str, row.summary.judgements),
            )
            for row in board.standings
        ),
        notes_of(board),
        frozenset((0, 2, 3, 4, 5, 6)),
    )
