"""Where the failures of graded rubrics come from (ResearchRubrics, figures 5 and 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.figures.boards import boards_of, name_of, records_beneath, tasks_of, unfit
from deepassay.results.figures.coverage import notes_of, said
from deepassay.results.figures.figure import PAGE, Figure, Omitted
from deepassay.results.figures.material import Material
from deepassay.results.figures.rows import ROW, set_rows
from deepassay.results.figures.style import Look, hatch, short
from deepassay.results.overview import heading
from deepassay.results.ranking import Board
from deepassay.results.rubric_failures import breakdown, shares_by_obligation
from deepassay.results.rubric_items import Reading, readings
from deepassay.results.tables import NONE, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase as Canvas

KIND: Final = "rubric-failures"
COLUMNS: Final = 3
"""Axes side by side."""

OBLIGATIONS: Final = ("mandatory", "optional")
INVERTED: Final = "faults fail when met"
CAPTION: Final = (
    "The share that each axis has of a task's failures, by the paper's formula: the mean over the "
    "tasks with a failure in which the axis occurs, so that the shares of an agent need not add up "
    "to 1. Bars are parted into mandatory and optional criteria. A failure is a Not Satisfied "
    "verdict, also on a fault that was avoided; the diamonds have it the other way round for "
    "faults. After figures 5 and 8 of ResearchRubrics."
)


class Parts(NamedTuple):
    """One bar. mandatory, optional: shares that add up to that of the axis. inverted: ours.

    failures: on this axis, as the paper counts. tasks: over which the share is the mean.
    """

    mandatory: float
    optional: float
    inverted: float | None
    failures: int
    tasks: int


Bars = Mapping[str, Mapping[str, Parts]]
"""By axis and agent."""


def rubric_failures(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each variant of `rubrics` that was judged."""
    for board in boards_of(material, "rubrics"):
        judged = records_beneath(material, board)
        graded = {agent: readings(own) for agent, own in judged.items()}
        bars = _bars(graded)
        if omitted := unfit(KIND, board):
            yield omitted
        elif not bars:
            yield Omitted(name_of(KIND, board), f"no criterion failed by {board.protocol}")
        else:
            yield _figure(board, bars, notes_on(board, graded))


def notes_on(board: Board, graded: Mapping[str, Sequence[Reading]]) -> tuple[str, ...]:
    """The notes of a board, and how many criteria of graded reports have no verdict."""
    lines = [line for own in graded.values() for reading in own for line in reading.lines]
    unknown = sum(line.verdict is None for line in lines)
    open_lines = f"{unknown} of {len(lines)} criteria have no verdict and do not count."
    return (*notes_of(board, marks=""), *((open_lines,) if unknown else ()))


def _bars(graded: Mapping[str, Sequence[Reading]]) -> Bars:
    bars: dict[str, dict[str, Parts]] = {}
    for agent, own in graded.items():
        found, inverted = breakdown(own), breakdown(own, inverted=True)
        parted = shares_by_obligation(own)
        for axis, share in found.shares.items():
            other = inverted.shares.get(axis)
            bars.setdefault(axis, {})[agent] = Parts(
                parted[axis, "mandatory"],
                parted[axis, "optional"],
                other.mean if other else None,
                found.counts.get(axis, 0),
                share.tasks,
            )
    return dict(sorted(bars.items()))


def _figure(board: Board, bars: Bars, notes: tuple[str, ...]) -> Figure:
    title = f"{short(heading(board), 60)}: failures by axis"
    agents = [row.agent for row in board.standings]
    lines = -(-len(bars) // COLUMNS)
    return Figure(
        name_of(KIND, board),
        title,
        said(CAPTION, tasks_of(board), *notes),
        _table(title, agents, bars, notes),
        partial(_draw, agents, bars),
        (PAGE, lines * (ROW * len(agents) + 0.3) + 0.65),
        notes,
    )


def _draw(agents: Sequence[str], bars: Bars, canvas: Canvas, look: Look) -> None:
    columns = min(len(bars), COLUMNS)
    lines = -(-len(bars) // columns)
    grid = canvas.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for place, axes in enumerate(grid.flat):
        axes.set_visible(place < len(bars))
    for axes, (axis, own) in zip(grid.flat, bars.items(), strict=False):
        _draw_bars(axes, look, agents, own)
        axes.set_title(short(axis, 30))
    for axes in grid[-1]:
        axes.set_xlabel("share of failures")
    handles, names = grid.flat[0].get_legend_handles_labels()
    named = dict(zip(names, handles, strict=True))
    order = [name for name in (*OBLIGATIONS, INVERTED) if name in named]
    canvas.legend([named[name] for name in order], order, loc="outside lower left", ncols=3)


def _draw_bars(axes: Axes, look: Look, agents: Sequence[str], own: Mapping[str, Parts]) -> None:
    places = [place for place, agent in enumerate(agents) if agent in own]
    parts = [own[agent] for agent in agents if agent in own]
    begin = [0.0] * len(parts)
    shares = ([each.mandatory for each in parts], [each.optional for each in parts])
    for series, (name, own_shares) in enumerate(zip(OBLIGATIONS, shares, strict=True)):
        axes.barh(
            places, own_shares, 0.7, begin, label=name, hatch=hatch(series), edgecolor=look.paper,
            color=look.colour(series), linewidth=0.4,
        )  # fmt: skip
        begin = [left + share for left, share in zip(begin, own_shares, strict=True)]
    inverted = [
        (each.inverted, place)
        for each, place in zip(parts, places, strict=True)
        if each.inverted is not None
    ]
    axes.plot(
        [share for share, _ in inverted], [place for _, place in inverted], "D", label=INVERTED,
        markerfacecolor=look.paper, color=look.ink, markersize=3.5, markeredgewidth=0.8,
        clip_on=False,
    )  # fmt: skip
    set_rows(axes, agents)


def _table(title: str, agents: Sequence[str], bars: Bars, notes: tuple[str, ...]) -> Table:
    rows = [
        (
            agent,
            axis,
            str(parts.failures),
            str(parts.tasks),
            f"{parts.mandatory + parts.optional:.4f}",
            f"{parts.mandatory:.4f}",
            f"{parts.optional:.4f}",
            NONE if parts.inverted is None else f"{parts.inverted:.4f}",
        )
        for agent in agents
        for axis, own in bars.items()
        if (parts := own.get(agent)) is not None
    ]
    head = ("agent", "axis", "failures", "tasks", "share", *OBLIGATIONS, INVERTED)
    return Table(title, head, tuple(rows), notes, frozenset(range(2, len(head))))
