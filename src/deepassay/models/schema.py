"""JSON schemas of answers: how long an answer may be, and the words that an endpoint knows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, Literal

from deepassay.score import Json

LEAST_TEXT: Final = 80
LEAST_LISTED: Final = 300
"""Characters that a text keeps, however little an answer may hold; more in a list of any length,
which can have fewer entries instead."""

USUAL_TEXT: Final = 150
"""Characters of a text, by which it is reckoned how many entries of a list an answer holds."""

LONGEST: Final = 1_000_000
"""Characters: longer than any text."""

_LONGEST_KNOWN: Final = 1_900
"""llama.cpp refuses a grammar that repeats anything more than 2,000 times."""

_STEPS: Final = 100
"""Into how many steps a range of numbers is divided where a grammar has no ranges."""

Dialect = Literal["full", "openai", "anthropic", "google"]
"""How much of JSON Schema an endpoint takes. full: what llama.cpp, Ollama and vLLM make a grammar
of; not all of them know ranges of numbers, which become menus. The others say what they refuse."""

_REFUSED: Final[Mapping[Dialect, tuple[str, ...]]] = {
    "full": (),
    "openai": ("minLength", "maxLength", "prefixItems", "exclusiveMinimum"),
    "anthropic": (
        *("minLength", "maxLength", "prefixItems", "exclusiveMinimum"),
        *("minItems", "maxItems", "minimum", "maximum"),
    ),
    "google": ("minLength", "maxLength", "exclusiveMinimum"),
}


def fitted_schema(schema: Json, characters: float, dialect: Dialect) -> dict[str, Json]:
    """A schema of so long an answer at most, for this endpoint; `Form.within` says how."""
    for shorter, usual in _WAYS:
        for _ in range(8):
            if longest(schema, usual) <= characters:
                break
            schema = shorter(schema)
    return _in(dialect, schema)


def record(fields: Mapping[str, Json]) -> dict[str, Json]:
    """The schema of an object with all of these fields and no other."""
    closed = {"required": [*fields], "additionalProperties": False}
    return {"type": "object", "properties": dict(fields), **closed}


def throughout(schema: Json, change: Callable[[Json], Json]) -> dict[str, Json]:
    """A schema with every schema that stands in it changed."""
    changed: dict[str, Json] = dict(schema)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            changed[name] = change(schema[name])
    for name in ("prefixItems", "anyOf"):
        if name in schema:
            changed[name] = [change(each) for each in schema[name]]
    if "properties" in schema:
        changed["properties"] = {key: change(each) for key, each in schema["properties"].items()}
    return changed


def json_for_people(value: Json) -> str:
    """A value as JSON, for people."""
    return json.dumps(value, ensure_ascii=False)


def longest(schema: Json, text: int = LONGEST) -> int:
    """Characters of the longest answer that a schema allows. text: no text is longer than this."""
    match schema:
        case {"enum": menu}:
            characters = max((len(json_for_people(each)) for each in menu), default=0)
        case {"anyOf": kinds}:
            characters = max(longest(each, text) for each in kinds)
        case {"properties": fields}:
            inner = (len(key) + 6 + longest(each, text) for key, each in fields.items())
            characters = 2 + sum(inner)
        case {"prefixItems": rows}:
            characters = 2 + sum(2 + longest(each, text) for each in rows)
        case {"items": entry, "maxItems": most}:
            characters = 2 + int(most) * (2 + longest(entry, text))
        case {"maxLength": most}:
            characters = 2 + min(text, int(most))
        case _:
            characters = 20
    return characters


def _shorter_lists(schema: Json) -> dict[str, Json]:
    """A schema whose lists are half as long."""
    short = throughout(schema, _shorter_lists)
    if "items" in short:
        short["maxItems"] = max(short.get("minItems", 1), short["maxItems"] // 2)
    return short


def _shorter_texts(schema: Json, least: int, listed: int) -> dict[str, Json]:
    """A schema whose texts are half as long. least: what they keep, in lists `listed`."""
    inner = listed if "items" in schema else least
    short = throughout(schema, lambda each: _shorter_texts(each, inner, listed))
    if "maxLength" in short and short.get("minLength", 0) <= least:
        short["maxLength"] = max(min(short["maxLength"], least), short["maxLength"] // 2)
    return short


_WAYS: Final[tuple[tuple[Callable[[Json], Json], int], ...]] = (
    (_shorter_lists, USUAL_TEXT),
    (partial(_shorter_texts, least=LEAST_TEXT, listed=LEAST_LISTED), LONGEST),
    (_shorter_lists, LONGEST),
    (partial(_shorter_texts, least=LEAST_TEXT, listed=LEAST_TEXT), LONGEST),
)
"""Ways to shorten answers, one after the other, with the length that a text is reckoned at."""


def _in(dialect: Dialect, schema: Json) -> dict[str, Json]:
    """A schema in the words that an endpoint knows; what it cannot say, the check still holds."""
    known = throughout(schema, lambda each: _in(dialect, each))
    if dialect == "full":
        for limit in ("minLength", "maxLength"):
            if known.get(limit, 0) > _LONGEST_KNOWN:
                del known[limit]
        if known.get("type") == "number" and "maximum" in known:
            return {"enum": _steps(known)}
    if "prefixItems" in known and "prefixItems" in _REFUSED[dialect]:
        known["items"] = _merged(known["prefixItems"])
    return {name: each for name, each in known.items() if name not in _REFUSED[dialect]}


def _steps(schema: Mapping[str, Json]) -> list[float]:
    """Numbers from the lowest to the highest; an end that is excluded is not among them."""
    first = 1 if "exclusiveMinimum" in schema else 0
    low, high = schema.get("minimum", schema.get("exclusiveMinimum", 0)), schema["maximum"]
    steps = (round(low + (high - low) * at / _STEPS, 6) for at in range(first, _STEPS + 1))
    return [int(each) if float(each).is_integer() else each for each in steps]


def _merged(rows: Sequence[Json]) -> Json:
    """One entry for all rows of a list: what is fixed in each of them becomes a menu."""
    fields: dict[str, Json] = {}
    for name in rows[0]["properties"] if rows else ():
        kinds = [row["properties"][name] for row in rows]
        menus = [value for kind in kinds for value in kind.get("enum", ())]
        fields[name] = {"enum": [*dict.fromkeys(menus)]} if menus else kinds[0]
    return record(fields)
