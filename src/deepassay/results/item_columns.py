"""Items of outcomes read out of the columns of a run file, without an object for each.

A run file parts an item in three: what it has in all reports of a task, what was decided of it,
and its words. Rows of tables are made of the three as they stand; the first is read once for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from pydantic import JsonValue, TypeAdapter
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from deepassay.results.evidence import EvidenceItem
from deepassay.score import Json

Item = Mapping[str, Any]
"""Those fields of an `EvidenceItem` that were given, with its types."""

PartedItem = tuple[Item, Item, Item]
"""The three; an item that was never parted stands in each of them."""

_CONFIG: Final = core_schema.CoreConfig(coerce_numbers_to_str=True)


def _with(fields: Mapping[str, CoreSchema]) -> CoreSchema:
    """Of an object, those of these fields that it has."""
    typed = {
        name: core_schema.typed_dict_field(own, required=False) for name, own in fields.items()
    }
    return core_schema.typed_dict_schema(typed, config=_CONFIG)


def _list() -> CoreSchema:
    kinds: dict[str, Any] = {
        name: each.annotation for name, each in EvidenceItem.model_fields.items()
    }
    # What stands in a run file is JSON.
    kinds = {name: Any if kind is JsonValue else kind for name, kind in kinds.items()}
    fields = {name: TypeAdapter(kind).core_schema for name, kind in kinds.items()}
    return core_schema.list_schema(_with(fields))


@cache
def _reader() -> SchemaValidator:
    return SchemaValidator(_list(), _CONFIG)


@cache
def _rest_reader() -> SchemaValidator:
    nullable = core_schema.nullable_schema
    items = nullable(_list())
    judge = _with({"details": nullable(_with({"items": items}))})
    judges = core_schema.dict_schema(core_schema.str_schema(), judge)
    details = nullable(_with({"items": items, "judges": judges}))
    return SchemaValidator(_with({"details": details}), _CONFIG)


def read_items(kept: Json) -> list[Item]:
    """A list of items. Raises ValidationError, which is a ValueError, as `EvidenceItem` does."""
    found: list[Item] = _reader().validate_python(kept)
    return found


def marks_in(text: str) -> list[Item]:
    """What was decided of items, by the JSON of that column. Raises as `read_items` does."""
    found: list[Item] = _reader().validate_json(text)
    return found


Same = Callable[[str], Sequence[Item]]
"""Reads what a name in the column `list` stands for."""


def items_of_row(row: Mapping[str, Any], rest: bytes, same: Same) -> dict[str, Any]:
    """Under `parted` the items of an outcome, and under `voices` what judges said, each with its.

    row: columns, of which `marks` and `voices` are read. rest: the JSON of what is in no column;
    what nobody asks for is not made of it. Raises LookupError or ValueError for what no run wrote.
    """
    left: Mapping[str, Any] = _rest_reader().validate_json(rest)
    found: dict[str, Any] = {"parted": _parted(row, left, same)}
    if "voices" in row:
        judges = left["details"]["judges"]
        found["voices"] = {
            judge: {**own, "parted": _parted(own, judges[judge], same)}
            for judge, own in row["voices"].items()
        }
    return found


def _parted(own: Mapping[str, Any], rest: Mapping[str, Any], same: Same) -> Sequence[PartedItem]:
    words = (rest.get("details") or {}).get("items") or ()
    if "list" not in own:
        return [(each, each, each) for each in words]
    return [*zip(same(own["list"]), own["marks"], words, strict=True)]
