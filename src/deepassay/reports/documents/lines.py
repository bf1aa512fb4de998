"""Lines of a PDF page: characters put in rows, rows joined to paragraphs, parts in columns."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple, TypeAlias

import pypdfium2
import pypdfium2.raw as pdfium

from deepassay.reports.documents.marks import StyledText
from deepassay.reports.documents.structure import Cell, Tag, Weblinks, read_grids, read_tags

HYPHENS = frozenset("\x02\ufffe")
"""What PDFium writes, by release, for a hyphen that only breaks a word at the end of a line."""

_APART = 1.4  # of the size; a wider gap stands between columns
_BOLD = ("bold", "black", "heavy")
_ITALIC = ("italic", "oblique")
_RULED = 1000  # tables by ruling have numbers from here on


class TypeLook(NamedTuple):
    """What all characters of one text object have in common. size: in points."""

    size: float
    bold: bool
    italic: bool
    tag: Tag


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character, or a blank that PDFium adds. base: the height it stands on, in points."""

    text: str
    left: float
    right: float
    base: float
    look: TypeLook
    link: str


@dataclass(frozen=True)
class LineSegment:
    """Part of a line that a wide gap ends."""

    left: float
    pieces: tuple[StyledText, ...]


@dataclass(frozen=True)
class PdfLine:
    """A line, or what of it lies in one cell. Lengths in points, from the lower left corner.

    level: as the tags have it, 0 without. block: lines under one number, if not 0, are one
    paragraph.
    """

    segments: tuple[LineSegment, ...]
    right: float
    base: float
    size: float
    bold: bool
    block: int = 0
    level: int = 0
    cell: Cell | None = None

    @property
    def left(self) -> float:
        """The distance of the line from the left edge of the page, in points."""
        return self.segments[0].left

    @property
    def pieces(self) -> tuple[StyledText, ...]:
        """What it says, a blank for each gap."""
        found: list[StyledText] = []
        for segment in self.segments:
            found += [StyledText(" "), *segment.pieces] if found else segment.pieces
        return tuple(found)

    @property
    def text(self) -> str:
        """The words of the line, without blanks around them."""
        return "".join(piece.text for piece in self.pieces).strip()


def read_lines(
    document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage
) -> list[PdfLine]:
    """The lines of a page in the order of its content."""
    rows: list[list[Glyph]] = []
    for glyph in _glyphs(document, page, textpage):
        if not rows or not _on_the_line(rows[-1][-1], glyph):
            if glyph.text.isspace():
                continue
            rows.append([])
        rows[-1].append(glyph)
    return [_line(row) for row in rows]


def _on_the_line(last: Glyph, glyph: Glyph) -> bool:
    """Whether a glyph stands on the line of the last one; raised figures do."""
    if glyph.text.isspace():
        return True
    size = max(last.look.size, glyph.look.size)
    return (
        abs(glyph.base - last.base) < 0.6 * size
        and glyph.left > last.left - 0.5 * size
        and glyph.look.tag.cell == last.look.tag.cell
    )


def _glyphs(
    document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage
) -> Iterator[Glyph]:
    tags = read_tags(page)
    grids = [] if any(tag.cell for tag in tags.values()) else read_grids(page)
    links = Weblinks(document, page)
    looks: dict[int, TypeLook] = {}
    x, base = ctypes.c_double(), ctypes.c_double()
    box = pdfium.FS_RECTF()
    last: Glyph | None = None
    high = ""
    for at in range(textpage.count_chars()):
        text = chr(pdfium.FPDFText_GetUnicode(textpage, at))
        if "\ud800" <= text <= "\udbff":  # the other half comes next
            high = text
            continue
        text, high = _whole(high, text), ""
        if text in "\r\n\0":
            continue
        if text.isspace() or pdfium.FPDFText_IsGenerated(textpage, at):
            if last is not None:
                last = replace(last, text=text)
                yield last
            continue
        pdfium.FPDFText_GetCharOrigin(textpage, at, x, base)
        pdfium.FPDFText_GetLooseCharBox(textpage, at, box)
        text_object = pdfium.FPDFText_GetTextObject(textpage, at)
        address = ctypes.cast(text_object, ctypes.c_void_p).value or 0
        if address not in looks:
            looks[address] = _look(textpage, at, text_object, tags)
        look = looks[address]
        middle = (box.left + box.right) / 2, base.value + 0.3 * look.size
        for number, grid in enumerate(grids):
            if place := grid.cell(*middle):
                look = look._replace(tag=Tag(cell=Cell(_RULED + number, *place)))
        last = Glyph(text, box.left, box.right, base.value, look, links.at(*middle))
        yield last


def _whole(high: str, text: str) -> str:
    """A character of the higher planes from its two halves; a half alone is no character."""
    pair = (high + text).encode("utf-16-le", "surrogatepass")
    return pair.decode("utf-16-le", "replace") if high or "\udc00" <= text <= "\udfff" else text


def _look(
    textpage: pypdfium2.PdfTextPage,
    at: int,
    text_object: pdfium.FPDF_PAGEOBJECT,
    tags: dict[int, Tag],
) -> TypeLook:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(textpage, at, matrix)
    # The font may be of size 1 and the matrix all the rest.
    scale = (matrix.c**2 + matrix.d**2) ** 0.5 or 1.0
    size = pdfium.FPDFText_GetFontSize(textpage, at) * scale
    name = ctypes.create_string_buffer(200)
    pdfium.FPDFText_GetFontInfo(textpage, at, name, 200, None)
    font = name.value.decode("utf-8", "replace").lower()
    weight = pdfium.FPDFText_GetFontWeight(textpage, at)
    bold = weight >= 600 or any(word in font for word in _BOLD)
    italic = any(word in font for word in _ITALIC)
    tag = tags.get(pdfium.FPDFPageObj_GetMarkedContentID(text_object), Tag())
    return TypeLook(round(size, 1) or 1.0, bold, italic, tag)


def _line(glyphs: list[Glyph]) -> PdfLine:
    while glyphs[-1].text.isspace():
        glyphs.pop()
    shown = [glyph for glyph in glyphs if not glyph.text.isspace()]
    size = Counter(glyph.look.size for glyph in shown).most_common(1)[0][0]
    full = [glyph for glyph in shown if glyph.look.size == size]
    base = Counter(glyph.base for glyph in full).most_common(1)[0][0]
    tag = Counter(glyph.look.tag for glyph in shown).most_common(1)[0][0]
    return PdfLine(
        segments=tuple(_segments(glyphs, size, base)),
        right=max(glyph.right for glyph in shown),
        base=base,
        size=size,
        bold=all(glyph.look.bold for glyph in shown),
        block=tag.block,
        level=tag.level,
        cell=tag.cell,
    )


def _segments(glyphs: list[Glyph], size: float, base: float) -> Iterator[LineSegment]:
    parts: list[list[Glyph]] = [[]]
    last: Glyph | None = None
    for glyph in glyphs:
        if glyph.text.isspace():
            if parts[-1]:
                parts[-1].append(glyph)
            continue
        gap = glyph.left - last.right if last else 0.0
        if gap > _APART * size:
            parts.append([])
        elif last and gap > 0.25 * size and not parts[-1][-1].text.isspace():
            parts[-1].append(replace(last, text=" "))
        parts[-1].append(glyph)
        last = glyph
    for part in parts:
        yield LineSegment(part[0].left, tuple(_pieces(part, size, base)))


def _pieces(glyphs: list[Glyph], size: float, base: float) -> Iterator[StyledText]:
    def looks(glyph: Glyph) -> StyledText:
        raised = glyph.look.size < 0.9 * size and glyph.base > base + 0.1 * size
        return StyledText("", glyph.link, glyph.look.bold, glyph.look.italic, raised)

    for look, alike in groupby(glyphs, looks):
        yield replace(look, text="".join(glyph.text for glyph in alike))


_ADDRESS = re.compile(r"(?:https?://|www\.)\S*\Z", re.IGNORECASE)
_OPEN = frozenset("/-_=&?%#+~")
_WIDE = frozenset("WF")
_LONGEST = 400


def paragraphs_of_lines(lines: Iterable[PdfLine]) -> list[StyledText]:
    """The pieces of lines that follow each other in one paragraph."""
    found: list[StyledText] = []
    for line in lines:
        pieces = list(line.pieces)
        if found and pieces:
            _connect(found, pieces)
        found += pieces
    return [replace(piece, text=_plain(piece.text)) for piece in found]


def _connect(found: list[StyledText], pieces: list[StyledText]) -> None:
    last, first = found[-1], pieces[0]
    text = last.text.rstrip()
    before = "".join(piece.text for piece in found[-8:]).rstrip()[-_LONGEST:]
    address = _ADDRESS.search(before.rstrip("\x02\ufffe"))
    if text and text[-1] in HYPHENS:
        # In an address the hyphen is its own.
        found[-1] = replace(last, text=text[:-1] + ("-" if address else ""))
        return
    runs_over = address and _runs_over(before, first.text)
    if runs_over or (_is_wide(text[-1:]) and _is_wide(first.text[:1])):
        found[-1] = replace(last, text=text)
        return
    link = last.link if last.link == first.link else ""
    found.append(replace(last, text=" ", link=link, raised=False))


def _runs_over(before: str, after: str) -> bool:
    """Whether an address at the end of a line goes on in the next one."""
    if before[-1] == ".":
        return after[:1].islower() or after[:1].isdigit()
    return before[-1] in _OPEN and not after[:1].isspace()


def _is_wide(character: str) -> bool:
    return character != "" and unicodedata.east_asian_width(character) in _WIDE


def _plain(text: str) -> str:
    """Within a line, what PDFium marks as the break of a word is a hyphen."""
    for hyphen in HYPHENS:
        text = text.replace(hyphen, "-")
    return text


Rows: TypeAlias = list[list[list[StyledText]]]
"""A table: for each row the pieces of each cell."""


def read_cells(lines: Iterable[PdfLine]) -> list[PdfLine | Rows]:
    """Lines outside of cells, and each table where its first line stood."""
    found: list[PdfLine | dict[tuple[int, int], list[PdfLine]]] = []
    tables: dict[int, dict[tuple[int, int], list[PdfLine]]] = {}
    for line in lines:
        if line.cell is None:
            found.append(line)
            continue
        number, *place = line.cell
        if number not in tables:
            tables[number] = {}
            found.append(tables[number])
        tables[number].setdefault((place[0], place[1]), []).append(line)
    return [
        made for each in found for made in ([each] if isinstance(each, PdfLine) else _rows(each))
    ]


def _rows(cells: dict[tuple[int, int], list[PdfLine]]) -> list[PdfLine | Rows]:
    """A table without its empty rows and columns; plain lines if it was only a frame."""
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    if len(rows) < 2 or len(columns) < 2:
        return [replace(line, cell=None) for lines in cells.values() for line in lines]
    return [
        [[paragraphs_of_lines(cells.get((row, column), ())) for column in columns] for row in rows]
    ]


def by_gaps(
    things: Iterable[PdfLine | Rows], label: Callable[[PdfLine], str]
) -> Iterator[PdfLine | Rows]:
    """Lines and tables, with a table in place of lines that wide gaps divide alike.

    label: what a line begins with if it is an item of a list, which is no row.
    """
    block: list[PdfLine] = []
    for thing in things:
        if isinstance(thing, PdfLine) and not thing.level:
            if block and _continues_table(block, thing):
                block.append(thing)
                continue
            yield from _table(block)
            block = []
            if len(thing.segments) > 1 and not (len(thing.segments) == 2 and label(thing)):
                block = [thing]
                continue
        else:
            yield from _table(block)
            block = []
        yield thing
    yield from _table(block)


def _continues_table(block: list[PdfLine], line: PdfLine) -> bool:
    """Whether a line is a row of the table that the block may be, or a cell's second line."""
    first, last = block[0], block[-1]
    if not 0 < last.base - line.base < 3 * line.size:
        return False
    if len(line.segments) == len(first.segments):
        return True
    near = last.base - line.base < 1.5 * line.size
    return len(block) > 1 and near and 0 not in _columns(first, line)


def _columns(first: PdfLine, line: PdfLine) -> list[int]:
    """For each part of a line the column of the first row it stands under; 0 also for none."""
    starts = [segment.left for segment in first.segments]
    return [
        next((at for at, x in enumerate(starts) if abs(x - segment.left) < line.size), 0)
        for segment in line.segments
    ]


def _table(block: list[PdfLine]) -> Iterator[PdfLine | Rows]:
    full = [line for line in block if len(line.segments) == len(block[0].segments)]
    if len(full) < 2:
        yield from block
        return
    rows: Rows = []
    for line in block:
        parts = [list(segment.pieces) for segment in line.segments]
        if len(parts) == len(block[0].segments):
            rows.append(parts)
            continue
        for column, part in zip(_columns(block[0], line), parts, strict=True):
            rows[-1][column] += [StyledText(" "), *part]
    yield rows
