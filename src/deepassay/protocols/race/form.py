"""The form of an article as marks on the page show it: one number in [0, 1] for each side.

All constants are chosen, not fitted to published scores; so are the weights in the sums.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from deepassay.protocols.race.discourse import CLOSES, OPENS
from deepassay.protocols.recall import tokens
from deepassay.reports.lint import lint
from deepassay.reports.markdown import Block, TableBlock
from deepassay.reports.report import Report
from deepassay.reports.rules import RULES

LONGEST_PARAGRAPH: Final = 130
"""Content words above which a paragraph is hard to read."""

SENTENCE: Final = range(3, 41)
"""Content words of a sentence that reads well."""

HEADINGS: Final = 6.0
ITEMS: Final = 12.0
ROWS: Final = 5.0
EMPHASISED: Final = 15.0
"""Headings, items of lists, rows of tables and words in bold that set out an article fairly well
(0.63 of full marks; see `saturation`)."""

MOST_ITEMS: Final = 0.8
"""Share of list items among the blocks above which prose is missing."""

FAULTS: Final = 6.0
"""Findings of lint per 1,000 content words that halve tidiness."""

SHARED: Final = 3.0
SHARE: Final = 0.2
"""Content words that a block takes up of the two before it when the thread is not lost: so many,
or this share of its own if that is fewer."""

_BOLD = re.compile(r"\*\*([^*\n]{1,120})\*\*")
_AFTER_THE_END = " *_\"'”’)）]】>|"
_ENDS: Final = tuple(".!?。！？…;；")


def saturation(amount: float, enough: float) -> float:
    """0 for nothing, 0.63 at `enough`, towards 1 beyond."""
    return 1.0 - math.exp(-amount / enough)


def distinct_blocks(report: Report) -> list[Block]:
    """The blocks in reading order, of those that say the same the first."""
    found: dict[str, Block] = {}
    for block in report.blocks:
        found.setdefault(block.span.of(report.text).casefold(), block)
    return list(found.values())


def content_words(text: str) -> frozenset[str]:
    """The content words of a text, as compared."""
    return frozenset(token.word for token in tokens(text))


def rows(blocks: Sequence[Block]) -> int:
    """Rows of all tables, without their headers."""
    return sum(len(block.rows) for block in blocks if isinstance(block, TableBlock))


def form_of(report: Report, sentences: Sequence[frozenset[str]]) -> dict[str, float]:
    """The sides of `discourse.FORMS`. sentences: the content words of each statement, at least one.

    What is repeated counts once, so that a copied passage sets nothing out better.
    """
    blocks = distinct_blocks(report)
    passages = [
        content_words(block.span.of(report.text)) for block in blocks if block.kind != "rule"
    ]
    prose = [
        len(content_words(block.span.of(report.text)))
        for block in blocks
        if block.kind == "paragraph"
    ]
    in_measure = sum(size for size in prose if size <= LONGEST_PARAGRAPH)
    faults = 1000 * len(lint(report, RULES)) / max(1, sum(map(len, sentences)))
    return {
        "structure": _structure(report, blocks),
        "paragraphs": in_measure / sum(prose) if sum(prose) else 0.0,
        "cohesion": _cohesion(passages),
        "sentences": sum(len(each) in SENTENCE for each in sentences) / len(sentences),
        "display": _display(report, blocks),
        "tidiness": 1.0 / (1.0 + faults / FAULTS),
        "frame": _frame(report, blocks),
    }


def _structure(report: Report, blocks: Sequence[Block]) -> float:
    """Headings, best on two levels or more, each with something below it that it announces."""
    levels = [block.level for block in blocks if block.kind == "heading"]
    kept = [*_promises(report)]
    if not kept:
        return 0.0
    nested = 1.0 if len(set(levels)) > 1 else 0.7
    return saturation(len(levels), HEADINGS) * nested * sum(kept) / len(kept)


def _promises(report: Report) -> Iterator[float]:
    """For each heading 0 if nothing stands below it, 0.5 if none of its words do, else 1."""
    title: frozenset[str] | None = None
    level = 0
    below: set[str] = set()
    for block in (*report.blocks, None):
        if block is not None and block.kind != "heading":
            below |= content_words(block.span.of(report.text))
            continue
        parent = block is not None and block.level > level and not below
        if title is not None and not parent:
            yield 0.0 if not below else 0.5 + 0.5 * (not title.isdisjoint(below))
        if block is not None:
            title, level = content_words(block.span.of(report.text)), block.level
            below = set()


def _cohesion(passages: Sequence[frozenset[str]]) -> float:
    """How far blocks take up words of the two before them, headings included."""
    taken = [
        min(1.0, len(each & (first | second)) / max(1.0, min(SHARED, SHARE * len(each))))
        for first, second, each in zip(passages, passages[1:], passages[2:], strict=False)
    ]
    return sum(taken) / len(taken) if taken else 0.5


def _display(report: Report, blocks: Sequence[Block]) -> float:
    """Lists, tables and emphasis, half of that where next to nothing else is left."""
    items = sum(block.item for block in blocks)
    shown = (
        0.4 * saturation(items, ITEMS)
        + 0.3 * saturation(rows(blocks), ROWS)
        + 0.3 * saturation(len(set(_BOLD.findall(report.text))), EMPHASISED)
    )
    return shown if items <= MOST_ITEMS * len(blocks) else 0.5 * shown


def _frame(report: Report, blocks: Sequence[Block]) -> float:
    """An opening, a closing part, and an end that is no break in the middle of a sentence."""
    text = report.text
    headings = [block.span.of(text) for block in blocks if block.kind == "heading"]
    opened = any(block.kind == "paragraph" for block in blocks[:2])
    opening = opened or any(map(OPENS.search, headings[:3]))
    closing = any(map(CLOSES.search, headings[-3:]))
    ended = blocks[-1].span.of(text).rstrip(_AFTER_THE_END).endswith(_ENDS)
    return 0.4 * opening + 0.4 * closing + 0.2 * ended
