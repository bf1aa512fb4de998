"""Sheets of workbooks, as rows under their heads."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
import zlib
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from deepassay.errors import MissingExtra
from deepassay.files import BadFile
from deepassay.intake.columns import NamedColumns
from deepassay.intake.heading import under_heads
from deepassay.intake.rows import InputRow
from deepassay.score import Json

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_MOST_UNPACKED: Final = 1_000_000_000
"""Bytes that a spreadsheet may unpack to."""
_MOST_CELLS: Final = 20_000_000
"""Cells of a sheet: a file of some kilobytes may say that it has billions."""


def sheets_of(raw: bytes, name: str, columns: NamedColumns) -> dict[str, list[InputRow]]:
    """The sheets of a workbook that have rows: one of notes may have none. Hidden ones stand last.

    Cells that are merged have the value of the first. name: for places. Raises BadFile, and
    MissingExtra.
    """
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise MissingExtra("Reading spreadsheets", "docs") from error
    _refuse_bomb(raw)
    tables: dict[str, list[InputRow]] = {}
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
        kinds = {each.name: each.visible for each in book.sheets_metadata}
        hidden = {each for each, seen in kinds.items() if seen != calamine.SheetVisibleEnum.Visible}
        order = sorted(book.sheet_names, key=lambda each: each in hidden)
        sheets = {each: _cells_of(book.get_sheet_by_name(each)) for each in order}
    except (calamine.CalamineError, OSError) as error:
        raise BadFile(
            f"it cannot be read as a spreadsheet ({error})", "Save it again, as XLSX or CSV."
        ) from error
    for sheet, cells in sheets.items():
        lines = [
            (number, line)
            for number, line in enumerate(cells, start=1)
            if any(each not in (None, "") for each in line)
        ]
        where = f"{name}, sheet {sheet}" if len(sheets) > 1 else name
        rows = [
            replace(row, hidden=sheet in hidden)
            for row in under_heads(lines, lambda n, where=where: f"{where}, row {n}", columns)  # type: ignore[misc]
            if any(each not in (None, "") for each in row.fields.values())
        ]
        if rows:
            tables[sheet] = rows
    return tables


def _cells_of(sheet: CalamineSheet) -> list[list[Json]]:
    """The cells of a sheet from its first row and column on."""
    cells = [[_cell(each) for each in line] for line in sheet.to_python(skip_empty_area=False)]
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        for row in range(top + 1, min(bottom + 1, len(cells))):
            if left == right < len(cells[row]):
                cells[row][left] = cells[top][left]
    return cells


def _refuse_bomb(raw: bytes) -> None:
    """Raise BadFile for a workbook that unpacks to too much, or has a cell too far out.

    What reads it holds all cells up to the last one: two cells could take all memory.
    """
    if not zipfile.is_zipfile(io.BytesIO(raw)):
        return  # the older format, which is not packed; or torn, as whoever reads it says
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            size = sum(each.file_size for each in packed.infolist())
            if size > _MOST_UNPACKED:
                raise BadFile(f"it unpacks to {size:,} bytes", "Save it as CSV.")
            for name in packed.namelist():
                if _SHEET.fullmatch(name):
                    _refuse_far(packed.read(name))
                elif name == "content.xml":
                    _refuse_repeated(packed.read(name))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        # Nobody has looked at it then, and what reads workbooks may unpack what we cannot.
        raise BadFile("one of its sheets cannot be unpacked", "Save it as CSV.") from error


_SHEET: Final = re.compile(r"/?xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_PLACE: Final = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,3})(\d{1,7})["']""")


_ROW: Final = re.compile(rb"<[\w.-]+:table-row(?=[\s/>])([^>]*)>|<([\w.-]+:table)(?=[\s/>])")
_CELL: Final = re.compile(rb"<[\w.-]+:(?:covered-)?table-cell\b([^>]*?)(/?)>")
_AGAIN: Final = re.compile(rb"""number-(?:rows|columns)-repeated\s*=\s*["'](\d{1,9})["']""")


def _refuse_repeated(content: bytes) -> None:
    """Raise BadFile for sheets of ODS, in which a row or cell says how often it stands there."""
    places = [*_ROW.finditer(content)]
    rows = last = wide = 0
    for place, following in zip_longest(places, places[1:]):
        if place[2]:  # the next sheet
            rows = last = wide = 0
            continue
        rows += _times(place[1])
        column = 0
        filled = False
        inside = content[place.end() : following.start() if following else len(content)]
        for cell in _CELL.finditer(inside):
            column += _times(cell[1])
            if not cell[2] or b"value" in cell[1]:
                filled, wide = True, max(wide, column)
        last = rows if filled else last
        if last * wide > _MOST_CELLS:
            raise BadFile(f"a sheet has more than {_MOST_CELLS:,} cells", "Save it as CSV.")


def _times(attributes: bytes) -> int:
    again = _AGAIN.search(attributes)
    return int(again[1]) if again else 1


def _refuse_far(sheet: bytes) -> None:
    rows = 0
    letters: set[bytes] = set()
    for place in _PLACE.finditer(sheet):
        letters.add(place[1].upper())
        rows = max(rows, int(place[2]))
    columns = max(map(_number_of, letters), default=0)
    if rows * columns > _MOST_CELLS:
        raise BadFile(f"one of its sheets has more than {_MOST_CELLS:,} cells", "Save it as CSV.")


def _number_of(letters: bytes) -> int:
    """Of the name of a column: A is 1, AA is 27."""
    number = 0
    for each in letters:
        number = number * 26 + each - 64
    return number


def _cell(value: Json | datetime.date) -> Json:
    """A cell as JSON has it: whole numbers without a point, dates as texts, nothing as nothing."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return str(value)
    return None if value == "" else value
