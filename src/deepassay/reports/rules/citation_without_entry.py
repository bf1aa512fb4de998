"""A citation whose number or key has no entry in the reference list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from deepassay.reports.citations import Citation, numbers_of
from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.references import Unresolved
from deepassay.reports.report import Report
from deepassay.reports.spans import Span

BESIDE = re.compile(r"[\s()（）\[\].,;:，；]{0,4}")


def check(report: Report) -> Iterator[Hit]:
    """One hit for each missing entry, where it is first cited.

    A citation with an address of its own leads somewhere, and so does one right beside an
    address, unless it is a number and the list has others.
    """
    cited: dict[str, list[Citation]] = {}
    leading = _leading(report)
    for resolved in report.resolved:
        if resolved.citation.span in leading:
            continue
        for key, why in resolved.missing:
            if why in (Unresolved.NO_ENTRY, Unresolved.NO_LIST):
                cited.setdefault(key, []).append(resolved.citation)
    if cited and not report.references:
        first = next(iter(cited.values()))[0]
        several = f"{len(cited)} sources are" if len(cited) > 1 else "1 source is"
        them = "them" if len(cited) > 1 else "it"
        yield Hit(first.span, f"{several} cited, and no reference list has {them}")
        return
    for key, citations in cited.items():
        name = f"[{key}]" if key.isdigit() else f"'{excerpt(citations[0].raw)}'"
        times = f", cited {len(citations)} times," if len(citations) > 1 else ""
        yield Hit(citations[0].span, f"{name}{times} has no entry in the reference list")


def _leading(report: Report) -> set[Span]:
    """Where citations stand that have an address or stand beside one that has."""
    found = {each.span for each in report.citations if each.url is not None}
    numbered = any(entry.number is not None for entry in report.references)
    for first, second in pairwise(report.citations):
        bare = first if first.url is None else second
        if (first.url is None) != (second.url is None) and not (numbered and numbers_of(bare)):
            gap = Span(first.span.end, max(first.span.end, second.span.start))
            if BESIDE.fullmatch(report.text, *gap):
                found.add(bare.span)
    return found


RULE = Rule(
    code="DA101",
    name="citation-without-entry",
    reason="A reader cannot check a claim whose citation leads nowhere.",
    sources=("P4", "G14"),
    check=check,
    version=4,
)
