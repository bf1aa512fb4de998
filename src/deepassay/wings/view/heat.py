"""Agents by tasks under one protocol, as a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from deepassay.results.tables import NONE, in_range
from deepassay.wings.view.room import Place
from deepassay.wings.view.side import SideReader


class MapCell(NamedTuple):
    """A mean of an agent on a task. step: of eleven, from the lowest mean to the highest."""

    value: str
    step: int
    at: Place


@dataclass(frozen=True)
class HeatMap:
    """Agents by tasks under one protocol, the best agents and the hardest tasks first.

    count: of tasks. more: agents that are not shown.
    """

    protocol: str
    tasks: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, str, tuple[MapCell | str, ...]], ...]
    count: int
    start: int
    more: int = 0


TASKS: Final = 40
"""Tasks of a map that are shown at once."""

AGENTS: Final = 50
"""Agents of a map that are shown, the best of them."""


def heat_map(side: SideReader, protocol: str, run: int, start: int) -> HeatMap:
    """The map of a run, 0 for all. start: from which task on, the hardest being the first."""
    own = "s.protocol=? AND (? = 0 OR r.run=?)"
    scored = f"FROM scores s JOIN reports r ON r.id=s.report WHERE {own}"
    given = (protocol, run, run)
    tasks = side.rows(f"SELECT r.task, avg(s.value) AS mean {scored} GROUP BY 1 "
                      "ORDER BY mean IS NULL, mean, 1", *given)  # fmt: skip
    agents = side.rows(f"SELECT r.agent, avg(s.value) AS mean {scored} GROUP BY 1 "
                       "ORDER BY mean IS NULL, mean DESC, 1", *given)  # fmt: skip
    start = min(start, max(0, len(tasks) - 1)) // TASKS * TASKS
    shown = [name for name, _ in tasks[start : start + TASKS]]
    marks = ",".join("?" * len(shown))
    means: dict[tuple[str, str], tuple[float | None, str, Place, tuple[float, float] | None]] = {}
    for agent, task, value, cause, at_run, sample, low, high in side.rows(
        "SELECT r.agent, r.task, avg(s.value), min(s.cause), min(r.run), min(r.sample), "
        f"min(s.lowest), max(s.highest) {scored} AND r.task IN ({marks}) GROUP BY r.agent, r.task",
        *given,
        *shown,
    ):
        limits = None if low is None or high is None else (low, high)
        means[agent, task] = value, cause or "", Place(at_run, agent, task, sample), limits
    values = [value for value, *_ in means.values() if value is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)

    def cell(agent: str, task: str) -> MapCell | str:
        value, cause, at, limits = means.get((agent, task), (None, "", None, None))
        if value is None or at is None:
            return cause
        step = round(10 * (value - low) / (high - low)) if high > low else 5
        return MapCell(in_range(value, limits), step, at)

    rows = (
        (agent, _told(mean), tuple(cell(agent, task) for task in shown))
        for agent, mean in agents[:AGENTS]
    )
    heads = tuple((name, _told(mean)) for name, mean in tasks[start : start + TASKS])
    more = max(0, len(agents) - AGENTS)
    return HeatMap(protocol, heads, tuple(rows), len(tasks), start, more)


def _told(mean: float | None) -> str:
    return NONE if mean is None else f"{mean:.3g}"
