"""The presentation checks that code can decide: P3, P4, P5, P8, P9 and P10, with places.

A check is failed when a lint rule that stands for it fires anywhere in the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.reports.finding import Finding
from deepassay.score import Json

MECHANICAL: Final = ("p3", "p4", "p5", "p8", "p9", "p10")
PLACES_KEPT: Final = 20


def findings_of(key: str, findings: Sequence[Finding]) -> list[Finding]:
    """The findings of the rules that stand for a check, e.g. `p3`."""
    return [each for each in findings if key.upper() in each.rule.sources]


def counted(found: int, *, or_more: bool = False) -> str:
    """How many places were found, and how many of them are kept, in a sentence."""
    kept = f", of which the first {PLACES_KEPT} are listed" if found > PLACES_KEPT else ""
    return f"Places found: {found}{' or more' if or_more else ''}{kept}."


def evidence(key: str, item: str, findings: Sequence[Finding]) -> dict[str, Json]:
    """Verdict, reason and places of one check, as `explain` reads them."""
    found = findings_of(key, findings)
    places = [
        {"line": each.line, "column": each.column, "code": each.code, "message": each.message}
        for each in found[:PLACES_KEPT]
    ]
    return {
        "key": key,
        "item": item,
        "score": 0 if found else 1,
        "justification": counted(len(found)),
        "decided_by": "rule",
        "places": places,
    }
