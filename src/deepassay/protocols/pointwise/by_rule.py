"""Issues without a model: what can be counted of contradictions and of missing citations."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from deepassay.protocols.overlap import readable, wording, words_of
from deepassay.protocols.pointwise.issues import (
    Inconsistencies,
    Inconsistency,
    UnsourcedClaim,
    UnsourcedClaims,
)
from deepassay.reports.attribution import attributions
from deepassay.reports.report import Report
from deepassay.reports.statements import Statement

MOST_ISSUES: Final = 200
"""Issues that are listed; the score falls no further long before."""

FEWEST_WORDS: Final = 4
"""Words of a sentence that says something by itself."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def contradictions_by_rule(text: str) -> Inconsistencies:
    """The floor: sentences of a report that are the same but for their numbers."""
    report = readable(text)
    first: dict[str, Statement] = {}
    issues = []
    for each in report.statements:
        numbers = _NUMBER.findall(each.text)
        if each.kind == "cell" or not numbers or len(words_of(each.text)) < FEWEST_WORDS:
            continue
        known = first.setdefault(_NUMBER.sub("#", wording(each.text)), each)
        if numbers != _NUMBER.findall(known.text):
            issues.append(
                Inconsistency(
                    kind="contradiction",
                    quote=known.span.of(report.text),
                    other_quote=each.span.of(report.text),
                    problem="By rule: the same words with other numbers.",
                )
            )
    return Inconsistencies(issues=issues[:MOST_ISSUES])


def uncited_by_rule(text: str) -> UnsourcedClaims:
    """The floor: paragraphs, list items and table rows with a number and without a citation."""
    report = readable(text)
    attributed = {each.statement.span for each in attributions(report)}
    issues = []
    for passage in _passages(report):
        claims = [each for each in passage if _NUMBER.search(each.text)]
        cited = any(each.citations or each.span in attributed for each in passage)
        if claims and not cited and len(words_of(claims[0].text)) >= FEWEST_WORDS:
            issues.append(
                UnsourcedClaim(
                    kind="uncited",
                    quote=claims[0].span.of(report.text),
                    problem="By rule: a number, and no citation beside it.",
                )
            )
    return UnsourcedClaims(issues=issues[:MOST_ISSUES])


def _passages(report: Report) -> list[list[Statement]]:
    """The statements of each block, those of a table by their lines."""
    found: defaultdict[tuple[int, int], list[Statement]] = defaultdict(list)
    block = -1
    for each in report.statements:
        start = each.span.start
        while block + 1 < len(report.blocks) and report.blocks[block + 1].span.start <= start:
            block += 1
        row = report.lines.place(start)[0] if each.kind == "cell" else 0
        found[block, row].append(each)
    return list(found.values())
