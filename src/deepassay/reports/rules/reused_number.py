"""Numbers that stand for different sources in several reference lists."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule, numbers_in_words
from deepassay.reports.report import Report


def check(report: Report) -> Iterator[Hit]:
    """One hit for each list that uses numbers of an earlier one anew."""
    taken: dict[int, tuple[str, ...]] = {}
    for each in report.reference_lists:
        reused = set()
        for entry in each.entries:
            if entry.number is None:
                continue
            source = entry.urls or (entry.title,)
            if taken.setdefault(entry.number, source) != source:
                reused.add(entry.number)
        if reused and each is not report.reference_lists[0]:
            again = numbers_in_words(sorted(reused))
            message = f"also numbers of other sources in an earlier list: {again}"
            yield Hit(each.heading or each.span, message)


RULE = Rule(
    code="DA210",
    name="reused-number",
    reason="A citation of such a number could mean any of several sources.",
    sources=("P10", "G14"),
    check=check,
    version=2,
)
