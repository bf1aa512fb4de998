"""What analysis depth asks: two reports on one request, marks from 0 to 5 on five dimensions.

LiveResearchBench, section 4.2 (which says 1 to 5) and appendix A.4 (whose prompt says 0 to 5 and
describes what earns a 0). Edition `paper` asks for no sum and no winner: both follow from the
marks. The reports are named by their place, so that one question serves a pair whoever of the
two is scored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from deepassay.models.form import Form
from deepassay.models.operation import Inputs, Operation, Reply, Whole
from deepassay.models.usage import Range
from deepassay.protocols.expected import for_each
from deepassay.protocols.overlap import report_words, words_of
from deepassay.protocols.protocol import PROMPTS

HIGHEST: Final = 5

DIMENSIONS: Final = {
    "granularity": "granularity of reasoning",
    "insight": "multi-layered insight",
    "critique": "critical evaluation",
    "evidence": "analytical use of evidence",
    "density": "insight density",
}
"""The five dimensions by their keys."""


Mark = Annotated[Whole, Field(ge=0, le=HIGHEST)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Pair(Reply):
    """The marks of both reports; A is the one that is shown first."""

    class Marks(Reply):
        """The marks of one report."""

        granularity: Mark
        insight: Mark
        critique: Mark
        evidence: Mark
        density: Mark

    A: Marks
    B: Marks


class Flaws(Reply):
    """Where each report stays shallow; often nothing."""

    A: tuple[str, ...]
    B: tuple[str, ...]


class Comparison(Reply):
    """The answer of edition `paper`."""

    scores: Pair
    justification: Reason
    major_flaws: Flaws


_DIGIT = re.compile(r"\d")


class TwoReports(Inputs):
    """Two reports and the request that both answer."""

    report_a: str
    report_b: str
    query: str


def compared_by_rule(inputs: TwoReports) -> Comparison:
    """The floor: each report's marks are its counts beside the greater of the two reports'."""
    one, other = counts_in_text(inputs.report_a), counts_in_text(inputs.report_b)
    a, b = (
        {name: round(HIGHEST * own[name] / (max(one[name], other[name]) or 1)) for name in own}
        for own in (one, other)
    )
    return Comparison(
        scores=Pair(A=Pair.Marks(**a), B=Pair.Marks(**b)),
        justification=f"By rule: A has {_told(one)}; B has {_told(other)}.",
        major_flaws=Flaws(A=(), B=()),
    )


@lru_cache(maxsize=64)  # a report comes back with every rival, and in both orders
def counts_in_text(text: str) -> Mapping[str, float]:
    """What can be counted of a report, for each dimension; it says nothing of how it reasons.

    granularity: different statements. insight: different words. critique: headings. evidence:
    statements with a citation or a number. density: words of a statement.
    """
    said = report_words(text)
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


def marks_form(inputs: TwoReports, form: Form) -> None:
    """Put the scale into the form, which the schema of the type does not tell."""
    for name in DIMENSIONS:
        form.override_field(name, {"enum": [*range(HIGHEST + 1)]})


COMPARE: Final = Operation(
    "depth/compare",
    prompts=PROMPTS,
    takes=TwoReports,
    gives=Comparison,
    offline=compared_by_rule,
    shape=marks_form,
    rule=2,
    expected=for_each(Range(110, 260, 600)),
)


# ------------------------------------------------------------------ who wins

Winner = Literal["own", "baseline", "tie"]
"""`own` is the report that is scored, `baseline` the one that it is held against."""

BOUNDS: Final = (0.0, 100.0)
MARGIN: Final = 1
"""By how much a total must be higher at least, and not just as much, to win; of 25."""


def winner_of(own: Sequence[float], baseline: Sequence[float]) -> Winner:
    """Who wins by the means of several totals, which are wholes and halves.

    The means are not formed: a third of a point, rounded, must not turn a tie into a win.
    """
    lead, margin = sum(own) - sum(baseline), MARGIN * len(own)
    return "own" if lead > margin else "baseline" if lead < -margin else "tie"
