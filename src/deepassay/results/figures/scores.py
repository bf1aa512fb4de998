"""Agents by their means, with the interval of each: a leaderboard as a picture.

Scores by the values of a label of tasks, agent by agent (DeepResearch Arena, figure 3).

Agents by family with the mean of each family (DeepResearch Arena, figure 3; LiveResearchBench,
table 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.figure import (
    HOLLOW,
    PAGE,
    Figure,
    Material,
    Omitted,
    file_name,
    is_whole,
    named_as,
    notes_of,
    said,
)
from deepassay.results.figures.grid import Grid, draw_grid
from deepassay.results.figures.rows import (
    ROW,
    ForestRow,
    draw_rows,
    height_of,
    mark,
    reach,
    set_rows,
)
from deepassay.results.figures.style import MARKERS, Look, columns, marker, short
from deepassay.results.overview import heading
from deepassay.results.ranking import Board, Standing
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
        ForestRow(
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
                row.place,
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


SERIES: Final = len(MARKERS) - 1
"""Agents that colours and markers tell apart at a glance."""

LABEL_CAPTION: Final = (
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
    for board in material.boards:
        if board.label is not None:
            continue
        name = file_name("scores-by", material.by, board.protocol)
        cuts = [
            (each.label[1], each)
            for each in material.boards
            if each.label is not None and each.protocol == board.protocol
        ]
        if any(row.summary.mean is not None for row in board.standings):
            yield _label_figure(name, material.by, board, cuts)
        else:
            yield Omitted(name, "no agent has a score")


def _label_figure(name: str, label: str, board: Board, cuts: Cuts) -> Figure:
    title = f"{short(heading(board), 80)}: mean scores by {short(label, 40)}"
    alike = len(board.standings) > SERIES
    notes = notes_of(board, marks="" if alike else HOLLOW)
    numbers = _table(title, label, board, cuts)
    if alike:
        grid = _grid(board, cuts)
        draw, size = partial(draw_grid, grid), grid.size
        return Figure(name, title, said(GRID_CAPTION, *notes), numbers, draw, size, notes)
    size = (PAGE, _step(board) * max(2, len(cuts)) + 1.1)
    marks = partial(_draw_marks, board, cuts, label)
    return Figure(name, title, said(LABEL_CAPTION, *notes), numbers, marks, size, notes)


def _step(board: Board) -> float:
    """Inches from one value of the label to the next."""
    return max(ROW, 0.1 * len(board.standings) + 0.06)


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
            mark(axes, look, at, drawn)
            ends.append((row.summary.mean, row.summary.interval))
    set_rows(axes, [f"{short(value)} ({_tasks(cut)})" for value, cut in cuts], cells=40)
    for place in range(1, len(cuts)):
        axes.axhline(place - 0.5, color=look.faint, linewidth=0.5)
    axes.set_xlim(*reach(ends, board.limits))
    axes.set_xlabel(f"{short(board.protocol, 60)} (mean and 95 % interval)")
    axes.set_ylabel(short(label, 40))
    agents = list(map(named_as, board.standings))
    for series, agent in enumerate(agents):
        axes.plot([], [], marker(series), color=look.colour(series), label=agent)
    canvas.legend(loc="outside upper left", ncols=columns(agents, PAGE))


def _grid(board: Board, cuts: Cuts) -> Grid:
    order = _order(board)
    cells, shown = {}, {}
    for column, (_, cut) in enumerate(cuts):
        for row in cut.standings:
            if row.summary.mean is not None:
                cell = (order[row.agent, row.mark], column)
                cells[cell] = row.summary.mean
                text = in_range(row.summary.mean, board.limits)
                shown[cell] = text.removeprefix("0")[:4]
    values = [f"{short(value)} ({_tasks(cut)})" for value, cut in cuts]
    return Grid([*map(named_as, board.standings)], values, cells, "mean score", shown)


def _order(board: Board) -> dict[tuple[str, str], int]:
    """The places of agents, by their whole names: cut short, two of them may be alike."""
    return {(row.agent, row.mark): place for place, row in enumerate(board.standings)}


def _tasks(board: Board) -> int:
    return max(row.summary.tasks.expected for row in board.standings)


def _table(title: str, label: str, board: Board, cuts: Cuts) -> Table:
    return Table(
        title,
        (label, "agent", "mean", "low", "high", "tasks"),
        tuple(_cells(value, row, board) for value, cut in cuts for row in cut.standings),
        notes_of(board),
        frozenset(range(2, 6)),
    )


def _cells(value: str, row: Standing, board: Board) -> tuple[str, ...]:
    interval = row.summary.interval or (None, None)
    return (
        value,
        named_as(row),
        in_range(row.summary.mean, board.limits) if row.summary.mean is not None else NONE,
        *(in_range(end, board.limits) for end in interval),
        "{}/{}".format(*row.summary.tasks),
    )


FAMILY_CAPTION: Final = (
    "Agents by family, each with the mean over its tasks and the 95 % interval of Student's "
    "t; the vertical line is the mean of the agents of the family (families as in table 1 of "
    "LiveResearchBench, by which figure 3 of DeepResearch Arena can be read)."
)

Families = Sequence[tuple[str, Sequence[Standing]]]
"""Families in the order of the profiles, and their agents with a score, best first."""


def scores_by_family(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol, if families were told."""
    if not material.profiles:
        return
    order = list(dict.fromkeys(each.family for each in material.profiles.values()))
    for board in material.boards:
        if board.label is not None:
            continue
        name = file_name("scores-by-family", board.protocol)
        scored = [row for row in board.standings if row.summary.mean is not None]
        families = [
            (family, [row for row in scored if material.profiles[row.agent].family == family])
            for family in order
        ]
        present = [(family, rows) for family, rows in families if rows]
        yield (
            _family_figure(name, board, present)
            if present
            else Omitted(name, "no agent has a score")
        )


def _family_figure(name: str, board: Board, families: Families) -> Figure:
    title = f"{short(heading(board), 80)}: mean scores by family"
    notes = notes_of(board)
    return Figure(
        name,
        title,
        said(FAMILY_CAPTION, *notes),
        _family_table(title, board, families),
        partial(_draw, board, families),
        (PAGE * 0.75, height_of(sum(len(rows) + 1 for _, rows in families))),
        notes,
    )


def _draw(board: Board, families: Families, canvas: Canvas, look: Look) -> None:
    axes = canvas.subplots()
    shown: list[ForestRow] = []
    for series, (family, standings) in enumerate(families):
        mean = _mean(standings)
        top = len(shown)
        shown.append(ForestRow(family, None, beside=in_range(mean, board.limits), heading=True))
        shown += [
            ForestRow(
                named_as(each), each.summary.mean, each.summary.interval, series,
                not is_whole(each), in_range(each.summary.mean, board.limits),
            )
            for each in standings
        ]  # fmt: skip
        axes.plot(
            [mean, mean], [top + 0.1, len(shown) - 0.6], color=look.colour(series), linewidth=0.8,
            linestyle=(0, (4, 2)),
        )  # fmt: skip
    draw_rows(axes, look, shown)
    axes.set_xlim(*reach([(row.value, row.interval) for row in shown], board.limits))
    axes.set_xlabel(f"{short(board.protocol, 60)} (mean and 95 % interval)")


def _mean(standings: Sequence[Standing]) -> float:
    return fmean(row.summary.mean for row in standings if row.summary.mean is not None)


def _family_table(title: str, board: Board, families: Families) -> Table:
    def cells(family: str, agent: str, value: float | None) -> tuple[str, ...]:
        return family, agent, in_range(value, board.limits)

    rows = []
    for family, standings in families:
        rows += [cells(family, named_as(each), each.summary.mean) for each in standings]
        rows.append(cells(family, f"mean of {len(standings)}", _mean(standings)))
    return Table(title, ("family", "agent", "mean"), tuple(rows), notes_of(board), frozenset({2}))
