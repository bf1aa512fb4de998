"""The tables of a report: those of Markdown, and those written as HTML (`<table><tr><td>…`)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from deepassay.reports.markdown import TableBlock
from deepassay.reports.report import Report
from deepassay.reports.spans import Span

_OPENING = re.compile(r"<(?:table|TABLE|Table)[\s>]")
_TAG = re.compile(r"<(/?)(table|tr|t[dh])(?:\s[^<>]{0,500})?>", re.IGNORECASE)
_BLANK = re.compile(r"(?:\s|&nbsp;|<(?!img|input|svg)[^<>]{0,200}>)*", re.IGNORECASE)


def tables(report: Report) -> Iterator[TableBlock]:
    """Every table of a report, those of Markdown first."""
    yield from (block for block in report.blocks if isinstance(block, TableBlock))
    if _OPENING.search(report.text):
        yield from _html_tables(report)


@dataclass
class _Draft:
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
    draft: _Draft | None = None
    for tag in _TAG.finditer(report.text):
        at, name = tag.start(), tag[2].lower()
        before = bisect_right(code, (at, len(report.text))) - 1
        if (before >= 0 and at < code[before].end) or report.text[at - 1 : at] == "`":
            continue
        if name == "table" and not tag[1]:
            draft = _Draft(at)
        elif draft is not None:
            draft.close_cell(report.text, at)
            if name == "table":
                yield draft.finished(tag.end())
                draft = None
            elif not tag[1]:
                _open(draft, name, tag.end())


def _open(draft: _Draft, name: str, at: int) -> None:
    if name == "tr":
        draft.rows.append([])
        return
    draft.cell = at
    if name == "td":
        draft.plain.add(max(0, len(draft.rows) - 1))
