"""Files that results are written to, whole or not at all: texts, CSV, JSON Lines and Parquet."""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain, repeat
from math import isfinite
from pathlib import Path
from types import NoneType
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
def fresh_output(output: Path) -> Iterator[Path]:
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
    """Write a text, whole or not at all. Raises BadSetting as `check_output` and `fresh_output`."""
    check_output(output, runs, force=force)
    with fresh_output(output) as fresh:
        fresh.write_bytes(text.encode("utf-8", "surrogatepass"))


GROUP_ROWS: Final = 20_000
GROUP_CHARACTERS: Final = 16_000_000
"""Rows are written together, a column at a time, once they are as many or as long as one says."""

_UNFIT: Final = re.compile("[\0\ud800-\udfff]")
"""Characters that UTF-8, or a reader of tables, cannot hold."""

Cells = Sequence[Any]
"""The values of some rows in one column."""


class TableFile(ABC):
    """A file that rows are added to; whole once it is closed."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._names = [name for name, _ in columns]
        self._kinds = [kind for _, kind in columns]
        self._shared: list[Cells] = []
        self._counts: list[int] = []
        self._rows: list[Cells] = []
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add(self, shared: Cells, rows: Sequence[Cells]) -> None:
        """Write rows. shared: values of the first columns, the same in all of them; as many
        columns whenever rows are added. rows: of each the values of the others.
        """
        if not rows:
            return
        self._shared.append(shared)
        self._counts.append(len(rows))
        self._rows.extend(rows)
        # Those of one report are about as long as the first of them.
        self._size += len(rows) * sum(len(each) for each in rows[0] if isinstance(each, str))
        if len(self._rows) >= GROUP_ROWS or self._size >= GROUP_CHARACTERS:
            self._flush()

    def close(self) -> None:
        """Write the rows that are still in memory."""
        self._flush()

    def _flush(self) -> None:
        if self._rows:
            shared, own = list(zip(*self._shared, strict=True)), list(zip(*self._rows, strict=True))
            counts = self._counts
            self._shared, self._counts, self._rows, self._size = [], [], [], 0
            self._write(shared, counts, own)

    @abstractmethod
    def _write(self, shared: Sequence[Cells], counts: Sequence[int], own: Sequence[Cells]) -> None:
        """Write some rows, of each column its values. shared: of the first columns, each value as
        often as `counts` says.
        """


class Spelling(NamedTuple):
    """How a format writes a null, a text and a number.

    ends: what stands before, between and behind the cells of a line. cells: of columns of these
    names, what puts the cells of a row side by side.
    """

    null: str
    text: Callable[[str], str]
    number: Callable[[float], str]
    ends: tuple[str, str, str]
    cells: Callable[[Sequence[str]], Callable[[tuple[str, ...]], str]]

    def column(self, cells: Cells, kind: ColumnKind) -> list[str]:
        """The values of a column as they are written. The same ones come again and again."""
        if kind is ColumnKind.TEXT:
            values, texts = _with_texts(cells)
            known = {each: self.text(text) for each, text in texts.items()}
        else:
            values = fitting(cells, kind)
            known = {each: self._spelled(each, kind) for each in {*values} - {None}}
            if kind is ColumnKind.NUMBER and 0 in known:  # 0.0 and -0.0 are equal, and two numbers
                return [self.null if each is None else self.number(each) for each in values]
        known[None] = self.null
        return [*map(known.__getitem__, values)]

    def _spelled(self, value: Any, kind: ColumnKind) -> str:  # noqa: ANN401 - what such a column has
        if kind is ColumnKind.TIME:
            return self.text(value)
        if kind is ColumnKind.BOOLEAN:
            return "true" if value else "false"
        return self.number(value)


class LineFile(TableFile):
    """A table as a text file with a line for each row, such as CSV."""

    def __init__(self, path: Path, columns: Sequence[Column], spelling: Spelling) -> None:
        super().__init__(columns)
        self._spelling = spelling
        self._file = path.open("w", encoding="utf-8", newline="")

    def _write(self, shared: Sequence[Cells], counts: Sequence[int], own: Sequence[Cells]) -> None:
        before, between, behind = self._spelling.ends
        firsts = [before] * len(counts)
        if shared:
            firsts = [before + each + between for each in self._side_by_side(shared, 0)]
        begun = chain.from_iterable(map(repeat, firsts, counts))
        rests = self._side_by_side(own, len(shared))
        self._file.writelines(one + other + behind for one, other in zip(begun, rests, strict=True))

    def _side_by_side(self, columns: Sequence[Cells], at: int) -> Iterator[str]:
        """The cells of each row in these columns, of which the first is at this place."""
        those = slice(at, at + len(columns))
        told = map(self._spelling.column, columns, self._kinds[those])
        return map(self._spelling.cells(self._names[those]), zip(*told, strict=True))

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

        spelling = Spelling("", text, repr, ("", ",", "\n"), lambda names: ",".join)
        super().__init__(path, columns, spelling)
        self._file.write(",".join(self._names) + "\n")


class JsonLinesFile(LineFile):
    """A JSON object for a row, with every column."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        def number(value: float) -> str:
            return repr(value) if isfinite(value) else json.dumps(value)

        def cells(names: Sequence[str]) -> Callable[[tuple[str, ...]], str]:
            escaped = (text(name).replace("%", "%%") for name in names)
            return ", ".join(f"{name}: %s" for name in escaped).__mod__

        text = json.encoder.encode_basestring
        super().__init__(path, columns, Spelling("null", text, number, ("{", ", ", "}\n"), cells))


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

    def _write(self, shared: Sequence[Cells], counts: Sequence[int], own: Sequence[Cells]) -> None:
        spread = [[*chain.from_iterable(map(repeat, cells, counts))] for cells in shared]
        cells = [*map(fitting, [*spread, *own], self._kinds)]
        for number, kind in enumerate(self._kinds):
            if kind is ColumnKind.TIME:
                cells[number] = [_moment(value) for value in cells[number]]
        self._writer.write_batch(self._batch(cells, schema=self._schema))


FORMATS: Final[dict[str, Callable[[Path, Sequence[Column]], TableFile]]] = {
    "csv": CsvFile,
    "jsonl": JsonLinesFile,
    "parquet": ParquetFile,
}


def as_cells(row: Row, columns: Sequence[Column]) -> tuple[Json, ...]:
    """The values of a row in the order of these columns."""
    return tuple(row.get(name) for name, _ in columns)


def write_rows(
    rows: Sequence[Row],
    columns: Sequence[Column],
    output: Path,
    runs: Sequence[Path],
    *,
    force: bool = False,
) -> None:
    """Write rows into one Parquet file. Raises as `check_output` does, and MissingExtra."""
    check_output(output, runs, force=force)
    with fresh_output(output) as fresh, ParquetFile(fresh, columns) as file:
        file.add((), [as_cells(row, columns) for row in rows])


def fitting(cells: Cells, kind: ColumnKind) -> list[Any]:
    """Values as their column holds them; characters that cannot be written become U+FFFD."""
    match kind:
        case ColumnKind.TEXT:
            values, texts = _with_texts(cells)
            return [None if value is None else texts[value] for value in values]
        case ColumnKind.NUMBER:
            return [value if value is None else float(value) for value in cells]
        case ColumnKind.TIME:
            return [value if value and _moment(value) else None for value in cells]
        case ColumnKind.BOOLEAN:
            return [value if value is None else bool(value) for value in cells]
        case ColumnKind.INTEGER:
            return [value if value is None else int(value) for value in cells]


def _with_texts(cells: Cells) -> tuple[Cells, dict[Any, str]]:
    """Values, and of each that is there its text with U+FFFD for what cannot be written."""
    kinds = {*map(type, cells)}
    if not kinds <= {str, NoneType}:  # 1 and 1.0 are equal, and two texts
        cells = [None if each is None else str(each) for each in cells]
    return cells, {each: _UNFIT.sub("\ufffd", each) for each in {*cells} - {None}}


def _moment(text: str | None) -> datetime | None:
    """The time that a text names, in UTC; none where it names no time."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
