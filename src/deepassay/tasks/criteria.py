"""RACE's criteria of a task: four weighted dimensions, each with weighted criteria.

DeepResearch Bench, section 3.1 and appendix: made once for a task, the same for every report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from deepassay.score import canonical_json, digest
from deepassay.tasks.text import Text, Writable

Dimension = Literal["comprehensiveness", "insight", "instruction_following", "readability"]
DIMENSIONS: Final[tuple[Dimension, ...]] = (
    "comprehensiveness",
    "insight",
    "instruction_following",
    "readability",
)

TOLERANCE: Final = 0.005
"""How far from 1 weights may sum that people have edited; they are normalised when used."""

Weight = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class WeightedCriterion(BaseModel):
    """One criterion of a dimension. weight: in [0, 1], of its dimension."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    criterion: Text
    explanation: Writable = ""
    weight: Weight


class Criteria(BaseModel):
    """Weights of the four dimensions, summing to 1, and the criteria of each, likewise.

    The names of the fields are those of the published `criteria.jsonl`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    dimension_weight: Mapping[Dimension, Weight]
    criterions: Mapping[Dimension, Annotated[tuple[WeightedCriterion, ...], Field(strict=False)]]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for field, found in (
            ("dimension_weight", self.dimension_weight),
            ("criterions", self.criterions),
        ):
            if missing := [name for name in DIMENSIONS if name not in found]:
                raise ValueError(f"{field} lacks {', '.join(missing)}")
        _refuse_other_sum("dimension_weight", self.dimension_weight.values())
        for name in DIMENSIONS:
            own = self.criterions[name]
            texts = [each.criterion.strip() for each in own]
            if len(set(texts)) < len(texts):
                raise ValueError(f"criterions of {name} hold the same criterion twice")
            _refuse_other_sum(f"criterions of {name}", [each.weight for each in own])
        return self

    @cached_property
    def canonical(self) -> str:
        """Its one spelling as JSON, see `canonical_json`."""
        return canonical_json(self.model_dump(mode="json"))

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hexadecimal."""
        return digest(self.canonical)


def _refuse_other_sum(what: str, weights: Iterable[float]) -> None:
    total = sum(weights)
    if abs(total - 1.0) > TOLERANCE:
        raise ValueError(f"the weights of {what} sum to {total:.4g} and not to 1")
