"""What a judge of analysis depth may answer: marks from 0 to 5 on five dimensions, for both.

LiveResearchBench, section 4.2 (which says 1 to 5) and appendix A.4 (whose prompt says 0 to 5 and
describes what earns a 0). Edition `paper` asks for no sum and no winner: both follow from the
marks.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BeforeValidator, Field, RootModel, StringConstraints

from deepassay.models.operation import Reply
from deepassay.score import Json

HIGHEST: Final = 5

DIMENSIONS: Final = {
    "granularity": "granularity of reasoning",
    "insight": "multi-layered insight",
    "critique": "critical evaluation",
    "evidence": "analytical use of evidence",
    "density": "insight density",
}
"""The five dimensions by their keys."""


def _whole(value: Json) -> Json:
    # JSON has one 4, also written 4.0; half marks are not on the menu.
    return int(value) if isinstance(value, float) and value.is_integer() else value


Mark = Annotated[int, BeforeValidator(_whole), Field(ge=0, le=HIGHEST)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Marks(Reply):
    """The marks of one report."""

    granularity: Mark
    insight: Mark
    critique: Mark
    evidence: Mark
    density: Mark


class Pair(Reply):
    """The marks of both reports; A is the one that is shown first."""

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


class SummedMarks(Marks):
    """Marks with their sum, as the released program asks for them."""

    total: Annotated[int, Field(ge=0, le=HIGHEST * len(DIMENSIONS))]


class SummedPair(Reply):
    """The marks of both reports, with their sums."""

    A: SummedMarks
    B: SummedMarks


class Verdict(Reply):
    """The form that edition `code` asks for; what comes is not held against it."""

    winner: str
    scores: SummedPair
    justification: Reason
    major_flaws: Flaws


class RawVerdict(RootModel[Json]):
    """Whatever JSON a judge answered: the program reads the winner and checks nothing."""

    @classmethod
    def model_json_schema(cls, *args: Json, **options: Json) -> dict[str, Json]:
        """The form that the judge is shown."""
        return Verdict.model_json_schema(*args, **options)
