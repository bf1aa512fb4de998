"""Places in a report: spans of characters, the lines they fall on, and edits of spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

LINE_END = re.compile(r"\r\n|\r|\n")


class Span(NamedTuple):
    """Characters `start` (included) to `end` (excluded): `text[start:end]`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of `text` that this span covers."""
        return text[self.start : self.end]

    def holds(self, other: Span) -> bool:
        """Whether `other` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True)
class Lines:
    """The lines of a text: CR LF, CR and LF all end one, as in CommonMark."""

    text: str

    @cached_property
    def starts(self) -> list[int]:
        """Offset at which each line begins; there is always a first line."""
        return [0, *(end.end() for end in LINE_END.finditer(self.text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both counted from 1, columns in characters."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def span(self, first: int, after: int) -> Span:
        """Lines `first` to `after` (excluded), counted from 0, without the last line end."""
        start = self.starts[first] if first < len(self.starts) else len(self.text)
        end = self.starts[after] if after < len(self.starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)


class Edit(NamedTuple):
    """Replace the characters of `span` by `text`; an empty span inserts."""

    span: Span
    text: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits done. Spans refer to the text as given.

    What lies within an earlier edit goes with it.
    """
    done = pieces(text, edits)
    return "".join(part for kept, words in done for part in (kept.of(text), words))


def pieces(text: str, edits: Iterable[Edit]) -> Iterator[tuple[Span, str]]:
    """What `apply` makes of a text: stretches that stay, each with what is written behind it."""
    at = 0
    for span, words in sorted(edits):
        yield Span(at, max(at, span.start)), words if span.start >= at or span.end > at else ""
        at = max(at, span.end)
    yield Span(at, len(text)), ""
