"""Numbers that may mean a source: in brackets, in words (`see reference 3`), in a column.

Where they are no citations, a new numbering would leave them wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from deepassay.reports.blocks import Table
from deepassay.reports.report import Report
from deepassay.reports.spans import Span

_NEXT = r"[\])）】]?\s?(?:[,，、;&/\-–—~至到和与及]|and|or|to|through)\s?(?:and\s)?[\[(（【]?"
_PROSE = re.compile(
    r"(?:(?<![A-Za-z])(?:refs?|references?|sources?|citations?|entry|entries|endnotes?|footnotes?)"
    r"(?:\(s\))?(?:\.|:|[ \t]?#|[ \t](?:nos?\.|numbers?))?[ \t]?"
    r"|(?:文[献獻]|[来來]源|[资資]料|引文|[参參]考|[条條]目|[脚腳]注)[:：]?[ \t]?第?[ \t]?)"
    rf"[\[(（【#]?(\d{{1,4}}(?:{_NEXT}\d{{1,4}}){{0,20}}+)"
    r"(?![\w%]|[.,]\d)(?![种種个個次份年月家位天])",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\W*(?:refs?\.?|references?|sources?|citations?|[参參]考(?:文[献獻])?|文[献獻]|[来來]源)"
    r"(?: (?:no\.?|numbers?|ids?)| ?#)?\W*",
    re.IGNORECASE,
)
_CELL = re.compile(rf"[\[(]?(\d{{1,4}}(?:(?:{_NEXT}|\s)\d{{1,4}}){{0,20}}+)[\])]?", re.IGNORECASE)
_BRACKET = re.compile(r"(?<![^\s(,;.`])\[(\d{1,6})\]")
_WIDE = re.compile(r"［([^［］\n]{1,60})］")
_RAISED = re.compile(r"\^\[?(\d{1,4}(?:\s?[,;\-–]\s?\d{1,4}){0,20}+)\]?\^")
_NUMBER = re.compile(r"\d+")


class Mention(NamedTuple):
    """A number that may mean a source: the words it stands in, where it begins, what it is."""

    span: Span
    at: int
    number: int


def mentions(report: Report) -> Iterator[Mention]:
    """Every number in brackets or raised, after a word for a source, or in a column for sources."""
    for pattern in (_BRACKET, _WIDE, _RAISED, _PROSE):
        for found in pattern.finditer(report.text):
            yield from _each(report.text, Span(*found.span()), Span(*found.span(1)))
    for block in report.blocks:
        if isinstance(block, Table):
            yield from _in_columns(report.text, block)


def _in_columns(text: str, table: Table) -> Iterator[Mention]:
    columns = [at for at, cell in enumerate(table.header) if _HEADER.fullmatch(cell.of(text))]
    for row in table.rows if columns else ():
        for cell in (row[column] for column in columns if column < len(row)):
            if found := _CELL.fullmatch(text, *cell):
                yield from _each(text, cell, Span(*found.span(1)))


def _each(text: str, span: Span, written: Span) -> Iterator[Mention]:
    for found in _NUMBER.finditer(text, *written):
        yield Mention(span, found.start(), int(found[0]))
