"""A second reference list beside the first."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report


def check(report: Report) -> Iterator[Hit]:
    """One hit for each list after the first."""
    lists = report.reference_lists
    for later in lists[1:]:
        line, _ = report.lines.place(lists[0].span.start)
        yield Hit(later.heading or later.span, f"another reference list stands on line {line}")


RULE = Rule(
    code="DA202",
    name="several-reference-lists",
    reason="With several lists a reader has to search for an entry, and numbers collide.",
    sources=("P5", "G14"),
    check=check,
    version=3,
)
