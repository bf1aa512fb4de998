"""RACE's criteria of a task: four weighted dimensions, each with weighted criteria; their files.

DeepResearch Bench, section 3.1 and appendix: made once for a task, the same for every report. A
file holds for each task `id`, `prompt`, `dimension_weight` and `criterions`, as the published
`criteria.jsonl` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Final, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from deepassay.score import Json, canonical_json, digest
from deepassay.tasks.entries import EntryFile
from deepassay.tasks.fields import Record, Text, Writable

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


class WeightedCriterion(Record):
    """One criterion of a dimension. weight: in [0, 1], of its dimension."""

    criterion: Text
    explanation: Writable = ""
    weight: Weight


class Criteria(Record):
    """Weights of the four dimensions, summing to 1, and the criteria of each, likewise.

    The names of the fields are those of the published `criteria.jsonl`.
    """

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


HEADER: Final = """\
# Criteria by which reports are held against a reference (RACE, DeepResearch Bench).
# For every task: the weights of four dimensions, which sum to 1, and for each dimension its
# criteria, whose weights sum to 1 as well. Edit freely; what stands here is never overwritten.
# Scores by other criteria are other scores: begin a new run file after a change.

"""
REMARKS: Final = frozenset({"comment", "aspect", "rationale_for_weight"})
"""Keys that some criteria of the published file have besides; nothing is made of them."""


class TaskCriteria(NamedTuple):
    """The criteria of one task, and its prompt where the file says it."""

    criteria: Criteria
    prompt: str | None


class _CriteriaEntry(Criteria):
    """Criteria as an entry of a file has them, with the prompt they were made for."""

    prompt: str | None = None


def _read(fields: Mapping[str, Json]) -> TaskCriteria:
    if isinstance(listed := fields.get("criterions"), dict):
        bare = {name: _without_remarks(own) for name, own in listed.items()}
        fields = {**fields, "criterions": bare}
    found = _CriteriaEntry.model_validate(fields)
    criteria = Criteria(dimension_weight=found.dimension_weight, criterions=found.criterions)
    return TaskCriteria(criteria, found.prompt)


def _without_remarks(listed: Json) -> Json:
    if not isinstance(listed, list):
        return listed
    return [
        {name: value for name, value in each.items() if name not in REMARKS}
        if isinstance(each, dict)
        else each
        for each in listed
    ]


def _write(entry: TaskCriteria) -> dict[str, Json]:
    prompt = {} if entry.prompt is None else {"prompt": entry.prompt}
    return {**prompt, **entry.criteria.model_dump(mode="json")}


def _remedy(way: tuple[str | int, ...], mistake: str) -> str:
    if mistake == "extra_forbidden":
        names = (
            WeightedCriterion.model_fields if len(way) > 1 else ("id", *_CriteriaEntry.model_fields)
        )
        return f"There are: {', '.join(names)}."
    if mistake == "literal_error":
        return f"The dimensions are: {', '.join(DIMENSIONS)}."
    return (
        "Each of the four dimensions has a weight and criteria; weights are 0 to 1, and those "
        "that belong together sum to 1."
    )


CRITERIA_FILE: Final = EntryFile(
    field="criteria",
    one="criteria",
    many="criteria",
    header=HEADER,
    read=_read,
    write=_write,
    value=lambda entry: entry.criteria,
    remedy=_remedy,
)
