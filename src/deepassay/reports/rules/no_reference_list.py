"""A report without any reference list."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report
from deepassay.reports.spans import Span


def check(report: Report) -> Iterator[Hit]:
    """One hit at the end of the text, where the list belongs."""
    if report.text.strip() and not report.reference_lists:
        end = len(report.text.rstrip())
        yield Hit(Span(end, end), "the report has no reference list")


RULE = Rule(
    code="DA201",
    name="no-reference-list",
    reason="A reader looks for the sources in one list.",
    sources=("P5",),
    check=check,
    version=3,
)
