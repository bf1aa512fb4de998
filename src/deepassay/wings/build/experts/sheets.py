"""Sheets that people fill in: CSV without formulas going out, and what they said coming in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from deepassay.errors import BadTasks
from deepassay.results.tables import as_csv, unguarded
from deepassay.tasks.entries import write_file
from deepassay.tasks.rows import TaskRow, read_rows
from deepassay.wings.build.experts.verification import PersonAnswer

_MOST_SAID: Final = 5


@dataclass(frozen=True)
class FilledRow:
    """A row as it came back. when: as its cell says, or the time of the file."""

    cells: Mapping[str, str]
    when: str
    place: str


class Wrong(Exception):
    """What is wrong with a row, in words."""


def as_sheet(rows: Iterable[Mapping[str, str]], columns: Sequence[str], known: str = "") -> str:
    """Rows as CSV for a spreadsheet program. known: the sheet so far, to which they are added."""
    if known and not known.endswith("\n"):
        known += "\r\n"
    # They take a file without this mark for one in an old encoding.
    return "\ufeff" + known + as_csv(rows, columns, header=not known, line_end="\r\n")


def write_sheet(path: Path, text: str) -> None:
    """Write a sheet. Raises BadTasks where another one is, which people may have filled in."""
    if path.exists() and path.read_bytes() != text.encode():
        raise BadTasks(
            f"{path} is there and would be overwritten; people may have filled it in.",
            "Give another file, or move that one away.",
        )
    write_file(path, text)


def filled_rows(path: Path, wanted: Sequence[str]) -> list[TaskRow]:
    """The rows of a sheet that hold anything. Raises BadTasks for a column that is missing."""
    # Spreadsheet programs leave rows of nothing but commas behind.
    rows = [row for row in read_rows(path) if any(row.cells.values())]
    for row in rows[:1]:
        if missing := [name for name in wanted if name not in row.fields]:
            raise BadTasks(
                f"{path} has no column {missing[0]!r}.",
                "Save the sheet as CSV with commas and with the columns that it came with.",
            )
    return rows


def refuse_flawed(path: Path, problems: Sequence[str], remedy: str) -> None:
    """Raise BadTasks if anything is wrong with a sheet. problems: in words, with their place."""
    if problems:
        more = len(problems) - _MOST_SAID
        named = [*problems[:_MOST_SAID], *[f"and {more} more"] * (more > 0)]
        raise BadTasks("\n".join([f"{path} cannot be used as it is:", *named]), remedy)


def read_said(
    path: Path, wanted: Sequence[str], read: Callable[[FilledRow], list[PersonAnswer]]
) -> list[PersonAnswer]:
    """What the rows of a sheet say, each thing once.

    wanted: columns that it must have. read: what a row says; raises Wrong. Raises BadTasks, naming
    the rows that are wrong.
    """
    rows = filled_rows(path, wanted)
    when = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    found: dict[PersonAnswer, None] = {}
    problems: list[str] = []
    for row in rows:
        cells = {name: unguarded(cell) for name, cell in row.cells.items()}
        try:
            said = read(FilledRow(cells, cells.get("When") or when, row.place))
            found |= dict.fromkeys(said)
        except Wrong as wrong:
            # Lines of a file mean little where cells have several.
            name = " ".join(filter(None, (cells.get("qid"), cells.get("item"))))
            problems.append(f"{row.place} ({name}): {wrong}.")
    remedy = "Correct these cells; the sheet was not touched. Rows without an answer are open."
    refuse_flawed(path, problems, remedy)
    return [*found]
