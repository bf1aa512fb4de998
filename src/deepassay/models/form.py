"""The form of the answer to one very question: its example in a prompt, its schema for a provider.

A reply class says what a kind of answer is made of. The question says the rest: which keys, how
many entries, what menu. A small model copies the example as it stands, and a model under a grammar
answers what the schema lets it, so that both have to be those of the question.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final, Literal, Self

from pydantic import BaseModel

from deepassay.score import Json

LONGEST_TEXT: Final = 600
"""Characters of a text whose type sets no limit: a few sentences, or a quote."""

MOST_ENTRIES: Final = 40
"""Entries of a list whose type sets no limit."""

LARGEST: Final = 9_999
"""A whole number whose type sets no limit: of a reference, or of issues."""

LEAST_TEXT: Final = 80
LEAST_LISTED: Final = 300
"""Characters that a text keeps, however little an answer may hold; more in a list of any length,
which can have fewer entries instead."""

USUAL_TEXT: Final = 150
"""Characters of a text, by which it is reckoned how many entries of a list an answer holds."""

LONGEST: Final = 1_000_000
"""Characters: longer than any text."""

LONGEST_EXAMPLE: Final = 1_500
"""Characters of an example that shows every entry in full."""

_LONGEST_KNOWN: Final = 1_900
"""llama.cpp refuses a grammar that repeats anything more than 2,000 times."""

_STEPS: Final = 100
"""Into how many steps a range of numbers is divided where a grammar has no ranges."""

_SHOWN: Final = 3
"""Whole numbers in a row that an example names one by one, and not by one of them."""

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


class Form:
    """The JSON schema of an answer, narrowed to one question by the methods that change it.

    Every object has all of its fields and no other; texts and lists have a length.
    """

    def __init__(self, gives: type[BaseModel]) -> None:
        whole = _form_of(gives)
        fields = {"properties": dict(whole["properties"])} if "properties" in whole else {}
        self.schema = {**whole, **fields}
        self._examples: dict[str, Json] = {}
        self._theirs = ""

    def keys(self, field: str, keys: Iterable[str]) -> Self:
        """Give the mapping `field` exactly these keys."""
        entry = self._fields[field]["additionalProperties"]
        self._fields[field] = _record(dict.fromkeys(keys, entry))
        return self

    def rows(self, field: str, rows: Sequence[Mapping[str, Json]], theirs: str = "") -> Self:
        """Give the list `field` exactly these entries, in which the named fields are given.

        theirs: the field whose text is not ours, which no example may show.
        """
        self._theirs = theirs
        self._fields[field] = _tuple(self._fields[field]["items"], rows)
        return self

    def put(self, name: str, schema: Json) -> Self:
        """Let every field of this name, wherever it stands, be this."""
        self.schema = _changed(self.schema, name, lambda field: schema)
        return self

    def at_most(self, name: str, entries: int) -> Self:
        """Let every list of this name, wherever it stands, have no more entries."""
        self.schema = _changed(self.schema, name, lambda field: {**field, "maxItems": entries})
        return self

    def groups(self, field: str, highest: int, example: Json) -> Self:
        """Let the list `field` hold groups of the numbers from 1 on, shown as in this example."""
        self._fields[field] = {**_numbers(highest), "items": _numbers(highest)}
        self._examples[field] = example
        return self

    def numbers(self, highest: int) -> Self:
        """Be a list of the numbers from 1 on; all of them are shown."""
        self.schema = _numbers(highest)
        self._examples[""] = [*range(1, highest + 1)]
        return self

    def list_of(self, gives: type[BaseModel], rows: Sequence[Mapping[str, Json]] | None) -> Self:
        """Be a list: of exactly these entries, or, for None, of as many as there are."""
        entry = _form_of(gives)
        free = {"type": "array", "items": entry, "maxItems": MOST_ENTRIES}
        self.schema = free if rows is None else _tuple(entry, rows)
        return self

    @property
    def _fields(self) -> dict[str, Json]:
        fields: dict[str, Json] = self.schema["properties"]
        return fields

    def example(self, either: str = " or ") -> str:
        """The form as a prompt shows it: every key, and what may stand under it.

        either: between the words of a menu. Of very many entries the first is shown in full.
        """
        if "" in self._examples:
            return _written(self._examples[""])
        schema = self.schema
        for field, value in self._examples.items():
            schema = {**schema, "properties": {**self._fields, field: {"enum": [value]}}}
        return _example(json.dumps(schema), self._theirs, either)

    def within(self, characters: float, dialect: Dialect = "full") -> dict[str, Json]:
        """The schema, its lists and then its texts as short as they must be for so long an answer.

        An answer may be longer still where many entries have the least text that there is.
        """
        schema = self.schema
        for shorter, usual in _WAYS:
            for _ in range(8):
                if _longest(schema, usual) <= characters:
                    break
                schema = shorter(schema)
        return _in(dialect, schema)


@lru_cache(maxsize=512)  # most questions of a kind have the form of another
def _example(schema: str, theirs: str, either: str) -> str:
    """The example of a schema in JSON. theirs: the field whose text it does not show."""
    form = _changed(json.loads(schema), theirs, lambda _: {"type": "string"})
    whole = _shown(form, either)
    return whole if len(whole) <= LONGEST_EXAMPLE else _shown(form, either, brief=True)


@lru_cache(maxsize=128)
def _form_of(gives: type[BaseModel]) -> dict[str, Json]:
    """The form of a type, not narrowed yet."""
    schema = gives.model_json_schema()
    return _closed(schema, schema.get("$defs", {}))


# ------------------------------------------------------------------ making schemas


def _record(fields: Mapping[str, Json]) -> dict[str, Json]:
    closed = {"required": [*fields], "additionalProperties": False}
    return {"type": "object", "properties": dict(fields), **closed}


def _numbers(highest: int) -> dict[str, Json]:
    return {"type": "array", "items": {"enum": [*range(1, highest + 1)]}, "maxItems": highest}


def _tuple(entry: Json, rows: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    each = [
        _record({**entry["properties"], **{name: {"enum": [row[name]]} for name in row}})
        for row in rows
    ]
    return {"type": "array", "prefixItems": each, "minItems": len(each), "maxItems": len(each)}


def _closed(schema: Json, parts: Mapping[str, Json]) -> dict[str, Json]:
    """A schema of pydantic without references and words for people, and with every limit."""
    if "$ref" in schema:
        return _closed(parts[schema["$ref"].rpartition("/")[2]], parts)
    closed = _throughout(schema, lambda each: _closed(each, parts))
    if "const" in closed:
        closed["enum"] = [closed["const"]]
    match closed:
        case {"anyOf": either}:
            return {"anyOf": either}
        case {"enum": menu}:
            return {"enum": menu}
        case {"type": "integer", "minimum": low, "maximum": high}:
            return {"enum": [*range(low, high + 1)]}
        case {"properties": fields}:
            return _record(fields)
    limits = {
        "array": {"maxItems": MOST_ENTRIES},
        "string": {"maxLength": LONGEST_TEXT},
        "integer": {"minimum": 0, "maximum": LARGEST},
    }
    kept = {name: each for name, each in closed.items() if name in _KEPT}
    return {**limits.get(kept.get("type", ""), {}), **kept}


_KEPT: Final = (
    *("type", "additionalProperties", "items", "minItems", "maxItems"),
    *("minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum"),
)


def _throughout(schema: Json, change: Callable[[Json], Json]) -> dict[str, Json]:
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


def _changed(schema: Json, name: str, change: Callable[[Json], Json]) -> dict[str, Json]:
    """A schema in which every field of this name is changed."""
    changed = _throughout(schema, lambda each: _changed(each, name, change))
    if name in changed.get("properties", {}):
        changed["properties"][name] = change(changed["properties"][name])
    return changed


# ------------------------------------------------------------------ examples


def _shown(schema: Json, either: str, brief: bool = False) -> str:
    """A schema as an example of an answer. brief: of entries that are alike, all but the first."""
    match schema:
        case {"enum": menu}:
            shown = _menu(menu, either)
        case {"anyOf": kinds}:
            shown = either.join(dict.fromkeys(_shown(each, either) for each in kinds))
        case {"properties": fields}:
            first = next(iter(fields.values()), None)
            inner = (
                f"{_written(key)}: "
                + ("{...}" if short and at and each == first else _shown(each, either, brief))
                for at, (key, each) in enumerate(fields.items())
                for short in [brief and "properties" in each]
            )
            shown = "{" + ", ".join(inner) + "}"
        case {"prefixItems": [first, *others]} if brief:
            rows = [_shown(first, either), *(_fixed(each) for each in others)]
            shown = "[" + ", ".join(rows) + "]"
        case {"prefixItems": rows}:
            shown = "[" + ", ".join(_shown(each, either) for each in rows) + "]"
        case {"items": entry}:
            shown = "[" + _shown(entry, either) + "]"
        case {"type": "boolean"}:
            shown = f"true{either}false"
        case {"type": "string"}:
            shown = '"..."'
        case _:
            shown = _within_range(schema.get("minimum", 0), schema.get("maximum", 10))
    return shown


def _fixed(row: Json) -> str:
    """What is given of an entry of a list."""
    given = {
        key: each["enum"][0]
        for key, each in row["properties"].items()
        if len(each.get("enum", ())) == 1
    }
    return _written(given)[:-1] + ", ...}"


def _menu(values: Sequence[Json], either: str) -> str:
    if len(values) > _SHOWN and all(type(each) is int for each in values):
        return _within_range(values[0], values[-1])
    return either.join(map(_written, values))


def _within_range(low: float, high: float) -> str:
    """Neither an end nor the middle, which a hasty reader takes for what is meant."""
    at = low + (high - low) * 0.65
    return f"{round(at) if type(low) is int and type(high) is int else at:g}"


def _written(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


# ------------------------------------------------------------------ lengths, and dialects


def _longest(schema: Json, text: int = LONGEST) -> int:
    """Characters of the longest answer that a schema allows. text: no text is longer than this."""
    match schema:
        case {"enum": menu}:
            longest = max((len(_written(each)) for each in menu), default=0)
        case {"anyOf": kinds}:
            longest = max(_longest(each, text) for each in kinds)
        case {"properties": fields}:
            inner = (len(key) + 6 + _longest(each, text) for key, each in fields.items())
            longest = 2 + sum(inner)
        case {"prefixItems": rows}:
            longest = 2 + sum(2 + _longest(each, text) for each in rows)
        case {"items": entry, "maxItems": most}:
            longest = 2 + int(most) * (2 + _longest(entry, text))
        case {"maxLength": most}:
            longest = 2 + min(text, int(most))
        case _:
            longest = 20
    return longest


def _shorter_lists(schema: Json) -> dict[str, Json]:
    """A schema whose lists are half as long."""
    short = _throughout(schema, _shorter_lists)
    if "items" in short:
        short["maxItems"] = max(short.get("minItems", 1), short["maxItems"] // 2)
    return short


def _shorter_texts(schema: Json, least: int, listed: int) -> dict[str, Json]:
    """A schema whose texts are half as long. least: what they keep, in lists `listed`."""
    inner = listed if "items" in schema else least
    short = _throughout(schema, lambda each: _shorter_texts(each, inner, listed))
    if "maxLength" in short:
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
    known = _throughout(schema, lambda each: _in(dialect, each))
    if dialect == "full":
        if known.get("maxLength", 0) > _LONGEST_KNOWN:
            del known["maxLength"]
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
    return _record(fields)
