"""What stands on every page of a PDF and is no part of its text: running heads, page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from deepassay.reports.documents.lines import Line

_MARGIN = 0.1  # of the height
_FIGURES = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[ivxl]{1,6}|(?:page |第 ?|- ?|– ?)?\d{1,4}(?: ?(?:of|/|von|de|sur) ?\d{1,4}| ?[-–]| ?页)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sheet:
    """A page. height: in points."""

    height: float
    lines: list[Line]


def without_furniture(sheets: Sequence[Sheet]) -> list[list[Line]]:
    """Lines of each page but for page numbers and what several pages have in a margin.

    Several are three, or half of a shorter document. Figures in such a line may differ.
    """
    marginal = [[_marginal(sheet, line) for line in sheet.lines] for sheet in sheets]
    pages_with = Counter(key for keys in marginal for key in set(keys) if key)
    often = min(max(2, len(sheets) / 2), 3)
    return [
        [
            line
            for line, key in zip(sheet.lines, keys, strict=True)
            if not key or (pages_with[key] < often and not _PAGE_NUMBER.fullmatch(line.text))
        ]
        for sheet, keys in zip(sheets, marginal, strict=True)
    ]


def _marginal(sheet: Sheet, line: Line) -> str:
    """What a line in the head or foot of a page says, figures apart; "" for one between."""
    if line.cell is not None:  # the head of a table may return on every page
        return ""
    if _MARGIN * sheet.height < line.base < (1 - _MARGIN) * sheet.height:
        return ""
    return _FIGURES.sub("#", line.text)
