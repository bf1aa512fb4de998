"""What agents score against what their reports took: money, tokens or minutes, as runs know it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.agents import RunTotals
from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, file_name
from deepassay.results.figures.style import Look, legend_columns, marker, short
from deepassay.results.ranking import Board
from deepassay.results.standings import Standing
from deepassay.wings.papers.figures.boards import (
    figure_title,
    is_whole,
    named_as,
    notes_of,
    whole_boards,
)
from deepassay.wings.papers.figures.rows import reach
from deepassay.wings.papers.figures.scores import mean_and_ends

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas

WIDE: Final = 0.75 * PAGE

CAPTION: Final = (
    "Mean score of each agent over its tasks with the 95 % interval of Student's t, against the "
    "mean of what its runs took, as `research` kept them or their traces have them. Better is high "
    "and at the left."
)


class CostKind(NamedTuple):
    """What a report takes. values: of the runs of which it is known."""

    label: str
    digits: str
    values: Callable[[RunTotals], Sequence[float]]


KINDS: Final = (
    CostKind("USD of a report", "{:.2f}", lambda own: own.costs),
    CostKind("tokens of a run", "{:,.0f}", lambda own: own.tokens),
    CostKind("seconds of a run", "{:,.0f}", lambda own: own.seconds),
)
"""The first of these that is known of every agent with a score is drawn."""


def score_against_cost(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol, where agents were run; none where reports came from files."""
    if not material.agents:
        return
    for board in whole_boards(material):
        name = file_name("score-against-cost", board.protocol)
        scored = [
            row
            for row in board.standings
            if row.summary.mean is not None and row.agent in material.agents
        ]
        known = (
            kind for kind in KINDS if all(kind.values(material.agents[row.agent]) for row in scored)
        )
        if not scored:
            yield Omitted(name, "no agent with a score was run here")
        elif (kind := next(known, None)) is None:
            yield Omitted(name, "nothing is known of what every agent took")
        else:
            costs = [fmean(kind.values(material.agents[row.agent])) for row in scored]
            yield _figure(name, board, kind, [*zip(scored, costs, strict=True)])


def _figure(
    name: str, board: Board, kind: CostKind, points: Sequence[tuple[Standing, float]]
) -> Figure:
    others = len(board.standings) - len(points)
    left_out = (f"Of {others} more agents no run is known.",) if others else ()
    return Figure.of(
        name,
        figure_title(board, "scores against what reports took"),
        CAPTION,
        Sketch(partial(_draw, board, kind, points), (WIDE, 3.0 + 0.16 * -(-len(points) // 3))),
        ("agent", kind.label, "mean", "low", "high"),
        (
            (named_as(row), kind.digits.format(cost), *mean_and_ends(row, board))
            for row, cost in points
        ),
        (*notes_of(board), *left_out),
    )


def _draw(
    board: Board,
    kind: CostKind,
    points: Sequence[tuple[Standing, float]],
    canvas: Canvas,
    look: Look,
) -> None:
    axes = canvas.subplots()
    for series, (row, cost) in enumerate(points):
        summary, colour = row.summary, look.colour(series)
        if summary.mean is None:
            continue
        if summary.interval is not None:
            axes.plot((cost, cost), summary.interval, color=colour, linewidth=1.0)
        axes.plot(
            [cost], [summary.mean], marker(series), color=colour, label=named_as(row),
            markerfacecolor=colour if is_whole(row) else look.paper,
        )  # fmt: skip
    axes.set_ylim(*reach([(r.summary.mean, r.summary.interval) for r, _ in points], board.limits))
    axes.set_xlim(*reach([(cost, None) for _, cost in points], None))
    axes.set_xlabel(kind.label)
    axes.set_ylabel(short(board.protocol, 40))
    axes.grid()
    names = [named_as(row) for row, _ in points]
    canvas.legend(loc="outside lower left", ncols=legend_columns(names, WIDE))
