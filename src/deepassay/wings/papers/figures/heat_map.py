"""Agents by tasks: who is good where, and which tasks are hard for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Final

from deepassay.results.aggregate import means_of_tasks
from deepassay.results.figures.figure import Figure, Material, Omitted, caption_of, file_name
from deepassay.results.ranking import Board
from deepassay.results.records import by_agent
from deepassay.results.tables import in_range, several
from deepassay.wings.papers.figures.boards import (
    UNEQUAL,
    figure_title,
    named_as,
    notes_of,
    whole_boards,
)
from deepassay.wings.papers.figures.grid import Grid

TASKS: Final = 40
AGENTS: Final = 40
"""Tasks, the hardest, and agents, the first, that a map has room for."""

CAPTION: Final = (
    "Mean score of each agent on each task. Agents stand in the order of the leaderboard, tasks "
    "from the hardest for all at the left. An empty cell has no score."
)


def heat_map(material: Material) -> Iterator[Figure | Omitted]:
    """One figure for each protocol, over all tasks."""
    for board in whole_boards(material):
        name = file_name("heat-map", board.protocol)
        judged = by_agent(material.judged[board.protocol])
        means = {agent: means_of_tasks(own) for agent, own in judged.items()}
        if len(board.recipes) > 1:
            yield Omitted(name, UNEQUAL)
        elif len({task for own in means.values() for task in own}) < 2:
            yield Omitted(name, "fewer than two tasks have a score")
        else:
            yield _figure(name, board, means)


def _figure(name: str, board: Board, means: Mapping[str, Mapping[str, float]]) -> Figure:
    rows = board.standings[:AGENTS]
    of_tasks: dict[str, list[float]] = {}
    for own in means.values():
        for task, value in own.items():
            of_tasks.setdefault(task, []).append(value)
    tasks = sorted(of_tasks, key=lambda task: (fmean(of_tasks[task]), task))
    shown = tasks[:TASKS]
    cells = {
        (at, column): means[row.agent][task]
        for at, row in enumerate(rows)
        for column, task in enumerate(shown)
        if task in means.get(row.agent, {})
    }
    left_out = [
        *[f"The {TASKS} hardest of {several(len(tasks), 'task')}."] * (len(tasks) > TASKS),
        *[f"The first {AGENTS} of {several(len(board.standings), 'agent')}."]
        * (len(board.standings) > AGENTS),
    ]
    return Figure.of(
        name,
        figure_title(board, "scores by task"),
        caption_of(CAPTION, *left_out),
        Grid(
            [named_as(row) for row in rows],
            shown,
            cells,
            f"mean score by {board.protocol.partition('(')[0]}",
            lambda value: in_range(value, board.limits),
        ),
        ("agent", *shown),
        (
            (
                named_as(row),
                *(in_range(means.get(row.agent, {}).get(task), board.limits) for task in shown),
            )
            for row in rows
        ),
        notes_of(board, marks=""),
    )
