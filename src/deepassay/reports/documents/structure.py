"""What a PDF page says of its text beside the characters: tags, ruled tables, web links."""

from __future__ import annotations

import ctypes
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import pypdfium2
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
        reader = _TreeWalker()
        for at in range(max(0, pdfium.FPDF_StructTree_CountChildren(tree))):
            reader.read(pdfium.FPDF_StructTree_GetChildAtIndex(tree, at), Tag(), 0)
        return reader.tags
    finally:
        pdfium.FPDF_StructTree_Close(tree)


class _TreeWalker:
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


NEAR = 3.0  # points; lines nearer than that are one, or touch
SHORTEST = 6.0  # points; what is shorter rules nothing
MOST_LINES = 600  # on a page; what has more is a drawing


@dataclass(frozen=True)
class RuledLine:
    """A ruled line at `place`, drawn in strokes whose `ends` lie along the other axis."""

    place: float
    ends: tuple[float, ...]

    @property
    def start(self) -> float:
        """The lower of the two places between which the line runs."""
        return min(self.ends)

    @property
    def end(self) -> float:
        """The higher of the two places between which the line runs."""
        return max(self.ends)


@dataclass
class RuledGrid:
    """Edges of columns from left to right, and of rows from the foot of the page up."""

    across: list[float] = field(default_factory=list)
    up: list[float] = field(default_factory=list)

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Row (from above) and column of the cell around a point, or None outside."""
        column, row = bisect(self.across, x), bisect(self.up, y)
        if not 0 < column < len(self.across) or not 0 < row < len(self.up):
            return None
        return len(self.up) - 1 - row, column - 1


def read_grids(page: pypdfium2.PdfPage) -> list[RuledGrid]:
    """The grids of a page that have two columns and two rows at least."""
    flat: list[RuledLine] = []
    upright: list[RuledLine] = []
    for path in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=1):
        for (x, y), (to_x, to_y) in _strokes(path):
            if abs(y - to_y) < 1 and abs(x - to_x) >= SHORTEST:
                flat.append(RuledLine(y, (x, to_x)))
            elif abs(x - to_x) < 1 and abs(y - to_y) >= SHORTEST:
                upright.append(RuledLine(x, (y, to_y)))
            if len(flat) + len(upright) > MOST_LINES:
                return []
    found = [
        RuledGrid(_edges(columns, rows), _edges(rows, columns))
        for rows, columns in _touching(_whole(flat), _whole(upright))
    ]
    return [grid for grid in found if len(grid.across) > 2 and len(grid.up) > 2]


def _strokes(
    path: pypdfium2.PdfObject,
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    matrix = path.get_matrix()
    start = last = (0.0, 0.0)
    x, y = ctypes.c_float(), ctypes.c_float()
    for at in range(min(pdfium.FPDFPath_CountSegments(path), 4 * MOST_LINES)):
        segment = pdfium.FPDFPath_GetPathSegment(path, at)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = matrix.on_point(x.value, y.value)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_LINETO:
            yield last, point
        elif kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        last = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield last, start
            last = start


def _whole(rules: Sequence[RuledLine]) -> list[RuledLine]:
    """Lines that were drawn cell by cell, each as one."""
    found: list[RuledLine] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.place), rule.start)):
        last = found[-1] if found else None
        if last and abs(last.place - rule.place) <= NEAR and rule.start <= last.end + NEAR:
            found[-1] = RuledLine(last.place, last.ends + rule.ends)
        else:
            found.append(rule)
    return found


def _touching(
    flat: Sequence[RuledLine], upright: Sequence[RuledLine]
) -> Iterator[tuple[list[RuledLine], list[RuledLine]]]:
    """Groups of lines that cross or touch, directly or by way of others."""
    left = set(range(len(upright)))
    unseen = set(range(len(flat)))
    while unseen:
        rows, columns = [unseen.pop()], list[int]()
        waiting = [(rows[0], True)]
        while waiting:
            at, is_flat = waiting.pop()
            if is_flat:
                met = {other for other in left if _cross(flat[at], upright[other])}
                left -= met
                columns += met
            else:
                met = {other for other in unseen if _cross(flat[other], upright[at])}
                unseen -= met
                rows += met
            waiting += [(other, not is_flat) for other in met]
        yield [flat[at] for at in rows], [upright[at] for at in columns]


def _cross(flat: RuledLine, upright: RuledLine) -> bool:
    return (
        flat.start - NEAR <= upright.place <= flat.end + NEAR
        and upright.start - NEAR <= flat.place <= upright.end + NEAR
    )


def _edges(along: Sequence[RuledLine], across: Sequence[RuledLine]) -> list[float]:
    """Edges in order: where lines stand, and where those across end. Near ones are one."""
    edges: list[float] = []
    ends = [end for rule in across for end in rule.ends]
    for place in sorted([rule.place for rule in along] + ends):
        if not edges or place - edges[-1] > NEAR:
            edges.append(place)
    return edges


MOST_LINKS = 5000  # on a page
_BAND = 20.0  # points


class Area(NamedTuple):
    """A rectangle that can be clicked, in points."""

    left: float
    bottom: float
    right: float
    top: float
    address: str


class Weblinks:
    """The links of a page, kept by bands of its height so that one is found quickly."""

    def __init__(self, document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> None:
        self._bands: dict[int, list[Area]] = defaultdict(list)
        for area in _areas(document, page):
            low, high = (int(min(max(y, -9e4), 9e4) // _BAND) for y in (area.bottom, area.top))
            for band in range(low, min(high, low + 500) + 1):
                self._bands[band].append(area)

    def at(self, x: float, y: float) -> str:
        """The address behind a point, or ""."""
        for area in self._bands.get(int(y // _BAND), ()):
            if area.left <= x <= area.right and area.bottom <= y <= area.top:
                return area.address
        return ""


def _areas(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Iterator[Area]:
    position = ctypes.c_int(0)
    link = pdfium.FPDF_LINK()
    for _ in range(MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        address = _address(document, link)
        if not address:
            continue
        quads = pdfium.FPDFLink_CountQuadPoints(link)
        quad = pdfium.FS_QUADPOINTSF()
        for at in range(min(quads, 100)):
            if pdfium.FPDFLink_GetQuadPoints(link, at, quad):
                across = (quad.x1, quad.x2, quad.x3, quad.x4)
                up = (quad.y1, quad.y2, quad.y3, quad.y4)
                yield Area(min(across), min(up), max(across), max(up), address)
        rectangle = pdfium.FS_RECTF()
        if quads <= 0 and pdfium.FPDFLink_GetAnnotRect(link, rectangle):
            low, high = sorted((rectangle.bottom, rectangle.top))
            yield Area(rectangle.left, low, rectangle.right, high, address)


def _address(document: pypdfium2.PdfDocument, link: pdfium.FPDF_LINK) -> str:
    action = pdfium.FPDFLink_GetAction(link)
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    size = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, size)
    return buffer.value.decode("utf-8", "replace").strip()
