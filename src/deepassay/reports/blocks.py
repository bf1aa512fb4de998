"""Blocks: what the Markdown of a report consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deepassay.reports.spans import Span

BlockKind = Literal["heading", "paragraph", "table", "code", "html", "rule"]


@dataclass(frozen=True)
class Block:
    """A leaf block: paragraphs of list items and quotations stand here too, with their depth.

    kind: "code" is all that is not prose: fences, indented code, `<pre>`, comments of HTML.
    span: whole lines, without the last line end.
    level: of a heading, 1 to 6; else 0.
    depth: how many lists and quotations it stands in.
    item: whether it is the first block of a list item.
    """

    kind: BlockKind
    span: Span
    level: int = 0
    depth: int = 0
    item: bool = False


@dataclass(frozen=True)
class Table(Block):
    """A table with its cells, trimmed; rows may be shorter or longer than the header."""

    header: tuple[Span, ...] = ()
    rows: tuple[tuple[Span, ...], ...] = ()
