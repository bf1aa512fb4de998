"""Files that results are written to, whole or not at all: texts, CSV, JSON Lines and Parquet."""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from deepassay import files
from deepassay.errors import BadSetting, MissingExtra
from deepassay.results.tables import Column, ColumnKind, Row, guarded
from deepassay.runfile.schema import is_database
from deepassay.score import Json

HINT = "Name another file with -o."


def check_output(output: Path, runs: Sequence[Path], *, force: bool) -> None:
    """Raise BadSetting if `output` is a run file, a folder, or there already (unless `force`).

    That holds for every run file, not only for those in `runs`: what judges said was paid for.
    """
    # Not Path.resolve, which raises RuntimeError for a link to itself.
    ours = os.path.realpath(output)
    if any(ours == os.path.realpath(path) for path in runs) or is_database(output):
        raise BadSetting(f"{output} is a run file.", HINT)
    if output.is_dir():
        raise BadSetting(f"{output} is a folder.", HINT)
    if output.exists() and not force:
        raise BadSetting(f"{output} is there already.", "Overwrite it with --force.")


@contextmanager
def replacing(output: Path) -> Iterator[Path]:
    """A fresh file to write to, which takes the place of `output` if nothing goes wrong.

    Folders that are missing are made, and are gone again if nothing came into them. Raises
    BadSetting if it cannot be written.
    """
    missing = [each for each in output.parents if not each.exists()]
    try:
        with files.replacing(output) as fresh:
            yield fresh
    except OSError as error:
        raise BadSetting(f"{output} cannot be written ({error.strerror}).", HINT) from error
    finally:
        with suppress(OSError):
            for folder in missing:
                folder.rmdir()


def write_output(output: Path, text: str, runs: Sequence[Path], *, force: bool) -> None:
    """Write a text, whole or not at all. Raises BadSetting as `check_output` and `replacing`."""
    check_output(output, runs, force=force)
    with replacing(output) as fresh:
        fresh.write_bytes(text.encode("utf-8", "surrogatepass"))


GROUP_ROWS: Final = 20_000
GROUP_CHARACTERS: Final = 16_000_000
"""Rows are written together, a column at a time, once they are as many or as long as one says."""

_UNFIT: Final = re.compile("[\0\ud800-\udfff]")
"""Characters that UTF-8, or a reader of tables, cannot hold."""

Cells = list[Any]
"""The values of some rows in one column."""


class TableFile(ABC):
    """A file that rows are added to; whole once it is closed."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._names = [name for name, _ in columns]
        self._kinds = [kind for _, kind in columns]
        self._rows: list[Cells] = []
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add(self, row: Row) -> None:
        """Write a row; columns that it does not name are null."""
        values = [row.get(name) for name in self._names]
        self._rows.append(values)
        self._size += sum(len(value) for value in values if isinstance(value, str))
        if len(self._rows) >= GROUP_ROWS or self._size >= GROUP_CHARACTERS:
            self._flush()

    def close(self) -> None:
        """Write the rows that are still in memory."""
        self._flush()

    def _flush(self) -> None:
        if self._rows:
            cells = zip(*self._rows, strict=True)
            self._rows, self._size = [], 0
            self._write([*map(fitting, cells, self._kinds)])

    @abstractmethod
    def _write(self, cells: list[Cells]) -> None:
        """Write some rows: for each column its values, as they fit."""


class Spelling(NamedTuple):
    """How a format writes a null, a text and a number, and a line of what was written."""

    null: str
    text: Callable[[str], str]
    number: Callable[[float], str]
    line: Callable[[tuple[str, ...]], str]

    def column(self, cells: Cells, kind: ColumnKind) -> list[str]:
        """The values of a column as they are written."""
        if kind in {ColumnKind.TEXT, ColumnKind.TIME}:
            # The same names come again and again.
            texts = {each: self.text(each) for each in {*cells} - {None}} | {None: self.null}
            return [texts[each] for each in cells]
        if kind is ColumnKind.BOOLEAN:
            truth = {True: "true", False: "false", None: self.null}
            return [truth[each] for each in cells]
        return [self.null if each is None else self.number(each) for each in cells]


class LineFile(TableFile):
    """A table as a text file with a line for each row, such as CSV."""

    def __init__(self, path: Path, columns: Sequence[Column], spelling: Spelling) -> None:
        super().__init__(columns)
        self._spelling = spelling
        self._file = path.open("w", encoding="utf-8", newline="")

    def _write(self, cells: list[Cells]) -> None:
        told = map(self._spelling.column, cells, self._kinds)
        self._file.writelines(map(self._spelling.line, zip(*told, strict=True)))

    def close(self) -> None:
        """Write the rows that are still in memory, and end the file."""
        try:
            super().close()
        finally:
            self._file.close()


class CsvFile(LineFile):
    """RFC 4180 with a header. Every text is in quotes, so that an empty one is not a null.

    No cell is a formula: see `guarded`.
    """

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        def text(value: str) -> str:
            return '"' + str(guarded(value)).replace('"', '""') + '"'

        super().__init__(
            path, columns, Spelling("", text, repr, lambda cells: ",".join(cells) + "\n")
        )
        self._file.write(",".join(self._names) + "\n")


class JsonLinesFile(LineFile):
    """A JSON object for a row, with every column."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        def number(value: float) -> str:
            return repr(value) if isfinite(value) else json.dumps(value)

        text = json.encoder.encode_basestring
        names = [text(name).replace("%", "%%") for name, _ in columns]
        line = "{" + ", ".join(f"{name}: %s" for name in names) + "}\n"
        super().__init__(path, columns, Spelling("null", text, number, line.__mod__))


class ParquetFile(TableFile):
    """Columns with their types, times in UTC. Raises MissingExtra without pyarrow."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        super().__init__(columns)
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise MissingExtra("Writing Parquet", "parquet") from error
        types = {
            ColumnKind.TEXT: pyarrow.string(),
            ColumnKind.INTEGER: pyarrow.int64(),
            ColumnKind.NUMBER: pyarrow.float64(),
            ColumnKind.BOOLEAN: pyarrow.bool_(),
            ColumnKind.TIME: pyarrow.timestamp("us", tz="UTC"),
        }
        self._schema = pyarrow.schema([(name, types[kind]) for name, kind in columns])
        self._batch: Callable[..., Any] = pyarrow.record_batch
        self._writer = parquet.ParquetWriter(path, self._schema, compression="zstd")

    def close(self) -> None:
        """Write the rows that are still in memory, and end the file."""
        try:
            super().close()
        finally:
            self._writer.close()

    def _write(self, cells: list[Cells]) -> None:
        for number, kind in enumerate(self._kinds):
            if kind is ColumnKind.TIME:
                cells[number] = [_moment(value) for value in cells[number]]
        self._writer.write_batch(self._batch(cells, schema=self._schema))


FORMATS: Final[dict[str, Callable[[Path, Sequence[Column]], TableFile]]] = {
    "csv": CsvFile,
    "jsonl": JsonLinesFile,
    "parquet": ParquetFile,
}


def fitting(values: Iterable[Json], kind: ColumnKind) -> Cells:
    """Values as their column holds them; characters that cannot be written become U+FFFD."""
    match kind:
        case ColumnKind.TEXT:
            return [
                value if value is None or _is_plain(value) else _text(value) for value in values
            ]
        case ColumnKind.NUMBER:
            return [value if value is None else float(value) for value in values]
        case ColumnKind.TIME:
            return [value if value and _moment(value) else None for value in values]
        case ColumnKind.BOOLEAN:
            return [value if value is None else bool(value) for value in values]
        case ColumnKind.INTEGER:
            return [value if value is None else int(value) for value in values]


def _is_plain(value: Json) -> bool:
    return type(value) is str and value.isascii() and "\0" not in value


def _text(value: Json) -> str:
    return _UNFIT.sub("\ufffd", str(value))


def _moment(text: str | None) -> datetime | None:
    """The time that a text names, in UTC; none where it names no time."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
