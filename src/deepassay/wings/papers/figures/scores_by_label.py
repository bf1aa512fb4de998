"""Scores by the values of a label of tasks, agent by agent (DeepResearch Arena, figure 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, file_name
from deepassay.results.figures.style import SERIES, Look, legend_columns, marker, short
from deepassay.results.ranking import Board
from deepassay.results.tables import in_range, scored_of
from deepassay.stats.intervals import Interval
from deepassay.wings.papers.figures.boards import (
    HOLLOW,
    figure_title,
    is_whole,
    named_as,
    notes_of,
    tasks_expected,
    whole_boards,
)
from deepassay.wings.papers.figures.grid import Grid
from deepassay.wings.papers.figures.panels import step
from deepassay.wings.papers.figures.rows import ForestRow, draw_mark, name_rows, reach
from deepassay.wings.papers.figures.scores import axis_label, mean_and_ends

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas


CAPTION: Final = (
    "Mean score of each agent over the tasks with each value of the label, with the 95 % interval "
    "of Student's t (after figure 3 of DeepResearch Arena, which has no intervals). In brackets: "
    "tasks."
)
GRID_CAPTION: Final = (
    "Mean score of each agent over the tasks with each value of the label (after figure 3 of "
    "DeepResearch Arena). In brackets: tasks. The intervals are in the table."
)

Cuts = Sequence[tuple[str, Board]]
"""The values of the label, and the board of each."""


def scores_by_label(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol, if a label was asked for."""
    if material.by is None:
        return
    for board in whole_boards(material):
        name = file_name("scores-by", material.by, board.protocol)
        cuts = [
            (each.label[1], each)
            for each in material.boards
            if each.label is not None and each.protocol == board.protocol
        ]
        if any(row.summary.mean is not None for row in board.standings):
            yield _figure(name, material.by, board, cuts)
        else:
            yield Omitted(name, "no agent has a score")


def _figure(name: str, label: str, board: Board, cuts: Cuts) -> Figure:
    alike = len(board.standings) > SERIES
    size = (PAGE, step(len(board.standings)) * max(2, len(cuts)) + 1.1)
    return Figure.of(
        name,
        figure_title(board, f"mean scores by {short(label, 40)}"),
        GRID_CAPTION if alike else CAPTION,
        _grid(board, cuts) if alike else Sketch(partial(_draw_marks, board, cuts, label), size),
        (label, "agent", "mean", "low", "high", "tasks"),
        (
            (value, named_as(row), *mean_and_ends(row, board), scored_of(row.summary.tasks))
            for value, cut in cuts
            for row in cut.standings
        ),
        notes_of(board, marks="" if alike else HOLLOW),
        words=2,
    )


def _draw_marks(board: Board, cuts: Cuts, label: str, canvas: Canvas, look: Look) -> None:
    axes = canvas.subplots()
    order = _order(board)
    gap = 0.8 / len(order)
    ends = []
    for place, (_, cut) in enumerate(cuts):
        for row in cut.standings:
            series = order[row.agent, row.mark]
            at = place + (series - (len(order) - 1) / 2) * gap
            drawn = ForestRow("", row.summary.mean, row.summary.interval, series, not is_whole(row))
            draw_mark(axes, look, at, drawn)
            ends.append((row.summary.mean, row.summary.interval))
    name_rows(axes, _named(cuts), cells=40)
    for place in range(1, len(cuts)):
        axes.axhline(place - 0.5, color=look.faint, linewidth=0.5)
    axes.set_xlim(*reach(ends, board.limits))
    axes.set_xlabel(axis_label(board))
    axes.set_ylabel(short(label, 40))
    agents = list(map(named_as, board.standings))
    for series, agent in enumerate(agents):
        axes.plot([], [], marker(series), color=look.colour(series), label=agent)
    canvas.legend(loc="outside upper left", ncols=legend_columns(agents, PAGE))


def _grid(board: Board, cuts: Cuts) -> Grid:
    order = _order(board)
    cells = {
        (order[row.agent, row.mark], column): row.summary.mean
        for column, (_, cut) in enumerate(cuts)
        for row in cut.standings
        if row.summary.mean is not None
    }
    agents = [*map(named_as, board.standings)]
    return Grid(agents, _named(cuts), cells, "mean score", partial(_brief, board.limits))


def _brief(limits: Interval | None, mean: float) -> str:
    """As few letters as a cell has room for."""
    return in_range(mean, limits).removeprefix("0")[:4]


def _named(cuts: Cuts) -> list[str]:
    return [f"{short(value)} ({tasks_expected(cut)})" for value, cut in cuts]


def _order(board: Board) -> dict[tuple[str, str], int]:
    """The places of agents, by their whole names: cut short, two of them may be alike."""
    return {(row.agent, row.mark): place for place, row in enumerate(board.standings)}
