"""A table row with more or fewer cells than the header."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.markdown import TableBlock
from deepassay.reports.report import Report
from deepassay.reports.spans import Span


def check(report: Report) -> Iterator[Hit]:
    """One hit for each such row."""
    for block in report.blocks:
        if not isinstance(block, TableBlock):
            continue
        for row in block.rows:
            if row and len(row) != len(block.header):
                cells = f"{len(row)} cell" + ("s" if len(row) != 1 else "")
                message = f"the row has {cells}, the header {len(block.header)}"
                yield Hit(Span(row[0].start, row[-1].end), message)


RULE = Rule(
    code="DA302",
    name="ragged-table",
    reason="Cells are lost or shown under the wrong header.",
    sources=("P8", "G18"),
    check=check,
)
