"""Quotes found again on the pages that they are from, with what stands around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

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


class Passage(NamedTuple):
    """A quote as it stands on its page, with the text around it."""

    before: str
    quote: str
    after: str


class Found(NamedTuple):
    """Where a quote stands: the snapshot, and characters of its text."""

    snapshot: str
    start: int
    end: int


def find(archive: Archive, snapshots: Sequence[str], quotes: Sequence[str]) -> Found | None:
    """The first of the quotes, the longest before the others, that stands on one of the pages."""
    return next(_places(archive, snapshots, quotes), None)


def passage(archive: Archive, found: Found) -> Passage:
    """What stands there, cut where the page goes on."""
    page = archive.page(found.snapshot)
    text = page.text if page else ""
    start, end = found.start, found.end
    before = text[max(0, start - AROUND) : start]
    after = text[end : end + AROUND]
    return Passage(
        "…" * (start > AROUND) + before,
        text[start:end],
        after + "…" * (end + AROUND < len(text)),
    )


def _places(archive: Archive, snapshots: Sequence[str], quotes: Sequence[str]) -> Iterator[Found]:
    for quote in sorted(filter(None, quotes), key=len, reverse=True):
        for snapshot in snapshots:
            page = archive.page(snapshot)
            place = archive.place(page.text, quote) if page else None
            if place is not None:
                yield Found(snapshot, *place)
