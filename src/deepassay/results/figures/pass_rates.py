"""Which checks of form each agent passes: a heat map (LiveResearchBench, figure 22)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from deepassay.results.evidence import voices
from deepassay.results.figures.boards import boards_of, name_of, records_beneath, tasks_of, unfit
from deepassay.results.figures.coverage import named_as, notes_of, said
from deepassay.results.figures.figure import Figure, Omitted
from deepassay.results.figures.grid import Grid, draw_grid
from deepassay.results.figures.material import Material
from deepassay.results.figures.style import short
from deepassay.results.overview import heading
from deepassay.results.ranking import Board
from deepassay.results.records import Judged
from deepassay.results.tables import NONE, Table
from deepassay.results.unrounded import common_parts

KIND: Final = "pass-rates"
CAPTION: Final = (
    "Pass rates of the ten checks of form in per cent: the share of an agent's tasks in which the "
    "report passes, after the mean over repeats and answers within a task. The brighter the "
    "higher. At the right, tasks scored of those expected. Agents stand in the order of their "
    "scores. After figure 22 of LiveResearchBench."
)


def pass_rates(material: Material) -> Iterator[Figure | Omitted]:
    """One heat map for each variant of `presentation` that was judged."""
    for board in boards_of(material, "presentation"):
        judged = records_beneath(material, board).values()
        yield unfit(KIND, board) or _figure(board, _asked(each for own in judged for each in own))


def _figure(board: Board, asked: str) -> Figure:
    checks = common_parts([board])
    agents = [named_as(row) for row in board.standings]
    parts = [[row.summary.parts.get(check) for check in checks] for row in board.standings]
    tasks = ["{}/{}".format(*row.summary.tasks) for row in board.standings]
    cells = {
        (row, column): part.mean
        for row, own in enumerate(parts)
        for column, part in enumerate(own)
        if part is not None
    }
    grid = Grid(
        agents,
        checks,
        cells,
        "reports that pass, %",
        {place: f"{rate:.1f}" for place, rate in cells.items()},
        ends=(0.0, 100.0),
        beside=("tasks", *tasks),
    )
    rows = (
        (agent, *(NONE if part is None else f"{part.mean:.1f}" for part in own), count)
        for agent, own, count in zip(agents, parts, tasks, strict=True)
    )
    notes = (*([asked] if asked else []), *notes_of(board, marks=""))
    title = f"{short(heading(board), 60)}: checks of form that reports pass"
    head = ("agent", *checks, "tasks")
    return Figure(
        name_of(KIND, board),
        title,
        said(CAPTION, tasks_of(board), *notes),
        Table(title, head, tuple(rows), notes, frozenset(range(1, len(head)))),
        partial(draw_grid, grid),
        grid.size,
        notes,
    )


def _asked(records: Iterable[Judged]) -> str:
    """`P1 clear structure; P2 ...`: what the checks ask, in the words of the first score."""
    for record in records:
        for _, outcome in voices(record):
            if items := outcome.evidence.items:
                return "; ".join(f"{item.key.upper()} {item.item}" for item in items) + "."
    return ""
