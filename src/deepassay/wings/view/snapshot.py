"""A page that a report cites, as it was read, with the passage marked that a finding rests on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.results.quoted_passages import SourcePage, find_on_pages
from deepassay.results.records import snapshots_of
from deepassay.text import HAN_CHARACTER
from deepassay.wings.view.findings import ReadFinding
from deepassay.wings.view.marked_text import Piece, TextMark, marked_pieces
from deepassay.wings.view.reading import ReadReport
from deepassay.wings.view.room import OpenRun

PART: Final = 60_000
"""Characters of a page that are shown at once."""

BEFORE: Final = 6_000
"""Of these, how many stand before the passage."""

_PASSAGE: Final = re.compile(r"[^\n]+(?:\n(?!\s*\n)[^\n]+)*")
_WORD: Final = re.compile(rf"{HAN_CHARACTER.pattern}|\w+")
LONGEST: Final = 250
"""Characters of a passage that is the nearest one; longer paragraphs are cut at sentences."""

_SENTENCES: Final = re.compile(r"(?<=[.!?。！？])\s*")


@dataclass(frozen=True)
class ReadPage:
    """A page, or why there is none. url: as it is cited. pieces: of the part that is shown.

    found: `quote` where the passage is quoted by a judge, `near` where it only has most words of
    what the report says, else empty. start, end: the part that is shown; size: of the whole.
    """

    url: str
    page: SourcePage | None
    state: str
    pieces: tuple[Piece, ...] = ()
    found: str = ""
    start: int = 0
    end: int = 0
    size: int = 0


def read_page(
    run: OpenRun, report: ReadReport, finding: ReadFinding, url: str, start: int | None = None
) -> ReadPage:
    """The page of this address that a finding was judged by. start: of the part to be shown."""
    record = report.record_of(finding)
    snapshots = snapshots_of(record) if record else {}
    page = run.archive.page(snapshots[url]) if url in snapshots else None
    if page is None:
        listed = next((each for each in report.pages.listed if each.url == url), None)
        return ReadPage(url, None, listed.state if listed and listed.state else "It is not kept.")
    quotes = [quote for voice in finding.voices for quote in voice.quotes]
    quoted = find_on_pages(run.archive, [snapshots[url]], quotes) if quotes else None
    at = (quoted.start, quoted.end) if quoted else nearest_passage(page.text, finding.said)
    first = max(0, at[0] - BEFORE) if at and start is None else max(0, start or 0)
    first = min(first, max(0, len(page.text) - 1))
    last = min(first + PART, len(page.text))
    tone = "quote" if quoted else "near"
    marks = [TextMark(at[0] - first, at[1] - first, "passage", "", "", tone)] if at else []
    inside = [each for each in marks if each.end > 0 and each.start < last - first]
    pieces = marked_pieces(page.text[first:last], [_toned(each) for each in inside])
    found = "" if at is None else tone
    return ReadPage(url, page, "", tuple(pieces), found, first, last, len(page.text))


def _toned(mark: TextMark) -> TextMark:
    tone = "good" if mark.tone == "quote" else "open"
    return TextMark(mark.start, mark.end, mark.name, "", "", tone)


def nearest_passage(text: str, said: str) -> tuple[int, int] | None:
    """Where the passage stands that has most of the words of what is said; None if none has two."""
    wanted = {*_words(said)}
    best, most = None, 1
    for start, end in _passages(text):
        shared = len(wanted & {*_words(text[start:end])})
        if shared > most:
            best, most = (start, end), shared
    return best


def _words(text: str) -> Sequence[str]:
    return [word for word in _WORD.findall(text.lower()) if len(word) > 2 or not word.isascii()]


def _passages(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, and of long ones their sentences."""
    for found in _PASSAGE.finditer(text):
        if len(found[0]) <= LONGEST:
            yield found.span()
            continue
        cuts = [each.end() for each in _SENTENCES.finditer(text, *found.span())]
        last = found.start()
        for cut in (*cuts, found.end()):
            if cut > last:
                yield last, cut
                last = cut
