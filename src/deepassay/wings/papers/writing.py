"""Tables of papers written down, for a terminal of 80 columns, Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Self

from deepassay.errors import BadSetting
from deepassay.files import as_json
from deepassay.results.latex import PREAMBLE, as_latex
from deepassay.results.tables import (
    Table,
    as_csv,
    as_markdown,
    printable,
    width,
)

COLUMNS: Final = 80
NAMES: Final = (40, 30, 22)
"""The most cells of the first column: the most that lets the whole table fit, else the most."""


def write_tables(tables: Sequence[Table], format: str) -> str:
    """Tables in a format: `text`, `markdown`, `latex`, `csv` or `json`.

    CSV and JSON hold the cells as they are shown. Raises BadSetting for another format, and for
    several tables as CSV.
    """
    if format == "csv":
        if len(tables) > 1:
            raise BadSetting(f"These are {len(tables)} tables.", "Take --format json.")
        return as_csv([dict(zip(tables[0].head, row, strict=True)) for row in _clean(tables[0])])
    if format == "json":
        return as_json([t.told | {"rows": list(_clean(t))} for t in tables])
    if format == "latex":
        return PREAMBLE + "\n\n" + "\n\n".join(map(_latex, tables)) + "\n"
    if format not in ("text", "markdown"):
        raise BadSetting(f"Tables of papers are not written as {format}.", "Take --format json.")
    write: Callable[[Table], str] = as_markdown if format == "markdown" else fitted_table
    return "\n\n".join(map(write, tables)) + "\n"


def _latex(table: Table) -> str:
    """The table with marked numbers bold and underlined, as the papers have them."""
    plainly = as_latex(table)
    bold = re.sub(r"([\d.]+)\{\*\}\{\*\}", r"\\textbf{\1}", plainly)
    lined = re.sub(r"([\d.]+)\{\*\}", r"\\underline{\1}", bold)
    return lined.replace("{*}{*} ", "Bold: ").replace("{*} ", "underlined: ")


def _clean(table: Table) -> Iterator[tuple[str, ...]]:
    return (tuple(printable(cell).strip() for cell in row) for row in table.rows)


def fitted_table(table: Table, columns: int = COLUMNS) -> str:
    """The table for a terminal: heads over several lines, and columns in blocks where they must.

    Every block repeats the columns that are no numbers. Notes are wrapped.
    """
    sheets = [_PrintedCells.of(table, name, gap) for name in NAMES for gap in (2, 1)]
    sheet = next((each for each in sheets if each.width <= columns), sheets[0])
    lines = textwrap.wrap(printable(table.title), columns)
    for block in sheet.blocks(columns):
        lines += ["", *sheet.lines(block)]
    notes = [line for note in table.notes for line in textwrap.wrap(printable(note), columns)]
    return "\n".join([*lines, *(["", *notes] if notes else [])])


class _PrintedCells(NamedTuple):
    """Cells as a terminal shows them. gap: blanks between columns."""

    head: Sequence[Sequence[str]]
    rows: Sequence[Sequence[str]]
    widths: Sequence[int]
    numeric: frozenset[int]
    gap: int

    @classmethod
    def of(cls, table: Table, name: int, gap: int) -> Self:
        """The cells of a table. name: the most cells that the first column takes."""
        head = [_words(printable(cell)) for cell in table.head]
        rows = [[_short(printable(row[0]), name), *map(printable, row[1:])] for row in table.rows]
        # The name of a section stands alone in its row, and may reach beyond its column.
        full = [row for row in rows if any(row[1:])] or rows
        widths = [
            max(map(width, (*head[at], *(row[at] for row in full)))) for at in range(len(head))
        ]
        return cls(head, rows, widths, table.numeric, gap)

    @property
    def width(self) -> int:
        """Of the whole table in one block."""
        return sum(self.widths) + self.gap * (len(self.widths) - 1)

    def blocks(self, columns: int) -> Iterator[list[int]]:
        """The columns of each block."""
        words = [at for at in range(len(self.widths)) if at not in self.numeric]
        begin = sum(self.widths[at] + self.gap for at in words)
        block, used = list(words), begin
        for at in sorted(self.numeric):
            if used + self.widths[at] > columns and len(block) > len(words):
                yield block
                block, used = list(words), begin
            block.append(at)
            used += self.widths[at] + self.gap
        yield block

    def lines(self, block: Sequence[int]) -> Iterator[str]:
        """Head, rule and rows of a block."""
        deepest = max(len(self.head[at]) for at in block)
        for level in range(deepest):
            above = {at: level - deepest + len(self.head[at]) for at in block}
            yield self._line({at: self.head[at][k] if k >= 0 else "" for at, k in above.items()})
        yield self._line({at: "─" * self.widths[at] for at in block})
        for row in self.rows:
            yield self._line({at: row[at] for at in block})

    def _line(self, cells: Mapping[int, str]) -> str:
        padded = []
        for at, cell in cells.items():
            blanks = " " * (self.widths[at] - width(cell))
            padded.append(blanks + cell if at in self.numeric else cell + blanks)
        return (" " * self.gap).join(padded).rstrip()


def _words(head: str) -> list[str]:
    """A head on lines no wider than its longest word, or than a number is."""
    longest = max(map(len, head.split()), default=0)
    return textwrap.wrap(head, max(longest, 8)) or [""]


def _short(name: str, most: int) -> str:
    """A name that leaves room for numbers; its end tells versions apart, so the middle goes."""
    if width(name) <= most:
        return name
    left, right = list(name), [""]
    while width("".join(right)) < most // 2 - 1:
        right.insert(0, left.pop())
    while width("".join(left)) + width("".join(right)) >= most:
        left.pop()
    return "".join((*left, "…", *right))
