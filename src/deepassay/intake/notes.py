"""Texts with fields above them, as programs for notes and sites keep them: a row each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from deepassay.files import BadFile, read_yaml
from deepassay.intake.encodings import text_of
from deepassay.intake.heads import is_known
from deepassay.intake.rows import InputRow
from deepassay.intake.shapes import plain_value
from deepassay.score import Json

_ABOVE: Final = re.compile(
    r"\A\s*---[ \t]*\r?\n((?:[^\s:]+:.*\r?\n|[ \t]+.*\r?\n|- .*\r?\n)+)---[ \t]*\r?\n"
)


def fields_above(text: str) -> tuple[Mapping[str, Json], str]:
    """The fields that stand above a text, if any can be read, and what is below them."""
    found = _ABOVE.match(text)
    if not found:
        return {}, text
    try:
        fields = plain_value(read_yaml(found[1]))
    except BadFile:
        fields = {}
    return fields if isinstance(fields, Mapping) else {}, text[found.end() :].strip()


def is_note(path: Path) -> bool:
    """Whether a field above a text says what was asked."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        begins = file.read(10).lstrip(b"\xef\xbb\xbf \r\n").startswith(b"---")
    try:
        fields = fields_above(text_of(path.read_bytes())[0])[0] if begins else {}
    except BadFile:
        return False  # whoever reads it says so
    return any(is_known(name, "prompt", 0) and isinstance(fields[name], str) for name in fields)


def rows_of_notes(files: Iterable[Path]) -> list[InputRow]:
    """A row of the fields and the text of each file, and of the folder it is in."""
    rows = []
    for path in files:
        fields, below = fields_above(text_of(path.read_bytes())[0])
        rows.append(InputRow(str(path), {"folder": path.parent.name, **fields, "report": below}))
    return rows
