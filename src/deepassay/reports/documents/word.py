"""DOCX to Markdown, from the document that mammoth reads out of the file."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from xml.parsers.expat import ExpatError

from mammoth import documents, docx

from deepassay.reports.documents.convert import RefusedDocument
from deepassay.reports.documents.marks import StyledText, heading_mark, inline, table

MOST_XML = 60_000_000
"""Bytes of a file's parts once unpacked, pictures not counted."""

_HEADING = re.compile(r"(?:heading|标题) ?([1-9])", re.IGNORECASE)
_QUOTED = frozenset(("quote", "intense quote"))
_NUMBERED = re.compile(r"\[\^?\d")
_DAMAGES = (zipfile.BadZipFile, zlib.error, ExpatError, KeyError, OSError, ValueError)
_LOCKED = b"\xd0\xcf\x11\xe0"


def word_markdown(body: bytes) -> str:
    """The text of a DOCX: headings by style, lists, tables, links, footnotes and endnotes.

    Notes are numbered in one row in order of mention and stand at the end as `[^1]: ...`.
    A list begins at 1 again after a paragraph that is no part of it. Comments, deleted passages,
    running heads and pictures are left out; the description of a picture stays.

    Raises RefusedDocument.
    """
    if body.startswith(_LOCKED):
        raise RefusedDocument(
            "it is locked with a password, or an old .doc file.",
            "Save it without a password, as .docx.",
        )
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as parts:
            xml = sum(
                part.file_size
                for part in parts.infolist()
                if part.filename.lower().endswith((".xml", ".rels"))
            )
        if xml > MOST_XML:
            raise RefusedDocument(
                f"its parts unpack to {xml:,} bytes; at most {MOST_XML:,} are read.",
                "Convert it yourself, and give the Markdown.",
            )
        document = docx.read(io.BytesIO(body)).value
    except _DAMAGES as error:
        raise RefusedDocument(
            "it is damaged, or no DOCX file.", "Open it in Word and save it."
        ) from error
    return _MarkdownWriter(document).markdown()


def _mark(item: str, list_mark: str) -> str:
    """What marks the items of a list: `-` or `1`. An indented one belongs to the list before."""
    if item[0] == " " and list_mark:
        return list_mark
    return "-" if item.lstrip()[0] == "-" else "1"


class _MarkdownWriter:
    """Walks through a document; notes are numbered as they are met."""

    def __init__(self, document: documents.Document) -> None:
        self._document = document
        self._notes: dict[tuple[str, str], int] = {}
        self._mentioned: list[documents.NoteReference] = []
        self._counts: list[int] = []
        self._titled = any(
            _style(child) == "title" and _words(child)
            for child in document.children
            if isinstance(child, documents.Paragraph)
        )

    def markdown(self) -> str:
        blocks = self._blocks(self._document.children)
        for number, reference in enumerate(self._mentioned, start=1):  # a note may mention another
            try:
                found = self._document.notes.resolve(reference).body
            except KeyError:
                found = []
            words = " ".join(" ".join(self._blocks(found)).split())
            blocks.append(f"[^\x00{number}]: {words}")
        text = "\n\n".join(blocks)
        # Next to typed [1] a note of the name 1 would be taken for the same source.
        text = text.replace("\x00", "note-" if _NUMBERED.search(text) else "")
        return text + "\n" if text else ""

    def _blocks(self, elements: Iterable[documents.Element]) -> list[str]:
        """Blocks of Markdown; the items of a list are lines of one block."""
        blocks: list[str] = []
        list_mark = ""
        for element in elements:
            if isinstance(element, documents.Table):
                block, is_item = self._table(element), False
            elif isinstance(element, documents.Paragraph):
                is_item = element.numbering is not None and not self._level(element)
                block = self._item(element) if is_item else self._paragraph(element)
            else:
                continue
            if not block:
                continue
            if not is_item:
                self._counts.clear()
            mark = _mark(block, list_mark) if is_item else ""
            if mark and mark == list_mark:
                blocks[-1] += "\n" + block
            else:
                blocks.append(block)
            list_mark = mark
        return blocks

    def _paragraph(self, paragraph: documents.Paragraph) -> str:
        level = self._level(paragraph)
        if level:
            return heading_mark(level, inline(self._pieces(paragraph.children)))
        text = inline(self._pieces(paragraph.children)).replace("\n", "  \n")
        return "> " + text.replace("\n", "\n> ") if _style(paragraph) in _QUOTED and text else text

    def _level(self, paragraph: documents.Paragraph) -> int:
        """That of a heading, or 0. Where the document has a title, the others stand below it."""
        style = _style(paragraph)
        if style == "title":
            return 1
        found = _HEADING.fullmatch(style)
        return int(found[1]) + self._titled if found else 0

    def _item(self, paragraph: documents.Paragraph) -> str:
        text = inline(self._pieces(paragraph.children)).replace("\n", " ")
        if not text:
            return ""
        depth = min(int(paragraph.numbering.level_index), 8)
        del self._counts[depth + 1 :]
        self._counts += [0] * (depth + 1 - len(self._counts))
        ordered = paragraph.numbering.is_ordered
        self._counts[depth] = self._counts[depth] + 1 if ordered else 0
        label = f"{self._counts[depth]}." if ordered else "-"
        return f"{'    ' * depth}{label} {text}"

    def _table(self, element: documents.Table) -> str:
        rows = [row for row in element.children if isinstance(row, documents.TableRow)]
        if len(rows) == 1 and len(rows[0].children) == 1:  # a frame around text
            return "\n\n".join(self._blocks(rows[0].children[0].children))
        below: dict[int, int] = {}  # columns that a cell above reaches down into, and how far
        return table([list(self._cells(row, below)) for row in rows])

    def _cells(self, row: documents.TableRow, below: dict[int, int]) -> Iterator[str]:
        column = 0
        for cell in row.children:
            while below.get(column, 0):
                yield self._covered(column, below)
                column += 1
            if not isinstance(cell, documents.TableCell):
                continue
            yield "\n".join(self._blocks(cell.children))
            yield from [""] * (cell.colspan - 1)
            for covered in range(column, column + cell.colspan):
                below[covered] = cell.rowspan - 1
            column += cell.colspan
        while below.get(column, 0):
            yield self._covered(column, below)
            column += 1

    @staticmethod
    def _covered(column: int, below: dict[int, int]) -> str:
        below[column] -= 1
        return ""

    def _pieces(
        self, elements: Iterable[documents.Element], look: StyledText | None = None
    ) -> Iterator[StyledText]:
        look = look or StyledText("")
        for element in elements:
            match element:
                case documents.Text():
                    yield _with(look, element.value)
                case documents.Run():
                    raised = element.vertical_alignment == "superscript"
                    inner = StyledText("", look.link, element.is_bold, element.is_italic, raised)
                    yield from self._pieces(element.children, inner)
                case documents.Hyperlink():
                    link = element.href or ""
                    yield from self._pieces(element.children, StyledText("", link))
                case documents.NoteReference():
                    yield StyledText(f"[^\x00{self._number(element)}]")
                case documents.Tab():
                    yield _with(look, " ")
                case documents.Break(break_type="line"):
                    yield _with(look, "\n")
                case documents.Checkbox():
                    yield _with(look, "[x] " if element.checked else "[ ] ")
                case documents.Image(alt_text=str(described)) if described.strip():
                    yield StyledText(f"[Image: {' '.join(described.split())}]")
                case documents.HasChildren():
                    yield from self._pieces(element.children, look)

    def _number(self, reference: documents.NoteReference) -> int:
        note = reference.note_type, reference.note_id
        if note not in self._notes:
            self._mentioned.append(reference)
        return self._notes.setdefault(note, len(self._mentioned))


def _with(look: StyledText, text: str) -> StyledText:
    return StyledText(text, look.link, look.bold, look.italic, look.raised)


def _style(paragraph: documents.Paragraph) -> str:
    return (paragraph.style_name or "").lower()


def _words(paragraph: documents.Paragraph) -> bool:
    return any(
        isinstance(inner, documents.Text) and inner.value.strip()
        for child in paragraph.children
        for inner in getattr(child, "children", [child])
    )
