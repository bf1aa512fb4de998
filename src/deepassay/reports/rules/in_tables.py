"""Rules on tables: DA301 to DA305. A table is one of Markdown, or of HTML."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from deepassay.reports.finding import Hit, Rule
from deepassay.reports.markdown import TableBlock
from deepassay.reports.report import Report
from deepassay.reports.rules.leftovers import placeholders
from deepassay.reports.spans import Span
from deepassay.text import excerpt, first_few


def header_only_table(report: Report) -> Iterator[Hit]:
    """A table with a header row and nothing below it, or nothing beside its first column.

    One hit for each table without a row, or with nothing but empty cells under its headings.

    The first column may only name what the others should tell.
    """
    for table in tables(report):
        filled = {
            column for row in table.rows for column, cell in enumerate(row) if cell.start < cell.end
        }
        if not filled:
            yield Hit(table.span, "the table has a header and no content")
        elif filled == {0} and _is_headed(table):
            yield Hit(table.span, "the table has no content beside its first column")


def _is_headed(table: TableBlock) -> bool:
    """Whether a column after the first has a heading, so that values are due in it."""
    return any(cell.start < cell.end for cell in table.header[1:])


def ragged_table(report: Report) -> Iterator[Hit]:
    """A table row with more or fewer cells than the header.

    One hit for each such row.
    """
    for block in report.blocks:
        if not isinstance(block, TableBlock):
            continue
        for row in block.rows:
            if row and len(row) != len(block.header):
                cells = f"{len(row)} cell" + ("s" if len(row) != 1 else "")
                message = f"the row has {cells}, the header {len(block.header)}"
                yield Hit(Span(row[0].start, row[-1].end), message)


_NUMBER: Final = re.compile(r"-?(?:\d[\d,]{0,30}(?:\.\d{1,15})?|\.\d{1,15})", re.ASCII)


def empty_cell(report: Report) -> Iterator[Hit]:
    """An empty cell in the body of a table.

    One hit for each row with such cells.

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


def placeholder_cell(report: Report) -> Iterator[Hit]:
    """A table cell with a placeholder instead of a value: TBD, to be filled.

    One hit for each row with such cells; `n/a` and a dash say that there is no value.
    """
    text = report.text
    for table in tables(report):
        for row in table.rows:
            found = [cell for cell in row if any(placeholders(text, cell))]
            if found:
                cells = "cell is a placeholder" if len(found) == 1 else "cells are placeholders"
                yield Hit(found[0], f"{len(found)} {cells}: {excerpt(found[0].of(text), 30)}")


def unrendered_table(report: Report) -> Iterator[Hit]:
    """Lines of cells between pipes that Markdown does not show as a table.

    One hit for each paragraph with two lines that begin with a pipe, or a delimiter row.
    """
    for block in report.blocks:
        if block.kind != "paragraph" or "|" not in (raw := block.span.of(report.text)):
            continue
        lines = raw.splitlines()
        rows = sum(line.lstrip(" >").startswith("|") and line.count("|") > 1 for line in lines)
        if rows > 1 or any(_is_delimiter(line) or _is_collapsed(line) for line in lines):
            start = block.span.start + raw.index("|")
            end = report.lines.span(*_line_of(report, start)).end
            yield Hit(Span(start, min(end, block.span.end)), "the table is not shown as a table")


def _is_delimiter(line: str) -> bool:
    """`|---|:--:|`: at least two cells of hyphens."""
    cells = [cell.strip() for cell in line.strip(" >").strip("|").split("|")]
    return len(cells) > 1 and all(len(c) > 1 and set(c) <= set(":-") and "-" in c for c in cells)


def _is_collapsed(line: str) -> bool:
    """A table whose line ends were lost: header, delimiter and rows on one line."""
    bare = line.replace(" ", "")
    return "|---|---" in bare or "|:---|:---" in bare


def _line_of(report: Report, offset: int) -> tuple[int, int]:
    line, _ = report.lines.place(offset)
    return line - 1, line


RULES = (
    Rule(
        code="DA301",
        name="header-only-table",
        reason="The comparison that the header promises is missing.",
        sources=("P8", "G18"),
        check=header_only_table,
    ),
    Rule(
        code="DA302",
        name="ragged-table",
        reason="Cells are lost or shown under the wrong header.",
        sources=("P8", "G18"),
        check=ragged_table,
    ),
    Rule(
        code="DA303",
        name="empty-cell",
        reason="A reader cannot tell whether the value is none, unknown or forgotten.",
        sources=("P8", "G18"),
        check=empty_cell,
        version=3,
    ),
    Rule(
        code="DA304",
        name="placeholder-cell",
        reason="The table is not complete; coverage gives no credit for a promise.",
        sources=("P8",),
        check=placeholder_cell,
    ),
    Rule(
        code="DA305",
        name="unrendered-table",
        reason="Readers see pipes and hyphens; usually the delimiter row is missing or too short.",
        sources=("P9", "G18"),
        check=unrendered_table,
    ),
)


# ------------------------------------------------------------------ where they stand

_OPENING = re.compile(r"<(?:table|TABLE|Table)[\s>]")
_TAG = re.compile(r"<(/?)(table|tr|t[dh])(?:\s[^<>]{0,500})?>", re.IGNORECASE)
_BLANK = re.compile(r"(?:\s|&nbsp;|<(?!img|input|svg)[^<>]{0,200}>)*", re.IGNORECASE)


def tables(report: Report) -> Iterator[TableBlock]:
    """Every table of a report, those of Markdown first."""
    yield from (block for block in report.blocks if isinstance(block, TableBlock))
    if _OPENING.search(report.text):
        yield from _html_tables(report)


@dataclass
class _TableDraft:
    """A table in the making. rows: cells so far; plain: rows that hold a `<td>`."""

    start: int
    rows: list[list[Span]] = field(default_factory=list)
    plain: set[int] = field(default_factory=set)
    cell: int = -1

    def close_cell(self, text: str, at: int) -> None:
        """End the open cell, if there is one, before the tag at `at`."""
        if self.cell >= 0:
            self.rows = self.rows or [[]]
            self.rows[-1].append(_bare(text, self.cell, at))
        self.cell = -1

    def finished(self, end: int) -> TableBlock:
        """The table; its first row is the header if it has headings only."""
        rows = tuple(tuple(row) for row in self.rows)
        body = rows if 0 in self.plain else rows[1:]
        return TableBlock("table", Span(self.start, end), header=rows[0] if rows else (), rows=body)


def _bare(text: str, start: int, end: int) -> Span:
    """What a cell holds, without the blanks and tags around it."""
    if found := _BLANK.match(text, start, end):
        start = found.end()
    while start < end and text[end - 1] in " \t\r\n>":
        opened = text.rfind("<", max(start, end - 30), end)
        if text[end - 1] == ">" and (opened < 0 or text[opened + 1] not in "/bB"):
            break
        end = opened if text[end - 1] == ">" else end - 1
    return Span(start, end)


def _html_tables(report: Report) -> Iterator[TableBlock]:
    """Tables that are closed and stand outside code; of nested ones, the inner."""
    code = [block.span for block in report.blocks if block.kind == "code"]
    draft: _TableDraft | None = None
    for tag in _TAG.finditer(report.text):
        at, name = tag.start(), tag[2].lower()
        before = bisect_right(code, (at, len(report.text))) - 1
        if (before >= 0 and at < code[before].end) or report.text[at - 1 : at] == "`":
            continue
        if name == "table" and not tag[1]:
            draft = _TableDraft(at)
        elif draft is not None:
            draft.close_cell(report.text, at)
            if name == "table":
                yield draft.finished(tag.end())
                draft = None
            elif not tag[1]:
                _open(draft, name, tag.end())


def _open(draft: _TableDraft, name: str, at: int) -> None:
    if name == "tr":
        draft.rows.append([])
        return
    draft.cell = at
    if name == "td":
        draft.plain.add(max(0, len(draft.rows) - 1))
