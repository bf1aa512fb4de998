"""How long the reports of each agent are (LiveResearchBench, figure 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.figure import PAGE, Figure, Material, Omitted, Sketch
from deepassay.results.figures.style import Look
from deepassay.results.lengths import TokenSpread, token_spreads
from deepassay.wings.papers.figures.rows import ROW, name_rows

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


Rows = Sequence[tuple[str, TokenSpread]]
"""Agents, those with the longest reports first."""


def length_figure(material: Material) -> Iterator[Figure | Omitted]:
    """One figure over all reports, if the files have any."""
    if not material.reports:
        yield Omitted("lengths", "the files hold scores, but no reports")
        return
    found = token_spreads(material.reports, lambda report: report.agent)
    rows = sorted(found.items(), key=lambda row: -row[1].whole.median)
    yield Figure.of(
        "lengths",
        "Length of reports with web addresses and without",
        CAPTION,
        Sketch(partial(_draw, rows), (PAGE, _step(rows) * max(len(rows), 2) + 0.9)),
        HEAD,
        (
            (agent, str(own.reports), kind, *(f"{value:.0f}" for value in values))
            for agent, own in rows
            for kind, values in zip(KINDS, (own.whole, own.bare), strict=True)
        ),
    )


def _step(rows: Rows) -> float:
    return 1.8 * ROW if len(rows) <= 20 else 1.1 * ROW


def _draw(rows: Rows, canvas: Canvas, look: Look) -> None:
    axes = canvas.subplots()
    for place, (_, own) in enumerate(rows):
        _box(axes, look, place - 0.2, own.whole, KINDS[0] if place == 0 else "")
        _box(axes, look, place + 0.2, own.bare, KINDS[1] if place == 0 else "", bare=True)
    name_rows(axes, [f"{agent} ({own.reports})" for agent, own in rows], cells=34)
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
