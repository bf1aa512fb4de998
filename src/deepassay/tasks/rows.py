"""Rows of a file, each with its place: JSON Lines, YAML, CSV or Parquet, by its ending."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deepassay.errors import BadTasks, MissingExtra
from deepassay.files import BadFile, decode_text, json_lines, read_yaml_entries
from deepassay.score import Json
from deepassay.tasks.fields import Way

LONGEST_CELL = 2**31 - 1
"""Characters in a cell of CSV; the default of the csv module is too short for long documents."""


@dataclass(frozen=True)
class TaskRow:
    """One row. place: how a message names it, e.g. `tasks.jsonl, line 3`.

    part: how it names a part, where parts have lines of their own.
    """

    place: str
    fields: Mapping[str, Json]
    part: Callable[[Way], str] | None = None

    @property
    def cells(self) -> dict[str, str]:
        """The fields as texts without blanks around them, empty where there is nothing."""
        return {
            name: "" if value is None else str(value).strip() for name, value in self.fields.items()
        }

    def place_of(self, way: Way) -> str:
        """How a message names a part of the row, or else the row."""
        return self.part(way) if self.part is not None else self.place


def is_yaml(path: Path) -> bool:
    """Whether the ending says so."""
    return path.suffix.lower() in (".yaml", ".yml")


def read_rows(path: Path) -> list[TaskRow]:
    """All rows of a file; everything whose ending is unknown is read as JSON Lines.

    Raises BadTasks, and MissingExtra for Parquet without pyarrow.
    """
    if path.is_dir():
        raise BadTasks(f"{path} is a folder.", "Name the task file inside it.")
    ending = path.suffix.lower()
    read = {".csv": _csv_rows, ".yaml": _yaml_rows, ".yml": _yaml_rows}.get(ending, _json_rows)
    try:
        if ending == ".parquet":
            return list(_parquet_rows(path))
        text = read_task_text(path)
    except OSError as error:
        raise BadTasks(
            f"{path} cannot be read: {error.strerror or error}.", "Check the path."
        ) from error
    with _as_bad_tasks(path):
        return list(read(path, text))


def read_task_text(path: Path) -> str:
    """The text of a file in UTF-8, line ends as they are. Raises BadTasks and OSError."""
    content = path.read_bytes()
    with _as_bad_tasks(path):
        return decode_text(content).removeprefix("\ufeff")


@contextmanager
def _as_bad_tasks(path: Path) -> Iterator[None]:
    try:
        yield
    except BadFile as error:
        raise BadTasks(f"{error.at(path.name)}: {error.problem}.", error.remedy) from error


def _json_rows(path: Path, text: str) -> Iterator[TaskRow]:
    for number, fields in json_lines(text):
        yield TaskRow(f"{path.name}, line {number}", fields)


def _yaml_rows(path: Path, text: str) -> Iterator[TaskRow]:
    for entry in read_yaml_entries(text):

        def part(way: Way, line_of: Callable[[Way], int] = entry.line_of) -> str:
            return f"{path.name}, line {line_of(way)}"

        yield TaskRow(part(()), entry.fields, part)


def _csv_rows(path: Path, text: str) -> Iterator[TaskRow]:
    csv.field_size_limit(LONGEST_CELL)
    lines = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for fields in lines:
            place = f"{path.name}, line {lines.line_num}"
            if None in fields or None in fields.values():
                raise BadTasks(
                    f"{place}: more or fewer cells than the header has.",
                    "Quote cells that hold commas or line ends.",
                )
            yield TaskRow(place, fields)
    except csv.Error as error:
        raise BadTasks(
            f"{path.name}, line {lines.line_num}: not CSV ({error}).",
            "Save it as comma-separated UTF-8 with a header line.",
        ) from error


def _parquet_rows(path: Path) -> Iterator[TaskRow]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("Reading Parquet", "parquet") from error
    try:
        rows = parquet.read_table(path).to_pylist()
    except arrow.ArrowException as error:
        raise BadTasks(f"{path} is not a Parquet file ({error}).", "Download it again.") from error
    for number, fields in enumerate(rows, start=1):
        yield TaskRow(f"{path.name}, row {number}", fields)
