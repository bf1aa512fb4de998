"""The eight patterns, by the numbers of their figures, and who can see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from deepassay.protocols.mechanical import DECIDING, PLACES_KEPT, counted, findings_of
from deepassay.reports.finding import Finding
from deepassay.reports.rules import named
from deepassay.score import Json

PATTERNS: Final = {
    "g14": "no citation that leads to no reference, or to several",
    "g15": "no reference without a complete address",
    "g16": "one citation format",
    "g17": "no reference that is never cited",
    "g18": "no broken or incomplete table",
    "g19": "references in the order of their numbers",
    "g20": "no citation that breaks the flow of the text",
    "g21": "no information that seems made up",
}
"""What a report without the pattern of Figures 14 to 21 is like; no lint rule sees what Figure 21
shows."""

RULES_SEEN: Final = named(code for key in PATTERNS for code in DECIDING[key])
"""The lint rules that decide patterns."""

Judged = Literal["citation_format", "text_flow", "made_up"]

KEY_OF: Final[dict[Judged, str]] = {
    "citation_format": "g16",
    "text_flow": "g20",
    "made_up": "g21",
}
"""The patterns that a judge is asked about; of the first two, code sees the plain cases."""


class Place(NamedTuple):
    """Where a pattern shows: line and column from 1, and what is there."""

    line: int
    column: int
    message: str


def evidence(
    key: str, findings: Sequence[Finding], judged: Sequence[Place], *, cut: bool = False
) -> dict[str, Json]:
    """Verdict and places of one pattern, as `explain` reads them.

    findings: of the rules in RULES_SEEN. judged: the places that the judge found for this pattern.
    cut: whether it may have found more of them than an answer takes.
    """
    by_rule = [
        Place(each.line, each.column, f"{each.code} {each.message}")
        for each in findings_of(key, findings)
    ]
    places = [*by_rule, *judged]
    deciders = {"g21": "the judge"} | dict.fromkeys(("g16", "g20"), "rule and judge")
    return {
        "key": key,
        "item": PATTERNS[key],
        "score": 0 if places else 1,
        "justification": counted(len(places), or_more=cut and bool(judged)),
        "decided_by": deciders.get(key, "rule"),
        "places": [place._asdict() for place in places[:PLACES_KEPT]],
    }
