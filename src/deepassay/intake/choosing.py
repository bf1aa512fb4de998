"""Which of the tables in a file is meant: of sheets, or of lists in a document."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from deepassay.errors import Notice
from deepassay.files import BadFile
from deepassay.intake.columns import SHEET, FoundColumns, NamedColumns, option
from deepassay.intake.heads import ColumnPart, is_weak
from deepassay.intake.leaves import called_by
from deepassay.intake.rows import InputRow
from deepassay.intake.searching import find_table
from deepassay.intake.shapes import spread_out
from deepassay.score import Json

Found = tuple[list[InputRow], FoundColumns]
_DEEPEST: Final = 3
"""Levels of lists within rows at which a table is looked for."""


def table_for(
    tables: Mapping[str, list[InputRow]],
    columns: NamedColumns,
    needed: Sequence[Sequence[ColumnPart]],
    name: str,
    whole: Callable[[Json], bool] = lambda value: False,
) -> Found:
    """The rows of the only table that has what is needed, with its columns. Raises BadFile.

    Of several sheets that have it, one without what is not needed is preferred: where tasks are
    looked for, one without reports. Where none has it, lists within the rows are looked at. Of
    sheets that are named the rows stand together. whole: as for `find_table`.
    """
    tables = {sheet: rows for sheet, rows in tables.items() if rows}
    if not tables:
        raise BadFile(f"{name} holds no rows below names of columns", "Name another file.")
    named = columns.named_as("sheet")
    wanted = {part for group in needed for part in group}
    faults: list[BadFile] = []
    there = [*tables]
    for depth in range(_DEEPEST):
        chosen = {sheet: rows for sheet, rows in tables.items() if not named or sheet in named}
        found = _having(chosen, columns, needed, name, whole, faults)
        if depth and "report" in wanted:
            found = {
                sheet: each
                for sheet, each in found.items()
                if named
                or not any(is_weak("report", called_by(name) or name) for name in each[1].report)
            }
        if "report" not in wanted and any(not each.report for _, each in found.values()):
            found = {sheet: each for sheet, each in found.items() if not each[1].report}
        if found:
            return _one_of(found, columns, needed, name, whole)
        tables = spread_out(tables)
        there += [*tables]
    if not faults:
        raise BadFile(
            f"{name}: no sheet is named {' or '.join(map(repr, named))}",
            f"Name one of these: {', '.join(there)}.",
        )
    if len(faults) == 1 or (len(there) > 1 and not all(there)):
        raise faults[0]
    raise BadFile(" ".join(error.problem + "." for error in faults[:3]), faults[0].remedy)


def _having(
    tables: Mapping[str, list[InputRow]],
    columns: NamedColumns,
    needed: Sequence[Sequence[ColumnPart]],
    name: str,
    whole: Callable[[Json], bool],
    faults: list[BadFile],
) -> dict[str, Found]:
    """The tables that have what is needed, in their order.

    faults: gets what the others lack, that of the table with the most text first.
    """
    found = {}
    by_sheet = any(column == SHEET for _, column in columns.named)
    for sheet, rows in sorted(tables.items(), key=lambda each: -_texts_in(each[1])):
        named = [replace(row, fields={**row.fields, SHEET: sheet}) for row in rows if by_sheet]
        try:
            place = f"{name}, sheet {sheet}" if len(tables) > 1 else name
            found[sheet] = find_table(named or rows, columns, needed, place, whole)
        except BadFile as error:
            faults.append(error)
    return {sheet: found[sheet] for sheet in tables if sheet in found}


def _texts_in(rows: Sequence[InputRow]) -> int:
    """Characters of the texts in rows, however deep they stand."""
    return sum(len(str(each)) for row in rows for each in row.fields.values())


def _one_of(
    found: Mapping[str, Found],
    columns: NamedColumns,
    needed: Sequence[Sequence[ColumnPart]],
    name: str,
    whole: Callable[[Json], bool],
) -> Found:
    """The only table, or all of them as one where people say so. Raises BadFile."""
    by_sheet = any(column == SHEET for _, column in columns.named)
    if len(found) > 1 and not (by_sheet or columns.named_as("sheet")):
        raise _several(found, columns, name)
    rows = [row for rows, each in found.values() for row in _without_sum(rows, each)]
    if len(found) > 1:
        return find_table(rows, columns, needed, name, whole)
    ((_, there),) = found.values()
    return rows, there


def _several(found: Mapping[str, Found], columns: NamedColumns, name: str) -> BadFile:
    said, sheets = columns.named, [*found]
    together = option([*said, *(("sheet", sheet) for sheet in sheets)]) + " (all together)"
    ways = [option([*said, ("sheet", sheet)]) for sheet in sheets[:3]]
    if any(each.agent for _, each in found.values()):
        ways.insert(0, together)
    else:
        ways.insert(0, option([*said, ("agent", SHEET)]) + " (each is an agent)")
        ways.append(together)
    shown = ", ".join(map(repr, sheets[:6])) + (" and more" if len(sheets) > 6 else "")
    return BadFile(
        f"{name}: {len(found)} sheets may be meant: {shown}", f"Say which: {' or '.join(ways)}"
    )


_SUMS: Final = re.compile(
    r"((average|mean|median|total|sum|count)( score)?|durchschnitt|mittelwert|summe|gesamt|anzahl|"
    r"moyenne|somme|médiane|promedio|suma|media|mediana|medie|"
    r"平均|平均值|平均分|合计|总计|总分|合計|総計)\s*:?",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"[-+\d.,\s]*%?")
_COUNTED: Final = re.compile(r"\d+ [^\W\d]+")
"""A number of what is summed up: `12 questions`."""


def _without_sum(rows: list[InputRow], found: FoundColumns) -> list[InputRow]:
    """The rows without a last one that sums the table up, of which a Notice tells."""
    last = rows[-1]
    cells = last.cells
    counted = found.report or [each for each in found.rest if each in cells]
    titles = [name for name, cell in cells.items() if _SUMS.fullmatch(cell)]
    if len(rows) == 1 or not (last.flat and found.prompt and counted and titles):
        return rows
    if not all(_NUMBER.fullmatch(cells[n]) for n in {*counted} - {*titles}):
        return rows
    asked = "" if found.prompt in titles else cells[found.prompt]
    if not (_NUMBER.fullmatch(asked) or _COUNTED.fullmatch(asked)):
        return rows
    place = last.place.rpartition("/")[2]  # one told twice, of tasks and of reports, is shown once
    said = f"{place}: left out, as a row that sums up: {cells[titles[0]]!r}."
    warnings.warn(Notice(said), stacklevel=2)
    return rows[:-1]
