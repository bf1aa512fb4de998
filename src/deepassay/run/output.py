"""Files that results are written to, whole or not at all: texts, CSV, JSON Lines and Parquet."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self

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
    if any(output.resolve() == path.resolve() for path in runs) or is_database(output):
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


def write_file(output: Path, text: str, runs: Sequence[Path], *, force: bool) -> None:
    """Write a text, whole or not at all. Raises BadSetting as `check_output` and `replacing`."""
    check_output(output, runs, force=force)
    with replacing(output) as fresh:
        fresh.write_bytes(text.encode("utf-8", "surrogatepass"))


GROUP_ROWS: Final = 20_000
GROUP_CHARACTERS: Final = 16_000_000
"""A group of rows of a Parquet file is written when it is as large as either says."""

_UNFIT: Final = re.compile("[\0\ud800-\udfff]")
"""Characters that UTF-8, or a reader of tables, cannot hold."""


class TableFile(ABC):
    """A file that rows are added to; whole once it is closed."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = tuple(columns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add(self, row: Row) -> None:
        """Write a row; columns that it does not name are null."""
        # Most cells of most tables are null.
        self._add(
            [
                None if (value := row.get(name)) is None else fitting(value, kind)
                for name, kind in self._columns
            ]
        )

    @abstractmethod
    def _add(self, values: list[Json]) -> None: ...

    @abstractmethod
    def close(self) -> None:
        """Write what is left."""


class LineFile(TableFile):
    """A line for a row."""

    def __init__(
        self, path: Path, columns: Sequence[Column], line: Callable[[Sequence[Json]], str]
    ) -> None:
        super().__init__(columns)
        self._line = line
        self._file = path.open("w", encoding="utf-8", newline="")

    def _add(self, values: list[Json]) -> None:
        self._file.write(self._line(values) + "\n")

    def close(self) -> None:
        """Write what is left."""
        self._file.close()


class CsvFile(LineFile):
    """RFC 4180 with a header. Every text is in quotes, so that an empty one is not a null.

    No cell is a formula: see `guarded`.
    """

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        super().__init__(path, columns, lambda values: ",".join(map(_cell, values)))
        self._file.write(",".join(name for name, _ in columns) + "\n")


class JsonLinesFile(LineFile):
    """A JSON object for a row, with every column."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        names = [name for name, _ in columns]
        encode = json.JSONEncoder(ensure_ascii=False).encode
        super().__init__(
            path, columns, lambda values: encode(dict(zip(names, values, strict=True)))
        )


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
        self._rows: list[list[Json]] = []
        self._size = 0

    def _add(self, values: list[Json]) -> None:
        self._rows.append(values)
        self._size += sum(len(value) for value in values if isinstance(value, str))
        if len(self._rows) >= GROUP_ROWS or self._size >= GROUP_CHARACTERS:
            self._flush()

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if not self._rows:
            return
        cells = [list(column) for column in zip(*self._rows, strict=True)]
        for number, (_, kind) in enumerate(self._columns):
            if kind is ColumnKind.TIME:
                cells[number] = [_moment(value) for value in cells[number]]
        self._writer.write_batch(self._batch(cells, schema=self._schema))
        self._rows, self._size = [], 0


FORMATS: Final[dict[str, Callable[[Path, Sequence[Column]], TableFile]]] = {
    "csv": CsvFile,
    "jsonl": JsonLinesFile,
    "parquet": ParquetFile,
}


def fitting(value: Json, kind: ColumnKind) -> Json:
    """A value as its column holds it; characters that cannot be written become U+FFFD."""
    if value is None:
        return None
    if kind is ColumnKind.TEXT:
        text = str(value)
        return text if text.isascii() and "\0" not in text else _UNFIT.sub("\ufffd", text)
    if kind is ColumnKind.NUMBER:
        return float(value)
    if kind is ColumnKind.TIME:
        return value if _moment(value) else None
    return bool(value) if kind is ColumnKind.BOOLEAN else int(value)


def _moment(text: str | None) -> datetime | None:
    """The time that a text names, in UTC; none where it names no time."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _name_cell(value) if len(value) < _NAME else _text_cell(value)
    return repr(value)


_NAME: Final = 100
"""Characters that a name has not: names come again and again."""


def _text_cell(text: str) -> str:
    return '"' + str(guarded(text)).replace('"', '""') + '"'


_name_cell = lru_cache(4096)(_text_cell)
