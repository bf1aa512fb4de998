"""Files of rows, whatever they are saved as: each as the tables that are in it.

What is wrong with one is a `BadFile`: the room that reads it says it in an error of its own.
"""

from __future__ import annotations

import datetime
import io
import json
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from deepassay.errors import MissingExtra, Notice
from deepassay.files import BadFile, decode_text, json_lines, read_yaml, read_yaml_entries
from deepassay.intake.columns import FoundColumns, NamedColumns, find_columns, option
from deepassay.intake.delimited import Line, read_delimited
from deepassay.intake.encodings import text_of
from deepassay.intake.heads import ColumnPart, is_head
from deepassay.intake.rows import InputRow, Way
from deepassay.intake.shapes import prepared, rows_in
from deepassay.score import Json

DELIMITED: Final = frozenset((".csv", ".tsv", ".tab", ".psv"))
SPREADSHEETS: Final = frozenset((".xlsx", ".xlsm", ".xls", ".ods"))
YAML: Final = frozenset((".yaml", ".yml"))
LINES: Final = frozenset((".jsonl", ".ndjson"))
TABLES: Final = frozenset((*DELIMITED, *SPREADSHEETS, *YAML, ".ndjson", ".parquet"))
"""Endings of files that hold many rows; `.json` and `.jsonl` may also be something else."""

_MOST_UNPACKED: Final = 1_000_000_000
"""Bytes that a spreadsheet may unpack to."""
_HEAD_WITHIN: Final = 10
"""Rows in which the head is looked for: titles stand above it."""

Tables = Mapping[str, list[InputRow]]
"""Rows by the name of their sheet, which is empty where there are no sheets."""


def read_tables(path: Path, name: str | None = None) -> Tables:
    """The tables of a file; what has another ending is read as JSON Lines. name: for places.

    Raises BadFile and OSError, and MissingExtra for what needs one.
    """
    return tables_of(path.read_bytes(), path.suffix.lower(), name or path.name)


def tables_of(raw: bytes, ending: str, name: str) -> Tables:
    """The tables in the bytes of a file with this ending. name: for places."""
    if ending in SPREADSHEETS:
        return _sheets(raw, name)
    if ending == ".parquet":
        return {"": list(_parquet(raw, name))}
    if ending in DELIMITED:
        return {"": _delimited(text_of(raw)[0], name)}
    if ending == ".txt":
        return {"": _text(text_of(raw)[0], name)}
    text = decode_text(raw).removeprefix("\ufeff")
    if ending in YAML:
        return {"": list(_yaml(text, name))}
    return {"": list(_json(text, name, whole=ending == ".json"))}


# ------------------------------------------------------------------ cells


def _delimited(text: str, name: str) -> list[InputRow]:
    lines = read_delimited(text, is_head)
    return list(_under_heads(lines, lambda number: f"{name}, line {number}"))


def _under_heads(lines: Sequence[Line], place: Callable[[int], str]) -> Iterator[InputRow]:
    """Rows of cells under the first line that is no title. NamedColumns without a name get one.

    Those without a name that only count the rows are left out, as are empty ones.
    """
    if not lines:
        return
    at = next((n for n, (_, cells) in enumerate(lines[:_HEAD_WITHIN]) if _may_be_head(cells)), 0)
    (number, head), body = lines[at], lines[at + 1 :]
    names: dict[int, str] = {}
    for column, cell in enumerate(map(str, head)):
        cells = [cells[column] for _, cells in body]
        if title := cell.strip():
            if title in names.values():
                raise BadFile(f"the column {title!r} stands there twice", "Rename one.", number)
            names[column] = title
        elif any(each not in (None, "") for each in cells) and not _counts(cells):
            names[column] = f"column {column + 1}"
    for line, cells in body:
        yield InputRow(place(line), {name: cells[at] for at, name in names.items()}, flat=True)


def _may_be_head(cells: Sequence[Json]) -> bool:
    """Whether a line is more than a title above a table."""
    said = [str(each) for each in cells if each not in (None, "")]
    return len(cells) == 1 or len(said) > 1 or any(map(is_head, said))


def _counts(cells: Sequence[Json]) -> bool:
    """Whether cells only number the rows, as data frames are written."""
    said = [str(each) for each in cells]
    return any(said == [str(n + start) for n in range(len(said))] for start in (0, 1))


def _text(text: str, name: str) -> list[InputRow]:
    """A line each, without bullets or numbers; a table where it is one, or JSON Lines."""
    if text.lstrip()[:1] == "{":
        return list(_json(text, name, whole=False))
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    tabs = {line.count("\t") for _, line in lines}
    if tabs and 0 not in tabs and any(map(is_head, lines[0][1].split("\t"))):
        return _delimited(text, name)
    _refuse_paragraphs(text)
    said = [line.strip() for _, line in lines]
    numbered = [re.sub(rf"\A{number}[.):、]\s*", "", line) for number, line in enumerate(said, 1)]
    bare = [re.sub(r"\A[-*•]\s+", "", line) for line in said]
    for stripped in (numbered, bare):
        if len(said) > 1 and all(a != b for a, b in zip(said, stripped, strict=True)):
            said = stripped
            break
    return [
        InputRow(f"{name}, line {number}", {"prompt": line}, flat=True)
        for (number, _), line in zip(lines, said, strict=True)
    ]


def _refuse_paragraphs(text: str) -> None:
    """Raise BadFile where a line may be a part of something longer."""
    blocks = [block.split("\n") for block in re.split(r"\n[ \t\r]*\n", text.strip())]
    several = len(blocks) > 1 and any(len(block) > 1 for block in blocks)
    folded = next(
        (
            (one, other)
            for block in blocks
            for one, other in pairwise(block)
            if other[:1].islower() and not re.search(r"[.?!:;。？！：；]\s*\Z", one)
        ),
        None,
    )
    if several or folded:
        raise BadFile(
            "it is not certain that every line is a task of its own: "
            + ("some lines stand together between blank ones" if several else "a line goes on"),
            "Put a task into one line each, without blank lines; or each task into a text file of "
            "its own, and give the folder.",
        )


# ------------------------------------------------------------------ JSON and YAML


def _json(text: str, name: str, whole: bool) -> Iterator[InputRow]:
    """JSON Lines, or a document of one of the shapes of `rows_in`. whole: it should be one."""
    first = text.lstrip()[:1]
    if whole or first == "[":
        try:
            value = _document(text)
        except BadFile:
            if whole and first != "{":
                raise
            value = None  # it may be objects, a line each
        if whole or (isinstance(value, list) and all(isinstance(each, dict) for each in value)):
            rows = rows_in(value, name)
            if rows is not None:
                yield from rows
                return
            if isinstance(value, list):
                raise _without_rows(value)
    try:
        for number, fields in json_lines(text):
            yield InputRow(f"{name}, line {number}", fields)
    except BadFile as error:
        raise whole_document(text, error) from None


def whole_document(text: str, error: BadFile) -> BadFile:
    """What is wrong with a text of several lines that are no objects, which may be one document."""
    try:
        value = _document(text)
    except BadFile:
        return error
    return _without_rows(value) if "\n" in text.strip() else error


def _without_rows(value: Json) -> BadFile:
    if isinstance(value, dict):
        fields = ", ".join(map(repr, [*value][:5])) + (" and more" if len(value) > 5 else "")
        held = f"one JSON object with the fields {fields}"
    else:
        kinds = {"list": "lists", "str": "texts", "dict": "objects"}
        inner = {kinds.get(type(each).__name__, "values") for each in value or ()}
        held = f"a JSON list of {' and '.join(sorted(inner)) or 'nothing'}"
    return BadFile(
        f"it holds {held}, in which no rows are known",
        'Write a list of objects, as [{"id": "1", "prompt": "...", "agent": "...", "report": '
        '"..."}], under the ending .json.',
    )


def _document(text: str) -> Json:
    try:
        return json.loads(text)
    except RecursionError:
        raise BadFile("not JSON: nested too deep", "Correct the file.") from None
    except ValueError as error:
        line = getattr(error, "lineno", None)
        said = getattr(error, "msg", error)
        raise BadFile(f"not JSON: {said}", "Correct the file.", line) from error


def _yaml(text: str, name: str) -> Iterator[InputRow]:
    try:
        entries = read_yaml_entries(text)
    except BadFile:
        rows = rows_in(read_yaml(text), name)
        if rows is None or rows[0].place == name:  # the fields of one row are no list
            raise
        yield from rows
        return
    for entry in entries:

        def part(way: Way, line_of: Callable[[Way], int] = entry.line_of) -> str:
            return f"{name}, line {line_of(way)}"

        yield InputRow(part(()), entry.fields, part)


# ------------------------------------------------------------------ what needs a library


def _parquet(raw: bytes, name: str) -> Iterator[InputRow]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("Reading Parquet", "parquet") from error
    try:
        rows = parquet.read_table(arrow.BufferReader(raw)).to_pylist()
    except arrow.ArrowException as error:
        raise BadFile(f"not a Parquet file ({error})", "Download it again.") from error
    for number, fields in enumerate(rows, start=1):
        yield InputRow(f"{name}, row {number}", fields)


def _sheets(raw: bytes, name: str) -> Tables:
    """The sheets of a workbook that have rows: one of notes may have none."""
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise MissingExtra("Reading spreadsheets", "docs") from error
    _refuse_bomb(raw)
    tables: dict[str, list[InputRow]] = {}
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
        sheets = {each: book.get_sheet_by_name(each).to_python() for each in book.sheet_names}
    except (calamine.CalamineError, OSError) as error:
        raise BadFile(
            f"it cannot be read as a spreadsheet ({error})", "Save it again, as XLSX or CSV."
        ) from error
    for sheet, cells in sheets.items():
        lines = [
            (number, [_cell(each) for each in line])
            for number, line in enumerate(cells, start=1)
            if any(each not in (None, "") for each in line)
        ]
        where = f"{name}, sheet {sheet}" if len(sheets) > 1 else name
        rows = [
            row
            for row in _under_heads(lines, lambda n, where=where: f"{where}, row {n}")  # type: ignore[misc]
            if any(each not in (None, "") for each in row.fields.values())
        ]
        if rows:
            tables[sheet] = rows
    return tables


def _refuse_bomb(raw: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            size = sum(each.file_size for each in packed.infolist())
    except zipfile.BadZipFile:
        return  # the older format, which is not packed
    if size > _MOST_UNPACKED:
        raise BadFile(f"it unpacks to {size:,} bytes", "Save it as CSV.")


def _cell(value: Json | datetime.date) -> Json:
    """A cell as JSON has it: whole numbers without a point, dates as texts, nothing as nothing."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return str(value)
    return None if value == "" else value


def table_for(
    tables: Tables, columns: NamedColumns, needed: Sequence[Sequence[ColumnPart]], name: str
) -> tuple[list[InputRow], FoundColumns]:
    """The rows of the only table that has what is needed, with its columns. Raises BadFile.

    Of several sheets that have it, one without what is not needed is preferred: where tasks are
    looked for, one without reports.
    """
    tables = {sheet: rows for sheet, rows in tables.items() if rows}
    if not tables:
        raise BadFile(f"{name} holds no rows below names of columns", "Name another file.")
    named = columns.named_as("sheet")
    chosen = {
        sheet: prepared(rows, columns)
        for sheet, rows in tables.items()
        if not named or sheet in named
    }
    if not chosen:
        raise BadFile(
            f"{name}: no sheet is named {' or '.join(map(repr, named))}",
            f"Name one of these: {', '.join(tables)}.",
        )
    found: dict[str, FoundColumns] = {}
    faults: list[BadFile] = []
    for sheet, rows in chosen.items():
        try:
            place = f"{name}, sheet {sheet}" if len(tables) > 1 else name
            found[sheet] = find_columns(rows, columns, needed, place)
        except BadFile as error:
            faults.append(error)
    wanted = {part for group in needed for part in group}
    if "report" not in wanted and any(not each.report for each in found.values()):
        found = {sheet: each for sheet, each in found.items() if not each.report}
    if len(found) == 1:
        ((sheet, columns_there),) = found.items()
        return _without_sum(chosen[sheet], columns_there), columns_there
    if not found and len(chosen) == 1:
        raise faults[0]
    if not found:
        raise BadFile(" ".join(error.problem + "." for error in faults), faults[0].remedy)
    sheets = " or ".join(option([*columns.named, ("sheet", sheet)]) for sheet in found)
    raise BadFile(f"{name}: {len(found)} sheets may be meant", f"Say which: {sheets}")


_SUMS: Final = re.compile(
    r"((average|mean|median|total|sum|count)( score)?|durchschnitt|mittelwert|summe|gesamt|anzahl|"
    r"平均|平均值|平均分|合计|总计|总分)\s*:?",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"[-+\d.,\s]*%?")


def _without_sum(rows: list[InputRow], found: FoundColumns) -> list[InputRow]:
    """The rows without a last one that sums the table up, of which a Notice tells."""
    last = rows[-1]
    cells = last.cells
    counted = found.report or [each for each in found.rest if each in cells]
    if (
        len(rows) == 1
        or not (last.flat and found.prompt and counted)
        or not _SUMS.fullmatch(cells.get(found.prompt, ""))
        or not all(_NUMBER.fullmatch(cells.get(each, "")) for each in counted)
    ):
        return rows
    said = f"{last.place}: left out, as a row that sums up: {cells[found.prompt]!r}."
    warnings.warn(Notice(said), stacklevel=2)
    return rows[:-1]
