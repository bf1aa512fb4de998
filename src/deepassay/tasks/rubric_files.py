"""Files of rubrics: ours, as YAML or JSON Lines, and the published `processed_data.jsonl`.

Ours hold for each task `id`, `prompt`, `rubric` (criteria with `id`, `criterion`, `weight`, `axis`)
and, where a rubric was made from another one, its `history`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deepassay.errors import BadTasks
from deepassay.score import Json
from deepassay.tasks.entries import append, identifier_of, matched, shortened
from deepassay.tasks.loaders import published_rubric
from deepassay.tasks.mistakes import first_mistake, problem_of
from deepassay.tasks.rows import Row, field_name
from deepassay.tasks.rubric import Criterion, Repeated, Rubric
from deepassay.tasks.task import Task
from deepassay.tasks.text import Text
from deepassay.tasks.yaml_rows import read_rows_or_yaml

HEADER: Final = """\
# Rubrics: for every task, weighted criteria that a report is graded by (ResearchRubrics).
# weight: above 0 for what a good report has, below 0 for a fault that it does not have, from -5 to
# 5 and not 0. 4 and 5, -4 and -5 are mandatory. axis: any word; tables are cut by it.
# Edit freely; what stands here is never overwritten. Scores by another rubric are other scores:
# begin a new run file after a change.

"""
FIELDS: Final = ("id", "prompt", "rubric", "history")


class Step(BaseModel):
    """How a rubric was made from another one.

    step: what was done. made_from: the first twelve characters of the digest of that other rubric.
    by: the model, or `offline` for the rule. asked: likewise of the operation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    step: Text
    made_from: Text
    by: Text
    asked: Text
    made_on: Annotated[date, Field(strict=False)]


class TaskRubric(BaseModel):
    """The rubric of one task, its prompt where the file says it, and how the rubric was made."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    rubric: Annotated[Rubric, Field(min_length=1)]
    prompt: str | None = None
    history: Annotated[tuple[Step, ...], Field(strict=False)] = ()


def load_rubrics(path: str | Path) -> dict[str, TaskRubric]:
    """Rubrics by the identifier of their task.

    Raises BadTasks naming line, task and criterion for whatever is wrong: a weight, a duplicate,
    an empty criterion, an unknown field.
    """
    loaded: dict[str, TaskRubric] = {}
    for row in read_rows_or_yaml(Path(path)):
        published = "sample_id" in row.fields
        identifier = identifier_of(row, "sample_id" if published else "id")
        if identifier in loaded:
            raise BadTasks(
                f"{row.place}: task {identifier!r} has a rubric for the second time.",
                "Keep one of the two entries.",
            )
        loaded[identifier] = _entry(row, identifier, _published(row) if published else row.fields)
    return loaded


def write_rubrics(path: str | Path, made: Mapping[str, TaskRubric]) -> None:
    """Add rubrics at the end of a file, making it if it is missing.

    A task that has a rubric there keeps it. Raises BadTasks if it cannot be read or written.
    """
    path = Path(path)
    known = load_rubrics(path) if path.exists() else {}
    new = [_fields(name, entry) for name, entry in made.items() if name not in known]
    append(path, HEADER, len(known), new)


def join_rubrics(
    tasks: Sequence[Task], loaded: Mapping[str, TaskRubric], path: Path
) -> tuple[Task, ...]:
    """The tasks, each with its rubric from the file where it has one there, else with its own.

    Raises BadTasks if a prompt differs, or if the file has rubrics for none of the tasks.
    """
    found = matched(tasks, loaded, path, "rubrics")
    return tuple(
        task.model_copy(update={"rubric": found[task.id].rubric}) if task.id in found else task
        for task in tasks
    )


def _published(row: Row) -> dict[str, Json]:
    """A row of ResearchRubrics as one of ours; what it says of the task besides is left out."""
    return {
        "prompt": row.fields.get("prompt"),
        "rubric": published_rubric(row.fields.get("rubrics")),
    }


def _entry(row: Row, identifier: str, fields: Mapping[str, Json]) -> TaskRubric:
    try:
        return TaskRubric.model_validate(
            {name: value for name, value in fields.items() if name != "id"}
        )
    except ValidationError as error:
        raise _bad(row, identifier, error) from error


def _bad(row: Row, identifier: str, error: ValidationError) -> BadTasks:
    """The first thing that is wrong, in words, with its line."""
    first = first_mistake(error)
    way: tuple[int | str, ...] = first["loc"]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, Repeated):
        way = (*way, cause.number - 1)
    problem = f"{field_name(way)}: {problem_of(first)}"
    remedy = (
        "A criterion has a text and a weight from -5 to 5 that is not 0; an identifier, if it has "
        "one, of its own."
    )
    if first["type"] == "extra_forbidden":
        allowed = Criterion.model_fields if len(way) > 2 and way[0] == "rubric" else FIELDS
        if way[0] == "history":
            allowed = Step.model_fields
        problem = f"{field_name(way)}: unknown field"
        remedy = f"There are: {', '.join(allowed)}."
    return BadTasks(f"{row.place_of(way)} (task {shortened(identifier)}): {problem}.", remedy)


def _fields(identifier: str, entry: TaskRubric) -> dict[str, Json]:
    fields = entry.model_dump(mode="json", include={"prompt", "history", "rubric"})
    for criterion in fields["rubric"]:
        if criterion["weight"].is_integer():
            criterion["weight"] = int(criterion["weight"])  # as people write it
    there = {name: fields[name] for name in ("prompt", "history") if fields[name]}
    return {"id": identifier, **there, "rubric": fields["rubric"]}
