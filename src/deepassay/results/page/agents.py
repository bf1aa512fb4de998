"""Agents, each with its reports and what these scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deepassay.results.page.opened import grouped, title_of, value_of
from deepassay.results.records import Judged
from deepassay.results.tables import NONE


@dataclass(frozen=True)
class ReportRow:
    """A report and its scores. report: its anchor, empty where the agent has none."""

    report: str
    task: str
    sample: int
    values: tuple[str, ...]


@dataclass(frozen=True)
class AgentReports:
    """An agent with a row for each of its reports. head: the protocols, in the order of values."""

    agent: str
    head: tuple[str, ...]
    rows: tuple[ReportRow, ...]


def by_agent(
    records: Sequence[Judged], names: Mapping[tuple[str, str, int], str]
) -> Iterator[AgentReports]:
    """Every agent by name. names: the anchors of reports by agent, task and sample."""
    rows: dict[str, dict[tuple[str, int], dict[str, list[str]]]] = {}
    for (agent, task, sample), judged in sorted(grouped(records).items()):
        values = rows.setdefault(agent, {}).setdefault((task, sample), {})
        for each in judged:
            values.setdefault(title_of(each), []).append(value_of(each))
    for agent, reports in rows.items():
        head = tuple(sorted({title for values in reports.values() for title in values}))
        yield AgentReports(
            agent,
            head,
            tuple(
                ReportRow(
                    names.get((agent, task, sample), ""),
                    task,
                    sample,
                    tuple(", ".join(values.get(title, [NONE])) for title in head),
                )
                for (task, sample), values in reports.items()
            ),
        )
