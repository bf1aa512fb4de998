"""The body of a report: its blocks without those of the reference lists."""

from __future__ import annotations

from collections.abc import Iterator

from deepassay.reports.blocks import Block
from deepassay.reports.report import Report


def body_blocks(report: Report) -> Iterator[Block]:
    """Blocks outside reference lists and their headings, in reading order."""
    lists = iter(report.reference_lists)
    nearest = next(lists, None)
    for block in report.blocks:
        while nearest is not None and nearest.span.end <= block.span.start:
            nearest = next(lists, None)
        if nearest is None or block.span.end <= nearest.span.start:
            yield block
