"""The tables beneath a ranking, which a first screen never shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepassay.results.citation_errors import error_tables
from deepassay.results.citations import CountedReport, citation_tables
from deepassay.results.cited_pages import page_tables
from deepassay.results.failure_tables import failure_tables
from deepassay.results.funnel import funnel_tables
from deepassay.results.judge_pairs import judge_tables
from deepassay.results.reading import GradedRubrics
from deepassay.results.released_live import released_tables
from deepassay.results.rubric_compliance import compliance_tables
from deepassay.results.surface import surface_tables
from deepassay.results.tables import Table
from deepassay.results.winrate import WinRecord, win_rate_table


def tables_beneath(
    graded: GradedRubrics,
    counted: Mapping[str, Sequence[CountedReport]],
    wins: Mapping[str, WinRecord],
    label: tuple[str, str] | None,
) -> tuple[Table, ...]:
    """Those for which no other protocol is looked at, in their order on the page.

    counted: the counts of citations of each agent. wins: of each against the baseline, if there is
    one. label: by which tasks were picked. A table that few readers want is marked as `detail`:
    text and Markdown show it only with all parts.
    """
    if not (records := graded.records):
        return ()
    compared = [win_rate_table(records[0].protocol, wins, label)] if wins else []
    return (
        *citation_tables(records, counted, label),
        *surface_tables(records, label),
        *page_tables(records, label),
        *funnel_tables(records, label),
        *compared,
        *error_tables(records, label),
        *judge_tables(records, label),
        *released_tables(records, label),
        *compliance_tables(graded, label),
        *failure_tables(graded, label),
    )
