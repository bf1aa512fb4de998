"""Where the failures of graded rubrics come from (ResearchRubrics, figures 5 and 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch, caption_of
from deepassay.results.figures.style import Look, hatch, short
from deepassay.results.ranking import Board
from deepassay.results.rubric_failures import AgentFailures
from deepassay.results.rubric_items import Reading
from deepassay.results.tables import decimals
from deepassay.wings.papers.figures.boards import (
    boards_of,
    figure_name,
    figure_title,
    notes_of,
    tasks_sentence,
    why_no_figure,
)
from deepassay.wings.papers.figures.rows import ROW, name_rows

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


Graded = Mapping[str, Sequence[Reading]]
"""What was read of the reports of each agent."""


class BarShares(NamedTuple):
    """One bar. mandatory, optional: shares that add up to that of the axis. inverted: ours.

    failures: on this axis, as the paper counts. tasks: over which the share is the mean.
    """

    mandatory: float
    optional: float
    inverted: float | None
    failures: int
    tasks: int


Bars = Mapping[str, Mapping[str, BarShares]]
"""By axis and agent."""


def rubric_failures(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each variant of `rubrics` that was judged."""
    for board in boards_of(material, "rubrics"):
        bars = _bars(failures_of(board))
        if omitted := why_no_figure(KIND, board):
            yield omitted
        elif not bars:
            yield Omitted(figure_name(KIND, board), f"no criterion failed by {board.protocol}")
        else:
            yield _figure(board, bars, rubric_notes(board))


def readings_of(board: Board) -> Graded:
    """What was read of the reports of each agent, in the order of the ranking."""
    found = board.beneath.readings
    return {row.agent: found.get(row.agent, ()) for row in board.standings}


def failures_of(board: Board) -> Mapping[str, AgentFailures]:
    """The failures in the reports of each agent, in the order of the ranking."""
    found = board.beneath.failures
    return {row.agent: found.get(row.agent, AgentFailures(())) for row in board.standings}


def rubric_notes(board: Board) -> tuple[str, ...]:
    """The notes of a board, and how many criteria of graded reports have no verdict."""
    lines = [
        line for own in readings_of(board).values() for reading in own for line in reading.lines
    ]
    unknown = sum(line.verdict is None for line in lines)
    open_lines = f"{unknown} of {len(lines)} criteria have no verdict and do not count."
    return (*notes_of(board, marks=""), *((open_lines,) if unknown else ()))


def _bars(failures: Mapping[str, AgentFailures]) -> Bars:
    bars: dict[str, dict[str, BarShares]] = {}
    for agent, own in failures.items():
        for axis, share in own.paper.shares.items():
            other = own.inverted.shares.get(axis)
            bars.setdefault(axis, {})[agent] = BarShares(
                own.by_obligation[axis, "mandatory"],
                own.by_obligation[axis, "optional"],
                other.mean if other else None,
                own.paper.counts.get(axis, 0),
                share.tasks,
            )
    return dict(sorted(bars.items()))


def _figure(board: Board, bars: Bars, notes: tuple[str, ...]) -> Figure:
    agents = [row.agent for row in board.standings]
    lines = -(-len(bars) // COLUMNS)
    return Figure.of(
        figure_name(KIND, board),
        figure_title(board, "failures by axis"),
        caption_of(CAPTION, tasks_sentence(board)),
        Sketch(partial(_draw, agents, bars), (PAGE, lines * (ROW * len(agents) + 0.3) + 0.65)),
        ("agent", "axis", "failures", "tasks", "share", *OBLIGATIONS, INVERTED),
        (
            (agent, axis, *_parts_cells(own[agent]))
            for agent in agents
            for axis, own in bars.items()
            if agent in own
        ),
        notes,
        words=2,
    )


def _parts_cells(parts: BarShares) -> tuple[str, ...]:
    both = parts.mandatory + parts.optional
    shares = (both, parts.mandatory, parts.optional, parts.inverted)
    return str(parts.failures), str(parts.tasks), *(decimals(share, 4) for share in shares)


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


def _draw_bars(axes: Axes, look: Look, agents: Sequence[str], own: Mapping[str, BarShares]) -> None:
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
    name_rows(axes, agents)
