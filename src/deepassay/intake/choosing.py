"""Which of the tables in a file is meant: of sheets, or of lists in a document."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from deepassay.errors import Notice
from deepassay.files import BadFile
from deepassay.intake.choices import ColumnChoice, Unclear, choices_in, whole_choices
from deepassay.intake.columns import SHEET, FoundColumns, NamedColumns
from deepassay.intake.heads import ColumnPart, is_known, is_weak
from deepassay.intake.proposals import is_wordy, length_of, texts_at
from deepassay.intake.rows import InputRow, as_typed
from deepassay.intake.searching import find_table
from deepassay.intake.shapes import lists_within, spread_out
from deepassay.intake.tidying import (
    filled_down,
    refuse_no_tasks,
    without_sum,
    without_words,
    written_alike,
)
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
    tables = sheets = {sheet: rows for sheet, rows in tables.items() if rows}
    if not tables:
        raise BadFile(f"{name} holds no rows below names of columns", "Name another file.")
    named = columns.named_as("sheet")
    wanted = {part for group in needed for part in group}
    faults: dict[str, BadFile] = {}
    there = [*tables]
    for depth in range(_DEEPEST):
        chosen = {sheet: rows for sheet, rows in tables.items() if not named or sheet in named}
        found = _having(chosen, columns, needed, name, whole, faults)
        if "report" not in wanted:
            found = _of_tasks(found)
        if found:
            if "report" in wanted and not depth:
                _doubt_left(found, faults, columns, name)
            if not named:
                _doubt_lists(found, columns, name, "report" if "report" in wanted else "prompt")
            elif left := [s for s in tables if s not in chosen and tables[s][0].flat]:
                told = f"{name}: other sheets are left out: {', '.join(map(repr, left))}."
                warnings.warn(Notice(told), stacklevel=2)
            return _one_of(found, columns, needed, name, whole)
        tables = spread_out(tables)
        there += [*tables]
    if not faults and [*sheets] == [""]:  # they name files, or lists, of the reports
        others = tuple(pair for pair in columns.named if pair[0] != "sheet")
        return table_for(sheets, replace(columns, named=others), needed, name, whole)
    if not faults:
        raise BadFile(
            f"{name}: no sheet is named {' or '.join(map(repr, named))}",
            f"Name one of these: {', '.join(there)}.",
        )
    said = {*columns.named_as("report")}  # a sheet that has them not is not meant
    meant = {
        sheet: fault
        for sheet, fault in faults.items()
        if said <= {name for row in sheets.get(sheet, ()) for name in row.fields}
    }
    raise _fault_of_all(meant or faults, columns, there, sheets)


def _fault_of_all(
    faults: Mapping[str, BadFile],
    columns: NamedColumns,
    order: Sequence[str],
    sheets: Mapping[str, Sequence[InputRow]],
) -> BadFile:
    """What is wrong where no table has what is needed: of those with a way to go on the longest.

    Where several have the same way, they are asked for together, and then others by themselves.
    order: of tables in the file.
    """
    unclear = {sheet: each for sheet, each in faults.items() if isinstance(each, Unclear)}
    if not unclear:
        return next(iter(faults.values()))
    first = next(iter(unclear.values()))
    alike = [s for s, e in unclear.items() if {*e.choices} == {*first.choices} and s]
    alike.sort(key=order.index)
    by_agent = any(part == "agent" for each in first.choices for part, _ in each.said)
    if len(alike) < 2 or by_agent or columns.named_as("sheet") or columns.named_as("agent"):
        every = dict.fromkeys(way for each in unclear.values() for way in each.choices)
        ways = sorted(every, key=lambda way: "id" in dict(way.said))  # which says less than prompts
        return Unclear(first.problem, ways)
    own = [sheets[each] for each in alike if each in sheets]
    ways = _of_sheets(alike, not any(map(_are_same, _likely_asked(own))), ())
    others = [way for sheet, each in unclear.items() if sheet not in alike for way in each.choices]
    return Unclear(first.problem, [*whole_choices([first.choices, ways]), *others])


def _likely_asked(sheets: Sequence[Sequence[InputRow]]) -> list[list[set[str]]]:
    """What stands in each sheet, by the columns that may be prompts: texts that are far shorter
    than others, or all that are none.
    """
    rows = [row for those in sheets for row in those]
    names = [*dict.fromkeys(name for row in rows for name in row.fields)]
    wordy = [name for name in names if is_wordy(rows, name)]
    longest = max((length_of(rows, name) for name in wordy), default=0)
    short = [name for name in wordy if length_of(rows, name) * 3 < longest]
    return [
        [{*map(as_typed, texts_at(those, name))} for those in sheets]
        for name in short or [name for name in names if name not in wordy]
    ]


def _are_same(several: Sequence[set[str]]) -> bool:
    """Whether each says mostly what the one before it does, as sheets of agents ask the same."""
    return all(len(a & b) * 2 >= min(len(a), len(b)) > 0 for a, b in pairwise(several))


def _doubt_left(
    found: Mapping[str, Found], faults: Mapping[str, BadFile], columns: NamedColumns, name: str
) -> None:
    """Raise BadFile for a sheet that is left though it may hold reports; tell of others.

    Where people say which columns are reports, a sheet that has them not holds none.
    """
    left = {sheet: each for sheet, each in faults.items() if sheet and sheet not in found}
    if not left or columns.named_as("sheet"):
        return
    for each in () if columns.named_as("report") else left.values():
        ways = choices_in(each)
        parts = {part for way in ways for part, _ in way.said}
        if "report" in parts and parts.isdisjoint(("prompt", "id")):
            by_sheet = [] if "agent" in parts else [ColumnChoice((("agent", SHEET),))]
            alone = (
                choices_in(_several(found, columns, name))
                if len(found) > 1
                else [ColumnChoice((*columns.named, ("sheet", s))) for s in found]
            )
            raise Unclear(each.problem, [*whole_choices([ways, by_sheet]), *alone])
    rows = [row for those, _ in found.values() for row in those]
    if all(row.flat for row in rows):
        told = f"{name}: sheets without reports are left out: {', '.join(map(repr, left))}."
        warnings.warn(Notice(told), stacklevel=3)


def _doubt_lists(
    found: Mapping[str, Found], columns: NamedColumns, name: str, part: ColumnPart
) -> None:
    """Raise BadFile for lists in rows that are taken as they are: each entry may be a row.

    part: of reports, lists with texts count; of prompts, those with what is known as one.
    """
    if columns.named_as(part):
        return
    for sheet, (rows, each) in found.items():
        lists = {
            ".".join(filter(None, (sheet, *path)))
            for row in rows
            for path, inner in lists_within(row.fields)
            if len(inner) > 1
            if any(
                is_known(key, part, 0)
                if part == "prompt"
                else is_wordy([InputRow("", fields)], key)
                for fields in inner
                for key in fields
            )
        }
        taken = each.of([part])
        if lists and taken and each.prompt:
            ways = [[("sheet", path)] for path in sorted(lists)]
            ways.append([(part, column) for column in taken])
            raise Unclear(
                f"{name}: {' and '.join(map(repr, sorted(lists)))} may hold what is meant, or "
                f"{' and '.join(map(repr, taken))}",
                [ColumnChoice((*columns.named, *way)) for way in ways],
            )


def _having(
    tables: Mapping[str, list[InputRow]],
    columns: NamedColumns,
    needed: Sequence[Sequence[ColumnPart]],
    name: str,
    whole: Callable[[Json], bool],
    faults: dict[str, BadFile],
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
            faults[sheet] = error
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
    hidden = [sheet for sheet, (those, _) in found.items() if those[0].hidden]
    if hidden and not columns.named_as("sheet"):
        told = f"{name}: hidden sheets are read: {', '.join(map(repr, hidden))}."
        warnings.warn(Notice(told), stacklevel=3)
    first = next(iter(found.values()))[1]
    rows = [
        row
        for rows, each in found.values()
        for row in _renamed(filled_down(without_sum(rows, each), each), each, first)
    ]
    refuse_no_tasks(rows, first)
    rows = without_words(rows, first.prompt or "", columns, name)
    rows = written_alike(rows, first, name)
    return find_table(rows, columns, needed, name, whole) if len(found) > 1 else (rows, first)


def _of_tasks(found: dict[str, Found]) -> dict[str, Found]:
    """Of tables with prompts those without reports, if any certainly has prompts."""
    alone = {sheet: each for sheet, each in found.items() if not each[1].report}
    certain = {s: e for s, e in alone.items() if not is_weak("prompt", str(e[1].prompt))}
    if alone and (certain or len(alone) == len(found)):
        return alone
    return {sheet: each for sheet, each in found.items() if sheet not in alone}


def _renamed(rows: list[InputRow], of: FoundColumns, first: FoundColumns) -> list[InputRow]:
    """Rows of a table with the names that the columns have in the first one."""
    pairs = [(of.id, first.id), (of.prompt, first.prompt), (of.agent, first.agent)]
    if len(of.report) == len(first.report) == 1:
        pairs.append((of.report[0], first.report[0]))
    names = {own: other for own, other in pairs if own and other and own != other}
    if not names or SHEET in names or SHEET in names.values():
        return rows
    return [
        replace(row, fields={names.get(name, name): each for name, each in row.fields.items()})
        for row in rows
    ]


def _several(found: Mapping[str, Found], columns: NamedColumns, name: str) -> BadFile:
    sheets = [*found]
    hidden = [sheet for sheet, (rows, _) in found.items() if rows[0].hidden]
    agents = any(each.agent for _, each in found.values())
    asked = [texts_at(rows, each.prompt or each.id or "") for rows, each in found.values()]
    agents = agents or not _are_same([{*map(as_typed, those)} for those in asked])
    ways = _of_sheets(sheets, agents, hidden)
    names = [f"{each!r}, which is hidden" if each in hidden else repr(each) for each in sheets]
    shown = ", ".join(names[:6]) + (" and more" if len(sheets) > 6 else "")
    return Unclear(
        f"{name}: {len(found)} sheets may be meant: {shown}",
        [ColumnChoice((*columns.named, *way.said), way.note) for way in ways],
    )


def _of_sheets(sheets: Sequence[str], agents: bool, hidden: Sequence[str]) -> list[ColumnChoice]:
    """All sheets, or one of them. agents: sheets are hardly named after them, as where columns name
    them, or none asks again what another does. hidden: those that are not shown.
    """
    together = ColumnChoice(tuple(("sheet", each) for each in sheets), "all together")
    ways = [ColumnChoice((("sheet", s),), "hidden" if s in hidden else "") for s in sheets[:4]]
    if hidden:
        seen = tuple(("sheet", each) for each in sheets if each not in hidden)
        first = [ColumnChoice(seen, "all that are shown")] if len(seen) > 1 else []
        return [*first, *ways, together._replace(note="all together, with the hidden")]
    each = ColumnChoice((("agent", SHEET),), "each is an agent")
    return [together, *ways, each] if agents else [each, *ways, together]
