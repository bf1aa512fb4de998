"""Agents by family with the mean of each family (DeepResearch Arena, figure 3; LiveResearchBench,
table 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Final

from deepassay.results.figures.coverage import is_whole, named_as, notes_of, said
from deepassay.results.figures.figure import PAGE, Figure, Omitted, file_name
from deepassay.results.figures.material import Material
from deepassay.results.figures.rows import Row, draw_rows, height_of, reach
from deepassay.results.figures.style import Look, short
from deepassay.results.overview import heading
from deepassay.results.ranking import Board, Standing
from deepassay.results.tables import Table, in_range

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase as Canvas

CAPTION: Final = (
    "Agents by family, each with the mean over its tasks and the 95 % interval of Student's "
    "t; the vertical line is the mean of the agents of the family (families as in table 1 of "
    "LiveResearchBench, by which figure 3 of DeepResearch Arena can be read)."
)

Families = Sequence[tuple[str, Sequence[Standing]]]
"""Families in the order of the profiles, and their agents with a score, best first."""


def scores_by_family(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol, if families were told."""
    if not material.profiles:
        return
    order = list(dict.fromkeys(each.family for each in material.profiles.values()))
    for board in material.boards:
        if board.label is not None:
            continue
        name = file_name("scores-by-family", board.protocol)
        scored = [row for row in board.standings if row.summary.mean is not None]
        families = [
            (family, [row for row in scored if material.profiles[row.agent].family == family])
            for family in order
        ]
        present = [(family, rows) for family, rows in families if rows]
        yield _figure(name, board, present) if present else Omitted(name, "no agent has a score")


def _figure(name: str, board: Board, families: Families) -> Figure:
    title = f"{short(heading(board), 80)}: mean scores by family"
    notes = notes_of(board)
    return Figure(
        name,
        title,
        said(CAPTION, *notes),
        _table(title, board, families),
        partial(_draw, board, families),
        (PAGE * 0.75, height_of(sum(len(rows) + 1 for _, rows in families))),
        notes,
    )


def _draw(board: Board, families: Families, canvas: Canvas, look: Look) -> None:
    axes = canvas.subplots()
    shown: list[Row] = []
    for series, (family, standings) in enumerate(families):
        mean = _mean(standings)
        top = len(shown)
        shown.append(Row(family, None, beside=in_range(mean, board.limits), heading=True))
        shown += [
            Row(
                named_as(each), each.summary.mean, each.summary.interval, series,
                not is_whole(each), in_range(each.summary.mean, board.limits),
            )
            for each in standings
        ]  # fmt: skip
        axes.plot(
            [mean, mean], [top + 0.1, len(shown) - 0.6], color=look.colour(series), linewidth=0.8,
            linestyle=(0, (4, 2)),
        )  # fmt: skip
    draw_rows(axes, look, shown)
    axes.set_xlim(*reach([(row.value, row.interval) for row in shown], board.limits))
    axes.set_xlabel(f"{short(board.protocol, 60)} (mean and 95 % interval)")


def _mean(standings: Sequence[Standing]) -> float:
    return fmean(row.summary.mean for row in standings if row.summary.mean is not None)


def _table(title: str, board: Board, families: Families) -> Table:
    def cells(family: str, agent: str, value: float | None) -> tuple[str, ...]:
        return family, agent, in_range(value, board.limits)

    rows = []
    for family, standings in families:
        rows += [cells(family, named_as(each), each.summary.mean) for each in standings]
        rows.append(cells(family, f"mean of {len(standings)}", _mean(standings)))
    return Table(title, ("family", "agent", "mean"), tuple(rows), notes_of(board), frozenset({2}))
