"""Agents by family with the mean of each family (LiveResearchBench, table 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from deepassay.results.families import by_family
from deepassay.results.figures.figure import Figure, Material, Omitted, Sketch, file_name
from deepassay.results.figures.style import Look
from deepassay.results.ranking import Board
from deepassay.results.standings import Standing
from deepassay.results.tables import in_range
from deepassay.wings.papers.figures.boards import (
    figure_title,
    named_as,
    notes_of,
    whole_boards,
)
from deepassay.wings.papers.figures.rows import BROKEN, Forest, ForestRow
from deepassay.wings.papers.figures.scores import axis_label, forest_row

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas


CAPTION: Final = (
    "Agents by family, each with the mean over its tasks and the 95 % interval of Student's "
    "t; the vertical line is the mean of the agents of the family (families as in table 1 of "
    "LiveResearchBench)."
)

Families = Mapping[str, Sequence[Standing]]
"""Families in the order of the profiles, and their agents with a score, best first."""


def scores_by_family(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol, if families were told."""
    if not material.profiles:
        return
    for board in whole_boards(material):
        name = file_name("scores-by-family", board.protocol)
        scored = [row for row in board.standings if row.summary.mean is not None]
        if scored:
            families = by_family(scored, material.profiles, lambda row: row.agent)
            yield _figure(name, board, families)
        else:
            yield Omitted(name, "no agent has a score")


def _figure(name: str, board: Board, families: Families) -> Figure:
    shown: list[ForestRow] = []
    cells: list[tuple[str, str, float | None]] = []
    means: list[FamilyMean] = []
    for series, (family, standings) in enumerate(families.items()):
        mean = fmean(row.summary.mean for row in standings if row.summary.mean is not None)
        means.append(FamilyMean(mean, len(shown), len(shown) + len(standings)))
        shown.append(ForestRow(family, None, beside=in_range(mean, board.limits), heading=True))
        shown += [forest_row(each, board, series) for each in standings]
        cells += [(family, named_as(each), each.summary.mean) for each in standings]
        cells.append((family, f"mean of {len(standings)}", mean))
    forest = Forest(shown, axis_label(board), board.limits)
    return Figure.of(
        name,
        figure_title(board, "mean scores by family"),
        CAPTION,
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
