"""A citation between two letters: it splits a word or glues two together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from deepassay.reports.citations import Citation, Superscript
from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.report import Report
from deepassay.reports.spans import Span

LETTERS = re.compile(r"[^\W\d_]+")
WORD_END = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


class Intrusion(NamedTuple):
    """Citations inside a word: their span, where the word ends, and whether it is one word."""

    span: Span
    word_end: int
    one_word: bool


def intrusions(report: Report) -> list[Intrusion]:
    """Citations with a letter before and a small letter after, adjacent ones together.

    Only scripts with capitals: between Chinese characters a citation stands where it should.
    """
    text = report.text
    pieces = []
    for span in _adjacent(report.citations):
        before, after = text[max(0, span.start - 1) : span.start], text[span.end : span.end + 1]
        right = LETTERS.match(text, span.end)
        if right and after.islower() and (before.islower() or before.isupper()):
            left = _letters_before(text, span.start)
            pieces.append((span, left.casefold(), right[0].casefold()))
    if not pieces:
        return []
    whole = _one_word([(left, right) for _, left, right in pieces], text)
    starts = {citation.span.start for citation in report.citations}
    found = []
    for (span, *_), one_word in zip(pieces, whole, strict=True):
        end = WORD_END.match(text, span.end)
        word_end = end.end() if end else span.end
        clear = word_end not in starts and text[word_end : word_end + 1] not in ("(", "[", "{")
        found.append(Intrusion(span, word_end, one_word and clear))
    return found


def _adjacent(citations: tuple[Citation, ...]) -> list[Span]:
    """Spans of citations, those that touch each other joined."""
    spans: list[Span] = []
    for citation in citations:
        if citation.in_sentence or isinstance(citation, Superscript):
            continue
        if spans and spans[-1].end == citation.span.start:
            spans[-1] = Span(spans[-1].start, citation.span.end)
        else:
            spans.append(citation.span)
    return spans


def _letters_before(text: str, end: int) -> str:
    start = end
    while start > 0 and LETTERS.match(text[start - 1]):
        start -= 1
    return text[start:end]


def _one_word(pieces: list[tuple[str, str]], text: str) -> list[bool]:
    """Judged by the other words of the report: `A[2]nother` is one, `market[2]and` is not.

    A word put together in one place counts as a word in the others, so that judging the
    repaired report gives nothing new.
    """
    words = Counter(word.group().casefold() for word in LETTERS.finditer(text))
    words.subtract(piece for both in pieces for piece in both)
    sure = [len(left) == 1 and not words[right] for left, right in pieces]
    joined = {left + right for (left, right), one in zip(pieces, sure, strict=True) if one}
    return [
        one or left + right in joined or words[left + right] > 0
        for (left, right), one in zip(pieces, sure, strict=True)
    ]


def check(report: Report) -> Iterator[Hit]:
    """One hit for each group of adjacent citations."""
    for span, _, one_word in intrusions(report):
        what = "stands inside a word" if one_word else "touches the words on both sides"
        yield Hit(span, f"{excerpt(span.of(report.text), 30)} {what}")


RULE = Rule(
    code="DA103",
    name="citation-inside-word",
    reason="It breaks the reading of a sentence and looks unedited.",
    sources=("G20",),
    check=check,
    fixable=True,
    version=2,
)
