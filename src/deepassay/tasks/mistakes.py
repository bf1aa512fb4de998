"""What pydantic finds wrong in an entry of a file, in the words of a person."""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

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
    return _WORDS.get(kind) or mistake["msg"].removeprefix("Value error, ")
