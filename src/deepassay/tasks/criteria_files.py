"""Files of criteria: the published `criteria.jsonl`, and ours, as JSON Lines or as YAML.

Both hold for each task `id`, `prompt`, `dimension_weight` and `criterions`. YAML, by the ending
`.yaml` or `.yml`, is for reading and editing. Entries are added at the end and none is ever
changed, so that what people have corrected, remarks included, stays as they wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from deepassay.errors import BadTasks
from deepassay.score import Json
from deepassay.tasks.criteria import DIMENSIONS, Criteria, WeightedCriterion
from deepassay.tasks.entries import append, identifier_of, matched, shortened
from deepassay.tasks.mistakes import first_mistake, problem_of
from deepassay.tasks.rows import Row, field_name
from deepassay.tasks.task import Task
from deepassay.tasks.yaml_rows import read_rows_or_yaml

HEADER: Final = """\
# Criteria by which reports are held against a reference (RACE, DeepResearch Bench).
# For every task: the weights of four dimensions, which sum to 1, and for each dimension its
# criteria, whose weights sum to 1 as well. Edit freely; what stands here is never overwritten.
# Scores by other criteria are other scores: begin a new run file after a change.

"""
FIELDS: Final = frozenset({"id", "prompt", "dimension_weight", "criterions"})
REMARKS: Final = frozenset({"comment", "aspect", "rationale_for_weight"})
"""Keys that some criteria of the published file have besides; nothing is made of them."""


class TaskCriteria(NamedTuple):
    """The criteria of one task, and its prompt where the file says it."""

    criteria: Criteria
    prompt: str | None


def load_criteria(path: str | Path) -> dict[str, TaskCriteria]:
    """Criteria by the identifier of their task.

    Raises BadTasks naming line and task for whatever is wrong: a sum, a dimension that is
    missing, a weight below 0, an unknown field.
    """
    path = Path(path)
    loaded: dict[str, TaskCriteria] = {}
    for row in read_rows_or_yaml(path):
        identifier = identifier_of(row)
        if identifier in loaded:
            raise BadTasks(
                f"{row.place}: task {identifier!r} has criteria for the second time.",
                "Keep one of the two entries.",
            )
        loaded[identifier] = _entry(row, f"{row.place} (task {shortened(identifier)})")
    return loaded


def write_criteria(path: str | Path, made: Mapping[str, TaskCriteria]) -> None:
    """Add criteria at the end of a file, making it if it is missing.

    A task that has criteria there keeps them. After a crash the file is as before or complete.
    Raises BadTasks if it cannot be read or written.
    """
    path = Path(path)
    known = load_criteria(path) if path.exists() else {}
    new = [_fields(name, entry) for name, entry in made.items() if name not in known]
    append(path, HEADER, len(known), new)


def join_criteria(
    tasks: Sequence[Task], loaded: Mapping[str, TaskCriteria], path: Path
) -> tuple[Task, ...]:
    """The tasks, each with its criteria from the file where it has some there.

    Joined by identifier and checked by prompt. Raises BadTasks if a prompt differs, or if the
    file has criteria for none of the tasks.
    """
    found = matched(tasks, loaded, path, "criteria")
    return tuple(
        task.model_copy(update={"criteria": found[task.id].criteria}) if task.id in found else task
        for task in tasks
    )


def _entry(row: Row, place: str) -> TaskCriteria:
    if unknown := sorted(str(name) for name in row.fields if name not in FIELDS):
        raise BadTasks(
            f"{place}: unknown field '{unknown[0]}'.",
            f"An entry has: {', '.join(sorted(FIELDS))}.",
        )
    prompt = row.fields.get("prompt")
    if not isinstance(prompt, str | None):
        raise BadTasks(f"{place}: field 'prompt' is not a text.", "Quote it.")
    fields = {
        name: row.fields[name] for name in ("dimension_weight", "criterions") if name in row.fields
    }
    if isinstance(listed := fields.get("criterions"), dict):
        fields["criterions"] = {name: _without_remarks(own) for name, own in listed.items()}
    try:
        return TaskCriteria(Criteria.model_validate(fields), prompt)
    except ValidationError as error:
        raise _bad(place, error) from error


def _without_remarks(listed: Json) -> Json:
    if not isinstance(listed, list):
        return listed
    return [
        {name: value for name, value in each.items() if name not in REMARKS}
        if isinstance(each, dict) and not REMARKS.isdisjoint(each)
        else each
        for each in listed
    ]


def _bad(place: str, error: ValidationError) -> BadTasks:
    """The first thing that is wrong, in words."""
    first = first_mistake(error)
    field = field_name(first["loc"])
    where = f"{place}: {field}: " if field else f"{place}: "
    if first["type"] == "extra_forbidden":
        names = ", ".join(WeightedCriterion.model_fields)
        return BadTasks(f"{where}unknown field.", f"A criterion has: {names}.")
    if first["type"] == "literal_error":
        return BadTasks(f"{where}unknown dimension.", f"There are: {', '.join(DIMENSIONS)}.")
    return BadTasks(
        f"{where}{problem_of(first)}.",
        "Each of the four dimensions has a weight and criteria; weights are 0 to 1, and those "
        "that belong together sum to 1.",
    )


def _fields(identifier: str, entry: TaskCriteria) -> dict[str, Json]:
    prompt = {} if entry.prompt is None else {"prompt": entry.prompt}
    return {"id": identifier, **prompt, **entry.criteria.model_dump(mode="json")}
