"""Rows of the files that this room reads, and what is wrong with one as an error for people."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from deepassay.errors import BadTasks, Notice
from deepassay.files import BadFile, decode_text
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.intake.rows import InputRow
from deepassay.intake.tables import LINES, YAML, Tables, read_tables


def is_yaml(path: Path) -> bool:
    """Whether the ending says so."""
    return path.suffix.lower() in YAML


def read_rows(path: Path) -> list[InputRow]:
    """All rows of a file that holds one table; an unknown ending is read as JSON Lines.

    Raises BadTasks, and MissingExtra for what needs one.
    """
    tables = tables_in(path)
    if len(tables) > 1:
        raise BadTasks(
            f"{path.name} has several sheets: {', '.join(tables)}.",
            "Save the one that is meant as a file of its own.",
        )
    return next(iter(tables.values()), [])


def tables_in(path: Path, columns: NamedColumns = UNSAID) -> Tables:
    """The tables of a file: several only where it is a workbook. Raises as `read_rows` does.

    Their columns are met, also where nobody has to look for the one of prompts.
    """
    if path.is_dir():
        return {"": rows_in_folder(path)}
    with as_bad_tasks(path):
        tables = read_tables(path, columns=columns)
    columns.met.update(name for rows in tables.values() for row in rows[:1] for name in row.fields)
    return tables


DOCUMENTS: Final = frozenset((".json", *LINES))
"""Endings of files of which a folder may hold one for each task."""


def documents_in(folder: Path, endings: Collection[str] = DOCUMENTS) -> list[Path]:
    """The files of a folder and of those in it that may be of a task each; hidden ones apart."""
    found = sorted(each for each in folder.rglob("*") if each.suffix.lower() in endings)
    return [
        each
        for each in found
        if each.is_file()
        and not any(part.startswith((".", "_")) for part in each.relative_to(folder).parts)
    ]


def rows_in_folder(folder: Path, some: Sequence[Path] = ()) -> list[InputRow]:
    """The rows of all documents in a folder, or of some. Raises BadTasks, also for no document."""
    files = some or documents_in(folder)
    if not files:
        raise BadTasks(f"{folder} is a folder.", "Name the task file inside it.")
    rows: list[InputRow] = []
    blank = [path for path in files if not path.read_bytes().strip()]
    if blank:
        told = f"{folder}: {len(blank)} of {len(files)} files are empty, first {blank[0].name}."
        warnings.warn(Notice(told), stacklevel=2)
    for path in files:
        if path in blank:
            continue
        with as_bad_tasks(path):
            name = path.relative_to(folder).as_posix()
            for own in read_tables(path, name).values():
                rows += own
    return rows


def read_task_text(path: Path) -> str:
    """The text of a file in UTF-8, line ends as they are. Raises BadTasks and OSError."""
    content = path.read_bytes()
    with as_bad_tasks(path):
        return decode_text(content).removeprefix("\ufeff")


@contextmanager
def as_bad_tasks(path: Path) -> Iterator[None]:
    """What is wrong with a file, said as an error of this room."""
    try:
        yield
    except BadFile as error:
        raise bad_tasks(error, path.name) from error
    except OSError as error:
        raise BadTasks(
            f"{path} cannot be read: {error.strerror or error}.", "Check the path."
        ) from error


def bad_tasks(error: BadFile, name: str) -> BadTasks:
    """What is wrong with a file, as an error of this room.

    name: of the file, unless the problem tells it already.
    """
    where = "" if error.problem.startswith(name) else f"{error.at(name)}: "
    return BadTasks(f"{where}{error.problem.removesuffix('.')}.", error.remedy)
