"""How often criteria fail, by what their weights mean (ResearchRubrics, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from deepassay.results.figures.boards import boards_of, name_of, records_beneath, tasks_of, unfit
from deepassay.results.figures.coverage import said
from deepassay.results.figures.figure import Figure, Omitted
from deepassay.results.figures.grid import Grid, draw_grid
from deepassay.results.figures.material import Material
from deepassay.results.figures.rubric_failures import notes_on
from deepassay.results.figures.style import short
from deepassay.results.overview import heading
from deepassay.results.ranking import Board
from deepassay.results.rubric_failure_tables import IMPORTANCE
from deepassay.results.rubric_failures import failed
from deepassay.results.rubric_items import GradedCriterion, Reading, readings
from deepassay.results.tables import NONE, Table

KIND: Final = "rubric-importance"
CAPTION: Final = (
    "Criteria that fail, in per cent of those with a verdict, of all reports together: mandatory "
    "and optional ones, then by the six levels of ResearchRubrics' table 4. Here a fault fails "
    "when it is met. The brighter the more fail. The counts are in the table."
)


class Failing(NamedTuple):
    """Criteria that fail, of those with a verdict."""

    failed: int
    known: int


def rubric_importance(material: Material) -> Iterator[Figure | Omitted]:
    """One heat map for each variant of `rubrics` that was judged."""
    for board in boards_of(material, "rubrics"):
        judged = records_beneath(material, board)
        graded = {agent: readings(own) for agent, own in judged.items()}
        yield unfit(KIND, board) or _figure(board, graded)


def _figure(board: Board, graded: Mapping[str, Sequence[Reading]]) -> Figure | Omitted:
    lines = {agent: [line for each in own for line in each.lines] for agent, own in graded.items()}
    found = {agent: [_failing(own, name) for name in IMPORTANCE] for agent, own in lines.items()}
    kinds = [
        (place, name)
        for place, name in enumerate(IMPORTANCE)
        if any(own[place].known for own in found.values())
    ]
    if not kinds:
        return Omitted(name_of(KIND, board), f"no criterion has a verdict by {board.protocol}")
    shares = {
        (row, column): 100 * own[place].failed / own[place].known
        for row, own in enumerate(found.values())
        for column, (place, _) in enumerate(kinds)
        if own[place].known
    }
    notes = notes_on(board, graded)
    columns = [str(name) for _, name in kinds]
    grid = Grid(
        list(found),
        columns,
        shares,
        "criteria that fail, %",
        {cell: f"{share:.1f}" for cell, share in shares.items()},
        ends=(0.0, 100.0),
    )
    title = f"{short(heading(board), 60)}: criteria that fail, by importance"
    rows = tuple(
        (agent, *(_cell(own[place]) for place, _ in kinds)) for agent, own in found.items()
    )
    head = ("agent", *columns)
    return Figure(
        name_of(KIND, board),
        title,
        said(CAPTION, tasks_of(board), *notes),
        Table(title, head, rows, notes, frozenset(range(1, len(head)))),
        partial(draw_grid, grid),
        grid.size,
        notes,
    )


def _failing(lines: Sequence[GradedCriterion], name: str) -> Failing:
    known = [
        line for line in lines if name in (line.obligation, line.level) and line.verdict is not None
    ]
    return Failing(sum(failed(line, inverted=True) for line in known), len(known))


def _cell(found: Failing) -> str:
    return f"{found.failed}/{found.known}" if found.known else NONE
