"""A section title written as a bold line instead of a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.report import Report

BOLD_LINE = re.compile(r"(?:\*\*(?!\*)([^*\n]{2,100})\*\*|__(?!_)([^_\n]{2,100})__)")
CAPTION = re.compile(r"(?:table|figure|fig\.|chart|source|note)\b|[图表]\s?\d", re.IGNORECASE)


def check(report: Report, *, longest: int = 110) -> Iterator[Hit]:
    """One hit for each paragraph that is one bold line of so many characters at most.

    Silent for bold words that open a paragraph, bold sentences, lines that end with a colon
    and captions, and inside lists and quotations.
    """
    for block in report.body:
        if block.kind != "paragraph" or block.depth or block.span.end - block.span.start > longest:
            continue
        found = BOLD_LINE.fullmatch(block.span.of(report.text).strip())
        if not found:
            continue
        words = (found.group(1) or found.group(2)).strip()
        if words and words[-1] not in ".,;:!?。，；：！？" and not CAPTION.match(words):
            yield Hit(block.span, f"'{excerpt(words, 40)}' is a section title in bold")


RULE = Rule(
    code="DA307",
    name="bold-title",
    reason="Bold type looks like a heading and is none.",
    sources=("P9",),
    check=check,
)
