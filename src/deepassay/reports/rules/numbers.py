"""Rules on the numbers and the order of entries in reference lists: DA2xx."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from deepassay.reports.citations import AuthorYear, Lenticular, numbers_of
from deepassay.reports.finding import Hit, Rule, numbers_in_words
from deepassay.reports.references import Reference
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.text import canonical, excerpt


def is_alphabetical(entries: Sequence[Reference]) -> bool:
    """Whether titles ascend, at least three of them, so that it is hardly by chance."""
    titles = [entry.title.casefold() for entry in entries if not entry.omitted]
    return len(titles) > 2 and all(first <= second for first, second in pairwise(titles))


def reference_order(report: Report) -> Iterator[Hit]:
    """Entries of a reference list that are not in the order of their numbers or names.

    One hit wherever a number is lower than the one before, or a name than its neighbour.

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


def skipped_number(report: Report, *, highest: int = 9999) -> Iterator[Hit]:
    """Numbers that the reference list leaves out, or without a list the citations: 23, 25, 26.

    One hit for each gap, at the entry after it, over all lists together.

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


def duplicate_number(report: Report) -> Iterator[Hit]:
    """Two entries of one reference list under the same number.

    One hit for each entry whose key an earlier entry of its list has.
    """
    for each in report.reference_lists:
        first: dict[str, Reference] = {}
        for entry in each.entries:
            if entry.key is None:
                continue
            earlier = first.setdefault(entry.key, entry)
            if earlier is not entry:
                line, _ = report.lines.place(earlier.span.start)
                yield Hit(entry.span, f"[{entry.key}] already stands for the entry on line {line}")


def address(url: str) -> str:
    """The canonical address with the section it names: sections of a page are not one source."""
    section = url.partition("#")[2]
    return canonical(url) if section.startswith(":~:") else f"{canonical(url)}#{section}"


def duplicates(entries: tuple[Reference, ...]) -> Iterator[tuple[Reference, Reference]]:
    """Numbered entries with the same addresses as an earlier one, that one second."""
    first: dict[frozenset[str], Reference] = {}
    for entry in entries:
        if entry.number is None or not entry.urls:
            continue
        earlier = first.setdefault(frozenset(map(address, entry.urls)), entry)
        if earlier.number != entry.number:
            yield entry, earlier


def duplicate_source(report: Report) -> Iterator[Hit]:
    """One source under two numbers.

    One hit for each entry that repeats an earlier one.
    """
    for entry, earlier in duplicates(report.references):
        yield Hit(entry.span, f"[{entry.key}] is the same source as [{earlier.key}]")


def reused_number(report: Report) -> Iterator[Hit]:
    """Numbers that stand for different sources in several reference lists.

    One hit for each list that uses numbers of an earlier one anew.
    """
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


def appearance_order(report: Report) -> Iterator[Hit]:
    """Sources that are not numbered in the order in which the text first cites them.

    One hit for a report, at the first number that comes too late.

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


RULES = (
    Rule(
        code="DA204",
        name="reference-order",
        reason="An entry is found quickly only in a list with one order.",
        sources=("P5", "G19"),
        check=reference_order,
        fixable=True,
        version=3,
    ),
    Rule(
        code="DA207",
        name="skipped-number",
        reason="A gap leaves open whether a source was lost.",
        sources=("P10",),
        check=skipped_number,
        fixable=True,
        version=4,
    ),
    Rule(
        code="DA208",
        name="duplicate-number",
        reason="The citation could mean either source.",
        sources=("P10",),
        check=duplicate_number,
        version=2,
    ),
    Rule(
        code="DA209",
        name="duplicate-source",
        reason="One source counted twice makes thin evidence look broad.",
        sources=("P10",),
        check=duplicate_source,
        fixable=True,
        version=2,
    ),
    Rule(
        code="DA210",
        name="reused-number",
        reason="A citation of such a number could mean any of several sources.",
        sources=("P10", "G14"),
        check=reused_number,
        version=2,
    ),
    Rule(
        code="DA211",
        name="appearance-order",
        reason="Numbers in order of appearance are what readers expect; other orders are no error.",
        sources=(),
        check=appearance_order,
        level="note",
        fixable=True,
        version=3,
    ),
)
