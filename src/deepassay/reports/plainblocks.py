"""The blocks of plain Markdown, line by line: a short cut through what most reports are.

Plain are headings with `#`, rules, paragraphs, nested lists, tables, fences outside lists, and
quotations outside lists. Whatever else a text holds, all of it is left to the parser of
`markdown`, which takes several times as long; the two never differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from deepassay.reports.blocks import Block, Table
from deepassay.reports.spans import Span
from deepassay.reports.tables import cells, is_delimiter_row

# First characters of lines that may be more than a line of a paragraph or table.
_MARKS = frozenset("#<>-+*_=`~0123456789")
_MARKED = re.compile(
    r"(?P<heading>#{1,6})(?: |\Z)"
    r"|(?P<rule>([-*_])(?: *+\2){2,}+ *+\Z)"
    r"|(?P<item>[-+*]|[0-9]{1,9}[.)])(?P<gap> {1,4}(?=[^ ])| +|\Z)"
    r"|(?P<underline>(?:-++|=++) *+\Z)"
    r"|(?P<fence>`{3,}+|~{3,}+)"
    r"|(?P<quotation>>)"
    r"|(?P<tag><)"
)
_DEEPEST = 4  # quotations, and lists, in each other; the parser stops at twenty of either


class _NotPlain(Exception):
    """Something that only the parser reads as CommonMark does."""


@dataclass
class _List:
    """An open list. marker: `-`, `.` of `1.` and so on.

    indent: of what the list stands in; content: of what stands in its last item.
    """

    marker: str
    indent: int
    content: int


def plain_blocks(text: str) -> tuple[Block, ...] | None:
    """The blocks of a text in reading order, or None if it is not plain."""
    if "\t" in text or "\r" in text:
        return None
    lines = text.split("\n")
    ends = [end - 1 for end in accumulate(len(line) + 1 for line in lines)]
    reader = _Reader(text, lines, ends)
    try:
        return tuple(reader.read())
    except _NotPlain:
        return None


class _Reader:
    """Reads lines, each given without marks of quotation, and by where in the text it ends."""

    def __init__(
        self, text: str, lines: Sequence[str], ends: Sequence[int], quotations: int = 0
    ) -> None:
        self._text = text
        self._lines = lines
        self._ends = ends
        self._quotations = quotations
        self._blocks: list[Block] = []
        self._lists: list[_List] = []
        self._paragraph: int | None = None  # the line on which one begins that is still open
        self._item = False

    def read(self) -> list[Block]:
        """The blocks of all lines."""
        at = 0
        while at < len(self._lines):
            words = self._lines[at].lstrip(" ")
            if words:
                at = self._line(at, words)
            else:
                self._close_paragraph(at)
                at += 1
        self._close_paragraph(at)
        return self._blocks

    def _line(self, at: int, words: str) -> int:
        """Read the block that begins on a line, or what goes on there; the line after it."""
        indent = len(self._lines[at]) - len(words)
        marked = _MARKED.match(words) if words[0] in _MARKS else None
        table = "|" in words and self._opens_table(at, words)
        if table and marked:
            raise _NotPlain
        if self._paragraph is not None:
            inside = self._lists[-1].content if self._lists else 0
            ...
