"""Rows of means with their intervals: the form of a forest plot, for one series or several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.figure import PAGE
from deepassay.results.figures.style import NAME, SMALL, Look, marker, short
from deepassay.stats.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase as Canvas


ROW: Final = 0.17
"""Inches from one row to the next."""

SHARE: Final = Interval(0.0, 1.0)
"""Between which ends shares lie."""

BROKEN: Final = (0, (4, 2))
"""The style of a line that is no axis: strokes of 4 and gaps of 2 points."""


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


@dataclass(frozen=True)
class Forest:
    """Rows over one axis. label: of the axis. limits: of what is measured.

    line: a value that means something, as parity, which the axis then shows. ends: of the axis,
    where they are not those of what is drawn. cells: that a name may take.
    """

    rows: Sequence[ForestRow]
    label: str
    limits: Interval | None = None
    line: float | None = None
    ends: tuple[float, float] | None = None
    wide: float = 0.75 * PAGE
    cells: int = NAME

    @property
    def size(self) -> tuple[float, float]:
        """Inches, with the axis below the rows."""
        return self.wide, ROW * max(len(self.rows), 2) + 0.6

    def draw(self, canvas: Canvas, look: Look) -> Axes:
        """Names at the left, a mark with a line for each interval."""
        axes = canvas.subplots()
        drawn = [(row.value, row.interval) for row in self.rows]
        if self.line is not None:
            axes.axvline(self.line, color=look.muted, linewidth=0.8, linestyle=BROKEN)
            drawn.append((self.line, None))
        draw_rows(axes, look, self.rows, self.cells)
        axes.set_xlim(*(self.ends or reach(drawn, self.limits)))
        axes.set_xlabel(self.label)
        return axes


def draw_rows(axes: Axes, look: Look, rows: Sequence[ForestRow], cells: int = NAME) -> None:
    """The rows from top to bottom, names at the left, a mark with a line for each interval."""
    for place, row in enumerate(rows):
        if row.value is not None:
            draw_mark(axes, look, place, row)
        if row.beside:
            axes.annotate(
                row.beside, (1, place), (5, 0), xycoords=axes.get_yaxis_transform(),
                textcoords="offset points", va="center", fontsize=SMALL, color=look.muted,
                annotation_clip=False,
            )  # fmt: skip
    name_rows(axes, [row.name for row in rows], cells)
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        if row.heading:
            label.set_fontweight("bold")


def name_rows(axes: Axes, names: Sequence[str], cells: int = NAME) -> None:
    """Axes with rows of these names, from top to bottom."""
    axes.set_yticks(range(len(names)), [short(name, cells) if name else "" for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    axes.locator_params(axis="x", nbins=6)


def draw_mark(axes: Axes, look: Look, place: float, row: ForestRow) -> None:
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
