"""Rows of a task file, each with its place, whatever the file type: JSON Lines, CSV, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepassay.errors import BadTasks, MissingExtra
from deepassay.score import Json

LONGEST_CELL = 2**31 - 1
"""Characters in a cell of CSV; the default of the csv module is too short for long documents."""


Where = Sequence[str | int]
"""The way to a part of a row: keys, and places in lists from 0 on."""


def _nowhere(where: Where) -> None:
    """For files in which a row is one line."""


@dataclass(frozen=True)
class Row:
    """One row. place: how a message names it, e.g. `tasks.jsonl, line 3`.

    part: how it names a part, where parts have lines of their own.
    """

    place: str
    fields: Mapping[str, Json]
    part: Callable[[Where], str | None] = _nowhere

    def place_of(self, where: Where) -> str:
        """How a message names a part of the row, or else the row."""
        return self.part(where) or self.place


def field_name(where: Where) -> str:
    """The way to a part as people write it, places in lists from 1 on: `rubric[3].weight`."""
    name = ""
    for part in where:
        if isinstance(part, int):
            name += f"[{part + 1}]"
        elif part != "[key]":
            name += f".{part}" if name else part
    return name


def read_rows(path: Path) -> list[Row]:
    """All rows of a file; its ending says how it is read, everything unknown as JSON Lines.

    Raises BadTasks, and MissingExtra for Parquet without pyarrow.
    """
    if path.is_dir():
        raise BadTasks(f"{path} is a folder.", "Name the task file inside it.")
    try:
        if path.suffix.lower() == ".parquet":
            return list(_parquet_rows(path))
        text = read_text(path)
    except OSError as error:
        raise BadTasks(
            f"{path} cannot be read: {error.strerror or error}.", "Check the path."
        ) from error
    read = _csv_rows if path.suffix.lower() == ".csv" else _json_rows
    return list(read(path, text))


def read_text(path: Path) -> str:
    """The text of a file in UTF-8. Raises BadTasks where it is in another encoding, and OSError."""
    content = path.read_bytes()
    # Most of UTF-16 without its mark would pass for UTF-8 with a zero between all characters.
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in content[:4]:
        raise BadTasks(
            f"{path}, line 1: UTF-16 or UTF-32, not UTF-8 text.",
            "Save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8",
        )
    try:
        return content.decode("utf-8-sig")  # line ends inside cells stay as they are
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadTasks(
            f"{path}, line {line}: not UTF-8 text (byte {error.start} of the file is "
            f"0x{content[error.start]:02x}).",
            "Save it as UTF-8, for example with: iconv -f LATIN1 -t UTF-8 (or -f GB18030).",
        ) from error


class _Twice(Exception):
    """A key of a JSON object that stands there before: of two, the library keeps the last only."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _Twice(counts.most_common(1)[0][0])
    return fields


def _json_rows(path: Path, text: str) -> Iterator[Row]:
    # Not splitlines(): it also splits at U+2028 and its kin, which JSON allows inside a string.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path.name}, line {number}"
        try:
            fields = json.loads(line, object_pairs_hook=_object)
        except _Twice as twice:
            raise BadTasks(
                f"{place}: the key {twice.key!r} stands there twice.", "Remove one."
            ) from twice
        except (ValueError, RecursionError) as error:
            deep = isinstance(error, RecursionError)
            what = "nested too deep" if deep else getattr(error, "msg", error)
            raise BadTasks(
                f"{place}: not JSON: {what}.", "A task file holds one JSON object a line."
            ) from error
        if not isinstance(fields, dict):
            raise BadTasks(
                f"{place}: a JSON {_json_name(fields)}, not an object.",
                "A task file holds one JSON object a line.",
            )
        yield Row(place, fields)


def _json_name(value: Json) -> str:
    names = {list: "list", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def _csv_rows(path: Path, text: str) -> Iterator[Row]:
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
            yield Row(place, fields)
    except csv.Error as error:
        raise BadTasks(
            f"{path.name}, line {lines.line_num}: not CSV ({error}).",
            "Save it as comma-separated UTF-8 with a header line.",
        ) from error


def _parquet_rows(path: Path) -> Iterator[Row]:
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
        yield Row(f"{path.name}, row {number}", fields)
