"""Which column of a table is what: by the names that people give them, or as they say.

A column is taken by its name alone, never by what is in it. Where two fit, both are named and
neither is taken; what fits nowhere is shown, with the option that would say it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

from deepassay.errors import Notice
from deepassay.files import BadFile
from deepassay.intake.columns import AGENTLESS, FoundColumns, NamedColumns, option
from deepassay.intake.heads import (
    MEANS,
    ColumnPart,
)
from deepassay.intake.laying import in_rows
from deepassay.intake.leaves import opened
from deepassay.intake.rows import InputRow
from deepassay.intake.searched import SearchedTable
from deepassay.score import Json


def agents_in(rows: Sequence[InputRow]) -> str | None:
    """The one column that names agents, if there is one."""
    try:
        found = SearchedTable(rows, NamedColumns(), "").known("agent", set())
    except BadFile:
        return None
    return found[0] if found else None


def find_table(
    rows: Sequence[InputRow],
    columns: NamedColumns,
    needed: Sequence[Sequence[ColumnPart]],
    place: str,
    whole: Callable[[Json], bool] = lambda value: False,
) -> tuple[list[InputRow], FoundColumns]:
    """The rows of a table and its columns, of which those inside of fields are fields as well.

    needed: of each group one has to be there. place: for messages. whole: what stays whole though
    it has fields, as answers of providers.

    Raises BadFile, with the first row as it was read, where one is missing or several fit.
    """
    rows = opened(in_rows(rows, columns), whole)
    found = find_columns(rows, columns, needed, place, whole)
    inner = [each for each in found.taken if all(each not in row.fields for row in rows)]
    if not inner:
        return rows, found
    filled = [
        replace(row, fields={**row.fields, **{name: row.at(name) for name in inner}})
        for row in _with_any(rows, [each for group in needed for each in found.of(group)], place)
    ]
    return filled, found


def _with_any(rows: Sequence[InputRow], names: Sequence[str], place: str) -> Sequence[InputRow]:
    """The rows in which anything of what is needed stands; of others a Notice tells.

    Logs have a line for each of several kinds of events.
    """
    inside = [each for each in names if any(each in row.inner for row in rows)]
    kept = [row for row in rows if not inside or any(row.at(each) is not None for each in inside)]
    if len(kept) < len(rows):
        shown = " nor ".join(map(repr, inside))
        told = f"{place}: {len(rows) - len(kept)} of {len(rows)} rows have no {shown}."
        warnings.warn(Notice(told), stacklevel=2)
    return kept


def find_columns(
    rows: Sequence[InputRow],
    columns: NamedColumns,
    needed: Sequence[Sequence[ColumnPart]],
    place: str,
    whole: Callable[[Json], bool] = lambda value: False,
) -> FoundColumns:
    """The columns of a table whose rows are opened. Raises BadFile as `find_table` does."""
    table = SearchedTable(rows, columns, place, whole)
    found: dict[str, tuple[str, ...]] = {}
    both: Sequence[ColumnPart] = ("prompt", "report")
    first = [part for part in both if [part] in [[*each] for each in needed]]
    parts: Sequence[ColumnPart] = (*first, "prompt", "report", "agent", "id")
    for part in dict.fromkeys(parts):
        found[part] = table.named(part)
        if not found[part] and "" not in columns.named_as(part):
            taken = {each for those in found.values() for each in those}
            found[part] = table.known(part, taken, found)
    for group in needed:
        if not any(found[part] for part in group):
            raise table.lacking(group, found)
    found["sample"] = table.named("sample")
    if not found["sample"] and "" not in columns.named_as("sample"):
        found["sample"] = table.samples(found)
    for name, those in found.items():
        if len(those) > 1 and name != "report":
            raise BadFile(
                f"{place}: --columns gives {' and '.join(map(repr, those))} as {MEANS[name]}",
                "Give one of them.",
            )
    if len(found["report"]) > 1 and found["agent"]:
        raise BadFile(
            f"{place}: several columns of reports are an agent each, and {found['agent'][0]!r} "
            "names the agent as well",
            f"Give one column of reports, or say that none names the agent: {option(AGENTLESS)}",
        )
    taken = {each for those in found.values() for each in those}
    one = {part: those[0] if those else None for part, those in found.items()}
    return FoundColumns(
        one["id"],
        one["prompt"],
        found["report"],
        one["agent"],
        one["sample"],
        tuple(
            name
            for name in table.names
            if name not in taken and not any(each.startswith(f"{name}.") for each in taken)
        ),
    )
