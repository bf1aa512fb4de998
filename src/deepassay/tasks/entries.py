"""Files with one entry for each task, which people edit: written at the end, never overwritten.

JSON Lines, or YAML by the ending. What people have corrected, remarks included, stays as they
wrote it, since entries are only ever added.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import yaml

from deepassay.errors import BadTasks
from deepassay.score import Json
from deepassay.tasks.rows import Row
from deepassay.tasks.task import Task
from deepassay.tasks.yaml_rows import is_yaml, read_yaml_rows


class Entry(Protocol):
    """What a file has for one task. prompt: of the task, where the file says it."""

    @property
    def prompt(self) -> str | None:
        """Of the task."""


E = TypeVar("E", bound=Entry)


def identifier_of(row: Row, field: str = "id") -> str:
    """Which task an entry is for. Raises BadTasks."""
    value = row.fields.get(field)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadTasks(
            f"{row.place}: field '{field}' must be a text or a whole number.",
            "Every entry names the task that it is for.",
        )
    return str(value)


def matched(tasks: Sequence[Task], loaded: Mapping[str, E], path: Path, what: str) -> dict[str, E]:
    """The entries of these tasks, by identifier. what: that the file holds, in the plural.

    Raises BadTasks if an entry has another prompt than its task, or if there is none for any.
    """
    found = {task.id: loaded[task.id] for task in tasks if task.id in loaded}
    for task in tasks:
        prompt = found[task.id].prompt if task.id in found else None
        if prompt not in (None, task.prompt) and prompt.split() != task.prompt.split():
            raise BadTasks(
                f"{path}: the {what} with the identifier {task.id} are for another prompt than "
                f"task {task.id}:\n  {shortened(prompt)!r}\n  {shortened(task.prompt)!r}",
                f"Give the {what} that were made for these tasks, or correct the identifiers.",
            )
    if not found:
        there, wanted = (", ".join(list(names)[:3]) for names in (loaded, [t.id for t in tasks]))
        raise BadTasks(
            f"{path} has {what} for none of the tasks: they are for {there or 'no task'} …, "
            f"the tasks are {wanted} ….",
            f"{what.capitalize()} are joined to their task by the field `id`.",
        )
    return found


def append(path: Path, header: str, known: int, entries: Sequence[Mapping[str, Json]]) -> None:
    """Add entries at the end of a file, making it with a header (of YAML) if it is missing.

    known: entries that it has. After a crash the file is as before or complete. Raises BadTasks
    if it cannot be written, or if what is added would not be one more of the file's entries.
    """
    there = path.exists()
    if there and not entries:
        return
    text = path.read_text("utf-8") if there else header if is_yaml(path) else ""
    if text and not text.endswith("\n"):
        text += "\n"
    text += "".join(map(_as_yaml if is_yaml(path) else _as_json, entries))
    if there and is_yaml(path):
        _refuse_unfit(path, text, known + len(entries))
    write_whole(path, text)


def shortened(text: str) -> str:
    """At most a hundred characters of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:99] + "…"


def _as_json(fields: Mapping[str, Json]) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"


def _as_yaml(fields: Mapping[str, Json]) -> str:
    return yaml.dump([dict(fields)], Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=96)


class _Dumper(yaml.SafeDumper):
    """Lists indented under their key, as people write them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # YAML takes these for line ends, which only quotation marks of this kind preserve.
    odd = any(mark in text for mark in "\r\x85\u2028\u2029")
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if odd else None)


_Dumper.add_representer(str, _text)


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


def write_whole(path: Path, text: str) -> None:
    """Write a file, which after a crash is as before or complete. Raises BadTasks."""
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
