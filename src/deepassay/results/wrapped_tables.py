"""Tables that fit into so many cells of a terminal: texts are folded, columns go below each other.

A Chinese character takes two cells, so nothing here counts characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from deepassay.results.tables import Table, printable, rule, set_cells, tables_as_text, width

COLUMNS: Final = 80
"""Cells of a line of a terminal."""

GAP: Final = 2
"""Cells between two columns."""

LEAST: Final = 12
"""Cells that no column is folded below."""

_WORDS: Final = re.compile(r"\S*\s*")
_PARTS_OF_NAMES: Final = re.compile(r"[^\s_(,/:.=-]*[\s_(,/:.=-]*")


def wrapped_lines(text: str, cells: int, pieces: re.Pattern[str] = _WORDS) -> list[str]:
    """A text in lines of so many cells at most, broken between pieces wherever that can be."""
    text = printable(text)
    if width(text) <= cells:
        return [text.rstrip()]
    lines = [""]
    for piece in pieces.findall(text):
        if width(lines[-1] + piece.rstrip()) <= cells:
            lines[-1] += piece
        elif width(piece.rstrip()) <= cells:
            lines.append(piece)
        else:  # longer than a line by itself
            for char in piece:
                if width(lines[-1] + char) > cells:
                    lines.append("")
                lines[-1] += char
    return [line.rstrip() for line in lines if line.strip()] or [""]


def as_narrow(table: Table, cells: int, headings: Mapping[int, str] | None = None) -> str:
    """The table in lines of so many cells at most, and so what is above and below it.

    Of one that is too wide the texts are folded, and the numbers come in as many tables as it
    takes, each with the texts of the rows. A single number wider than that stays as it is.
    headings: lines that stand before rows, by the number of the row.
    """
    blocks = "\n\n".join(_block(each, cells, headings or {}) for each in _fitting(table, cells))
    title, above, below = (
        paragraphs(texts, cells) for texts in ((table.title,), table.above, table.notes)
    )
    return "\n\n".join(filter(None, (title, above, blocks, below)))


def written_narrow(tables: Iterable[Table], format: str, above: Sequence[str] = ()) -> str:
    """As `tables_as_text`, but for a terminal in lines of COLUMNS cells."""
    if format == "markdown":
        return tables_as_text(tables, format, above)
    if above:
        tables = [replace(table, above=()) for table in tables]
    texts = [paragraphs(above, COLUMNS), *(as_narrow(table, COLUMNS) for table in tables)]
    return "\n\n".join(filter(None, texts)) + "\n"


def paragraphs(texts: Iterable[str], cells: int) -> str:
    """Texts below each other in lines of so many cells at most.

    Of one that is indented, what goes on in further lines is twice as much.
    """
    return "\n".join(line for text in texts if text for line in _hanging(text, cells))


def _hanging(text: str, cells: int) -> list[str]:
    own = text.lstrip(" ")
    indent = text[: len(text) - len(own)]
    if not indent or width(text) <= cells:
        return wrapped_lines(text, cells)
    first, *more = wrapped_lines(own, cells - 2 * len(indent))
    return [f"{indent}{first}", *(f"{indent}{indent}{line}" for line in more)]


def _fitting(table: Table, cells: int) -> Iterator[Table]:
    head = range(len(table.head))
    columns = [[width(printable(row[at])) for row in (table.head, *table.rows)] for at in head]
    limits = {at: max(column) for at, column in enumerate(columns)}
    if sum(limits.values()) + GAP * (len(limits) - 1) <= cells:
        yield _columns(table, head, limits)
        return
    words = [at for at in head if at not in table.numeric]
    for at in words:
        limits[at] = min(limits[at], max(LEAST, cells // (3 * len(words))))
    room = cells - sum(limits[at] + GAP for at in words) + GAP
    group: list[int] = []
    left = room
    for at in sorted(table.numeric):
        cells_below = max(columns[at][1:], default=0)
        head_lines = wrapped_lines(table.head[at], max(LEAST, cells_below), _PARTS_OF_NAMES)
        limits[at] = max(cells_below, *map(width, head_lines))
        if group and limits[at] + GAP > left:
            yield _columns(table, [*words, *group], limits)
            group, left = [], room
        group.append(at)
        left -= limits[at] + GAP
    yield _columns(table, [*words, *group], limits)


def _columns(table: Table, chosen: Sequence[int], limits: dict[int, int]) -> Table:
    """These columns, with line breaks where cells are folded."""

    def row(cells: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            "\n".join(wrapped_lines(cells[at], limits[at], _PARTS_OF_NAMES)) for at in chosen
        )

    numeric = frozenset(place for place, at in enumerate(chosen) if at in table.numeric)
    return replace(table, head=row(table.head), rows=tuple(map(row, table.rows)), numeric=numeric)


def _block(table: Table, cells: int, headings: Mapping[int, str]) -> str:
    """Head and rows; a cell may have several lines. Nothing of a table without columns."""
    if not table.head:
        return ""
    head, *rows = [[cell.split("\n") for cell in row] for row in (table.head, *table.rows)]
    columns = range(len(head))
    widths = [max(width(line) for row in (head, *rows) for line in row[at]) for at in columns]
    lines = [*_lines(head, widths, table.numeric), rule(widths)]
    for number, row in enumerate(rows):
        if number in headings:
            lines += wrapped_lines(headings[number], cells, _PARTS_OF_NAMES)
        lines += _lines(row, widths, table.numeric)
    return "\n".join(lines)


def _lines(
    row: Sequence[Sequence[str]], widths: Sequence[int], numeric: frozenset[int]
) -> Iterator[str]:
    for at in range(max(map(len, row))):
        yield set_cells([cell[at] if at < len(cell) else "" for cell in row], widths, numeric)


def each_note_once(tables: Sequence[Table]) -> list[Table]:
    """The tables without notes that stand below one before."""
    seen: set[str] = set()
    found = []
    for table in tables:
        found.append(replace(table, notes=tuple(n for n in table.notes if n not in seen)))
        seen.update(table.notes)
    return found
