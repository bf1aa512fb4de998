"""Figures in a claim, and a figure clearly unlike the one that is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from numpy.random import Generator

from deepassay.reports.perturb.masking import masked
from deepassay.reports.spans import Edit, Span
from deepassay.reports.statements import Statement
from deepassay.text import HAN

_DASHES = "\\-‐‑‒–—−~～至"
_FIGURE = re.compile(
    rf"(?<![A-Za-z0-9_.,/:#@^\\{_DASHES}])(?<![第年月])"
    r"(?P<number>\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,4})?|\d{1,9}(?:\.\d{1,4})?)"
    rf"(?![0-9_/:\\{_DASHES}])(?![.,]\d)"
)
_MEASURED = re.compile(
    r"\s?(?:%|％|‰|percent\b|per cent\b|percentage\b|million\b|billion\b|trillion\b|thousand\b"
    r"|(?:bn|mn|k|[KMBT]|km|kg|[GMkT]W(?:h)?|[GMT]B|USD|EUR|RMB|CNY)\b"
    r"|[千万亿倍元人个家名户吨米台辆])",
)
_COUNTED = re.compile(rf"\*{{0,2}}(?:\s[a-z]{{3,}}|\s?[{HAN}])")
_OF_A_DATE = re.compile(
    r"\s?(?:世纪|年代|[年月日号时点章节条款届期季级])|(?:st|nd|rd|th)\b"
    r"|\s(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec|a\.?m\b|p\.?m\b)",
)
_OTHER_LETTER = re.compile(r"[A-Za-z]")
_CAPITAL_BEFORE = re.compile(r"(?:^|[\s(（*])[A-Z][\w./-]{0,20}\s\Z")
_PADDED = re.compile(r"0\d|[0.,]+\Z")
_MONEY = "$€£¥￥"
_FACTORS = (0.4, 0.55, 1.7, 2.3, 3.0)


def figures(text: str, statement: Statement) -> list[Span]:
    """Where in the report the figures of a statement stand.

    Percentages, sums of money, measures and counts; not years, dates, ranges, numbers of
    versions, figures and list items, and nothing in a citation or an address.
    """
    said = masked(text, statement)
    return [
        Span(statement.span.start + found.start(), statement.span.start + found.end())
        for found in _FIGURE.finditer(said)
        if _is_claimed(said, found)
    ]


def _is_claimed(said: str, found: re.Match[str]) -> bool:
    """Whether a number measures or counts something."""
    number, end = found["number"], found.end()
    if _PADDED.match(number):
        return False
    if _MEASURED.match(said, end):
        return not _OF_A_DATE.match(said, end)
    if _OF_A_DATE.match(said, end) or _OTHER_LETTER.match(said, end):
        return False
    if said[found.start() - 1 : found.start()] in tuple(_MONEY) or "," in number:
        return True
    if _CAPITAL_BEFORE.search(said, max(0, found.start() - 24), found.start()):
        return False
    year = len(number) == 4 and number[:2] in ("18", "19", "20")
    return not year and number != "1" and _COUNTED.match(said, end) is not None


def changed(text: str, figure: Span, random: Generator) -> Edit:
    """Another figure in its place, written alike: at least 40 % away, percentages below 100."""
    written = figure.of(text)
    value = Decimal(written.replace(",", ""))
    places = len(written.partition(".")[2])
    percent = text[figure.end : figure.end + 1] in ("%", "％") and value <= 100
    candidates = list(_candidates(value, places, percent))
    new = candidates[random.integers(len(candidates))]
    return Edit(figure, f"{new:,.{places}f}" if "," in written else f"{new:.{places}f}")


def _candidates(value: Decimal, places: int, percent: bool) -> Iterator[Decimal]:
    step = Decimal(1).scaleb(-places)
    for factor in _FACTORS:
        new = (value * Decimal(str(factor))).quantize(step)
        if (
            new not in (0, 1)
            and abs(new - value) >= value * Decimal("0.4")
            and not (percent and new >= 100)
        ):
            yield new
