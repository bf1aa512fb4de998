"""Answers as the authors' released program reads them: edition `code`.

Bare JSON and nothing else, so that an answer between fences is lost. A score and a confidence must
be there and turn into numbers; what the verdict says is not checked.
"""

from __future__ import annotations

import json
from typing import Annotated, Final, NamedTuple

from pydantic import Field, RootModel

from deepassay.models.operation import Reply
from deepassay.score import Json

ERROR: Final = "Error"
"""The verdict of a row whose call came to nothing."""


class Form(Reply):
    """What the program asks for about one criterion."""

    verdict: str
    score: Annotated[float, Field(ge=0, le=1)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasoning: str
    evidence_quotes: list[str]
    missing_elements: list[str]


class ChunkForm(Reply):
    """What it asks for about one chunk of a long report."""

    relevant_evidence: list[str]
    satisfaction: bool
    confidence_for_chunk: float
    notes: str


class RawGrade(RootModel[Json]):
    """Whatever the program takes for a grade."""

    @classmethod
    def model_json_schema(cls, *args: Json, **options: Json) -> dict[str, Json]:
        """The form that the judge is shown."""
        return Form.model_json_schema(*args, **options)


class RawEvidence(RootModel[Json]):
    """Whatever the program takes for the evidence in a chunk."""

    @classmethod
    def model_json_schema(cls, *args: Json, **options: Json) -> dict[str, Json]:
        """The form that the judge is shown."""
        return ChunkForm.model_json_schema(*args, **options)


class Grade(NamedTuple):
    """A row of the program. score: any float, also NaN. success: whether the call came to one."""

    verdict: Json
    score: float
    confidence: float
    reasoning: Json
    success: bool = True

    @classmethod
    def failed(cls, problem: str) -> Grade:
        """The row of a call that came to nothing."""
        return cls(ERROR, 0.0, 0.0, f"Evaluation failed: {problem}", False)


def read_grade(raw: str) -> Json:
    """The fields of an answer, numbers turned into floats. Raises ValueError with the problem."""
    answer = json.loads(raw)
    try:
        return {
            "verdict": answer.get("verdict"),
            "score": float(answer.get("score")),
            "confidence": float(answer.get("confidence")),
            "reasoning": answer.get("reasoning"),
        }
    except (AttributeError, TypeError, OverflowError) as error:
        raise ValueError(str(error)) from None


def read_evidence(raw: str) -> Json:
    """The list of evidence in an answer about a chunk. Raises ValueError without one."""
    answer = json.loads(raw)
    found = answer.get("relevant_evidence") if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise ValueError("The answer must hold a list as its `relevant_evidence`.")
    return {"relevant_evidence": found}


def grade_of(answer: Json) -> Grade:
    """The row of an answer that was read."""
    return Grade(answer["verdict"], answer["score"], answer["confidence"], answer["reasoning"])
