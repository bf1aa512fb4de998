"""Lines of a PDF made blocks of Markdown: headings, paragraphs, items of lists, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from deepassay.reports.documents.columns import Rows, by_gaps, read_cells
from deepassay.reports.documents.furniture import Sheet, without_furniture
from deepassay.reports.documents.joining import joined
from deepassay.reports.documents.lines import Line
from deepassay.reports.documents.marks import Piece, heading, inline, table
from deepassay.reports.documents.typography import Typography

_BULLET = re.compile(r"[•◦▪▫‣●○■□∙⁃\uf0b7\uf0a7\uf0d8]\s*")
_DASH = re.compile(r"[-–—*·]\s+")
_NUMBER = re.compile(r"(\d{1,3})(?:[.)]\s+|、\s*)")
_ENTRY = re.compile(r"[\[【［]\d{1,3}[\]】］]|\d{1,3}[.)、]")
_CLOSED = re.compile(r"[.!?:。！？：;；…][\"'”’)\]）】»\d\s]*\Z")
_NO_HEADING = re.compile(r"[.。;；,，:：!！…]\s*\Z")
_ADDRESS = re.compile(r"https?://|www\.|doi:", re.IGNORECASE)
_LONGEST_HEADING = 150


@dataclass
class Draft:
    """A block in the making. level: of a heading, or 0. label: of an item, or ""."""

    page: int
    lines: list[Line]
    level: int = 0
    label: str = ""
    rows: Rows = field(default_factory=list)

    @property
    def last(self) -> Line:
        """The line that another one may follow."""
        return self.lines[-1]


def layout(sheets: Sequence[Sheet]) -> str:
    """The Markdown of the pages."""
    pages = without_furniture(sheets)
    typography = Typography.of([line for lines in pages for line in lines])
    drafts: list[Draft] = []
    for number, lines in enumerate(pages):
        for thing in by_gaps(read_cells(lines), _label):
            if isinstance(thing, list):
                _add_table(drafts, number, thing)
            else:
                _add_line(drafts, number, thing, typography)
    return "\n\n".join(_blocks(drafts, typography)) + "\n" if drafts else ""


def _add_table(drafts: list[Draft], page: int, rows: Rows) -> None:
    """A table; at the head of a page it goes on with the one that ended the page before."""
    before = drafts[-1] if drafts else None
    if before and before.rows and before.page == page - 1 and _width(before.rows) == _width(rows):
        again = [inline(cell) for cell in rows[0]] == [inline(cell) for cell in before.rows[0]]
        before.rows += rows[1:] if again else rows
        before.page = page
    else:
        drafts.append(Draft(page, [], rows=rows))


def _width(rows: Rows) -> int:
    return max(map(len, rows))


def _add_line(drafts: list[Draft], page: int, line: Line, typography: Typography) -> None:
    level = typography.level(line)
    before = drafts[-1] if drafts else None
    if before is None or not before.lines or level != before.level:
        label = "" if level else _label(line)
        drafts.append(Draft(page, [line], level, label))
    elif _begins(before, page, line, typography):
        drafts.append(Draft(page, [line], level, "" if level else _label(line)))
    else:
        before.lines.append(line)
        before.page = page


def _label(line: Line) -> str:
    """The bullet or number that a line begins with, as Markdown writes it, or ""."""
    text = line.text
    if _BULLET.match(text) or _DASH.match(text):
        return "-"
    found = _NUMBER.match(text)
    return f"{found[1]}." if found else ""


def _begins(before: Draft, page: int, line: Line, typography: Typography) -> bool:
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
        return False
    short = last.right < typography.right - 4 * line.size
    return _begins_below(before, line, closed=closed, short=short)


def _begins_below(before: Draft, line: Line, *, closed: bool, short: bool) -> bool:
    """The same of a line at the usual distance below a line that is `closed` or `short`."""
    if _ENTRY.match(line.text) or _DASH.match(line.text):
        after_one = before.label or _ENTRY.match(before.lines[0].text)
        return closed or short or bool(after_one)
    indented = not before.label and line.left > before.last.left + 0.8 * line.size
    return closed and (short or indented)


def _blocks(drafts: Sequence[Draft], typography: Typography) -> Iterator[str]:
    """Blocks of Markdown; the items of a list are lines of one block."""
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


def _item(draft: Draft, indents: list[float]) -> str:
    left = draft.lines[0].left
    while indents and left < indents[-1] - 2:
        indents.pop()
    if not indents or left > indents[-1] + 4:
        indents.append(left)
    depth = min(len(indents) - 1, 8)
    pieces = joined(draft.lines)
    text = "".join(piece.text for piece in pieces)
    found = _BULLET.match(text) or _DASH.match(text) or _NUMBER.match(text)
    rest = inline(_without(pieces, found.end() if found else 0))
    return f"{'    ' * depth}{draft.label} {rest}"


def _without(pieces: Sequence[Piece], characters: int) -> Iterator[Piece]:
    """The pieces without so many characters at their beginning."""
    for piece in pieces:
        yield replace(piece, text=piece.text[characters:])
        characters = max(0, characters - len(piece.text))


def _paragraph(draft: Draft, typography: Typography, *, last: bool) -> str:
    pieces = joined(draft.lines)
    if draft.level:
        return heading(draft.level, inline(pieces))
    text = inline(pieces)
    bold = all(line.bold and len(line.segments) == 1 for line in draft.lines)
    alone = bold and len(draft.lines) <= 2 and not last
    if alone and len(text) <= _LONGEST_HEADING and not _NO_HEADING.search(text.strip("* ")):
        return heading(typography.below, text)
    return text
