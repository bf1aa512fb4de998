"""One source under two numbers."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.references import Reference
from deepassay.reports.report import Report
from deepassay.text import canonical


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


def check(report: Report) -> Iterator[Hit]:
    """One hit for each entry that repeats an earlier one."""
    for entry, earlier in duplicates(report.references):
        yield Hit(entry.span, f"[{entry.key}] is the same source as [{earlier.key}]")


RULE = Rule(
    code="DA209",
    name="duplicate-source",
    reason="One source counted twice makes thin evidence look broad.",
    sources=("P10",),
    check=check,
    fixable=True,
    version=2,
)
