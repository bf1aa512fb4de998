"""What the tags of a PDF say of its text: which headings, paragraphs and table cells there are."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import pypdfium2.raw as pdfium

_DEEPEST = 60
_HEADINGS = {f"H{level}": level for level in range(1, 7)} | {"Title": 1}
# They stand within a line, or only tell what a paragraph inside of them is.
_NOT_BLOCKS = frozenset(
    ("Span", "Link", "NonStruct", "Em", "Strong", "Code", "Quote", "Reference", "Note", "Sub")
) | frozenset(("Annot", "Ruby", "Warichu", "Lbl", "LBody", "BibEntry"))


class Cell(NamedTuple):
    """A place in a table. table: its number on the page."""

    table: int
    row: int
    column: int


@dataclass(frozen=True)
class Tag:
    """level: of the heading, or 0. block: text under one number is one paragraph."""

    block: int = 0
    level: int = 0
    cell: Cell | None = None


def read_tags(page: pdfium.FPDF_PAGE) -> dict[int, Tag]:
    """Tags by the number that marked content has on this page; none for an untagged one."""
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    try:
        reader = _Reader()
        for at in range(max(0, pdfium.FPDF_StructTree_CountChildren(tree))):
            reader.read(pdfium.FPDF_StructTree_GetChildAtIndex(tree, at), Tag(), 0)
        return reader.tags
    finally:
        pdfium.FPDF_StructTree_Close(tree)


class _Reader:
    """Walks down the tree of a page and numbers blocks, tables, rows and columns."""

    def __init__(self) -> None:
        self.tags: dict[int, Tag] = {}
        self._blocks = 0
        self._tables = 0
        self._cell = Cell(0, 0, 0)

    def read(self, element: pdfium.FPDF_STRUCTELEMENT, above: Tag, depth: int) -> None:
        """Note the tags of an element, whose parent has the tag `above`, and of its children."""
        if not element or depth > _DEEPEST:
            return
        kind = _kind(element)
        outside = self._cell
        tag = self._tag(kind, above)
        for number in _numbers(element):
            if number >= 0:
                self.tags.setdefault(number, tag)
        for at in range(max(0, pdfium.FPDF_StructElement_CountChildren(element))):
            child = pdfium.FPDF_StructElement_GetChildAtIndex(element, at)
            self.read(child, tag, depth + 1)
        if kind == "Table":
            self._cell = outside

    def _tag(self, kind: str, above: Tag) -> Tag:
        if kind in _NOT_BLOCKS:
            return above
        self._blocks += 1
        tag = replace(above, block=self._blocks, level=_HEADINGS.get(kind, above.level))
        if above.cell is None and kind == "Table":
            self._tables += 1
            self._cell = Cell(self._tables, -1, -1)
        elif above.cell is None and kind == "TR" and self._cell.table:
            self._cell = Cell(self._cell.table, self._cell.row + 1, -1)
        elif above.cell is None and kind in ("TD", "TH") and self._cell.table:
            self._cell = self._cell._replace(column=self._cell.column + 1)
            return replace(tag, cell=self._cell)
        return tag


def _kind(element: pdfium.FPDF_STRUCTELEMENT) -> str:
    size = pdfium.FPDF_StructElement_GetType(element, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDF_StructElement_GetType(element, buffer, size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")


def _numbers(element: pdfium.FPDF_STRUCTELEMENT) -> Iterator[int]:
    for at in range(max(0, pdfium.FPDF_StructElement_GetMarkedContentIdCount(element))):
        yield pdfium.FPDF_StructElement_GetMarkedContentIdAtIndex(element, at)
    for at in range(max(0, pdfium.FPDF_StructElement_CountChildren(element))):
        yield pdfium.FPDF_StructElement_GetChildMarkedContentID(element, at)
