"""What analysis depth asks: two reports on one request, side by side.

The same two questions serve a pair whoever of the two is scored: they name the reports by their
place, and a run asks each of them once.
"""

from __future__ import annotations

from typing import Final

from deepassay.models.operation import Inputs, Operation
from deepassay.protocols.depth.arithmetic import winner_of
from deepassay.protocols.depth.marks import Comparison, Flaws, Marks, Pair, RawVerdict
from deepassay.protocols.depth.traits import marks_beside, traits_of
from deepassay.protocols.protocol import PROMPTS


class TwoReports(Inputs):
    """Two reports and the request that both answer."""

    report_a: str
    report_b: str
    query: str


def _by_rule(inputs: TwoReports) -> Comparison:
    one = traits_of(inputs.report_a, inputs.query)
    other = traits_of(inputs.report_b, inputs.query)
    a, b = marks_beside(one, other), marks_beside(other, one)
    return Comparison(
        scores=Pair(A=Marks(**a), B=Marks(**b)),
        justification=f"By rule: A has {one}; B has {other}.",
        major_flaws=Flaws(A=(), B=()),
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
    "depth/compare", prompts=PROMPTS, takes=TwoReports, gives=Comparison, offline=_by_rule
)

COMPARE_AS_RELEASED: Final = Operation(
    "depth/compare_as_released",
    prompts=PROMPTS,
    takes=TwoReports,
    gives=RawVerdict,
    offline=_as_released_by_rule,
    reading="released",
)
