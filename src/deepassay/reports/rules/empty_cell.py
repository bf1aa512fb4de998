"""An empty cell in the body of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.markdown import TableBlock
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.reports.tables import tables
from deepassay.text import first_few

_NUMBER: Final = re.compile(r"-?(?:\d[\d,]{0,30}(?:\.\d{1,15})?|\.\d{1,15})", re.ASCII)


def check(report: Report) -> Iterator[Hit]:
    """One hit for each row with such cells.

    Silent where a blank says something: in the first column (the group goes on), in a row that is
    a subheading, in a last row with the sum of the numbers above it, and in a column that
    otherwise holds only marks such as a tick.
    """
    for table in tables(report):
        yield from _rows(report.text, table)


def _rows(text: str, table: TableBlock) -> Iterator[Hit]:
    worded = _worded_columns(text, table)
    for row in table.rows:
        filled = [column for column, cell in enumerate(row) if cell.start < cell.end]
        if filled in ([], [0]) or (row is table.rows[-1] and _sums_up(text, table)):
            continue
        empty = [
            column
            for column, cell in enumerate(row[: len(table.header)])
            if column in worded and cell.start == cell.end
        ]
        if empty:
            names = [f"'{excerpt(table.header[column].of(text), 25)}'" for column in empty]
            span = Span(row[empty[0]].start, row[empty[0]].end)
            yield Hit(span, f"no content under {first_few(names, 4)}")


def _sums_up(text: str, table: TableBlock) -> bool:
    """Whether the last row has, in some column, the sum of at least two numbers above it."""
    for column in range(1, len(table.header)):
        cells = [row[column].of(text) for row in table.rows if column < len(row)]
        numbers = [Decimal(each[0].replace(",", "")) for each in map(_NUMBER.search, cells) if each]
        is_whole = len(numbers) == len(table.rows) > 2
        if is_whole and sum(numbers[:-1]) == numbers[-1]:
            return True
    return False


def _worded_columns(text: str, table: TableBlock) -> set[int]:
    """Columns but the first with a value that is no mark, or with no value at all."""
    marked: set[int] = set()
    worded: set[int] = set()
    for row in table.rows:
        for column, cell in enumerate(row):
            words = cell.of(text)
            if words:
                (marked if _is_mark(words) else worded).add(column)
    return set(range(1, len(table.header))) - (marked - worded)


def _is_mark(words: str) -> bool:
    return len(words) <= 2 and (not words.isalnum() or words in ("x", "X"))


RULE = Rule(
    code="DA303",
    name="empty-cell",
    reason="A reader cannot tell whether the value is none, unknown or forgotten.",
    sources=("P8", "G18"),
    check=check,
    version=3,
)
