"""PDF to Markdown: PDFium gives characters and links, their lines become blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pypdfium2

from deepassay.reports.documents.convert import RefusedDocument
from deepassay.reports.documents.lines import (
    PdfLine,
    Rows,
    by_gaps,
    paragraphs_of_lines,
    read_cells,
    read_lines,
)
from deepassay.reports.documents.marks import StyledText, heading_mark, inline, table
from deepassay.text import HAN_CHARACTER

_MARGIN = 0.1  # of the height
_FIGURES = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[ivxl]{1,6}|(?:page |第 ?|- ?|– ?)?\d{1,4}(?: ?(?:of|/|von|de|sur) ?\d{1,4}| ?[-–]| ?页)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PageLines:
    """A page. height: in points."""

    height: float
    lines: list[PdfLine]


def without_running_heads(sheets: Sequence[PageLines]) -> list[list[PdfLine]]:
    """Lines of each page but for page numbers and what several pages have in a margin.

    Several are three, or half of a shorter document. Figures in such a line may differ.
    """
    marginal = [[_marginal(sheet, line) for line in sheet.lines] for sheet in sheets]
    pages_with = Counter(key for keys in marginal for key in set(keys) if key)
    often = min(max(2, len(sheets) / 2), 3)
    return [
        [
            line
            for line, key in zip(sheet.lines, keys, strict=True)
            if not key or (pages_with[key] < often and not _PAGE_NUMBER.fullmatch(line.text))
        ]
        for sheet, keys in zip(sheets, marginal, strict=True)
    ]


def _marginal(sheet: PageLines, line: PdfLine) -> str:
    """What a line in the head or foot of a page says, figures apart; "" for one between."""
    if line.cell is not None:  # the head of a table may return on every page
        return ""
    if _MARGIN * sheet.height < line.base < (1 - _MARGIN) * sheet.height:
        return ""
    return _FIGURES.sub("#", line.text)


_LARGER = 1.12  # times the size of the body: a heading
_LEVELS = 6


@dataclass(frozen=True)
class Typography:
    """body: its size in points. sizes: of headings, the largest first. leading: the distance of
    lines as a multiple of their size. right: where full lines end. tagged: tags name headings.
    """

    body: float = 10.0
    sizes: tuple[float, ...] = field(default=())
    leading: float = 1.2
    right: float = 0.0
    tagged: bool = False

    @classmethod
    def of(cls, lines: Sequence[PdfLine]) -> Typography:
        """What is usual among the lines of a document."""
        free = [line for line in lines if line.cell is None]
        letters: Counter[float] = Counter()
        for line in free:
            letters[line.size] += len(line.text)
        if not letters:
            return cls()
        body = letters.most_common(1)[0][0]
        larger = sorted((size for size in letters if size > _LARGER * body), reverse=True)
        ends = sorted(line.right for line in free if line.size == body)
        return cls(
            body,
            tuple(larger),
            _leading(free),
            ends[int(0.9 * (len(ends) - 1))],
            any(line.level for line in lines),
        )

    def level(self, line: PdfLine) -> int:
        """That of the heading which a line is (part of), or 0."""
        if self.tagged or line.size not in self.sizes:
            return line.level
        return min(self.sizes.index(line.size) + 1, _LEVELS)

    @property
    def below(self) -> int:
        """The level of headings that only bold type tells from the body."""
        return min(len(self.sizes) + 1, _LEVELS)

    def is_apart(self, last: PdfLine, line: PdfLine) -> bool:
        """Whether there is more than the usual distance between two lines, or a step upward."""
        return not 0 <= last.base - line.base <= (self.leading + 0.25) * max(line.size, last.size)


def _leading(lines: Sequence[PdfLine]) -> float:
    """The smallest of the common distances: the larger ones stand between paragraphs."""
    found = Counter(
        round((last.base - line.base) / line.size, 1)
        for last, line in pairwise(lines)
        if last.size == line.size and 0.9 <= (last.base - line.base) / line.size <= 1.8
    )
    most = max(found.values(), default=0)
    return min((ratio for ratio, times in found.items() if times >= 0.3 * most), default=1.2)


_BULLET = re.compile(r"[•◦▪▫‣●○■□∙⁃\uf0b7\uf0a7\uf0d8]\s*")
_DASH = re.compile(r"[-–—*·]\s+")
_NUMBER = re.compile(r"(\d{1,3})(?:[.)]\s+|、\s*)")
_ENTRY = re.compile(r"[\[【［]\d{1,3}[\]】］]|\d{1,3}[.)、]")
_CLOSED = re.compile(r"[.!?:。！？：;；…][\"'”’)\]）】»\d\s]*\Z")
_NO_HEADING = re.compile(r"[.。;；,，:：!！…]\s*\Z")
_ADDRESS = re.compile(r"https?://|www\.|doi:", re.IGNORECASE)
_LONGEST_HEADING = 150


@dataclass
class BlockDraft:
    """A block in the making. level: of a heading, or 0. label: of an item, or ""."""

    page: int
    lines: list[PdfLine]
    level: int = 0
    label: str = ""
    rows: Rows = field(default_factory=list)

    @property
    def last(self) -> PdfLine:
        """The line that another one may follow."""
        return self.lines[-1]


def layout(sheets: Sequence[PageLines]) -> str:
    """The Markdown of the pages."""
    pages = without_running_heads(sheets)
    typography = Typography.of([line for lines in pages for line in lines])
    drafts: list[BlockDraft] = []
    for number, lines in enumerate(pages):
        for thing in by_gaps(read_cells(lines), _label):
            if isinstance(thing, list):
                _add_table(drafts, number, thing)
            else:
                _add_line(drafts, number, thing, typography)
    return "\n\n".join(_blocks(drafts, typography)) + "\n" if drafts else ""


def _add_table(drafts: list[BlockDraft], page: int, rows: Rows) -> None:
    """A table; at the head of a page it goes on with the one that ended the page before."""
    before = drafts[-1] if drafts else None
    if before and before.rows and before.page == page - 1 and _width(before.rows) == _width(rows):
        again = [inline(cell) for cell in rows[0]] == [inline(cell) for cell in before.rows[0]]
        before.rows += rows[1:] if again else rows
        before.page = page
    else:
        drafts.append(BlockDraft(page, [], rows=rows))


def _width(rows: Rows) -> int:
    return max(map(len, rows))


def _add_line(drafts: list[BlockDraft], page: int, line: PdfLine, typography: Typography) -> None:
    level = typography.level(line)
    before = drafts[-1] if drafts else None
    if before is None or not before.lines or level != before.level:
        label = "" if level else _label(line)
        drafts.append(BlockDraft(page, [line], level, label))
    elif _begins(before, page, line, typography):
        drafts.append(BlockDraft(page, [line], level, "" if level else _label(line)))
    else:
        before.lines.append(line)
        before.page = page


def _label(line: PdfLine) -> str:
    """The bullet or number that a line begins with, as Markdown writes it, or ""."""
    text = line.text
    if _BULLET.match(text) or _DASH.match(text):
        return "-"
    found = _NUMBER.match(text)
    return f"{found[1]}." if found else ""


def _begins(before: BlockDraft, page: int, line: PdfLine, typography: Typography) -> bool:
    """Whether a line begins a block, and does not go on with the one before."""
    last = before.last
    same_page = page == before.page
    if same_page and line.block and last.block:
        return line.block != last.block
    other_look = abs(line.size - last.size) > 0.12 * last.size or (line.bold and not last.bold)
    if other_look or (not before.level and _BULLET.match(line.text)):
        return True
    closed = _CLOSED.search(last.text) is not None
    if not same_page:
        return bool(before.level) or closed or bool(_label(line))
    if typography.is_apart(last, line) or line.left < before.lines[0].left - 3 * line.size:
        return True
    if before.level or _ADDRESS.match(line.text):
        return bool(before.level) and _is_next_heading(last, line, typography)
    short = last.right < typography.right - 4 * line.size
    return _begins_below(before, line, closed=closed, short=short)


def _is_next_heading(last: PdfLine, line: PdfLine, typography: Typography) -> bool:
    """Whether one Chinese heading follows another, and is not its second line.

    Chinese breaks anywhere, so that a line which goes on is a full one.
    """
    wide = HAN_CHARACTER.match(last.text.rstrip()[-1:]) and HAN_CHARACTER.match(line.text)
    aligned = abs(line.left - last.left) < line.size / 2
    return bool(wide) and aligned and last.right < typography.right - 2 * line.size


def _begins_below(before: BlockDraft, line: PdfLine, *, closed: bool, short: bool) -> bool:
    """Whether a paragraph begins at a line that stands at the usual distance below another.

    closed, short: how the line above it ends.
    """
    if _ENTRY.match(line.text) or _DASH.match(line.text):
        after_one = before.label or _ENTRY.match(before.lines[0].text)
        return closed or short or bool(after_one)
    indented = not before.label and line.left > before.last.left + 0.8 * line.size
    return closed and (short or indented)


def _blocks(drafts: Sequence[BlockDraft], typography: Typography) -> Iterator[str]:
    items: list[str] = []
    indents: list[float] = []
    for at, draft in enumerate(drafts):
        if draft.label:
            items.append(_item(draft, indents))
            continue
        if items:
            yield "\n".join(items)
            items, indents = [], []
        if draft.rows:
            yield table([[inline(cell) for cell in row] for row in draft.rows])
        else:
            yield _paragraph(draft, typography, last=at == len(drafts) - 1)
    if items:
        yield "\n".join(items)


def _item(draft: BlockDraft, indents: list[float]) -> str:
    left = draft.lines[0].left
    while indents and left < indents[-1] - 2:
        indents.pop()
    if not indents or left > indents[-1] + 4:
        indents.append(left)
    depth = min(len(indents) - 1, 8)
    pieces = paragraphs_of_lines(draft.lines)
    text = "".join(piece.text for piece in pieces)
    found = _BULLET.match(text) or _DASH.match(text) or _NUMBER.match(text)
    rest = inline(_without(pieces, found.end() if found else 0))
    return f"{'    ' * depth}{draft.label} {rest}"


def _without(pieces: Sequence[StyledText], characters: int) -> Iterator[StyledText]:
    for piece in pieces:
        yield replace(piece, text=piece.text[characters:])
        characters = max(0, characters - len(piece.text))


def _paragraph(draft: BlockDraft, typography: Typography, *, last: bool) -> str:
    pieces = paragraphs_of_lines(draft.lines)
    if draft.level:
        return heading_mark(draft.level, inline(pieces))
    text = inline(pieces)
    bold = all(line.bold and len(line.segments) == 1 for line in draft.lines)
    alone = bold and len(draft.lines) <= 2 and not last
    if alone and len(text) <= _LONGEST_HEADING and not _NO_HEADING.search(text.strip("* ")):
        return heading_mark(typography.below, text)
    return text


MOST_PAGES = 300
MOST_CHARACTERS = 3_000_000


def pdf_markdown(body: bytes) -> str:
    """The text of a PDF: headings and tables by its tags, or by size and ruling; lists; links.

    Lines that return at the head or foot of the pages, and page numbers, are left out.
    Raises RefusedDocument.
    """
    try:
        with closing(pypdfium2.PdfDocument(body)) as document:
            if len(document) > MOST_PAGES:
                raise RefusedDocument(
                    f"it has {len(document)} pages; at most {MOST_PAGES} are read.",
                    "Give the part that is the report.",
                )
            sheets = _sheets(document)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise RefusedDocument(
                "it is locked with a password.", "Save it without one."
            ) from error
        raise RefusedDocument(
            "it is damaged, or no PDF.", "Open it in a reader and print it into a new PDF."
        ) from error
    text = layout(sheets)
    if not text.strip():
        raise RefusedDocument(
            "it holds no text: scanned images, perhaps.", "Run text recognition (OCR) on it first."
        )
    return text


def _sheets(document: pypdfium2.PdfDocument) -> list[PageLines]:
    sheets: list[PageLines] = []
    length = 0
    for number in range(len(document)):
        # Closed in this order: PDFium crashes on a document that is closed before its pages.
        with closing(document[number]) as page, closing(page.get_textpage()) as textpage:
            length += textpage.count_chars()
            if length > MOST_CHARACTERS:
                raise RefusedDocument(
                    f"it holds more than {MOST_CHARACTERS:,} characters.",
                    "Give the part that is the report.",
                )
            sheets.append(PageLines(page.get_height(), read_lines(document, page, textpage)))
    return sheets
