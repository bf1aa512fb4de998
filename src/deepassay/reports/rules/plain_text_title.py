"""A section title written as plain text instead of a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.markdown import Block
from deepassay.reports.report import Report

CAPTION = re.compile(
    r"(?:table|figure|fig\.|chart|source|note|date|author|by|updated|prepared|keywords|none|n/a)\b"
    r"|[图表]\s?\d",
    re.IGNORECASE,
)
NOT_A_TITLE = re.compile(
    r"[|=<>`\[\]{}【】［］⁰¹²³⁴⁵⁶⁷⁸⁹]|https?:|\*\*|__|[.,;:!?。，；：！？、…][\"'”’」』)）]*$|^[\W\d_]"
)


def check(report: Report, *, longest: int = 110) -> Iterator[Hit]:
    """One hit for each short line that stands alone and opens a list, text, table or code.

    longest: characters that it has at most.
    Silent for lines that cite, end like a sentence or with a colon, for captions, formulas, and the
    line below the title of the report.
    """
    above: Block | None = None
    for block, below in pairwise(report.body):
        if _stands_alone(block, above, longest) and below.kind in ("paragraph", "table", "code"):
            line = block.span.of(report.text).strip()
            if _reads_as_title(line):
                yield Hit(block.span, f"'{excerpt(line, 40)}' is a section title in plain text")
        above = block


def _stands_alone(block: Block, above: Block | None, longest: int) -> bool:
    under_title = above is not None and above.kind == "heading" and above.level == 1
    short = block.span.end - block.span.start <= longest
    return block.kind == "paragraph" and block.depth == 0 and short and not under_title


def _reads_as_title(line: str) -> bool:
    if "\n" in line or NOT_A_TITLE.search(line) or CAPTION.match(line):
        return False
    return any(character.isalpha() for character in line) and not line[0].islower()


RULE = Rule(
    code="DA306",
    name="plain-text-title",
    reason="Without headings the structure is invisible to readers and to tables of contents.",
    sources=("P9",),
    check=check,
    version=2,
)
