"""Which sentences of a report a perturbation may take: whole ones, cited ones first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from numpy.random import Generator

from deepassay.reports.perturb.masking import masked
from deepassay.reports.report import Report
from deepassay.reports.sentences import MASK
from deepassay.reports.statements import Statement

Found = TypeVar("Found")

_ENDS = re.compile(rf"(?:[.!。！…][\"'”’)）*_]{{0,4}}|{MASK})(?:[\s,;、，；]|{MASK})*[.。]?\Z")
_MARKS_OF_BLOCKS = re.compile(
    r"[#>|=+•●▪◦·–—-]|\*\s|\d{1,9}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[、)）]"
)
_SHORTEST = 12
_LONGEST = 800


def whole_sentences(report: Report) -> list[Statement]:
    """Sentences on one line, to their full stop or citation, in reading order."""
    return [each for each in report.statements if _is_whole(report.text, each)]


def _is_whole(text: str, statement: Statement) -> bool:
    length = statement.span.end - statement.span.start
    if statement.kind != "sentence" or len(statement.text) < _SHORTEST or length > _LONGEST:
        return False
    said = masked(text, statement)
    if "\n" in said or "\r" in said or said.count("**") % 2 or _MARKS_OF_BLOCKS.match(said):
        return False
    return _ENDS.search(said, max(0, len(said) - 80)) is not None


def cited_first(statements: Iterable[Statement]) -> tuple[list[Statement], list[Statement]]:
    """The statements that cite a source with an address in themselves, and the others."""
    groups: tuple[list[Statement], list[Statement]] = [], []
    for each in statements:
        groups[0 if each.urls and not each.inherited else 1].append(each)
    return groups


def choose(groups: Sequence[Sequence[Found]], random: Generator) -> Found | None:
    """One of the first group that is not empty; None if all are."""
    for group in groups:
        if group:
            return group[int(random.integers(len(group)))]
    return None
