"""The same source twice in one group of citations, as in `[8][8]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.report import Report

BETWEEN = re.compile(r"[ \t,;]{0,3}")


def check(report: Report) -> Iterator[Hit]:
    """One hit for each citation that repeats keys of its own or of those that it adjoins."""
    seen: set[str] = set()
    end = -4
    for citation in report.citations:
        gap = citation.span.start - end
        if gap > 3 or not BETWEEN.fullmatch(report.text, end, citation.span.start):
            seen = set()
        repeated = []
        for key in citation.keys:
            if key in seen:
                repeated.append(key)
            seen.add(key)
        if repeated:
            yield Hit(citation.span, f"[{', '.join(repeated)}] is cited twice in one group")
        end = citation.span.end


RULE = Rule(
    code="DA105",
    name="repeated-citation",
    reason="A source does not support a claim better for being named twice.",
    sources=(),
    check=check,
    level="note",
    version=2,
)
