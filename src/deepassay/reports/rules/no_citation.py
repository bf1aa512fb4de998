"""A report that cites nothing."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report
from deepassay.reports.spans import Span


def check(report: Report) -> Iterator[Hit]:
    """One hit at the beginning of a text that has no citation outside its reference lists."""
    if report.text.strip() and not report.citations:
        yield Hit(Span(0, 0), "the report cites nothing")


RULE = Rule(
    code="DA106",
    name="no-citation",
    reason="Nothing that such a report says can be traced, and no other rule of citations fires.",
    sources=(),
    check=check,
)
