"""The form of the answer to one very question: its example in a prompt, its schema for a provider.

A reply class says what a kind of answer is made of. The question says the rest: which keys, how
many entries, what menu. A small model copies the example as it stands, and a model under a grammar
answers what the schema lets it, so that both have to be those of the question, and nothing that a
model is to say itself stands in the example as a value: `<text>` is no JSON, `"..."` would be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Final, NamedTuple, Self

from pydantic import BaseModel

from deepassay.models.prompt import Language
from deepassay.models.schema import Dialect, fitted_schema, json_for_people, record, throughout
from deepassay.score import Json

LONGEST_TEXT: Final = 600
"""Characters of a text whose type sets no limit: a few sentences, or a quote."""

MOST_ENTRIES: Final = 40
"""Entries of a list whose type sets no limit."""

LARGEST: Final = 9_999
"""A whole number whose type sets no limit: of a reference, or of issues."""

LONGEST_EXAMPLE: Final = 1_500
"""Characters of an example that shows every entry in full."""

_SHOWN: Final = 3
"""Whole numbers in a row that an example names one by one, and not by their ends."""


class _Words(NamedTuple):
    """How an example describes what a model is to say: between a menu's words, and by type."""

    either: str
    text: str
    whole: str
    number: str


_DESCRIBED: Final = re.compile(r"\s*<[^<>]{1,60}>\s*")

_WORDS: Final[Mapping[Language, _Words]] = {
    "en": _Words(" or ", "<text>", "<a whole number from {} to {}>", "<a number from {} to {}>"),
    "zh": _Words(" 或 ", "<文字>", "<{} 到 {} 的整数>", "<{} 到 {} 的数>"),
}

_Rows = tuple[tuple[tuple[str, Json], ...], ...]
"""What is given of each entry of a list, as a cache can tell it apart."""

_Change = tuple[Callable[..., dict[str, Json]], tuple[Hashable, ...]]
"""A function from a schema, and what it is given besides, to another schema."""


class Form:
    """The JSON schema of an answer, narrowed to one question by the methods that change it.

    Every object has all of its fields and no other; texts and lists have a length. The changes are
    noted and made once for all questions that have them in common, as most of a kind do.
    """

    def __init__(self, gives: type[BaseModel]) -> None:
        self._gives = gives
        self._changes: tuple[_Change, ...] = ()
        self._whole = ""
        self._theirs = ""

    def keys(self, field: str, keys: Iterable[str]) -> Self:
        """Give the mapping `field` exactly these keys."""
        return self._noted(_with_keys, field, tuple(keys))

    def rows(self, field: str, rows: Iterable[Mapping[str, Json]], theirs: str = "") -> Self:
        """Give the list `field` exactly these entries, in which the named fields are given.

        theirs: the field whose text is not ours, which no example may show.
        """
        self._theirs = theirs
        return self._noted(_with_rows, field, _flat(rows))

    def override_field(self, name: str, schema: Json) -> Self:
        """Put this schema in place of that of every field of this name, wherever it stands."""
        return self._noted(_with_schema, name, json.dumps(schema))

    def at_most(self, name: str, entries: int) -> Self:
        """Let every list of this name, wherever it stands, have no more entries."""
        return self._noted(_with_most, name, entries)

    def entries(self, name: str, least: int, most: int) -> Self:
        """Let every list of this name, wherever it stands, have so many entries."""
        return self._noted(_with_most, name, most)._noted(_with_least, name, least)

    def chosen(self, name: str, menu: int | Sequence[str], most: int | None = None) -> Self:
        """Let every list of this name hold what is on a menu: numbers from 1 on, or these texts."""
        if isinstance(menu, int):
            items: Json = {"type": "integer", "minimum": 1, "maximum": max(1, menu)}
        else:
            items = {"enum": list(menu) or [""]}
        length = menu if isinstance(menu, int) else len(menu)
        most = length if most is None else min(most, length)
        return self.override_field(name, {"type": "array", "items": items, "maxItems": most})

    def groups(self, field: str, highest: int) -> Self:
        """Let the list `field` hold groups of the numbers from 1 on."""
        return self._noted(_with_groups, field, highest)

    def numbers(self, highest: int) -> Self:
        """Be a list of the numbers from 1 on; all of them are shown, as a released program does."""
        self._whole = json_for_people([*range(1, highest + 1)])
        return self._noted(_as_numbers, highest)

    def list_of(self, gives: type[BaseModel], rows: Iterable[Mapping[str, Json]] | None) -> Self:
        """Be a list: of exactly these entries, or, for None, of as many as there are."""
        return self._noted(_as_list, gives, None if rows is None else _flat(rows))

    def _noted(self, change: Callable[..., dict[str, Json]], *given: Hashable) -> Self:
        self._changes += ((change, given),)
        return self

    @property
    def schema(self) -> dict[str, Json]:
        """The schema; other forms share it, so that nobody may change it."""
        return _schema(self._gives, self._changes)

    def example(self, language: Language = "en") -> str:
        """The form as a prompt shows it: every key, and what may stand under it.

        Of very many entries the first is shown in full.
        """
        return self._whole or _example(self._gives, self._changes, self._theirs, language)

    def within(self, characters: float, dialect: Dialect = "full") -> dict[str, Json]:
        """The schema, its lists and then its texts as short as they must be for so long an answer.

        An answer may be longer still where many entries have the least text that there is.
        """
        return fitted_schema(self.schema, characters, dialect)


def is_described(text: str) -> bool:
    """Whether a text only says what was to be written: `<text>`, copied from an example."""
    return _DESCRIBED.fullmatch(text) is not None


@lru_cache(maxsize=512)
def _schema(gives: type[BaseModel], changes: tuple[_Change, ...]) -> dict[str, Json]:
    """The form of a type after these changes."""
    return reduce(lambda schema, each: each[0](schema, *each[1]), changes, _form_of(gives))


@lru_cache(maxsize=512)
def _example(
    gives: type[BaseModel],
    changes: tuple[_Change, ...],
    theirs: str,
    language: Language,
) -> str:
    """The example of a form. theirs: what it does not show."""
    form = _changed(_schema(gives, changes), theirs, lambda _: {"type": "string"})
    words = _WORDS[language]
    whole = _shown(form, words)
    return whole if len(whole) <= LONGEST_EXAMPLE else _shown(form, words, brief=True)


@lru_cache(maxsize=128)
def _form_of(gives: type[BaseModel]) -> dict[str, Json]:
    """The form of a type, not narrowed yet."""
    schema = gives.model_json_schema()
    return _closed(schema, schema.get("$defs", {}))


def _flat(rows: Iterable[Mapping[str, Json]]) -> _Rows:
    return tuple(tuple(row.items()) for row in rows)


def _with_field(schema: Json, field: str, entry: Json) -> dict[str, Json]:
    return {**schema, "properties": {**schema["properties"], field: entry}}


def _with_keys(schema: Json, field: str, keys: Sequence[str]) -> dict[str, Json]:
    entry = schema["properties"][field]["additionalProperties"]
    return _with_field(schema, field, record(dict.fromkeys(keys, entry)))


def _with_rows(schema: Json, field: str, rows: _Rows) -> dict[str, Json]:
    return _with_field(schema, field, _tuple(schema["properties"][field]["items"], rows))


def _with_groups(schema: Json, field: str, highest: int) -> dict[str, Json]:
    return _with_field(schema, field, {**_numbers(highest), "items": _numbers(highest)})


def _with_schema(schema: Json, name: str, entry: str) -> dict[str, Json]:
    return _changed(schema, name, lambda _: json.loads(entry))


def _with_most(schema: Json, name: str, entries: int) -> dict[str, Json]:
    return _changed(schema, name, lambda field: {**field, "maxItems": entries})


def _with_least(schema: Json, name: str, entries: int) -> dict[str, Json]:
    return _changed(schema, name, lambda field: {**field, "minItems": entries})


def _as_numbers(schema: Json, highest: int) -> dict[str, Json]:
    return _numbers(highest)


def _as_list(schema: Json, gives: type[BaseModel], rows: _Rows | None) -> dict[str, Json]:
    entry = _form_of(gives)
    free = {"type": "array", "items": entry, "maxItems": MOST_ENTRIES}
    return free if rows is None else _tuple(entry, rows)


def _numbers(highest: int) -> dict[str, Json]:
    return {"type": "array", "items": {"enum": [*range(1, highest + 1)]}, "maxItems": highest}


def _tuple(entry: Json, rows: _Rows) -> dict[str, Json]:
    each = [
        record({**entry["properties"], **{name: {"enum": [value]} for name, value in row}})
        for row in rows
    ]
    return {"type": "array", "prefixItems": each, "minItems": len(each), "maxItems": len(each)}


def _closed(schema: Json, parts: Mapping[str, Json]) -> dict[str, Json]:
    """A schema of pydantic without references and words for people, and with every limit."""
    if "$ref" in schema:
        return _closed(parts[schema["$ref"].rpartition("/")[2]], parts)
    closed = throughout(schema, lambda each: _closed(each, parts))
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
            return record(fields)
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


def _changed(schema: Json, name: str, change: Callable[[Json], Json]) -> dict[str, Json]:
    """A schema in which every field of this name is changed."""
    changed = throughout(schema, lambda each: _changed(each, name, change))
    if name in changed.get("properties", {}):
        changed["properties"][name] = change(changed["properties"][name])
    return changed


def _shown(schema: Json, words: _Words, brief: bool = False) -> str:
    """A schema as an example of an answer. brief: of entries that are alike, all but the first."""
    match schema:
        case {"enum": menu}:
            shown = _menu(menu, words)
        case {"anyOf": kinds}:
            shown = words.either.join(dict.fromkeys(_shown(each, words) for each in kinds))
        case {"properties": fields}:
            first = next(iter(fields.values()), None)
            inner = (
                f"{json_for_people(key)}: "
                + ("{...}" if short and at and each == first else _shown(each, words, brief))
                for at, (key, each) in enumerate(fields.items())
                for short in [brief and "properties" in each]
            )
            shown = "{" + ", ".join(inner) + "}"
        case {"additionalProperties": dict(each)}:
            shown = "{" + f"{words.text}: {_shown(each, words)}" + "}"
        case {"prefixItems": [first, *others]} if brief:
            rows = [_shown(first, words), *(_fixed(each) for each in others)]
            shown = "[" + ", ".join(rows) + "]"
        case {"prefixItems": rows}:
            shown = "[" + ", ".join(_shown(each, words) for each in rows) + "]"
        case {"items": entry}:
            shown = "[" + _shown(entry, words) + "]"
        case {"type": "boolean"}:
            shown = f"true{words.either}false"
        case {"type": "string"}:
            shown = words.text
        case {"type": kind}:
            of_kind = words.whole if kind == "integer" else words.number
            ends = (schema.get("minimum", 0), schema.get("maximum", 10))
            shown = of_kind.format(*(f"{each:g}" for each in ends))
        case _:
            shown = words.text
    return shown


def _fixed(row: Json) -> str:
    """What is given of an entry of a list."""
    given = {
        key: each["enum"][0]
        for key, each in row["properties"].items()
        if len(each.get("enum", ())) == 1
    }
    return json_for_people(given)[:-1] + ", ...}"


def _menu(values: Sequence[Json], words: _Words) -> str:
    whole = all(type(each) is int for each in values)
    if len(values) > _SHOWN and whole and [*values] == [*range(values[0], values[-1] + 1)]:
        return words.whole.format(values[0], values[-1])
    return words.either.join(map(json_for_people, values))
