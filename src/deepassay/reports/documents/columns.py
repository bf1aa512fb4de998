"""Tables of a PDF page: lines that lie in cells, and lines whose parts stand in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from deepassay.reports.documents.joining import joined
from deepassay.reports.documents.lines import Line
from deepassay.reports.documents.marks import Piece

Rows: TypeAlias = list[list[list[Piece]]]
"""A table: for each row the pieces of each cell."""


def read_cells(lines: Iterable[Line]) -> list[Line | Rows]:
    """Lines outside of cells, and each table where its first line stood."""
    found: list[Line | dict[tuple[int, int], list[Line]]] = []
    tables: dict[int, dict[tuple[int, int], list[Line]]] = {}
    for line in lines:
        if line.cell is None:
            found.append(line)
            continue
        number, *place = line.cell
        if number not in tables:
            tables[number] = {}
            found.append(tables[number])
        tables[number].setdefault((place[0], place[1]), []).append(line)
    return [made for each in found for made in ([each] if isinstance(each, Line) else _rows(each))]


def _rows(cells: dict[tuple[int, int], list[Line]]) -> list[Line | Rows]:
    """A table without its empty rows and columns; mere lines if it was but a frame."""
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    if len(rows) < 2 or len(columns) < 2:
        return [replace(line, cell=None) for lines in cells.values() for line in lines]
    return [[[joined(cells.get((row, column), ())) for column in columns] for row in rows]]


def by_gaps(things: Iterable[Line | Rows], label: Callable[[Line], str]) -> Iterator[Line | Rows]:
    """The same, with tables in place of lines that wide gaps divide alike.

    label: what a line begins with if it is an item of a list, which is no row.
    """
    block: list[Line] = []
    for thing in things:
        if isinstance(thing, Line) and not thing.level:
            if block and _goes_on(block, thing):
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


def _goes_on(block: list[Line], line: Line) -> bool:
    """Whether a line is a row of the table that the block may be, or a cell's second line."""
    first, last = block[0], block[-1]
    if not 0 < last.base - line.base < 3 * line.size:
        return False
    if len(line.segments) == len(first.segments):
        return True
    near = last.base - line.base < 1.5 * line.size
    return len(block) > 1 and near and 0 not in _columns(first, line)


def _columns(first: Line, line: Line) -> list[int]:
    """For each part of a line the column of the first row it stands under; 0 also for none."""
    starts = [segment.left for segment in first.segments]
    return [
        next((at for at, x in enumerate(starts) if abs(x - segment.left) < line.size), 0)
        for segment in line.segments
    ]


def _table(block: list[Line]) -> Iterator[Line | Rows]:
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
            rows[-1][column] += [Piece(" "), *part]
    yield rows
