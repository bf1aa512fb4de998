"""How long the reports of each agent are (LiveResearchBench, figure 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch
from deepassay.results.figures.style import Look
from deepassay.results.lengths import MeasuredReport
from deepassay.wings.papers.figures.rows import ROW, set_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase as Canvas


CAPTION: Final = (
    "Length of the reports of each agent in estimated tokens, with the web addresses in them and "
    "without: the line in the box is the median, the box holds the middle half, the whiskers reach "
    "the shortest and the longest report (after figure 5 of LiveResearchBench, which counts the "
    "tokens of addresses too). In brackets: reports."
)
KINDS: Final = ("with URLs", "without URLs")
HEAD: Final = (
    *("agent", "reports", "addresses"),
    *("shortest", "first quartile", "median", "third quartile", "longest"),
)


@dataclass(frozen=True)
class _Lengths:
    """Of one agent: reports, and five numbers from shortest to longest, whole and bare."""

    agent: str
    reports: int
    whole: tuple[float, ...]
    bare: tuple[float, ...]


def length_figure(material: Material) -> Iterator[Figure | Omitted]:
    """One figure over all reports, if the files have any."""
    if not material.reports:
        yield Omitted("lengths", "the files hold scores, but no reports")
        return
    agents = sorted({each.agent for each in material.reports})
    rows = [_of(agent, [r for r in material.reports if r.agent == agent]) for agent in agents]
    rows.sort(key=lambda row: -row.whole[2])
    yield Figure.of(
        "lengths",
        "Length of reports with web addresses and without",
        CAPTION,
        Sketch(partial(_draw, rows), (PAGE, _step(rows) * max(len(rows), 2) + 0.9)),
        HEAD,
        (
            (row.agent, str(row.reports), kind, *(f"{value:.0f}" for value in values))
            for row in rows
            for kind, values in zip(KINDS, (row.whole, row.bare), strict=True)
        ),
    )


def _step(rows: Sequence[_Lengths]) -> float:
    return 1.8 * ROW if len(rows) <= 20 else 1.1 * ROW


def _of(agent: str, reports: Sequence[MeasuredReport]) -> _Lengths:
    whole = _five([each.whole.tokens for each in reports])
    return _Lengths(agent, len(reports), whole, _five([each.bare.tokens for each in reports]))


def _five(values: Sequence[int]) -> tuple[float, ...]:
    """Shortest, quartiles (linear between values), longest."""
    import numpy as np

    return tuple(float(each) for each in np.percentile(values, (0, 25, 50, 75, 100)))


def _draw(rows: Sequence[_Lengths], canvas: Canvas, look: Look) -> None:
    axes = canvas.subplots()
    for place, row in enumerate(rows):
        _box(axes, look, place - 0.2, row.whole, KINDS[0] if place == 0 else "")
        _box(axes, look, place + 0.2, row.bare, KINDS[1] if place == 0 else "", bare=True)
    set_rows(axes, [f"{row.agent} ({row.reports})" for row in rows], cells=34)
    axes.set_xlim(left=0)
    axes.set_xlabel("estimated tokens of a report")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    canvas.legend(loc="outside upper right", ncols=2)


def _box(
    axes: Axes, look: Look, at: float, five: Sequence[float], label: str, bare: bool = False
) -> None:
    low, first, middle, third, high = five
    colour = look.colour(1 if bare else 0)
    axes.plot([low, high], [at, at], color=colour, linewidth=0.8)
    axes.barh(
        [at], [third - first], 0.32, [first], facecolor=look.paper if bare else colour,
        edgecolor=colour, linewidth=0.8, label=label or "_", zorder=2,
    )  # fmt: skip
    ink = colour if bare else look.paper
    axes.plot(
        [middle, middle], [at - 0.16, at + 0.16], color=ink, linewidth=1.4, zorder=3,
        solid_capstyle="butt",
    )  # fmt: skip
