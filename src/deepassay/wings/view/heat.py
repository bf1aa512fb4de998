"""Agents by tasks under one protocol, as a map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, NamedTuple

from deepassay.results.records import Judged
from deepassay.results.tables import in_range
from deepassay.score import ReportKey, Score, Unscored, report_key
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

    rows: in place of a cell stands why a report has no score; an empty word where there is no
    report. count: of tasks. more: agents that are not shown.
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


Limits = tuple[float, float] | None
"""The ends of a scale, where they are known."""


class TaskMean(NamedTuple):
    """The mean of an agent on a task. cause: why its reports have no score; empty without a report.
    limits: of the scale. at: a report.
    """

    value: float | None
    cause: str
    at: Place
    limits: Limits


Means = Mapping[tuple[str, str], TaskMean]
"""By agent and task."""

Named = Sequence[tuple[str, float | None]]
"""Agents or tasks with their means, in the order in which they are shown."""


def read_heat_map(side: SideReader, protocol: str, run: int, start: int) -> HeatMap:
    """The map of a run, 0 for all. start: from which task on, the hardest being the first."""
    own = "s.protocol=? AND (? = 0 OR r.run=?)"
    scored = f"FROM scores s JOIN reports r ON r.id=s.report WHERE {own}"
    given = (protocol, run, run)
    tasks = side.rows(f"SELECT r.task, avg(s.value) AS mean {scored} GROUP BY 1 "
                      "ORDER BY mean IS NULL, mean, 1", *given)  # fmt: skip
    ranked = side.rows("SELECT r.agent, avg(s.value) AS mean, min(s.lowest), max(s.highest) "
                       f"{scored} GROUP BY 1 "
                       "ORDER BY mean IS NULL, mean DESC, 1", *given)  # fmt: skip
    agents = [(name, mean) for name, mean, *_ in ranked]
    widest = _widest([ends for _, _, *ends in ranked if None not in ends])
    start = min(start, max(0, len(tasks) - 1)) // TASKS * TASKS
    shown = [name for name, _ in tasks[start : start + TASKS]]
    if not shown:
        return _drawn(protocol, tasks, agents, {}, start, widest)
    marks = ",".join("?" * len(shown))
    means: dict[tuple[str, str], TaskMean] = {}
    for agent, task, value, cause, at_run, sample, low, high in side.rows(
        "SELECT r.agent, r.task, avg(s.value), "
        "min(s.cause) FILTER (WHERE r.digest IS NOT NULL), min(r.run), min(r.sample), "
        f"min(s.lowest), max(s.highest) {scored} AND r.task IN ({marks}) GROUP BY r.agent, r.task",
        *given,
        *shown,
    ):
        limits = None if low is None or high is None else (low, high)
        means[agent, task] = TaskMean(
            value, cause or "", Place(at_run, agent, task, sample), limits
        )
    return _drawn(protocol, tasks, agents, means, start, widest)


def maps_of(
    records: Mapping[str, Sequence[Judged]], places: Mapping[ReportKey, Place]
) -> list[HeatMap]:
    """The map of each protocol by its judgements. places: of the reports that are there."""
    found = []
    for protocol, own in records.items():
        tasks, agents = (_means_by(own, name) for name in ("task", "agent"))
        tasks.sort(key=lambda each: (each[1] is None, each[1], each[0]))
        agents.sort(key=lambda each: (each[1] is None, -(each[1] or 0.0), each[0]))
        hardest = {name for name, _ in tasks[:TASKS]}
        cells: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
        for each in own:
            if each.task in hardest:
                cells[each.agent, each.task].append(each)
        means = {key: _mean(several, places) for key, several in cells.items()}
        scores = [each.outcome for each in own if isinstance(each.outcome, Score)]
        widest = _widest([each.bounds for each in scores if each.bounds])
        found.append(_drawn(protocol, tasks, agents, means, 0, widest))
    return found


def _mean(records: Sequence[Judged], places: Mapping[ReportKey, Place]) -> TaskMean:
    """Of all samples and repeats of an agent on a task."""
    first = min(records, key=lambda each: each.sample)
    at = places.get(report_key(first), Place(1, first.agent, first.task, first.sample))
    scores = [each.outcome for each in records if isinstance(each.outcome, Score)]
    if not scores:
        written = (each.outcome for each in records if report_key(each) in places)
        causes = (str(each.cause) for each in written if isinstance(each, Unscored))
        return TaskMean(None, min(causes, default=""), at, None)
    return TaskMean(fmean(each.value for each in scores), "", at, scores[0].bounds)


def _means_by(records: Sequence[Judged], name: str) -> list[tuple[str, float | None]]:
    """The mean of all scores of each agent, or of each task; None where there is none."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for each in records:
        own = values[getattr(each, name)]
        if isinstance(each.outcome, Score):
            own.append(float(each.outcome.value))
    return [(key, fmean(own) if own else None) for key, own in values.items()]


def _widest(limits: Sequence[Sequence[float]]) -> Limits:
    """From the lowest to the highest end of any scale; None where none is known."""
    return (min(low for low, _ in limits), max(high for _, high in limits)) if limits else None


def _drawn(
    protocol: str, tasks: Named, agents: Named, means: Means, start: int, widest: Limits
) -> HeatMap:
    """widest: of the scale of any score, by which means over tasks are written as cells are."""
    heads = tasks[start : start + TASKS]
    shown = {name for name, _ in heads}
    values = [
        each.value for (_, task), each in means.items() if each.value is not None and task in shown
    ]
    low, high = min(values, default=0.0), max(values, default=1.0)

    def cell(agent: str, task: str) -> MapCell | str:
        found = means.get((agent, task))
        if found is None or found.value is None:
            return found.cause if found else ""
        step = round(10 * (found.value - low) / (high - low)) if high > low else 5
        return MapCell(in_range(found.value, found.limits), step, found.at)

    rows = (
        (agent, in_range(mean, widest), tuple(cell(agent, task) for task, _ in heads))
        for agent, mean in agents[:AGENTS]
    )
    told = tuple((name, in_range(mean, widest)) for name, mean in heads)
    more = max(0, len(agents) - AGENTS)
    return HeatMap(protocol, told, tuple(rows), len(tasks), start, more)
