"""RACE's criteria of a task: four weighted dimensions, each with weighted criteria; their files.

DeepResearch Bench, section 3.1 and appendix: made once for a task, the same for every report. A
file holds for each task `id`, `prompt`, `dimension_weight` and `criterions`, as the published
`criteria.jsonl` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from deepassay.score import Json
from deepassay.tasks.entries import EntryFile
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria, WeightedCriterion

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
