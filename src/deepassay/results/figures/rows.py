"""Rows of means with their intervals: the form of a forest plot, for one series or several.

Panels beside each other over the same rows: several numbers of every agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.figures.style import NAME, SMALL, Look, marker, short
from deepassay.stats.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase as Canvas


ROW: Final = 0.17
"""Inches from one row to the next."""


@dataclass(frozen=True)
class ForestRow:
    """One mark. value: None if there is nothing to draw. series: its colour and marker.

    hollow: a mark that says less than the others, as a mean with scores missing. beside: what
    stands at the right end. heading: a row that names those below it.
    """

    name: str
    value: float | None
    interval: Interval | None = None
    series: int = 0
    hollow: bool = False
    beside: str = ""
    heading: bool = False


def height_of(rows: int) -> float:
    """Inches that so many rows take, with the axis below them."""
    return ROW * max(rows, 2) + 0.6


def draw_rows(axes: Axes, look: Look, rows: Sequence[ForestRow], cells: int = NAME) -> None:
    """The rows from top to bottom, names at the left, a mark with a line for each interval."""
    for place, row in enumerate(rows):
        if row.value is not None:
            mark(axes, look, place, row)
        if row.beside:
            axes.annotate(
                row.beside, (1, place), (5, 0), xycoords=axes.get_yaxis_transform(),
                textcoords="offset points", va="center", fontsize=SMALL, color=look.muted,
                annotation_clip=False,
            )  # fmt: skip
    set_rows(axes, [row.name for row in rows], cells)
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        if row.heading:
            label.set_fontweight("bold")


def set_rows(axes: Axes, names: Sequence[str], cells: int = NAME) -> None:
    """Axes with rows of these names, from top to bottom."""
    axes.set_yticks(range(len(names)), [short(name, cells) if name else "" for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    axes.locator_params(axis="x", nbins=6)


def mark(axes: Axes, look: Look, place: float, row: ForestRow) -> None:
    """One mark in a row, and its interval."""
    colour = look.colour(row.series)
    if row.value is None:
        return
    if row.interval is not None:
        axes.plot(row.interval, (place, place), color=colour, linewidth=1.2, solid_capstyle="butt")
    axes.plot(
        [row.value], [place], marker(row.series), color=colour, markeredgewidth=1.0,
        markerfacecolor=look.paper if row.hollow else colour,
    )  # fmt: skip


def reach(
    rows: Iterable[tuple[float | None, Interval | None]], limits: Interval | None
) -> tuple[float, float]:
    """The ends of the axis: what is drawn and a little more; the range if that is one point."""
    ends = [
        end for value, interval in rows if value is not None for end in (value, *(interval or ()))
    ]
    low, high = (min(ends), max(ends)) if ends else (0.0, 0.0)
    if high - low < 1e-9:
        if limits is not None and limits.low <= low <= high <= limits.high:
            low, high = limits
        else:
            low, high = low - 1, high + 1
    margin = 0.04 * (high - low)
    return low - margin, high + margin


MOST: Final = 3
"""Panels that stand side by side."""


class PanelMark(NamedTuple):
    """One number, None if there is none, and its interval. hollow: as `rows.Row` has it."""

    value: float | None
    interval: Interval | None = None
    hollow: bool = False


@dataclass(frozen=True)
class Panel:
    """One axis. series: marks by the name of the series, a mark for each row.

    limits: of what is measured, for an axis on which all stands at one point. line: a value that
    means something, as parity. beside: what stands at the right end of each row. ends: of the
    axis, where they are not those of what is drawn.
    """

    label: str
    series: Mapping[str, Sequence[PanelMark]]
    limits: Interval | None = None
    line: float | None = None
    beside: Sequence[str] = ()
    ends: tuple[float, float] | None = None


def draw_panels(rows: Sequence[str], panels: Sequence[Panel], canvas: Canvas, look: Look) -> None:
    """All panels, the names of the rows at the left; series are named above their panel."""
    columns = min(len(panels), MOST)
    lines = -(-len(panels) // columns)
    grid = canvas.subplots(lines, columns, sharey=True, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place < len(panels):
            _draw_panel(axes, look, rows, panels[place])
            axes.tick_params(axis="y", labelleft=place % columns == 0)
        else:
            axes.set_visible(False)


def panels_height(rows: int, panels: Sequence[Panel]) -> float:
    """Inches that the panels take."""
    most = max(len(panel.series) for panel in panels)
    names = 0.16 * most if most > 1 else 0.0
    return -(-len(panels) // MOST) * (_step(most) * max(rows, 2) + names + 0.6)


def _step(series: int) -> float:
    return max(ROW, 0.1 * series + 0.06)


def _draw_panel(axes: Axes, look: Look, rows: Sequence[str], panel: Panel) -> None:
    if panel.line is not None:
        axes.axvline(panel.line, color=look.muted, linewidth=0.8, linestyle=(0, (4, 2)))
    gap = 0.75 / len(panel.series)
    for number, marks in enumerate(panel.series.values()):
        for place, (value, interval, hollow) in enumerate(marks):
            at = place + (number - (len(panel.series) - 1) / 2) * gap
            mark(axes, look, at, ForestRow("", value, interval, number, hollow))
    for place, text in enumerate(panel.beside):
        axes.annotate(
            text, (1.02, place), xycoords=axes.get_yaxis_transform(), va="center",
            fontsize=SMALL, color=look.muted, annotation_clip=False,
        )  # fmt: skip
    set_rows(axes, rows)
    drawn = [(value, ends) for marks in panel.series.values() for value, ends, _ in marks]
    axes.set_xlim(*(panel.ends or reach(drawn, panel.limits)))
    axes.set_xlabel(panel.label)
    if len(panel.series) > 1:
        for number, name in enumerate(panel.series):
            axes.plot([], [], marker(number), color=look.colour(number), label=short(name, 40))
        axes.legend(loc="lower left", bbox_to_anchor=(-0.03, 1.0), borderpad=0, handlelength=1)
