"""A report without text."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report
from deepassay.reports.spans import Span


def check(report: Report) -> Iterator[Hit]:
    """One hit for a report that is empty or blank."""
    if not report.text.strip():
        yield Hit(Span(0, 0), "the report is empty")


RULE = Rule(
    code="DA312",
    name="empty-report",
    reason="An empty file passes every other rule.",
    sources=(),
    check=check,
)
