"""A placeholder in the text: TBD, [to be filled], Information not provided."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepassay.reports.finding import Hit, Rule, excerpt
from deepassay.reports.report import Report
from deepassay.reports.spans import Span
from deepassay.text import HAN

ANYWHERE = re.compile(
    r"\b(?:TBD|TBA|TBC|TODO|FIXME)\b"
    r"|\b[Ll]orem [Ii]psum\b"
    r"|[\[［【(（]to be (?:filled|completed|determined|added|confirmed|updated|provided)\b"
    r"[^\[\]()\n]{0,80}[\]］】)）]"
    r"|[\[［【](?:(?:insert|add|fill in|your) [^\[\]\n]{1,80}|placeholder|citation needed"
    r"|source needed|[^\[\]\n]{3,100} here)[\]］】](?!\()"
    rf"|待(?:补充|填写|填充|完善|补全)(?![{HAN}])|此处(?:填写|插入|补充)"
)
WHOLE = re.compile(
    r"(?:information|data|details?|figures?|values?|sources?|price|results?)"
    r" (?:is |are |was |were )?(?:not (?:provided|found|available|supplied)|unavailable)"
    r"|no (?:information|data|details?|sources?) (?:provided|found|available|supplied)"
    r"|to be (?:determined|confirmed|announced|added|completed|filled(?: in)?|updated)"
    r"|(?:price|data|source|information|confirmation|figures?) pending"
    r"|暂无(?:相关)?(?:数据|信息|资料|内容)|未提供(?:相关)?(?:数据|信息)?|待定"
    r"|(?:数据|信息)(?:缺失|未提供|不可用)|未找到(?:相关)?(?:数据|信息|资料)",
    re.IGNORECASE,
)
QUOTES = {"“”", "‘’", "「」", "『』", "``", '""', "''"}
"""A placeholder between these is spoken of."""
BEFORE = ":：—–|(（[,，;；-*•>\n."
AFTER = ".。;；,，)）]|\n"


def placeholders(text: str, within: Span) -> Iterator[Span]:
    """Placeholders in a stretch of text.

    Words that may also be part of a plain sentence count only where they are the whole
    value: alone, or between a colon, dash or bracket and the end of the clause.
    """
    for found in ANYWHERE.finditer(text, within.start, within.end):
        around = text[found.start() - 1 : found.start()] + text[found.end() : found.end() + 1]
        if around not in QUOTES:
            yield Span(*found.span())
    for found in WHOLE.finditer(text, within.start, within.end):
        before = text[max(within.start, found.start() - 9) : found.start()].rstrip(' \t*_"“')
        after = text[found.end() : min(within.end, found.end() + 9)].lstrip(' \t*_"”')
        if (not before or before[-1] in BEFORE) and (not after or after[0] in AFTER):
            yield Span(*found.span())


def check(report: Report) -> Iterator[Hit]:
    """One hit for each; tables have a rule of their own, code and reference lists none."""
    for block in report.body:
        if block.kind in ("paragraph", "heading"):
            for found in placeholders(report.text, block.span):
                yield Hit(found, f"placeholder: {excerpt(found.of(report.text))}")


RULE = Rule(
    code="DA401",
    name="placeholder-text",
    reason="The report was handed in unfinished.",
    sources=(),
    check=check,
    version=2,
)
