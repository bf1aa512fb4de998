"""Sources that are not numbered in the order in which the text first cites them."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report
from deepassay.reports.rules.reference_order import is_alphabetical


def check(report: Report) -> Iterator[Hit]:
    """One hit for a report, at the first number that comes too late.

    Silent for a list in alphabetical order, which is a scheme of its own.
    """
    if len(report.reference_lists) != 1 or is_alphabetical(report.references):
        return
    highest, seen = 0, set()
    for resolved in report.resolved:
        if not resolved.citation.keys:
            continue
        for entry in resolved.references:
            number = entry.number
            if number is None or number in seen:
                continue
            if number < highest:
                message = f"[{number}] is first cited after [{highest}]"
                yield Hit(resolved.citation.span, message)
                return
            seen.add(number)
            highest = number


RULE = Rule(
    code="DA211",
    name="appearance-order",
    reason="Numbers in order of appearance are what readers expect; other orders are no error.",
    sources=(),
    check=check,
    level="note",
    fixable=True,
    version=3,
)
