"""What an item was judged by: its cited pages, and its quotes found again on them.

What a quote stands between on its page is shown with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from deepassay.results.evidence import (
    EvidenceItem,
)

AROUND: Final = 280
"""Characters of a page that are shown on either side of a quote."""


@dataclass(frozen=True)
class SourcePage:
    """A cited page as it was read. fetched: UTC, ISO 8601."""

    url: str
    title: str
    fetched: str
    text: str


class Archive(Protocol):
    """Where pages are kept, and how a quote is found again."""

    def page(self, snapshot: str) -> SourcePage | None:
        """The snapshot of this name, or None where it is not kept or has no text."""

    def place(self, text: str, quote: str) -> tuple[int, int] | None:
        """Where a quote begins and ends in a text; None if it does not stand there."""


class QuotedPassage(NamedTuple):
    """A quote as it stands on its page, with the text around it."""

    before: str
    quote: str
    after: str


class QuotePlace(NamedTuple):
    """Where a quote stands: the snapshot, and characters of its text."""

    snapshot: str
    start: int
    end: int


def find_on_pages(
    archive: Archive, snapshots: Sequence[str], quotes: Sequence[str]
) -> QuotePlace | None:
    """The first of the quotes, the longest before the others, that stands on one of the pages."""
    return next(_places(archive, snapshots, quotes), None)


def passage(archive: Archive, found: QuotePlace) -> QuotedPassage:
    """What stands there, cut where the page goes on."""
    page = archive.page(found.snapshot)
    text = page.text if page else ""
    start, end = found.start, found.end
    before = text[max(0, start - AROUND) : start]
    after = text[end : end + AROUND]
    return QuotedPassage(
        "…" * (start > AROUND) + before,
        text[start:end],
        after + "…" * (end + AROUND < len(text)),
    )


def _places(
    archive: Archive, snapshots: Sequence[str], quotes: Sequence[str]
) -> Iterator[QuotePlace]:
    for quote in sorted(filter(None, quotes), key=len, reverse=True):
        for snapshot in snapshots:
            page = archive.page(snapshot)
            place = archive.place(page.text, quote) if page else None
            if place is not None:
                yield QuotePlace(snapshot, *place)


_QUOTED: Final = re.compile(r"“([^“]*)”")


def items_with_pages(
    items: Sequence[EvidenceItem],
) -> Iterator[tuple[EvidenceItem, tuple[str, ...]]]:
    """Every item with the addresses of its pages; in a tree they are those of the page above."""
    above = ""
    for item in items:
        if not item.depth:
            above = item.item if item.state else ""
        yield item, tuple(filter(None, item.urls or (item.url or above,)))


def quotes_of(item: EvidenceItem) -> Iterator[str]:
    """What it quotes: as quotes, in quotation marks, or as the whole of its reason."""
    yield from item.quotes or item.spans or ()
    yield from _QUOTED.findall(item.reason)
    if item.depth and item.reason:
        yield item.reason
