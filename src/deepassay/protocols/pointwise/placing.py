"""Where the statements of a report stand: in which block, and under which heading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deepassay.reports.report import Report
from deepassay.reports.statements import Statement


class Placed(NamedTuple):
    """A statement, the number of its block, and the heading above it as written, or "".

    first: the first statement of its block, which may be itself.
    """

    statement: Statement
    block: int
    heading: str
    first: Statement


def placed(report: Report) -> Iterator[Placed]:
    """The statements of the body with their places, in reading order."""
    blocks = report.blocks
    number, heading, first = -1, "", None
    for statement in report.statements:
        while number + 1 < len(blocks) and blocks[number + 1].span.start <= statement.span.start:
            number, first = number + 1, None
            if blocks[number].kind == "heading":
                heading = blocks[number].span.of(report.text)
        first = first or statement
        yield Placed(statement, number, heading, first)
