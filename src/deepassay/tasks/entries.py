"""Files that give something for each task: criteria, rubrics, checklists.

YAML or JSON Lines, one entry a task, found by its `id` and checked by its `prompt`. An entry with
`default: true` in place of both holds for every task that has none of its own there. Entries are
only ever added: what people have corrected, remarks included, stays as they wrote it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from pydantic import ValidationError

from deepassay.errors import BadTasks, Notice
from deepassay.files import BadFile, add_yaml_entries, as_json_lines, write_whole
from deepassay.intake.rows import InputRow
from deepassay.results.joined import Joined
from deepassay.score import Json
from deepassay.tasks.fields import Misplaced, brief_text, field_name, first_mistake, problem_of
from deepassay.tasks.rows import is_yaml, read_rows, read_task_text


class TaskEntry(Protocol):
    """What a file has for one task. prompt: of the task, where the file says it."""

    @property
    def prompt(self) -> str | None:
        """The prompt of the task that the entry is for, None where it does not say."""


class Prompted(Protocol):
    """A task, as far as entries are joined to it; what the fields are is in `tasks.task`."""

    @property
    def id(self) -> str:
        """The identifier of the task, unique in its set."""

    @property
    def prompt(self) -> str:
        """The text of the task, as agents are given it."""

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """A copy in which some fields have other values."""


E = TypeVar("E", bound=TaskEntry)
T = TypeVar("T", bound=Prompted)


class Entries(dict[str, E]):
    """Entries by the identifier of their task. default: the one for all other tasks."""

    default: E | None = None

    def of(self, task: Prompted) -> E | None:
        """The entry of a task, or the default."""
        return self.get(task.id, self.default)


@dataclass(frozen=True)
class EntryFile(Generic[E]):
    """One kind of such files.

    field: of `Task` that they fill. one, many: what messages call what stands in an entry.
    header: of a new YAML file. read: makes an entry of the fields of a row, without `id`. write:
    makes fields of it. value: what a task gets of it. remedy: what to do about a ValidationError,
    by the way to what is wrong and the type of the mistake. published: the entries that rows of a
    published set stand for, None where they are of none. odd: what is told of values that are odd
    and taken all the same, by the task. rows: those of a file. parts: what an entry holds of which
    each is counted, named behind the task; none where it is counted as one.
    """

    field: str
    one: str
    many: str
    header: str
    read: Callable[[Mapping[str, Json]], E]
    write: Callable[[E], dict[str, Json]]
    value: Callable[[E], object]
    remedy: Callable[[tuple[str | int, ...], str], str]
    published: Callable[[Sequence[InputRow]], Sequence[InputRow] | None] = lambda rows: None
    odd: Callable[[Mapping[str, E]], str] = lambda loaded: ""
    rows: Callable[[Path], Sequence[InputRow]] = read_rows
    parts: Callable[[E], Sequence[str]] = lambda entry: ()

    def load(self, path: str | Path) -> Entries[E]:
        """The entries of a file. Raises BadTasks naming line, task and field."""
        loaded: Entries[E] = Entries()
        rows = self.rows(Path(path))
        for row in self.published(rows) or rows:
            if "default" in row.fields:
                self._take_default(row, loaded)
                continue
            identifier = _identifier_of(row)
            if identifier in loaded:
                raise BadTasks(
                    f"{row.place}: task {identifier!r} has {self.one} for the second time.",
                    "Keep one of the two entries.",
                )
            loaded[identifier] = self._entry(row, f"task {brief_text(identifier)}", {"id"})
        if odd := self.odd(loaded):
            warnings.warn(Notice(f"{Path(path).name}: {odd}."), stacklevel=2)
        return loaded

    def _take_default(self, row: InputRow, loaded: Entries[E]) -> None:
        if row.fields["default"] is not True or "id" in row.fields or "prompt" in row.fields:
            raise BadTasks(
                f"{row.place}: the entry for all tasks has `default: true`, no id and no prompt.",
                "Write `default: true` in place of `id`, or take `default` out.",
            )
        if loaded.default is not None:
            raise BadTasks(
                f"{row.place}: there is {self.one} for all tasks already.",
                "Keep one of the two entries.",
            )
        loaded.default = self._entry(row, "default", {"default"})

    def _entry(self, row: InputRow, name: str, leave: set[str]) -> E:
        try:
            return self.read({key: value for key, value in row.fields.items() if key not in leave})
        except ValidationError as error:
            first = first_mistake(error)
        way = first["loc"]
        cause = first.get("ctx", {}).get("error")
        if isinstance(cause, Misplaced):
            way = (*way, cause.place)
        unknown = first["type"] == "extra_forbidden"
        field = field_name(way)
        problem = "unknown field" if unknown else problem_of(first)
        raise BadTasks(
            f"{row.place_of(way)} ({name}): {field + ': ' if field else ''}{problem}.",
            self.remedy(way, first["type"]),
        )

    def write_new(self, path: str | Path, made: Mapping[str, E]) -> None:
        """Add entries at the end of a file, making it if it is missing.

        A task that has an entry there keeps it. After a crash the file is as before or complete.
        Raises BadTasks if it cannot be read or written.
        """
        path = Path(path)
        known = self.load(path) if path.exists() else {}
        new = [
            {"id": name, **self.write(entry)} for name, entry in made.items() if name not in known
        ]
        append(path, new, self.header)

    def join(
        self, tasks: Sequence[T], path: Path, loaded: Entries[E] | None = None
    ) -> tuple[T, ...]:
        """The tasks, each with what the file has for it, else with its own.

        loaded: what stands in the file, where it has been read.
        Of entries for none of the tasks a Notice tells. Raises BadTasks, also if a prompt
        differs, if the file has nothing for any of the tasks, and if most entries are for none
        though it lacks one for a task: where it has them all, these are a part of a set on purpose.
        """
        loaded = self.load(path) if loaded is None else loaded
        self.check(tasks, loaded, path)
        known = {task.id for task in tasks}
        parts = {name: self.parts(entry) or ("",) for name, entry in loaded.items()}
        strays = [
            f"{', '.join(filter(None, (brief_text(name), part)))}: no such task."
            for name, own in parts.items()
            if name not in known
            for part in own
        ]
        joined = Joined(self.many, "tasks", sum(map(len, parts.values())), strays)
        lost = joined.problem("Give the file that was made for these tasks, or only their entries.")
        if lost and any(loaded.of(task) is None for task in tasks):
            raise BadTasks(f"{path}: {lost}")
        if not joined.whole:
            warnings.warn(Notice(f"{path}: {' '.join(joined.lines())}"), stacklevel=2)
        return tuple(
            task.model_copy(update={self.field: self.value(entry)})
            if (entry := loaded.of(task)) is not None
            else task
            for task in tasks
        )

    def check(self, tasks: Sequence[Prompted], loaded: Entries[E], path: Path) -> None:
        """Raise BadTasks for an entry with another prompt, or if none is for any of the tasks."""
        for task in tasks:
            prompt = loaded[task.id].prompt if task.id in loaded else None
            if prompt is not None and prompt.split() != task.prompt.split():
                both = f"\n  {brief_text(prompt)!r}\n  {brief_text(task.prompt)!r}"
                raise BadTasks(
                    f"{path}: the {self.many} with the identifier {task.id} are for another prompt "
                    f"than task {task.id}:{both}",
                    f"Give the {self.many} that were made for these tasks, or correct the "
                    "identifiers.",
                )
        if loaded.default is None and not any(task.id in loaded for task in tasks):
            there = ", ".join(list(loaded)[:3])
            wanted = ", ".join(task.id for task in tasks[:3])
            raise BadTasks(
                f"{path} has {self.many} for none of the tasks: they are for "
                f"{there or 'no task'} …, the tasks are {wanted} ….",
                f"{self.many.capitalize()} are joined to their task by the field `id`; one with "
                "`default: true` in its place is for all tasks.",
            )


def _identifier_of(row: InputRow) -> str:
    value = row.fields.get("id")
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadTasks(
            f"{row.place}: field 'id' must be a text or a whole number.",
            "Every entry names the task that it is for, or says `default: true`.",
        )
    return str(value)


def append(path: Path, entries: Sequence[Mapping[str, Json]], header: str = "") -> None:
    """Add entries at the end of a file, making it with a header (of YAML) if it is missing.

    After a crash the file is as before or complete. Raises BadTasks if it cannot be written.
    """
    there = path.exists()
    if there and not entries:
        return
    text = read_task_text(path) if there else header if is_yaml(path) else ""
    if is_yaml(path):
        try:
            text = add_yaml_entries(text, entries)
        except BadFile as error:
            raise BadTasks(f"{error.at(path)}: {error.problem}.", error.remedy) from error
    else:
        text += "\n" if text and not text.endswith("\n") else ""
        text += as_json_lines(entries)
    write_file(path, text)


def write_file(path: Path, text: str) -> None:
    """Write a file, which after a crash is as before or complete. Raises BadTasks."""
    try:
        write_whole(path, text, durable=True)
    except OSError as error:
        raise BadTasks(
            f"{path} cannot be written: {error.strerror or error}.",
            "Check folder, rights and free space, or give another file.",
        ) from error
