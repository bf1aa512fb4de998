"""Agents by their means, with the interval of each: a leaderboard as a picture.

Scores by the values of a label of tasks, agent by agent (DeepResearch Arena, figure 3).

Agents by family with the mean of each family (LiveResearchBench, table 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, file_name
from deepassay.results.figures.style import SERIES, Look, legend_columns, marker, short
from deepassay.results.ranking import Board
from deepassay.results.standings import Standing
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
from deepassay.wings.papers.figures.rows import (
    BROKEN,
    Forest,
    ForestRow,
    draw_mark,
    reach,
    set_rows,
    step,
)

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas


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
            Forest([_forest_row(each, board) for each in scored], _axis(board), board.limits),
            ("rank", "agent", "mean", "low", "high", "scored", "expected"),
            (
                (row.place, named_as(row), *_mean_and_ends(row, board), *_counts(row))
                for row in board.standings
            ),
            notes_of(board),
            words=2,
        )


def _axis(board: Board) -> str:
    return f"{short(board.protocol, 60)} (mean and 95 % interval)"


def _forest_row(row: Standing, board: Board, series: int = 0) -> ForestRow:
    summary = row.summary
    beside = in_range(summary.mean, board.limits)
    hollow = not is_whole(row)
    return ForestRow(named_as(row), summary.mean, summary.interval, series, hollow, beside)


def _mean_and_ends(row: Standing, board: Board) -> tuple[str, ...]:
    numbers = (row.summary.mean, *(row.summary.interval or (None, None)))
    return tuple(in_range(number, board.limits) for number in numbers)


def _counts(row: Standing) -> tuple[str, ...]:
    return tuple(map(str, row.summary.judgements))


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
    for board in whole_boards(material):
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
    alike = len(board.standings) > SERIES
    size = (PAGE, step(len(board.standings)) * max(2, len(cuts)) + 1.1)
    return Figure.of(
        name,
        figure_title(board, f"mean scores by {short(label, 40)}"),
        GRID_CAPTION if alike else LABEL_CAPTION,
        _grid(board, cuts) if alike else Sketch(partial(_draw_marks, board, cuts, label), size),
        (label, "agent", "mean", "low", "high", "tasks"),
        (
            (value, named_as(row), *_mean_and_ends(row, board), scored_of(row.summary.tasks))
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
    set_rows(axes, _named(cuts), cells=40)
    for place in range(1, len(cuts)):
        axes.axhline(place - 0.5, color=look.faint, linewidth=0.5)
    axes.set_xlim(*reach(ends, board.limits))
    axes.set_xlabel(_axis(board))
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


FAMILY_CAPTION: Final = (
    "Agents by family, each with the mean over its tasks and the 95 % interval of Student's "
    "t; the vertical line is the mean of the agents of the family (families as in table 1 of "
    "LiveResearchBench)."
)

Families = Sequence[tuple[str, Sequence[Standing]]]
"""Families in the order of the profiles, and their agents with a score, best first."""


def scores_by_family(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol, if families were told."""
    if not material.profiles:
        return
    order = list(dict.fromkeys(each.family for each in material.profiles.values()))
    for board in whole_boards(material):
        name = file_name("scores-by-family", board.protocol)
        scored = [row for row in board.standings if row.summary.mean is not None]
        families = [
            (family, [row for row in scored if material.profiles[row.agent].family == family])
            for family in order
        ]
        if scored:
            yield _family_figure(name, board, [each for each in families if each[1]])
        else:
            yield Omitted(name, "no agent has a score")


def _family_figure(name: str, board: Board, families: Families) -> Figure:
    shown: list[ForestRow] = []
    cells: list[tuple[str, str, float | None]] = []
    means: list[FamilyMean] = []
    for series, (family, standings) in enumerate(families):
        mean = _mean(standings)
        means.append(FamilyMean(mean, len(shown), len(shown) + len(standings)))
        shown.append(ForestRow(family, None, beside=in_range(mean, board.limits), heading=True))
        shown += [_forest_row(each, board, series) for each in standings]
        cells += [(family, named_as(each), each.summary.mean) for each in standings]
        cells.append((family, f"mean of {len(standings)}", mean))
    forest = Forest(shown, _axis(board), board.limits)
    return Figure.of(
        name,
        figure_title(board, "mean scores by family"),
        FAMILY_CAPTION,
        Sketch(partial(_draw, forest, means), forest.size),
        ("family", "agent", "mean"),
        ((family, agent, in_range(value, board.limits)) for family, agent, value in cells),
        notes_of(board),
        words=2,
    )


class FamilyMean(NamedTuple):
    """The mean of a family, drawn from the row of its name to that of its last agent."""

    mean: float
    first: int
    last: int


def _draw(forest: Forest, means: Sequence[FamilyMean], canvas: Canvas, look: Look) -> None:
    axes = forest.draw(canvas, look)
    for series, (mean, first, last) in enumerate(means):
        axes.plot(
            [mean, mean], [first + 0.1, last + 0.4], color=look.colour(series), linewidth=0.8,
            linestyle=BROKEN,
        )  # fmt: skip


def _mean(standings: Sequence[Standing]) -> float:
    return fmean(row.summary.mean for row in standings if row.summary.mean is not None)
