"""Panels beside each other over the same rows: several numbers of every agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from deepassay.results.figures.figure import PAGE
from deepassay.results.figures.style import SMALL, Look, marker, short
from deepassay.results.ranges import inside
from deepassay.results.tables import decimals
from deepassay.stats.intervals import Interval, t_interval
from deepassay.wings.papers.figures.rows import BROKEN, ROW, ForestRow, draw_mark, name_rows, reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase as Canvas


MOST: Final = 3
"""Panels that stand side by side."""


class PanelMark(NamedTuple):
    """One number, None if there is none, and its interval. hollow: as `rows.Row` has it."""

    value: float | None
    interval: Interval | None = None
    hollow: bool = False

    @classmethod
    def of(cls, values: Iterable[float], limits: Interval, hollow: bool) -> Self:
        """The mean of what is in these limits, with the 95 % interval of Student's t."""
        each = list(values)
        return cls(fmean(each) if each else None, inside(t_interval(each), limits), hollow)


@dataclass(frozen=True)
class Panel:
    """One axis. series: marks by the name of the series, a mark for each row.

    limits: of what is measured, for an axis on which all stands at one point. line: a value that
    means something, as parity. beside: what stands at the right end of each row. ends: of the
    axis, where they are not those of what is drawn. name: in tables, in place of the label.
    """

    label: str
    series: Mapping[str, Sequence[PanelMark]]
    limits: Interval | None = None
    line: float | None = None
    beside: Sequence[str] = ()
    ends: tuple[float, float] | None = None
    name: str = ""


@dataclass(frozen=True)
class Panels:
    """Panels over the same rows, which are named at the left."""

    rows: Sequence[str]
    panels: Sequence[Panel]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure in inches."""
        most = max(len(panel.series) for panel in self.panels)
        names = 0.16 * most if most > 1 else 0.0
        lines = -(-len(self.panels) // MOST)
        return PAGE, lines * (step(most) * max(len(self.rows), 2) + names + 0.6)

    def draw(self, canvas: Canvas, look: Look) -> None:
        """At most three side by side; series are named above their panel."""
        columns = min(len(self.panels), MOST)
        lines = -(-len(self.panels) // columns)
        grid = canvas.subplots(lines, columns, sharey=True, squeeze=False)
        for place, axes in enumerate(grid.flat):
            if place < len(self.panels):
                _draw_panel(axes, look, self.rows, self.panels[place])
                axes.tick_params(axis="y", labelleft=place % columns == 0)
            else:
                axes.set_visible(False)

    def cells(self) -> Iterator[tuple[str, str, str, str, str, str]]:
        """Row, panel and series, and each mark with the ends of its interval."""
        for place, row in enumerate(self.rows):
            for panel in self.panels:
                for name, marks in panel.series.items():
                    yield row, panel.name or panel.label, name, *number_and_ends(*marks[place][:2])


def number_and_ends(
    value: float | None, interval: Interval | None, digits: int = 4
) -> tuple[str, str, str]:
    """A number and both ends of its interval as cells of a table."""
    low, high = interval or (None, None)
    return decimals(value, digits), decimals(low, digits), decimals(high, digits)


def step(series: int) -> float:
    """Inches from one row to the next where each has marks of several series."""
    return max(ROW, 0.1 * series + 0.06)


def _draw_panel(axes: Axes, look: Look, rows: Sequence[str], panel: Panel) -> None:
    if panel.line is not None:
        axes.axvline(panel.line, color=look.muted, linewidth=0.8, linestyle=BROKEN)
    gap = 0.75 / len(panel.series)
    for number, marks in enumerate(panel.series.values()):
        for place, (value, interval, hollow) in enumerate(marks):
            at = place + (number - (len(panel.series) - 1) / 2) * gap
            draw_mark(axes, look, at, ForestRow("", value, interval, number, hollow))
    for place, text in enumerate(panel.beside):
        axes.annotate(
            text, (1.02, place), xycoords=axes.get_yaxis_transform(), va="center",
            fontsize=SMALL, color=look.muted, annotation_clip=False,
        )  # fmt: skip
    name_rows(axes, rows)
    drawn = [(value, ends) for marks in panel.series.values() for value, ends, _ in marks]
    axes.set_xlim(*(panel.ends or reach(drawn, panel.limits)))
    axes.set_xlabel(panel.label)
    if len(panel.series) > 1:
        for number, name in enumerate(panel.series):
            axes.plot([], [], marker(number), color=look.colour(number), label=short(name, 40))
        axes.legend(loc="lower left", bbox_to_anchor=(-0.03, 1.0), borderpad=0, handlelength=1)
