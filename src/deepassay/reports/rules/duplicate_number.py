"""Two entries of one reference list under the same number."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.references import Reference
from deepassay.reports.report import Report


def check(report: Report) -> Iterator[Hit]:
    """One hit for each entry whose key an earlier entry of its list has."""
    for each in report.reference_lists:
        first: dict[str, Reference] = {}
        for entry in each.entries:
            if entry.key is None:
                continue
            earlier = first.setdefault(entry.key, entry)
            if earlier is not entry:
                line, _ = report.lines.place(earlier.span.start)
                yield Hit(entry.span, f"[{entry.key}] already stands for the entry on line {line}")


RULE = Rule(
    code="DA208",
    name="duplicate-number",
    reason="The citation could mean either source.",
    sources=("P10",),
    check=check,
    version=2,
)
