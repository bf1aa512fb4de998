"""The presentation checks that code can decide: P3, P4, P5, P8, P9 and P10, with places.

A check is failed when a lint rule that decides it fires anywhere in the report. Which rules these
are is said here, so that a rule that is added has no part in any score and changes no recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.reports.finding import Finding
from deepassay.results.evidence import Item, ReportPlace
from deepassay.score import Json

MECHANICAL: Final = ("p3", "p4", "p5", "p8", "p9", "p10")
PLACES_KEPT: Final = 20

DECIDING: Final[dict[str, tuple[str, ...]]] = {
    "p3": ("DA205",),
    "p4": ("DA101", "DA102"),
    "p5": ("DA201", "DA202", "DA203", "DA204"),
    "p8": ("DA301", "DA302", "DA303", "DA304", "DA311"),
    "p9": ("DA305", "DA306", "DA307", "DA308", "DA309", "DA310"),
    "p10": ("DA206", "DA207", "DA208", "DA209", "DA210"),
    "g14": ("DA101", "DA202", "DA210"),
    "g15": ("DA212", "DA213"),
    "g16": ("DA104",),
    "g17": ("DA205",),
    "g18": ("DA301", "DA302", "DA303", "DA305"),
    "g19": ("DA204",),
    "g20": ("DA103",),
    "g21": (),
}
"""Codes of the rules that stand for a check of Table 2, `p3`, or a figure of appendix G, `g14`."""


def findings_of(key: str, findings: Sequence[Finding]) -> list[Finding]:
    """The findings of the rules that decide a check, e.g. `p3`."""
    return [each for each in findings if each.code in DECIDING[key]]


def counted(found: int, *, or_more: bool = False) -> str:
    """How many places were found, and how many of them are kept, in a sentence."""
    kept = f", of which the first {PLACES_KEPT} are listed" if found > PLACES_KEPT else ""
    return f"Places found: {found}{' or more' if or_more else ''}{kept}."


def evidence(key: str, item: str, findings: Sequence[Finding]) -> dict[str, Json]:
    """Verdict, reason and places of one check, as `explain` reads them."""
    found = findings_of(key, findings)
    return Item(
        key=key,
        item=item,
        score=0 if found else 1,
        justification=counted(len(found)),
        decided_by="rule",
        places=tuple(
            ReportPlace(line=each.line, column=each.column, code=each.code, message=each.message)
            for each in found[:PLACES_KEPT]
        ),
    ).to_json()
