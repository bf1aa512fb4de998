"""A grid of numbers in colours: for more of them than marks and lines can show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.figure import PAGE
from deepassay.results.figures.style import LETTER, NAME, SMALL, TEXT, Look, short
from deepassay.results.tables import width
from deepassay.wings.papers.figures.rows import ROW

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import FigureBase as Canvas

LEGIBLE: Final = 0.26
"""Inches that a cell needs for its number to be read."""

BAR: Final = 4
"""Rows that the scale beside them needs for its own numbers."""

STEPS: Final = 32
"""Colours of a scale; of 50 or more, matplotlib makes pixels even in SVG."""


@dataclass(frozen=True)
class Grid:
    """Numbers by row and column; a cell that is not there stays empty.

    cells: the place of row and column, the number. shown: how a number is written, None where
    none is. marked: cells with a dot. middle: of a scale with two sides, None for one that only
    rises. ends: of the scale; None for the lowest and highest number. unit: what the colours mean.
    beside: what stands at the right, of the names of the columns first and then of each row.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Mapping[tuple[int, int], float]
    unit: str
    shown: Callable[[float], str] | None = None
    marked: frozenset[tuple[int, int]] = frozenset()
    middle: float | None = None
    ends: tuple[float, float] | None = None
    beside: Sequence[str] = ()

    @property
    def size(self) -> tuple[float, float]:
        """Inches, with room for the names of the columns above."""
        above = LETTER if self.flat else LETTER * _longest(self.columns)
        return PAGE, len(self.rows) * self.side + above + 0.3

    @property
    def side(self) -> float:
        """The height of a row in inches."""
        return ROW if len(self.rows) > 14 else 0.24

    @property
    def legible(self) -> bool:
        """Whether cells are wide enough for numbers."""
        return self._cell >= LEGIBLE

    @property
    def flat(self) -> bool:
        """Whether the names of columns have room beside each other."""
        return LETTER * _longest(self.columns) <= self._cell

    @property
    def _cell(self) -> float:
        room = PAGE - 0.8 - LETTER * (_longest(self.rows) + _longest(self.beside))
        return room / max(len(self.columns), 1)

    def draw(self, canvas: Canvas, look: Look) -> None:
        """The grid with the names of rows at the left and of columns above, and its scale."""
        import numpy as np
        from matplotlib import colormaps

        axes = canvas.subplots()
        values = np.full((len(self.rows), len(self.columns)), np.nan)
        for (row, column), value in self.cells.items():
            values[row, column] = value
        low, high = _ends(self)
        scale = colormaps["PuOr" if self.middle is not None else "cividis"].resampled(STEPS)
        mesh = axes.pcolormesh(
            np.ma.masked_invalid(values), cmap=scale, vmin=low, vmax=high,
            edgecolors=look.paper, linewidth=0.4,
        )  # fmt: skip
        axes.invert_yaxis()
        small = len(self.rows) > 25 or len(self.columns) > 25
        size = SMALL - 1 if small else SMALL + 0.5
        axes.set_yticks(
            [place + 0.5 for place in range(len(self.rows))],
            [short(name) for name in self.rows], fontsize=size,
        )  # fmt: skip
        axes.set_xticks(
            [place + 0.5 for place in range(len(self.columns))],
            [short(name) for name in self.columns], fontsize=size, rotation=0 if self.flat else 90,
        )  # fmt: skip
        axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
        axes.spines[:].set_visible(False)
        _write_beside(axes, look, self.beside)
        if len(self.rows) >= BAR:
            _add_scale(canvas, axes, mesh, self)
        for (row, column), value in self.cells.items():
            ink = readable_on(scale((value - low) / (high - low)))
            _write(axes, self, (row, column), ink)


def _add_scale(canvas: Canvas, axes: Axes, mesh: QuadMesh, grid: Grid) -> None:
    bar = canvas.colorbar(mesh, ax=axes, shrink=min(1.0, 2.5 / grid.size[1]), aspect=25, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label(grid.unit, fontsize=SMALL + 0.5)


def _write_beside(axes: Axes, look: Look, texts: Sequence[str]) -> None:
    right = axes.get_xlim()[1] + 0.1
    for place, text in enumerate(texts, start=-1):
        axes.annotate(
            text, (right, max(place + 0.5, 0)), (0, TEXT if place < 0 else 0),
            textcoords="offset points", va="center", fontsize=SMALL, color=look.muted,
            annotation_clip=False,
        )  # fmt: skip


def _write(axes: Axes, grid: Grid, cell: tuple[int, int], ink: str) -> None:
    row, column = cell
    if grid.legible and grid.shown:
        axes.text(
            column + 0.5, row + 0.5, grid.shown(grid.cells[cell]), ha="center",
            va="center_baseline", fontsize=SMALL - 0.5, color=ink, in_layout=False,
        )  # fmt: skip
    elif cell in grid.marked:
        axes.plot([column + 0.5], [row + 0.5], "o", color=ink, markersize=1.6)


def _ends(grid: Grid) -> tuple[float, float]:
    if grid.ends is not None:
        return grid.ends
    values = list(grid.cells.values()) or [0.0]
    if grid.middle is None:
        low, high = min(values), max(values)
    else:
        far = max(abs(value - grid.middle) for value in values)
        low, high = grid.middle - far, grid.middle + far
    return (low, high) if high - low > 1e-9 else (low - 1, high + 1)


def _longest(names: Iterable[str]) -> int:
    return max((min(width(name), NAME) for name in names), default=0)


def readable_on(colour: Sequence[float]) -> str:
    """Black or white, whichever stands out more: by relative luminance (WCAG 2.1).

    colour: red, green and blue in [0, 1], maybe followed by how opaque it is.
    """
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"
