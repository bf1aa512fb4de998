"""A table cell with a placeholder instead of a value: TBD, to be filled."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.report import Report
from deepassay.reports.rules.placeholder_text import placeholders
from deepassay.reports.tables import tables


def check(report: Report) -> Iterator[Hit]:
    """One hit for each row with such cells; `n/a` and a dash say that there is no value."""
    text = report.text
    for table in tables(report):
        for row in table.rows:
            found = [cell for cell in row if any(placeholders(text, cell))]
            if found:
                cells = "cell is a placeholder" if len(found) == 1 else "cells are placeholders"
                yield Hit(found[0], f"{len(found)} {cells}: {excerpt(found[0].of(text), 30)}")


RULE = Rule(
    code="DA304",
    name="placeholder-cell",
    reason="The table is not complete; coverage gives no credit for a promise.",
    sources=("P8",),
    check=check,
)
