"""Files and folders of a set that is named, as the rows that its layout wants.

What a file is by itself, by its columns, is not asked here: one JSON object may be a row, or hold
rows by identifier, and the layout says which.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path

from deepassay.errors import Notice
from deepassay.intake.rows import InputRow
from deepassay.intake.tables import YAML, document_of, read_tables
from deepassay.tasks.rows import DOCUMENTS, as_bad_tasks, documents_in
from deepassay.tasks.set_tables import EACH, SetLayout, fits, name_in_file


def rows_of_layout(layout: SetLayout, path: Path) -> list[InputRow]:
    """The rows of a file, or of the files of a folder that are of the layout; none where none is.

    Of files of a folder that are not of it a Notice tells. Raises BadTasks.
    """
    if not path.is_dir():
        rows = _rows_of_file(layout, path, path.name)
        return rows if fits(layout, rows) else []
    files = {
        each.relative_to(path).as_posix(): each for each in documents_in(path, DOCUMENTS | YAML)
    }
    called = [name for name in files if name_in_file(layout, InputRow(name, {})) is not None]
    found: list[InputRow] = []
    others: list[str] = []
    for name, file in files.items():
        rows = [] if called and name not in called else _rows_of_file(layout, file, name)
        if name in called or fits(layout, rows):
            found += rows
        else:
            others.append(name)
    if not fits(layout, found):
        return []
    if others:
        told = f"{path.name}: {len(others)} of {len(files)} files are not of the set's layout"
        warnings.warn(Notice(f"{told} and not used, first {others[0]}."), stacklevel=2)
    return found


def _rows_of_file(layout: SetLayout, path: Path, name: str) -> list[InputRow]:
    with as_bad_tasks(path):
        whole = document_of(path)
        if isinstance(whole, Mapping):
            row = InputRow(name, {**whole})
            if fits(layout, [row]):
                return [row]
            by_key = [
                # The key is an identifier where the layout has no other.
                InputRow(f"{name}, {key}", {EACH: key, **each} if _keyed(layout) else {**each})
                for key, each in whole.items()
                if isinstance(each, Mapping)
            ]
            if len(by_key) == len(whole) and fits(layout, by_key):
                return by_key
        if not path.read_bytes().strip():
            return []
        return [row for rows in read_tables(path, name).values() for row in rows]


def _keyed(layout: SetLayout) -> bool:
    return layout.id in ("", EACH)
