"""Fields of task files: kinds of text, and what is wrong with a value, in the words of a person."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from deepassay.intake.rows import Way

_WORDS: Final = {
    "missing": "is missing",
    "too_short": "is empty",
    "string_type": "is not a text; quote it",
    "float_type": "is not a number",
    "int_type": "is not a whole number",
    "finite_number": "is not a finite number",
    "list_type": "is not a list",
    "tuple_type": "is not a list",
    "dict_type": "is not a mapping",
    "model_type": "is not a mapping with fields",
    "model_attributes_type": "is not a mapping with fields",
}


def _writable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("holds half a character (a lone surrogate)") from error
    return text


def _real(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


class Record(BaseModel):
    """Base of what files hold: exact types, no field missing, none besides."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Writable = Annotated[str, AfterValidator(_writable)]
"""Perhaps empty."""

Text = Annotated[str, AfterValidator(_real), AfterValidator(_writable)]
"""Not empty."""


class Misplaced(ValueError):
    """Something wrong with one part of a list. place: which, from 0 on."""

    def __init__(self, place: int, problem: str) -> None:
        super().__init__(problem)
        self.place = place


def field_name(way: Way) -> str:
    """The way to a part as people write it, places in lists from 1 on: `rubric[3].weight`."""
    name = ""
    for part in way:
        if isinstance(part, int):
            name += f"[{part + 1}]"
        elif part != "[key]":
            name += f".{part}" if name else part
    return name


def first_mistake(error: ValidationError) -> ErrorDetails:
    """The first of what is wrong."""
    return error.errors(include_url=False)[0]


def problem_of(mistake: ErrorDetails) -> str:
    """What goes on after the name of a field: `is missing`, `is not a number`."""
    kind = mistake["type"]
    if kind != "missing" and mistake["input"] is None:
        return "is empty"
    limits = mistake.get("ctx", {})
    if kind.startswith(("greater_than", "less_than")):
        (sign, limit), *_ = limits.items()
        words = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
        return f"must be {words[sign]} {limit:g}"
    if kind == "literal_error":
        return f"is unknown; there are: {limits['expected']}"
    return _WORDS.get(kind) or mistake["msg"].removeprefix("Value error, ")


def brief_text(text: str) -> str:
    """At most a hundred characters of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:99] + "…"
