"""A table with a header row and nothing below it, or nothing beside its first column."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.markdown import TableBlock
from deepassay.reports.report import Report
from deepassay.reports.tables import tables


def check(report: Report) -> Iterator[Hit]:
    """One hit for each table without a row, or with nothing but empty cells under its headings.

    The first column may only name what the others should tell.
    """
    for table in tables(report):
        filled = {
            column for row in table.rows for column, cell in enumerate(row) if cell.start < cell.end
        }
        if not filled:
            yield Hit(table.span, "the table has a header and no content")
        elif filled == {0} and _is_headed(table):
            yield Hit(table.span, "the table has no content beside its first column")


def _is_headed(table: TableBlock) -> bool:
    """Whether a column after the first has a heading, so that values are due in it."""
    return any(cell.start < cell.end for cell in table.header[1:])


RULE = Rule(
    code="DA301",
    name="header-only-table",
    reason="The comparison that the header promises is missing.",
    sources=("P8", "G18"),
    check=check,
)
