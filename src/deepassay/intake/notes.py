"""Texts with fields above them, as programs for notes and sites keep them: a row each."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import Notice
from deepassay.files import BadFile, read_yaml
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.intake.encodings import text_of
from deepassay.intake.heads import is_head, is_known
from deepassay.intake.proposals import is_wordy
from deepassay.intake.rows import InputRow
from deepassay.intake.shapes import plain_value
from deepassay.score import Json
from deepassay.text import first_few, natural_order

_ABOVE: Final = re.compile(
    r"\A\s*---[ \t]*\r?\n((?:[^\s:]+:.*\r?\n|[ \t]+.*\r?\n|- .*\r?\n)+)---[ \t]*\r?\n"
)
_LONGEST: Final = 10_000
"""Bytes of fields above a text."""
_TEXTS: Final = frozenset((".md", ".markdown", ".txt"))
_LINE: Final = r"(?:[-*+] )?\**([^\W\d_][^\n:*]{0,40})\**::?\** +([^\n]+)\n"
_LINES: Final = re.compile(rf"\A\s*(?:#[^\n]*\n\s*\n)?((?:{_LINE}){{2,}})\s*(?:\n|\Z)")
"""Lines below a title, as pages of databases of notes are written: `Model: heron`."""


def fields_above(text: str, certain: bool = False) -> tuple[Mapping[str, Json], str]:
    """The fields that stand above a text, if any can be read, and what is below them.

    certain: lines below a title are fields whatever they say; else a report may begin so.
    """
    if listed := _LINES.match(text if text.endswith("\n") else f"{text}\n"):
        fields = {name.strip(): said.strip() for name, said in re.findall(_LINE, listed[1])}
        if certain or _asking(fields):
            return fields, text[listed.end() :].strip()
    found = _ABOVE.match(text)
    if not found:
        return {}, text
    try:
        fields = plain_value(read_yaml(found[1]))
    except BadFile:
        fields = {}
    return fields if isinstance(fields, Mapping) else {}, text[found.end() :].strip()


def _asking(fields: Mapping[str, Json]) -> list[str]:
    """The fields that say what was asked: by name, or by a weaker one in a sentence, beside an
    agent.
    """
    by_agent = any(is_head(name, "agent") for name in fields)
    return [
        name
        for name, said in fields.items()
        if is_known(name, "prompt", 0)
        or (by_agent and is_head(name, "prompt") and _SENTENCE.search(str(said)))
    ]


_SENTENCE: Final = re.compile(r"[.?!。？！؟]\W*\Z")


def _texts_above(path: Path) -> dict[str, str]:
    """The fields above what a file holds, of which each is a text."""
    if path.suffix.lower() not in _TEXTS or not path.is_file():
        return {}
    with path.open("rb") as file:
        begins = file.read(_LONGEST).decode("utf-8", "ignore").lstrip("\ufeff")
    fields = fields_above(begins, certain=True)[0]
    return {name: each for name, each in fields.items() if isinstance(each, str)}


def notes_among(files: Iterable[Path], columns: NamedColumns = UNSAID) -> list[Path]:
    """The files in which a field above a text says what was asked, as people say or in one of them.

    Where it is certain of one file, others with that field are notes as well.
    """
    fields = {path: _texts_above(path) for path in files}
    asked = {name for each in fields.values() for name in _asking(each)}
    asked.update(columns.named_as("prompt"))
    return [path for path, each in fields.items() if not asked.isdisjoint(each)]


def notes_in(folder: Path, columns: NamedColumns) -> list[Path]:
    """The notes in a folder, at every depth."""
    files = folder.rglob("*")
    shown = (x for x in files if not re.search(r"(?:\A|/)\.", x.relative_to(folder).as_posix()))
    return sorted(notes_among(shown, columns))


def fields_in_each(files: Iterable[Path]) -> list[str]:
    """The fields in words that stand above each of several texts, with others; none if one has not.

    One of them may say what was asked.
    """
    every = [_texts_above(path) for path in files]
    shared = [name for name in every[0] if all(name in each for each in every)] if every else []
    rows = [InputRow("", each) for each in every]
    return [name for name in shared if len(shared) > 1 and is_wordy(rows, name)]


def rows_of_notes(files: Iterable[Path]) -> list[InputRow]:
    """A row of the fields and the text of each file, and of the folder it is in; of one folder in
    the order of their names, of which `X` stands before `X 2` and `X (1)`.
    """
    rows = []
    for path in sorted(files, key=lambda each: (each.parent, natural_order(each.stem), each)):
        fields, below = fields_above(text_of(path.read_bytes())[0], certain=True)
        held = {"folder": path.parent.name, **fields, "report": below or None}
        rows.append(InputRow(str(path), held))
    return rows


def beside_notes(files: Sequence[Path], notes: Sequence[Path]) -> list[Path]:
    """The files that may be reports beside notes: no text without fields that stands apart from
    most, which have some, as diaries and lists do. A Notice tells of those.
    """
    folders = {each.parent for each in notes}
    bare = [e for e in files if e.suffix.lower() in _TEXTS and e.parent not in folders]
    if not bare or len(bare) >= len(notes):
        return [*files]
    told = f"{first_few([each.name for each in bare], 3)}: left out, as {len(notes)} texts in "
    told += "other folders have fields above them. To count one as a report, write them there."
    warnings.warn(Notice(told), stacklevel=3)
    return [each for each in files if each not in bare]
