"""What a judge gave agents, beside what people would give them: where a judge is calibrated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, file_name
from deepassay.results.figures.style import Look
from deepassay.results.ranking import Board
from deepassay.results.standings import ByPeople, Standing, in_span
from deepassay.wings.papers.figures.boards import (
    figure_title,
    is_whole,
    named_as,
    notes_of,
    whole_boards,
)
from deepassay.wings.papers.figures.rows import ROW, ForestRow, draw_rows, reach
from deepassay.wings.papers.figures.scores import forest_row, mean_and_ends

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas

CAPTION: Final = (
    "Left: the mean score of each agent by the judge, with the 95 % interval of Student's t. "
    "Right: what people would give it on average, by the labels of a calibration, with the "
    "interval that these labels allow. Where the order at the right is another one, or its "
    "intervals hold all agents, the judge's order is not that of people."
)


def calibration(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol whose judge is calibrated; none without a calibration."""
    for board in whole_boards(material):
        told = [(row, row.people) for row in board.standings if row.people is not None]
        if not told:
            continue
        name = file_name("calibration", board.protocol)
        known = [(row, people) for row, people in told if people.value is not None]
        if known:
            yield _figure(name, board, known, [people for _, people in told])
        else:
            yield Omitted(name, told[0][1].why or "people's labels give no value")


def _figure(
    name: str,
    board: Board,
    rows: Sequence[tuple[Standing, ByPeople]],
    all_told: Sequence[ByPeople],
) -> Figure:
    labels = f"Labels of people: {all_told[0].labels}."
    silent = len(all_told) - len(rows)
    left_out = (f"Of {silent} more agents they say nothing.",) if silent else ()
    return Figure.of(
        name,
        figure_title(board, "the judge and people"),
        CAPTION,
        Sketch(partial(_draw, board, rows), (PAGE, ROW * max(len(rows), 2) + 0.7)),
        ("agent", "judge", "low", "high", "people", "low (people)", "high (people)"),
        ((named_as(row), *mean_and_ends(row, board), *_cells(people)) for row, people in rows),
        (labels, *notes_of(board), *left_out),
    )


def _cells(people: ByPeople) -> tuple[str, ...]:
    numbers = (people.value, *(people.interval or (None, None)))
    return tuple("" if each is None else in_span(each, people.span) for each in numbers)


def _draw(
    board: Board, rows: Sequence[tuple[Standing, ByPeople]], canvas: Canvas, look: Look
) -> None:
    left, right = canvas.subplots(1, 2)
    draw_rows(left, look, [forest_row(row, board) for row, _ in rows])
    summaries = [row.summary for row, _ in rows]
    left.set_xlim(*reach([(each.mean, each.interval) for each in summaries], board.limits))
    left.set_xlabel("mean by the judge")
    people = [
        ForestRow("", own.value, own.interval, 1, not is_whole(row), _cells(own)[0])
        for row, own in rows
    ]
    draw_rows(right, look, people)
    right.set_xlim(*reach([(own.value, own.interval) for _, own in rows], rows[0][1].span))
    right.set_xlabel("mean by people, from their labels")
