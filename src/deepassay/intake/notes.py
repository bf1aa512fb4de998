"""Texts with fields above them, as programs for notes and sites keep them: a row each."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import Notice
from deepassay.files import BadFile, read_yaml
from deepassay.intake.encodings import text_of
from deepassay.intake.heads import is_head, is_known
from deepassay.intake.rows import InputRow
from deepassay.intake.shapes import plain_value
from deepassay.score import Json
from deepassay.text import first_few

_ABOVE: Final = re.compile(
    r"\A\s*---[ \t]*\r?\n((?:[^\s:]+:.*\r?\n|[ \t]+.*\r?\n|- .*\r?\n)+)---[ \t]*\r?\n"
)
_LONGEST: Final = 10_000
"""Bytes of fields above a text."""
_TEXTS: Final = frozenset((".md", ".markdown", ".txt"))
_LINE: Final = r"(?:[-*+] )?\**([^\W\d_][^\n:*]{0,40})\**::?\** +([^\n]+)\n"
_LINES: Final = re.compile(rf"\A\s*(?:#[^\n]*\n\s*\n)?((?:{_LINE}){{2,}})\s*(?:\n|\Z)")
"""Lines below a title, as pages of databases of notes are written: `Model: heron`."""


def fields_above(text: str) -> tuple[Mapping[str, Json], str]:
    """The fields that stand above a text, if any can be read, and what is below them."""
    if listed := _LINES.match(text if text.endswith("\n") else f"{text}\n"):
        fields = {name.strip(): said.strip() for name, said in re.findall(_LINE, listed[1])}
        if _say_what_was_asked(fields):  # else a report may begin so
            return fields, text[listed.end() :].strip()
    found = _ABOVE.match(text)
    if not found:
        return {}, text
    try:
        fields = plain_value(read_yaml(found[1]))
    except BadFile:
        fields = {}
    return fields if isinstance(fields, Mapping) else {}, text[found.end() :].strip()


def _say_what_was_asked(fields: Mapping[str, Json]) -> bool:
    """Whether one says it by its name; or by a weaker one in a sentence, beside an agent."""
    by_agent = any(is_head(name, "agent") for name in fields)
    sentences = (n for n, said in fields.items() if _SENTENCE.search(str(said)) and by_agent)
    return any(is_known(name, "prompt", 0) for name in fields) or any(
        is_head(name, "prompt") for name in sentences
    )


_SENTENCE: Final = re.compile(r"[.?!。？！؟]\W*\Z")


def is_note(path: Path) -> bool:
    """Whether a field above a text says what was asked."""
    if not path.is_file() or path.suffix.lower() not in _TEXTS:
        return False
    with path.open("rb") as file:
        fields = fields_above(file.read(_LONGEST).decode("utf-8", "ignore").lstrip("\ufeff"))[0]
    texts = {name: each for name, each in fields.items() if isinstance(each, str)}
    return _say_what_was_asked(texts)


def notes_in(folder: Path) -> list[Path]:
    """The notes in a folder, at every depth."""
    files = folder.rglob("*")
    shown = (x for x in files if not re.search(r"(?:\A|/)\.", x.relative_to(folder).as_posix()))
    return sorted(filter(is_note, shown))


def rows_of_notes(files: Iterable[Path]) -> list[InputRow]:
    """A row of the fields and the text of each file, and of the folder it is in."""
    rows = []
    for path in files:
        fields, below = fields_above(text_of(path.read_bytes())[0])
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
