"""Blocks: what the Markdown of a report consists of."""

from __future__ import annotations

from typing import Literal, NamedTuple

from deepassay.reports.spans import Span

BlockKind = Literal["heading", "paragraph", "table", "code", "html", "rule"]


class Block(NamedTuple):
    """A leaf block: paragraphs of list items and quotations stand here too, with their depth.

    kind: "code" is all that is not prose: fences, indented code, `<pre>`, comments of HTML.
    span: whole lines, without the last line end.
    level: of a heading, 1 to 6; else 0.
    depth: how many lists and quotations it stands in.
    item: whether it is the first block of a list item.
    header, rows: cells of a table, trimmed; rows may be shorter or longer than the header.
    """

    kind: BlockKind
    span: Span
    level: int = 0
    depth: int = 0
    item: bool = False
    header: tuple[Span, ...] = ()
    rows: tuple[tuple[Span, ...], ...] = ()


class Table(Block):
    """A table with its cells."""

    __slots__ = ()
