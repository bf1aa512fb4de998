"""What a column may be by what stands in it, and how a message shows a row."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from deepassay.intake.heads import KNOWN, ColumnPart, plain_words
from deepassay.intake.rows import InputRow
from deepassay.score import Json

_NAME: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")
_DATE_OR_ADDRESS: Final = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T,].*)?|\S+@\S+\.\w+|\w+://\S+(?:\s+\w+://\S+)*"
    r"|[\d:., -]+\s*((AM|PM|GMT|UTC|Z)\S*)?"
    r"|(?:[^\W\d_]+\.?,? )?(?:[^\W\d_]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?,?"
    r"|\d{1,2}(?:st|nd|rd|th|\.)? (?:de |of )?[^\W\d_]{3,12}\.?,?(?: de)?) \d{4}(?:\W.{0,24})?"
    r"|\d{4} ?[年년] ?\d{1,2} ?[月월] ?\d{1,2} ?[日일].{0,24}"
)
_STATE: Final = re.compile(
    r"(?=.*\d)[0-9a-f-]{7,}|true|false|yes|no|ja|nein|oui|non|ok|done|success|n/?a|none|null|-",
    re.IGNORECASE,
)
"""What is certainly no name of an agent: made identifiers, and states."""

_WORD: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3]|\S+")


def texts_at(rows: Sequence[InputRow], name: str) -> list[str]:
    """What stands in a column, as texts, where anything does."""
    return [str(value).strip() for row in rows if (value := row.at(name)) not in (None, "")]


def names_part(name: str, part: ColumnPart) -> bool:
    """Whether a word in the name of a column says it: `Bot Reply`, `Antworten`, 模型回答."""
    known = frozenset().union(*KNOWN[part])
    bare = plain_words(name)
    stems = {word[:-cut] for word in bare for cut in (1, 2) if len(word) > 4 + cut}
    east = {each for each in known if not each.isascii() and len(each) > 1}
    return not known.isdisjoint({*bare, *stems}) or any(each in name for each in east)


def is_name(value: Json) -> bool:
    """Whether it is a number, or a text without blanks as identifiers are."""
    return isinstance(value, int) or (isinstance(value, str) and bool(_NAME.fullmatch(value)))


def is_wordy(rows: Sequence[InputRow], name: str) -> bool:
    """Whether texts of several words stand there, neither dates nor addresses."""
    texts = [text for row in rows if isinstance(text := row.at(name), str) and text.strip()]
    words = sum(len(_WORD.findall(each[:500])) for each in texts)
    return words >= 4 * max(len(texts), 1) and not are_dates(rows, name)


def length_of(rows: Sequence[InputRow], name: str) -> float:
    """The mean length of the texts there; -1 where there is none."""
    texts = [text for row in rows if isinstance(text := row.at(name), str)]
    return sum(map(len, texts)) / len(texts) if texts else -1.0


_FILE: Final = re.compile(r"[^\n]{1,300}\.(md|markdown|txt|html?|pdf|docx)", re.IGNORECASE)


def names_files(rows: Sequence[InputRow], name: str) -> bool:
    """Whether nothing but names of files with reports stands there."""
    texts = texts_at(rows, name)
    return bool(texts) and all(map(_FILE.fullmatch, texts))


def are_dates(rows: Sequence[InputRow], name: str) -> bool:
    """Whether dates, times, addresses or numbers stand there."""
    texts = texts_at(rows, name)
    return bool(texts) and all(map(_DATE_OR_ADDRESS.fullmatch, texts))


_LONG: Final = 200
"""Characters from which on reports are long."""
_SHORTER: Final = 5
"""Times that a text is shorter than others which are long, so that it says why there is none."""
_SENTENCE: Final = re.compile(r"(?!.*\}\Z)[^\W\d_]{2}.*[.!?](\s|\Z)|[。？！\n]")
"""With a word before its end, which `1.` and `k. A.` have not; no object, as errors are told."""
_FEW_LINES: Final = 4
"""Lines that together may say why there is no report, as the page of a server does."""


def usual_of(sizes: Sequence[int]) -> int:
    """Characters of the middle one of reports, if they are long; else 0."""
    usual = sorted(sizes)[len(sizes) // 2] if sizes else 0
    return usual if usual >= _LONG else 0


def is_far_below(size: int, usual: int) -> bool:
    """Whether a text of so many characters is far shorter than others."""
    return size * _SHORTER < usual


def may_have_failed(text: str, usual: int) -> bool:
    """Whether it rather says why there is no report: no sentence, and far shorter than others."""
    lines = [each.strip() for each in text.split("\n") if each.strip()]
    said = (" " if len(lines) <= _FEW_LINES else "\n").join(lines)
    return bool(said) and is_far_below(len(text), usual) and not _SENTENCE.search(said)


def is_said(text: str) -> bool:
    """Whether a text has words, and is no made identifier or state."""
    return bool(re.search(r"[^\W\d_]{2}", text)) and not _STATE.fullmatch(text)


def shortened(text: str) -> str:
    """A text without the full stop of a name that ends in a short form: `Anna B.`, `Acme Inc.`."""
    return re.sub(r"(?<=\S)(\s+[^\W\d_a-z]\w{0,3})\.\s*\Z", r"\1", text)


def may_name_agents(rows: Sequence[InputRow], name: str) -> bool:
    """Whether every row has a short text there that may be somebody's name."""
    values = [row.at(name) for row in rows]
    return all(
        isinstance(each, str)
        and 0 < len(each.strip()) <= 60
        and re.search(r"[^\W\d_]", each)
        and not re.search(r"\n|[.?!。？！]\s*\Z|(\S+\s+){6}", shortened(each))
        and not _STATE.fullmatch(each.strip())
        and not _DATE_OR_ADDRESS.fullmatch(each.strip())
        for each in values
    )


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
