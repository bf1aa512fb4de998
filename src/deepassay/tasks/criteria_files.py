"""Files of criteria: the published `criteria.jsonl`, and ours, as JSON Lines or as YAML.

Both hold for each task `id`, `prompt`, `dimension_weight` and `criterions`. YAML, by the ending
`.yaml` or `.yml`, is for reading and editing. Entries are added at the end and none is ever
changed, so that what people have corrected, remarks included, stays as they wrote it.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import yaml
from pydantic import ValidationError

from deepassay.errors import BadTasks
from deepassay.score import Json
from deepassay.tasks.criteria import DIMENSIONS, Criteria, WeightedCriterion
from deepassay.tasks.rows import Row, read_rows
from deepassay.tasks.task import Task
from deepassay.tasks.yaml_rows import read_yaml_rows

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
    for row in _rows(path):
        identifier = _identifier(row)
        if identifier in loaded:
            raise BadTasks(
                f"{row.place}: task {identifier!r} has criteria for the second time.",
                "Keep one of the two entries.",
            )
        loaded[identifier] = _entry(row, f"{row.place} (task {_short(identifier)})")
    return loaded


def write_criteria(path: str | Path, made: Mapping[str, TaskCriteria]) -> None:
    """Add criteria at the end of a file, making it if it is missing.

    A task that has criteria there keeps them. After a crash the file is as before or complete.
    Raises BadTasks if it cannot be read or written.
    """
    path = Path(path)
    there = path.exists()
    known = load_criteria(path) if there else {}
    new = {name: entry for name, entry in made.items() if name not in known}
    if there and not new:
        return
    text = path.read_text("utf-8") if there else HEADER if _is_yaml(path) else ""
    if text and not text.endswith("\n"):
        text += "\n"
    show = _as_yaml if _is_yaml(path) else _as_json
    text += "".join(show(name, entry) for name, entry in new.items())
    if there and _is_yaml(path):
        _refuse_unfit(path, text, len(known) + len(new))
    _replace(path, text)


def join_criteria(
    tasks: Sequence[Task], loaded: Mapping[str, TaskCriteria], path: Path
) -> tuple[Task, ...]:
    """The tasks, each with its criteria from the file where it has some there.

    Joined by identifier and checked by prompt. Raises BadTasks if a prompt differs, or if the
    file has criteria for none of the tasks.
    """
    joined = []
    for task in tasks:
        entry = loaded.get(task.id)
        if entry is not None and entry.prompt is not None and not _same(entry.prompt, task.prompt):
            raise BadTasks(
                f"{path}: the criteria with the identifier {task.id} are for another prompt than "
                f"task {task.id}:\n  {_short(entry.prompt)!r}\n  {_short(task.prompt)!r}",
                "Give the criteria that were made for these tasks, or correct the identifiers.",
            )
        joined.append(task.model_copy(update={"criteria": entry.criteria}) if entry else task)
    if not any(task.id in loaded for task in tasks):
        there, wanted = (", ".join(list(names)[:3]) for names in (loaded, [t.id for t in tasks]))
        raise BadTasks(
            f"{path} has criteria for none of the tasks: they are for {there or 'no task'} …, "
            f"the tasks are {wanted} ….",
            "Criteria are joined to their task by the field `id`.",
        )
    return tuple(joined)


def _rows(path: Path) -> list[Row]:
    if not _is_yaml(path) or not path.is_file():
        return read_rows(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise BadTasks(f"{path} cannot be read: {reason}.", "Check the file.") from error
    return read_yaml_rows(path, text)


def _is_yaml(path: Path) -> bool:
    return path.suffix.lower() in (".yaml", ".yml")


def _identifier(row: Row) -> str:
    value = row.fields.get("id")
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadTasks(
            f"{row.place}: field 'id' must be a text or a whole number.",
            "Every entry names the task that it is for.",
        )
    return str(value)


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
        if isinstance(each, dict)
        else each
        for each in listed
    ]


def _bad(place: str, error: ValidationError) -> BadTasks:
    """The first thing that is wrong, in words."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ""
    for part in first["loc"]:
        # An entry of a list by its number from 1 on, as people count.
        if isinstance(part, int):
            field += f"[{part + 1}]"
        elif part != "[key]":
            field += f".{part}" if field else part
    where = f"{place}: {field}: " if field else f"{place}: "
    if first["type"] == "extra_forbidden":
        names = ", ".join(WeightedCriterion.model_fields)
        return BadTasks(f"{where}unknown field.", f"A criterion has: {names}.")
    if first["type"] == "literal_error":
        return BadTasks(f"{where}unknown dimension.", f"There are: {', '.join(DIMENSIONS)}.")
    problem = first["msg"].removeprefix("Value error, ")
    return BadTasks(
        f"{where}{problem}.",
        "Each of the four dimensions has a weight and criteria; weights are 0 to 1, and those "
        "that belong together sum to 1.",
    )


def _as_json(identifier: str, entry: TaskCriteria) -> str:
    return json.dumps(_fields(identifier, entry), ensure_ascii=False) + "\n"


def _as_yaml(identifier: str, entry: TaskCriteria) -> str:
    return yaml.dump(
        [_fields(identifier, entry)],
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        width=96,
    )


class _Dumper(yaml.SafeDumper):
    """Lists indented under their key, as people write them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # YAML takes these for line ends, which only quotation marks of this kind preserve.
    odd = any(mark in text for mark in "\r\x85\u2028\u2029")
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if odd else None)


_Dumper.add_representer(str, _text)


def _fields(identifier: str, entry: TaskCriteria) -> dict[str, Json]:
    prompt = {} if entry.prompt is None else {"prompt": entry.prompt}
    return {"id": identifier, **prompt, **entry.criteria.model_dump(mode="json")}


def _refuse_unfit(path: Path, text: str, entries: int) -> None:
    """Refuse to add to YAML in which our entry would not be one more of its list."""
    try:
        fits = len(read_yaml_rows(path, text)) == entries
    except BadTasks:
        fits = False
    if not fits:
        raise BadTasks(
            f"{path}: entries cannot be added at the end of this file.",
            "Have the dash of every entry stand in the first column, and nothing after the last.",
        )


def _replace(path: Path, text: str) -> None:
    file = path.resolve()  # a link stays one
    fresh = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        with fresh.open("wb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        if file.exists():
            fresh.chmod(stat.S_IMODE(file.stat().st_mode))
        fresh.replace(file)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise BadTasks(
            f"{path} cannot be written: {error.strerror or error}.",
            "Check folder, rights and free space, or give another file.",
        ) from error


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _short(prompt: str) -> str:
    line = " ".join(prompt.split())
    return line if len(line) <= 100 else line[:99] + "…"
