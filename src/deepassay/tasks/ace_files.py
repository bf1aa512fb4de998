"""Files of ACE checklists, as YAML or JSON Lines: made by a model or a rule, read and edited.

For each task `id`, `prompt`, `items` (each with `title`, `description`, `weight`) and `made_by`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from deepassay.errors import BadTasks
from deepassay.score import Json
from deepassay.tasks.ace import FEWEST, MOST, AceChecklist, AceItem
from deepassay.tasks.entries import append, identifier_of, matched, shortened
from deepassay.tasks.mistakes import first_mistake, problem_of
from deepassay.tasks.rows import Row, field_name
from deepassay.tasks.task import Task
from deepassay.tasks.text import Text
from deepassay.tasks.yaml_rows import read_rows_or_yaml

HEADER: Final = f"""\
# Checklists: for every task {FEWEST} to {MOST} weighted items that a report is scored by, each from
# 0 to 10 (ACE, DeepResearch Arena). The weights of a task sum to 1. Edit freely; what stands here
# is never overwritten. Scores by another checklist are other scores: begin a new run file after a
# change.

"""
FIELDS: Final = ("id", "prompt", "made_by", "items")


class TaskAce(BaseModel):
    """The checklist of one task, its prompt where the file says it, and which model made it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    items: AceChecklist
    prompt: str | None = None
    made_by: Text | None = None


def load_ace(path: str | Path) -> dict[str, TaskAce]:
    """Checklists by the identifier of their task.

    Raises BadTasks naming line, task and item for whatever is wrong: a sum of weights, the number
    of items, an empty text, an unknown field.
    """
    loaded: dict[str, TaskAce] = {}
    for row in read_rows_or_yaml(Path(path)):
        identifier = identifier_of(row)
        if identifier in loaded:
            raise BadTasks(
                f"{row.place}: task {identifier!r} has a checklist for the second time.",
                "Keep one of the two entries.",
            )
        fields = {name: value for name, value in row.fields.items() if name != "id"}
        try:
            loaded[identifier] = TaskAce.model_validate(fields)
        except ValidationError as error:
            raise _bad(row, identifier, error) from error
    return loaded


def write_ace(path: str | Path, made: Mapping[str, TaskAce]) -> None:
    """Add checklists at the end of a file, making it if it is missing.

    A task that has a checklist there keeps it. Raises BadTasks if it cannot be read or written.
    """
    path = Path(path)
    known = load_ace(path) if path.exists() else {}
    new = [_fields(name, entry) for name, entry in made.items() if name not in known]
    append(path, HEADER, len(known), new)


def join_ace(tasks: Sequence[Task], loaded: Mapping[str, TaskAce], path: Path) -> tuple[Task, ...]:
    """The tasks, each with its checklist from the file where it has one there, else with its own.

    Raises BadTasks if a prompt differs, or if the file has checklists for none of the tasks.
    """
    found = matched(tasks, loaded, path, "checklists")
    return tuple(
        task.model_copy(update={"ace": found[task.id].items}) if task.id in found else task
        for task in tasks
    )


def _bad(row: Row, identifier: str, error: ValidationError) -> BadTasks:
    """The first thing that is wrong, in words, with its line."""
    first = first_mistake(error)
    way = first["loc"]
    problem = f"{field_name(way)}: {problem_of(first)}"
    remedy = f"A checklist has {FEWEST} to {MOST} items whose weights are above 0 and sum to 1."
    if first["type"] == "extra_forbidden":
        allowed = AceItem.model_fields if len(way) > 2 else FIELDS
        problem = f"{field_name(way)}: unknown field"
        remedy = f"There are: {', '.join(allowed)}."
    return BadTasks(f"{row.place_of(way)} (task {shortened(identifier)}): {problem}.", remedy)


def _fields(identifier: str, entry: TaskAce) -> dict[str, Json]:
    fields = entry.model_dump(mode="json")
    there = {name: fields[name] for name in ("prompt", "made_by") if fields[name]}
    return {"id": identifier, **there, "items": fields["items"]}
