"""The sections of a body: what stands under the headings that divide it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from deepassay.reports.markdown import Block
from deepassay.reports.report import Report
from deepassay.reports.spans import Span

_FRAME = re.compile(
    r"[#\s*_]*(?:[\dIVX]{1,4}[.)、\s]{1,3}|[一二三四五六七八九十]{1,3}[、.．\s]{1,3})?\s*"
    r"(?:executive|introduct|overview|summary|abstract|background|tl;?dr|key (?:takeaways|findings)"
    r"|conclusion|concluding|closing|next steps"
    r"|摘要|引言|前言|导言|导论|绪论|概述|概要|概览|执行摘要|内容提要|背景|结论|结语|总结|小结)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Section:
    """A heading with all that stands under it.

    span: from the heading to the last character under it, without a closing rule (`---`) and
    without the blank lines before the next section. blocks: those in it, the heading first.
    """

    span: Span
    blocks: tuple[Block, ...]

    @property
    def length(self) -> int:
        """How many characters stand under the heading."""
        return self.span.end - self.blocks[0].span.end


def sections(report: Report) -> tuple[Section, ...]:
    """Sections of the body in reading order, all under headings of one level.

    Neither title and opening, which stand before the first, nor reference lists are in any. A
    section that goes on below a reference list within it is none, because it is not known
    which part of it the list serves.
    """
    blocks = [block for block in report.body if block.kind != "rule"]
    level = _dividing_level(blocks)
    if level is None:
        return ()
    found: list[Section] = []
    under: list[Block] = []
    for block in [*blocks, None]:
        ends = block is None or _heads(block) in range(1, level + 1)
        if ends and under:
            found.append(_section(report, under))
            under = []
        if block is not None and (under or (ends and _heads(block) == level)):
            under.append(block)
    return tuple(_without_inner_lists(report, found))


def frames(report: Report, section: Section) -> bool:
    """Whether a section is called an introduction, a summary or a conclusion."""
    return _FRAME.match(report.text, *section.blocks[0].span) is not None


def _heads(block: Block) -> int:
    """The level of a heading that divides the report; 0 for other blocks, quoted ones too."""
    return block.level if block.kind == "heading" and not block.depth else 0


def _dividing_level(blocks: list[Block]) -> int | None:
    """The highest level with three headings, or else with two: a title or two divide nothing."""
    counts = Counter(_heads(block) for block in blocks)
    for least in (3, 2):
        for level in range(1, 7):
            if counts[level] >= least:
                return level
    return None


def _section(report: Report, blocks: list[Block]) -> Section:
    start, end = blocks[0].span.start, blocks[-1].span.end
    end = start + len(report.text[start:end].rstrip())
    return Section(Span(start, end), tuple(blocks))


def _without_inner_lists(report: Report, found: list[Section]) -> list[Section]:
    lists = iter(each.span for each in report.reference_lists)
    nearest = next(lists, None)
    kept = []
    for section in found:
        while nearest is not None and nearest.end <= section.span.start:
            nearest = next(lists, None)
        if nearest is None or nearest.start >= section.span.end:
            kept.append(section)
    return kept
