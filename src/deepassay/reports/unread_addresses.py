"""Addresses that stand in a report and were not read as sources, by a count that knows no Markdown.

A list in an odd form is seen by it before anything is paid: the count does not share the reader's
notion of what a link, an entry or a list is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from deepassay.reports.report import Report
from deepassay.text import excerpt

ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`|\[\]{}()（），。；、】」》“”]{4,}", re.IGNORECASE)
"""An address as a plain search sees it."""

_ENOUGH: Final = 24
"""Characters of an address by which an entry is seen to hold it."""

_PICTURE: Final = re.compile(r"!\[[^\[\]\n]*\]\(<?\Z")
_LONGEST_LABEL: Final = 300
SHOWN: Final = 3
WORST: Final = 5


@dataclass(frozen=True)
class Counted:
    """Addresses of a report.

    standing: all in the text. unread: line and address of those that no citation or entry holds.
    hidden: how many of these stand in code, or are pictures. citations, leading: markers in the
    body, and how many of them lead to an address.
    """

    standing: int
    unread: tuple[tuple[int, str], ...]
    hidden: int
    citations: int
    leading: int

    def __str__(self) -> str:
        """The count in one line, with the first of the addresses that were not read."""
        said = f"{self.standing} addresses stand in the text"
        said += f", {self.standing - len(self.unread)} were read as sources"
        if self.unread:
            code = f" ({self.hidden} in code or pictures)" if self.hidden else ""
            shown = ", ".join(
                f"line {line} {excerpt(url, 60)}" for line, url in self.unread[:SHOWN]
            )
            said += f"; not read: {len(self.unread)}{code}: {shown}"
            said += " …" if len(self.unread) > SHOWN else ""
        return f"{said}; {self.leading} of {self.citations} citations lead to an address"


def count_addresses(report: Report) -> Counted:
    """How many addresses stand in a report, and which of them were not read as sources."""
    held = [(each.span.start, each.span.end, "") for each in report.citations if each.url]
    for entry in report.references:
        held += [(entry.span.start, entry.span.end, url) for url in entry.urls]
    held.sort()
    code = [each.span for each in report.blocks if each.kind == "code"]
    starts, of_code = [each[0] for each in held], [each.start for each in code]
    standing, unread, hidden = 0, [], 0
    for found in ADDRESS.finditer(report.text):
        standing += 1
        at = bisect_right(starts, found.start())
        if any(found[0][:_ENOUGH] in url or not url for url in _around(held, at, found.start())):
            continue
        unread.append((report.lines.place(found.start())[0], found[0]))
        block = bisect_right(of_code, found.start()) - 1
        before = report.text[max(0, found.start() - _LONGEST_LABEL) : found.start()]
        inside = block >= 0 and found.start() < code[block].end
        hidden += inside or _PICTURE.search(before) is not None
    return Counted(
        standing,
        tuple(unread),
        hidden,
        len(report.resolved),
        sum(bool(each.urls) for each in report.resolved),
    )


def _around(held: list[tuple[int, int, str]], before: int, at: int) -> Iterator[str]:
    """The addresses of the entry or citation that holds a character; entries do not overlap."""
    start = held[before - 1][0] if before else -1
    while before and held[before - 1][0] == start:
        before -= 1
        if at < held[before][1]:
            yield held[before][2]


def unread_in_words(reports: Iterable[Report]) -> Iterator[str]:
    """The counts of several reports for a person: all together, then the worst of them."""
    counts = [(each, count_addresses(each)) for each in reports]
    standing = sum(count.standing for _, count in counts)
    unread = sum(len(count.unread) for _, count in counts)
    if not unread:
        return
    yield (
        f"Addresses in {len(counts)} reports: {standing:,}; not read as sources: {unread:,} "
        f"({unread / standing:.1%})"
    )
    worst = sorted((pair for pair in counts if pair[1].unread), key=lambda p: -len(p[1].unread))
    for report, count in worst[:WORST]:
        yield f"  {report.agent or report.path or '-'} {report.task}: {count}"
    if len(worst) > WORST:
        yield f"  and {len(worst) - WORST} reports more: `deepassay lint` tells of each"
