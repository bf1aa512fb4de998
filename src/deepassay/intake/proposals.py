"""What a refusal shows: the first row, and the columns that are likely meant, never a choice."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from deepassay.intake.heads import KNOWN, ColumnPart, plain_words
from deepassay.intake.rows import InputRow
from deepassay.score import Json

_DATE_OR_ADDRESS: Final = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T,].*)?|\S+@\S+\.\w+|\w+://\S+"
    r"|[\d:., -]+\s*((AM|PM|GMT|UTC|Z)\S*)?"
)


def by_likelihood(rows: Sequence[InputRow], part: ColumnPart, names: Sequence[str]) -> list[str]:
    """Names of columns, with what is likely meant first.

    That are those with a word in their name that says it, neither dates nor addresses; then reports
    are the longest of texts, and prompts the shortest of those that have several words.
    """
    dated = {each for each in names if are_dates(rows, each)}
    wordy = [each for each in names if each not in dated and is_wordy(rows, each)]
    some = wordy or [each for each in names if each not in dated and part != "report"]
    sign = -1 if part == "report" else 1
    return sorted(
        some,
        key=lambda each: (
            not names_part(each, part),
            each.endswith(".user.last"),
            bool(re.search(r"\.\d+\.\D", each)),  # of one of several steps
            sign * length_of(rows, each),
        ),
    )


def names_part(name: str, part: ColumnPart) -> bool:
    """Whether a word in the name of a column says it: `Bot Reply`, `actualOutput`, 模型回答."""
    known = frozenset().union(*KNOWN[part])
    east = {each for each in known if not each.isascii() and len(each) > 1}
    return not known.isdisjoint(plain_words(name)) or any(each in name for each in east)


def is_wordy(rows: Sequence[InputRow], name: str) -> bool:
    """Whether texts of several words stand there."""
    texts = [str(value) for row in rows if (value := row.at(name)) is not None]
    words = sum(len(re.findall(r"[\u2e80-\u9fff]|\S+", each[:500])) for each in texts)
    return words >= 4 * sum(map(bool, texts))


def length_of(rows: Sequence[InputRow], name: str) -> float:
    """The mean length of the texts there; -1 where there is none."""
    texts = [text for row in rows if isinstance(text := row.at(name), str)]
    return sum(map(len, texts)) / len(texts) if texts else -1.0


_FILE: Final = re.compile(r"[^\n]{1,300}\.(md|markdown|txt|html?|pdf|docx)", re.IGNORECASE)


def names_files(rows: Sequence[InputRow], name: str) -> bool:
    """Whether nothing but names of files with reports stands there."""
    texts = [str(value).strip() for row in rows if (value := row.at(name)) not in (None, "")]
    return bool(texts) and all(map(_FILE.fullmatch, texts))


def are_dates(rows: Sequence[InputRow], name: str) -> bool:
    """Whether dates, times, addresses or numbers stand there."""
    texts = [str(value).strip() for row in rows if (value := row.at(name)) not in (None, "")]
    return bool(texts) and all(map(_DATE_OR_ADDRESS.fullmatch, texts))


_INNER_SHOWN: Final = 6
"""Fields inside one field that a message shows."""


def shown(row: InputRow) -> str:
    """A row as a message shows it."""
    fields: dict[str, Json] = {}
    for name, value in row.fields.items():
        inside = {path: row.at(path) for path in row.inner if path.startswith(f"{name}.")}
        for path, each in [*inside.items()][:_INNER_SHOWN] or [(name, value)]:
            fields[path] = _shortly(each)
    return f"The first row as it was read: {json.dumps(fields, ensure_ascii=False)}."


def _shortly(value: Json) -> Json:
    if isinstance(value, str) and len(value) > 40:
        return value[:39] + "…"
    if isinstance(value, str | int | float | None):
        return value
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"
