"""Numbers that the reference list leaves out, or without a list the citations: 23, 25, 26."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.citations import Lenticular, numbers_of
from deepassay.reports.finding import Hit, Rule, numbers_in_words
from deepassay.reports.report import Report
from deepassay.reports.spans import Span


def check(report: Report, *, highest: int = 9999) -> Iterator[Hit]:
    """One hit for each gap, at the entry after it, over all lists together.

    Where nothing is listed the gap is that of the citations, at the first one after it. Numbers
    that a search tool gave (`【7†source】`, `[7](address)`) are not the author's.

    highest: number that counts; what is above it is an identifier.
    """
    first, kind = (_entries, "entry") if report.references else (_citations, "citation")
    places = first(report, highest)
    expected = 1
    for number in sorted(places):
        if number > expected:
            gap = range(expected, number)
            verb = "is" if len(gap) == 1 else "are"
            yield Hit(
                places[number], f"{numbers_in_words(gap)} {verb} skipped before {kind} {number}"
            )
        expected = number + 1


def _entries(report: Report, highest: int) -> dict[int, Span]:
    places: dict[int, Span] = {}
    for entry in report.references:
        for key in entry.keys if entry.number is not None else ():
            if int(key) <= highest:
                places.setdefault(int(key), entry.span)
    return places


def _citations(report: Report, highest: int) -> dict[int, Span]:
    places: dict[int, Span] = {}
    for citation in report.citations:
        if citation.keys and citation.url:
            return {}
        if not isinstance(citation, Lenticular):
            for number in numbers_of(citation):
                if 0 < number <= highest:
                    places.setdefault(number, citation.span)
    return places


RULE = Rule(
    code="DA207",
    name="skipped-number",
    reason="A gap leaves open whether a source was lost.",
    sources=("P10",),
    check=check,
    fixable=True,
    version=4,
)
