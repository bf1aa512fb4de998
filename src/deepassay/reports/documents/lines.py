"""Lines of a PDF page: its characters with place, size, looks, link and tag, put in rows."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from deepassay.reports.documents.marks import Piece
from deepassay.reports.documents.ruling import read_grids
from deepassay.reports.documents.tags import Cell, Tag, read_tags
from deepassay.reports.documents.weblinks import Weblinks

HYPHENS = frozenset("\x02\ufffe")
"""What PDFium writes, by release, for a hyphen that only breaks a word at the end of a line."""

_APART = 1.4  # of the size; a wider gap stands between columns
_BOLD = ("bold", "black", "heavy")
_ITALIC = ("italic", "oblique")
_RULED = 1000  # tables by ruling have numbers from here on


class Look(NamedTuple):
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
    look: Look
    link: str


@dataclass(frozen=True)
class Segment:
    """Part of a line that a wide gap ends."""

    left: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Line:
    """A line, or what of it lies in one cell. Lengths in points, from the lower left corner.

    level: as the tags have it, 0 without. block: lines under one number, if not 0, are one
    paragraph.
    """

    segments: tuple[Segment, ...]
    right: float
    base: float
    size: float
    bold: bool
    block: int = 0
    level: int = 0
    cell: Cell | None = None

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.segments[0].left

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What it says, a blank for each gap."""
        found: list[Piece] = []
        for segment in self.segments:
            found += [Piece(" "), *segment.pieces] if found else segment.pieces
        return tuple(found)

    @property
    def text(self) -> str:
        """Its words."""
        return "".join(piece.text for piece in self.pieces).strip()


def read_lines(
    document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage
) -> list[Line]:
    """The lines of a page in the order of its content."""
    rows: list[list[Glyph]] = []
    for glyph in _glyphs(document, page, textpage):
        if not rows or not _goes_on(rows[-1][-1], glyph):
            if glyph.text.isspace():
                continue
            rows.append([])
        rows[-1].append(glyph)
    return [_line(row) for row in rows]


def _goes_on(last: Glyph, glyph: Glyph) -> bool:
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
    looks: dict[int, Look] = {}
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
        thing = pdfium.FPDFText_GetTextObject(textpage, at)
        address = ctypes.cast(thing, ctypes.c_void_p).value or 0
        if address not in looks:
            looks[address] = _look(textpage, at, thing, tags)
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
    thing: pdfium.FPDF_PAGEOBJECT,
    tags: dict[int, Tag],
) -> Look:
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
    tag = tags.get(pdfium.FPDFPageObj_GetMarkedContentID(thing), Tag())
    return Look(round(size, 1) or 1.0, bold, italic, tag)


def _line(glyphs: list[Glyph]) -> Line:
    while glyphs[-1].text.isspace():
        glyphs.pop()
    shown = [glyph for glyph in glyphs if not glyph.text.isspace()]
    size = Counter(glyph.look.size for glyph in shown).most_common(1)[0][0]
    full = [glyph for glyph in shown if glyph.look.size == size]
    base = Counter(glyph.base for glyph in full).most_common(1)[0][0]
    tag = Counter(glyph.look.tag for glyph in shown).most_common(1)[0][0]
    return Line(
        segments=tuple(_segments(glyphs, size, base)),
        right=max(glyph.right for glyph in shown),
        base=base,
        size=size,
        bold=all(glyph.look.bold for glyph in shown),
        block=tag.block,
        level=tag.level,
        cell=tag.cell,
    )


def _segments(glyphs: list[Glyph], size: float, base: float) -> Iterator[Segment]:
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
        yield Segment(part[0].left, tuple(_pieces(part, size, base)))


def _pieces(glyphs: list[Glyph], size: float, base: float) -> Iterator[Piece]:
    def looks(glyph: Glyph) -> Piece:
        raised = glyph.look.size < 0.9 * size and glyph.base > base + 0.1 * size
        return Piece("", glyph.link, glyph.look.bold, glyph.look.italic, raised)

    for look, alike in groupby(glyphs, looks):
        yield replace(look, text="".join(glyph.text for glyph in alike))
