"""The tables that stand beneath a board, made of the same judgements as the board.

A maker takes the judgements of one protocol, and the label by which their tasks were picked (None
for all tasks), and gives its tables: none where the judgements hold nothing that it counts. It
may read nothing but the records. To add one, write it in a file of its own in this room and name
it in `MAKERS`; the order there is the order on the page. A table that few readers want is marked as
`detail`: text and Markdown then show it only with all parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from deepassay.results.citations import citation_tables, citations_beside, error_tables
from deepassay.results.judge_pairs import judge_tables
from deepassay.results.records import Judged
from deepassay.results.released_live import released_tables
from deepassay.results.rubric_compliance import compliance_tables
from deepassay.results.rubric_failures import failure_tables
from deepassay.results.tables import Table
from deepassay.results.winrate import win_rate_tables

MIXED: Final = "MIXED: these numbers were not made by one recipe."

Label = tuple[str, str]
"""Name and value of a label of tasks, as `("topic", "law")`."""

Maker = Callable[[Sequence[Judged], Label | None], tuple[Table, ...]]

MAKERS: Final[tuple[Maker, ...]] = (
    citation_tables,
    win_rate_tables,
    error_tables,
    judge_tables,
    released_tables,
    compliance_tables,
    failure_tables,
)

Joiner = Callable[[Sequence[Judged], Sequence[Judged], Label | None], tuple[Table, ...]]

JOINERS: Final[tuple[Joiner, ...]] = (citations_beside,)
"""Makers that look at the judgements of the other protocols too, which come second."""


def tables_beneath(
    records: Sequence[Judged], label: Label | None = None, run: Sequence[Judged] = ()
) -> tuple[Table, ...]:
    """What every maker has to say of the judgements of one protocol.

    run: the judgements of all protocols. Of several recipes, every table says so.
    """
    tables = [table for make in MAKERS for table in make(records, label)]
    tables += [table for join in JOINERS for table in join(records, run, label)]
    if len({each.signature.digest for each in records}) > 1:
        tables = [replace(table, notes=(MIXED, *table.notes)) for table in tables]
    return tuple(tables)
