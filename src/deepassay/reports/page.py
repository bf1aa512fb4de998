"""A report as the search for reference lists goes over it: line by line, without code."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from deepassay.reports.blocks import Block, Table
from deepassay.reports.citations import Citation
from deepassay.reports.spans import LINE_END, Span

# Items of HTML stand on one line as often as not; the character before one counts to its line.
_ITEM_OR_LINE_END = re.compile(r"\r\n|[\r\n]|(?P<item>[^\r\n](?=<li[\s>]))", re.IGNORECASE)


class Line(NamedTuple):
    """A line of a block. gap: nothing of the block stands above it. row: its cells, in a table."""

    start: int
    end: int
    block: Block
    gap: bool
    row: tuple[Span, ...] = ()

    def of(self, text: str) -> str:
        """The characters of the line."""
        return text[self.start : self.end]


@dataclass(frozen=True)
class Page:
    """Text, blocks and citations, looked up by place in logarithmic time."""

    text: str
    blocks: Sequence[Block]
    citations: Sequence[Citation]

    @cached_property
    def _block_starts(self) -> list[int]:
        return [each.span.start for each in self.blocks]

    @cached_property
    def _citation_starts(self) -> list[int]:
        return [each.span.start for each in self.citations]

    def lines(self, start: int, end: int) -> Iterator[Line]:
        """Lines from `start`, where one begins or ends, to `end`; for a table, its rows."""
        index = max(0, bisect_right(self._block_starts, start) - 1)
        while index < len(self.blocks) and self.blocks[index].span.start < end:
            block = self.blocks[index]
            index += 1
            if isinstance(block, Table):
                for row in block.rows:
                    if row[0].start >= start:
                        yield Line(row[0].start, row[-1].end, block, True, row)
            elif block.kind != "code" and block.span.end > start:
                yield from self.lines_of(block, max(block.span.start, start), end)

    def lines_of(self, block: Block, at: int, end: int) -> Iterator[Line]:
        """Lines of a block that is no table, from `at`, where one begins or ends, to `end`."""
        ends = _ITEM_OR_LINE_END if block.kind == "html" else LINE_END
        while True:
            line_end = ends.search(self.text, at, block.span.end)
            stop = line_end.start() if line_end else block.span.end
            if line_end and line_end.lastgroup:
                stop = line_end.end()
            if stop > end:
                return
            yield Line(at, stop, block, at == block.span.start)
            if line_end is None:
                return
            at = line_end.end()

    def inside(self, span: Span) -> Sequence[Citation]:
        """Citations that begin in `span`."""
        first = bisect_left(self._citation_starts, span.start)
        return self.citations[first : bisect_left(self._citation_starts, span.end)]

    def block_at(self, offset: int) -> Block | None:
        """The block that holds a character, if one does."""
        index = bisect_right(self._block_starts, offset) - 1
        if index < 0 or self.blocks[index].span.end < offset:
            return None
        return self.blocks[index]
