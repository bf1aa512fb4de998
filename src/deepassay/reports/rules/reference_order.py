"""Entries of a reference list that are not in the order of their numbers or names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from deepassay.reports.citations import AuthorYear
from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.references import Reference
from deepassay.reports.report import Report


def is_alphabetical(entries: Sequence[Reference]) -> bool:
    """Whether titles ascend, at least three of them, so that it is hardly by chance."""
    titles = [entry.title.casefold() for entry in entries if not entry.omitted]
    return len(titles) > 2 and all(first <= second for first, second in pairwise(titles))


def check(report: Report) -> Iterator[Hit]:
    """One hit wherever a number is lower than the one before, or a name than its neighbour.

    Names count in a list that the text cites by author and year for the most part. Numbers that
    begin anew in another list are the business of `reused-number`.
    """
    taken: set[int] = set()
    previous: int | None = None
    for each in report.reference_lists:
        found = {entry.number for entry in each.entries if entry.number is not None}
        if found & taken:
            previous = None
        taken |= found
        for entry in each.entries:
            number = entry.number
            if number is not None and previous is not None and number < previous:
                yield Hit(entry.span, f"entry {number} stands after entry {previous}")
            previous = previous if number is None else number
    yield from _unsorted_names(report)


def _unsorted_names(report: Report) -> Iterator[Hit]:
    named = {
        entry
        for resolved in report.resolved
        if isinstance(resolved.citation, AuthorYear)
        for entry in resolved.references
    }
    for each in report.reference_lists:
        entries = [entry for entry in each.entries if entry.key is None]
        if 2 * sum(entry in named for entry in entries) < len(entries):
            continue
        for first, second in pairwise(entries):
            if second.title.casefold() < first.title.casefold():
                names = f"'{excerpt(second.title, 25)}' stands after '{excerpt(first.title, 25)}'"
                yield Hit(second.span, names)


RULE = Rule(
    code="DA204",
    name="reference-order",
    reason="An entry is found quickly only in a list with one order.",
    sources=("P5", "G19"),
    check=check,
    fixable=True,
    version=3,
)
