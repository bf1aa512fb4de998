"""Where a paragraph may be put into a report, and what puts it there."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from deepassay.reports.markdown import Block
from deepassay.reports.report import Report
from deepassay.reports.spans import Edit, Span


def line_end_of(report: Report) -> str:
    """How the lines of a report end."""
    return "\r\n" if "\r\n" in report.text else "\n"


def takes_a_paragraph_below(block: Block) -> bool:
    """Whether text below a block is a paragraph: code and HTML may still be open at its end."""
    return block.kind not in ("code", "html", "heading")


def gaps(report: Report) -> list[int]:
    """Where the blocks above each heading of the body end, and the last block of the body.

    Between a paragraph and the next, another would part a claim from citations below it.
    """
    blocks = [block for block in report.body if block.kind != "rule"]
    ends = [one for one, following in pairwise(blocks) if following.kind == "heading"]
    return [block.span.end for block in [*ends, *blocks[-1:]] if takes_a_paragraph_below(block)]


def paragraphs_below(end: int, paragraphs: Iterable[str], line_end: str) -> Edit:
    """The edit that puts paragraphs below a block, which ends at `end`."""
    gap = 2 * line_end
    return Edit(Span(end, end), "".join(gap + paragraph for paragraph in paragraphs))
