"""A text in Markdown with the places of its characters: lines, cells of tables, headings, links."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final, NamedTuple

_LINE_END: Final = re.compile(r"\r\n?|\n")


class SourceLink(NamedTuple):
    """A link of the source: from its bracket to its end, and the words that it is seen by."""

    start: int
    end: int
    label: tuple[int, int]


class MarkdownSource:
    """A text with lines that end as Markdown reads them, and where they are in the one given."""

    def __init__(self, given: str) -> None:
        self.text = _LINE_END.sub("\n", given).replace("\0", "\ufffd")
        # Of every line end of two characters: where the line after it begins, as it was given.
        self._after = [end.end() for end in _LINE_END.finditer(given) if end[0] == "\r\n"]
        self.links: list[SourceLink] = []
        self.starts = [0, *(end.end() for end in re.finditer("\n", self.text))]

    def moved(self, offset: int) -> int:
        """Where a character of the text that was given stands here."""
        return offset - bisect_right(self._after, offset)

    def given(self, offset: int) -> int:
        """Where a character that stands here stood in the text that was given."""
        ends = range(len(self._after))  # of each, where the line after it begins here
        return offset + bisect_right(ends, offset, key=lambda end: self._after[end] - end - 1)

    def line(self, number: int) -> tuple[int, int]:
        """Where a line begins and ends, counted from 0."""
        after = self.starts[number + 1] - 1 if number + 1 < len(self.starts) else len(self.text)
        return self.starts[number], after

    def offsets(self, content: str, first: int) -> list[int]:
        """Of every character of a block's content, where it stands; first: the line it begins on.

        Every line of it is the end of a line of the source, blanks at both its ends aside.
        """
        at: list[int] = []
        parts = content.split("\n")
        # First lines of blanks that are none to Markdown, as U+3000, were stripped off.
        while parts[0].strip() and first < len(self.starts):
            if self.text[slice(*self.line(first))].strip():
                break
            first += 1
        for number, part in enumerate(parts, start=first):
            if number >= len(self.starts):
                break
            begin, end = self.line(number)
            bare = part.strip()
            found = end - len(bare)
            if not self.text.startswith(bare, found):
                found = begin + len(self.text[begin:end].rstrip()) - len(bare)
            if found < begin or not self.text.startswith(bare, found):
                return []
            start = found - (len(part) - len(part.lstrip()))
            places = range(start, start + len(part))
            if start < begin or places.stop > end + 1:
                at += (min(max(each, begin), end) for each in places)
            else:
                at += places
            at.append(end)
        return at[: len(content)]

    def heading(self, content: str, number: int, level: int) -> list[int]:
        """Offsets of a heading with hashes, behind which more of them may stand."""
        begin, end = self.line(number)
        start = self.text.find("#", begin, end) + level
        found = self.text.find(content, start, end)
        return [] if found < 0 else [*range(found, found + len(content))]

    def cells(self, begin: int, number: int) -> list[list[int]]:
        """Where the characters of each cell of a row stand, as the parser splits it.

        begin: of the row, behind what quotations and lists put before it.
        """
        _, end = self.line(number)
        found: list[list[int]] = [[]]
        escaped = False
        bare = self.text[begin:end].strip()
        begin += len(self.text[begin:end]) - len(self.text[begin:end].lstrip())
        for offset, sign in enumerate(bare, start=begin):
            if sign != "|":
                found[-1].append(offset)
            elif escaped:
                found[-1][-1] = offset  # in place of the backslash
            else:
                found.append([])
            escaped = sign == "\\"
        found = found[1:] if found and not found[0] else found
        found = found[:-1] if found and not found[-1] else found
        return [self._trimmed(each) for each in found]

    def _trimmed(self, at: list[int]) -> list[int]:
        bare = "".join(self.text[each] for each in at)
        lead = len(bare) - len(bare.lstrip())
        return at[lead : lead + len(bare.strip())]
