"""Citation errors of each agent (LiveResearchBench, Table 7).

E1: sources that cannot be reached; E2: sources about something else; E3: claims that a source does
not support, once for each such source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final

from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.evidence import single_outcomes
from deepassay.results.records import Judged, by_agent
from deepassay.results.tables import Table, decimals, of_label
from deepassay.score import Score

COLUMNS: Final = {
    "E1": "E1",
    "E2": "E2",
    "E3": "E3",
    "Total": "errors",
    "blocked (of E1)": "blocked",
    "timeout (of E1)": "timeout",
    "unknown (of E3)": "unknown",
    "sources": "sources",
    "pairs": "pairs",
    "open pairs": "open_pairs",
}
"""Column heads, and under which name `errors` has the number."""

HEAD: Final = ("agent", "reports", "citing", *COLUMNS)

NOTES: Final = (
    "Averages over reports. E1, E2: sources; E3: claims, once for each source that does not "
    "support them. A report that cites nothing has no errors, and scores 0 above.",
    "blocked and timeout are pages that may be there, though not for us. open: neither an error "
    "nor none; the errors among them are not counted.",
)


def error_tables(
    records: Sequence[Judged], label: tuple[str, str] | None = None
) -> tuple[Table, ...]:
    """Average errors a report, a row an agent, from judgements of one protocol.

    label: name and value by which the tasks were picked. Nothing if no tree was grown.
    """
    if not any(_counted(each) for each in records):
        return ()
    rows = (_row(agent, judged) for agent, judged in by_agent(records).items())
    title = f"{records[0].protocol}{of_label(label)}: citation errors"
    return (Table.listed(title, HEAD, rows, NOTES),)


def average_errors(records: Iterable[Judged], name: str) -> float | None:
    """The mean of one count over the reports of an agent that have a score; None without any.

    Within a task first over judges and repeats, then over the agent's answers.
    """
    leaves: list[Leaf] = [
        ((each.task, each.sample), float(counts[name]))
        for each in records
        for counts in _counted(each)
    ]
    return fmean(task_means(leaves).values()) if leaves else None


def _counted(record: Judged) -> list[Mapping[str, int]]:
    """The counts of every judge that came to a score; where all pairs are open, nothing counts."""
    if not isinstance(record.outcome, Score):
        return []
    scored = (each.evidence.errors for each in single_outcomes(record) if each.value is not None)
    return [errors for errors in scored if errors is not None]


def _row(agent: str, records: Sequence[Judged]) -> tuple[str, ...]:
    reports = {(each.task, each.sample) for each in records}
    counted = {(each.task, each.sample) for each in records if _counted(each)}
    citing = {
        (each.task, each.sample)
        for each in records
        if any(counts["citing"] for counts in _counted(each))
    }
    averages = (average_errors(records, name) for name in COLUMNS.values())
    cells = (decimals(each, 1) for each in averages)
    return (agent, f"{len(counted)}/{len(reports)}", str(len(citing)), *cells)
