"""Rows, each with the place that a message names."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from deepassay.score import Json, digest
from deepassay.text import brief

Way = Sequence[str | int]
"""The way to a part of an entry: keys, and places in lists from 0 on."""


class InnerField(NamedTuple):
    """What stands inside a field of a row. called: the name that it is known by, if any."""

    value: Json
    called: str


@dataclass(frozen=True)
class InputRow:
    """One row. place: how a message names it, e.g. `tasks.jsonl, line 3`.

    part: how it names a part, where parts have lines of their own. flat: whether it has cells, as
    in a spreadsheet, in which a list can only be written as text. inner: what stands inside its
    fields, by dotted paths, where that was looked at. hidden: whether its sheet is.
    """

    place: str
    fields: Mapping[str, Json]
    part: Callable[[Way], str] | None = None
    flat: bool = False
    inner: Mapping[str, InnerField] = field(default_factory=dict, repr=False)
    hidden: bool = False

    @property
    def cells(self) -> dict[str, str]:
        """The fields as texts without blanks around them, empty where there is nothing."""
        return {
            name: "" if value is None else str(value).strip() for name, value in self.fields.items()
        }

    def at(self, name: str) -> Json:
        """What stands in a field, or inside of one; nothing where nothing does."""
        if name in self.fields:
            return self.fields[name]
        return self.inner[name].value if name in self.inner else None

    def place_of(self, way: Way) -> str:
        """How a message names a part of the row, or else the row."""
        return self.part(way) if self.part is not None else self.place


def same_words(prompt: str) -> str:
    """A prompt without what does not count in it: how blanks and line ends are written."""
    return " ".join(prompt.split())


_AS_TYPED: Final = str.maketrans(
    dict.fromkeys("’‘‚′", "'") | dict.fromkeys("“”„«»″", '"') | dict.fromkeys("–—‑", "-")
    | {"…": "...", "\u200b": None}
)  # fmt: skip


def as_typed(prompt: str) -> str:
    """A prompt without what typing it again changes: blanks, marks, capitals, its last mark."""
    plain = unicodedata.normalize("NFC", prompt).translate(_AS_TYPED).casefold()
    return same_words(plain).rstrip(" .?!:;。？！：；")


def alike_prompts(others: Sequence[str]) -> str:
    """What a Notice says of prompts that are others, but for how they were typed."""
    return (
        f"{len(others)} prompts differ from others in marks, blanks or capitals only, and are one "
        f"with them: {brief(others[0])}."
    )


def made_id(prompt: str) -> str:
    """The identifier of a task that has none: the same whatever stands around it in the file."""
    return f"p-{digest(same_words(prompt))[:10]}"


def numbers_rows(rows: Sequence[InputRow], id: str, prompt: str) -> bool:
    """Whether identifiers are not of tasks: one prompt has several, or all prompts have one."""
    if len({str(row.fields.get(id)) for row in rows}) == 1:
        return len({same_words(str(row.fields.get(prompt))) for row in rows}) > 1
    known: dict[str, Json] = {}
    return any(
        known.setdefault(same_words(str(row.fields.get(prompt))), row.fields.get(id))
        != row.fields.get(id)
        for row in rows
    )
