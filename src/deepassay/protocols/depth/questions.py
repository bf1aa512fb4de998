"""What analysis depth asks: two reports on one request, side by side.

The same two questions serve a pair whoever of the two is scored: they name the reports by their
place, and a run asks each of them once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from deepassay.models.operation import Inputs, Operation
from deepassay.protocols.depth.arithmetic import winner_of
from deepassay.protocols.depth.marks import (
    HIGHEST,
    Comparison,
    Flaws,
    Marks,
    Pair,
    RawVerdict,
)
from deepassay.protocols.overlap import read, words_of
from deepassay.protocols.protocol import PROMPTS

_DIGIT = re.compile(r"\d")


class TwoReports(Inputs):
    """Two reports and the request that both answer."""

    report_a: str
    report_b: str
    query: str


def _by_rule(inputs: TwoReports) -> Comparison:
    """The floor: each report's marks are its counts beside the greater of the two reports'."""
    one, other = counts_of(inputs.report_a), counts_of(inputs.report_b)
    a, b = (
        {name: round(HIGHEST * own[name] / (max(one[name], other[name]) or 1)) for name in own}
        for own in (one, other)
    )
    return Comparison(
        scores=Pair(A=Marks(**a), B=Marks(**b)),
        justification=f"By rule: A has {_told(one)}; B has {_told(other)}.",
        major_flaws=Flaws(A=(), B=()),
    )


@lru_cache(maxsize=64)  # a report comes back with every rival, and in both orders
def counts_of(text: str) -> Mapping[str, float]:
    """What can be counted of a report, for each dimension; it says nothing of how it reasons.

    granularity: different statements. insight: different words. critique: headings. evidence:
    statements with a citation or a number. density: words of a statement.
    """
    said = read(text)
    statements = {each.text.casefold(): each for each in said.report.statements}.values()
    evident = sum(bool(each.citations) or bool(_DIGIT.search(each.text)) for each in statements)
    return {
        "granularity": len(statements),
        "insight": len(said.statements.vocabulary),
        "critique": sum(block.kind == "heading" for block in said.report.blocks),
        "evidence": evident,
        "density": sum(len(words_of(each.text)) for each in statements) / max(1, len(statements)),
    }


def _told(counts: Mapping[str, float]) -> str:
    return (
        f"{counts['granularity']} statements, {counts['evidence']} of them with a citation or a "
        f"number, {counts['insight']} different words, {counts['critique']} headings"
    )


def _as_released_by_rule(inputs: TwoReports) -> RawVerdict:
    answer = _by_rule(inputs).model_dump(mode="json")
    marks = answer["scores"]
    totals = {side: sum(marks[side].values()) for side in marks}
    for side in marks:
        marks[side]["total"] = totals[side]
    winner = {"own": "A", "baseline": "B", "tie": "tie"}[winner_of([totals["A"]], [totals["B"]])]
    return RawVerdict({"winner": winner, **answer})


COMPARE: Final = Operation(
    "depth/compare",
    prompts=PROMPTS,
    takes=TwoReports,
    gives=Comparison,
    offline=_by_rule,
    version=2,
)

COMPARE_AS_RELEASED: Final = Operation(
    "depth/compare_as_released",
    prompts=PROMPTS,
    takes=TwoReports,
    gives=RawVerdict,
    offline=_as_released_by_rule,
    reading="released",
    version=2,
)
