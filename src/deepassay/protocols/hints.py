"""Hints for the judge of presentation checks: what lint rules and countable traits noted.

A hint is no verdict. Each stands under the check that it bears on, so that a judge who is asked
for four of the ten is not led away by what concerns the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deepassay.protocols.mechanical import DECIDING, MECHANICAL, findings_of
from deepassay.protocols.traits import RULES_FOR, TRAITS
from deepassay.reports.finding import Finding
from deepassay.reports.report import Report
from deepassay.reports.rules import named

HINTS_SHOWN: Final = 12
"""Places of one check; how many more there are is said."""

BEARING_ON: Final[dict[str, tuple[str, ...]]] = {
    "p1": ("DA306", "DA307", "DA308", "DA309", "DA401"),
    "p6": (RULES_FOR["p6"],),
    "p7": (RULES_FOR["p7"],),
}
"""Codes of lint rules that do not decide a check and yet show where it may fail."""

RULES_SHOWN: Final = named(
    code
    for codes in (*(DECIDING[key] for key in MECHANICAL), *BEARING_ON.values())
    for code in codes
)
"""The rules of which `presentation` takes note."""


def hints(report: Report, findings: Sequence[Finding], keys: Sequence[str]) -> str:
    """Lines `p7, line 12: …` for the checks `keys`, in their order and in that of the text."""
    return "\n".join(line for key in keys for line in _lines(key, report, findings)) or "nothing"


def _lines(key: str, report: Report, findings: Sequence[Finding]) -> list[str]:
    if key in MECHANICAL:
        found = findings_of(key, findings)
    else:
        found = [each for each in findings if each.code in BEARING_ON.get(key, ())]
    places = {(each.line, each.message) for each in found}
    if key in TRAITS:
        ruled = {line for line, _ in places}
        traits = [
            (report.lines.place(each.offset)[0], each.message) for each in TRAITS[key](report)
        ]
        places |= {(line, message) for line, message in traits if line not in ruled}
    lines = [f"{key}, line {line}: {message}" for line, message in sorted(places)]
    more = len(lines) - HINTS_SHOWN
    return lines[:HINTS_SHOWN] + ([f"{key}: and {more} more"] if more > 0 else [])
