"""Which checks of form each agent passes: a heat map (LiveResearchBench, figure 22)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deepassay.results.figures.figure import Figure, Material, Omitted, caption_of
from deepassay.results.leaderboard import common_parts
from deepassay.results.ranking import Board
from deepassay.results.tables import decimals, scored_of
from deepassay.wings.papers.figures.boards import (
    boards_of,
    figure_name,
    figure_title,
    named_as,
    notes_of,
    tasks_sentence,
    why_no_figure,
)
from deepassay.wings.papers.figures.grid import Grid

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
        yield why_no_figure(KIND, board) or _figure(board, _asked(board))


def _figure(board: Board, asked: str) -> Figure:
    checks = common_parts([board])
    agents = [named_as(row) for row in board.standings]
    parts = [[row.summary.parts.get(check) for check in checks] for row in board.standings]
    tasks = [scored_of(row.summary.tasks) for row in board.standings]
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
        "{:.1f}".format,
        ends=(0.0, 100.0),
        beside=("tasks", *tasks),
    )
    return Figure.of(
        figure_name(KIND, board),
        figure_title(board, "checks of form that reports pass"),
        caption_of(CAPTION, tasks_sentence(board)),
        grid,
        ("agent", *checks, "tasks"),
        (
            (agent, *(decimals(part and part.mean, 1) for part in own), count)
            for agent, own, count in zip(agents, parts, tasks, strict=True)
        ),
        (*([asked] if asked else []), *notes_of(board, marks="")),
    )


def _asked(board: Board) -> str:
    """`P1 clear structure; P2 ...`: what the checks ask, in the words of the first score."""
    quoted = board.beneath.quoted
    items = next(filter(None, (quoted.get(row.agent) for row in board.standings)), ())
    return "; ".join(f"{item.key.upper()} {item.item}" for item in items) + "." * bool(items)
