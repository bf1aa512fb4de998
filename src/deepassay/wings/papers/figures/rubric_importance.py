"""How often criteria fail, by what their weights mean (ResearchRubrics, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deepassay.results.figures.figure import Figure, Material, Omitted, caption_of
from deepassay.results.ranking import Board
from deepassay.results.rubric_failures import IMPORTANCE, AgentFailures, Failing
from deepassay.results.tables import NONE
from deepassay.wings.papers.figures.boards import (
    boards_of,
    figure_name,
    figure_title,
    tasks_sentence,
    why_no_figure,
)
from deepassay.wings.papers.figures.grid import Grid
from deepassay.wings.papers.figures.rubric_failures import failures_of, rubric_notes

KIND: Final = "rubric-importance"
CAPTION: Final = (
    "Criteria that fail, in per cent of those with a verdict, of all reports together: mandatory "
    "and optional ones, then by the six levels of ResearchRubrics' table 4. Here a fault fails "
    "when it is met. The brighter the more fail. The counts are in the table."
)


def rubric_importance(material: Material) -> Iterator[Figure | Omitted]:
    """One heat map for each variant of `rubrics` that was judged."""
    for board in boards_of(material, "rubrics"):
        yield why_no_figure(KIND, board) or _figure(board)


def _figure(board: Board) -> Figure | Omitted:
    found = {agent: _by_importance(own) for agent, own in failures_of(board).items()}
    kinds = [
        (place, name)
        for place, name in enumerate(IMPORTANCE)
        if any(own[place].known for own in found.values())
    ]
    if not kinds:
        return Omitted(figure_name(KIND, board), f"no criterion has a verdict by {board.protocol}")
    shares = {
        (row, column): 100 * own[place].failed / own[place].known
        for row, own in enumerate(found.values())
        for column, (place, _) in enumerate(kinds)
        if own[place].known
    }
    columns = [str(name) for _, name in kinds]
    grid = Grid(
        list(found),
        columns,
        shares,
        "criteria that fail, %",
        "{:.1f}".format,
        ends=(0.0, 100.0),
    )
    return Figure.of(
        figure_name(KIND, board),
        figure_title(board, "criteria that fail, by importance"),
        caption_of(CAPTION, tasks_sentence(board)),
        grid,
        ("agent", *columns),
        ((agent, *(_cell(own[place]) for place, _ in kinds)) for agent, own in found.items()),
        rubric_notes(board),
    )


def _by_importance(failures: AgentFailures) -> list[Failing]:
    """How often criteria of each importance failed, over all axes together."""
    found = failures.by_importance.items()
    own = [[each for (_, kind), each in found if kind == name] for name in IMPORTANCE]
    return [Failing(sum(e.failed for e in each), sum(e.known for e in each)) for each in own]


def _cell(found: Failing) -> str:
    return str(found) if found.known else NONE
