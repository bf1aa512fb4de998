"""Columns of tables that programs read: each has one kind of value, whatever the rows hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from deepassay.score import Json

Row = Mapping[str, Json]
"""Values by the names of their columns; a column that is not there is null."""


class Kind(StrEnum):
    """What a column holds; any of them may be null."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"


class Column(NamedTuple):
    """One column. Of kind TIME, values are texts in ISO 8601, in UTC."""

    name: str
    kind: Kind


def columns_of(rows: Sequence[Row], integers: Iterable[str] = ()) -> tuple[Column, ...]:
    """The columns of some rows, by the values in them.

    A column without any value is one of numbers, or of whole numbers if `integers` names it.
    """
    values: dict[str, Json] = {}
    for row in rows:
        for name, value in row.items():
            if values.get(name) is None:
                values[name] = value
    whole = frozenset(integers)
    return tuple(
        Column(name, Kind.INTEGER if name in whole else _kind(value))
        for name, value in values.items()
    )


def _kind(value: Json) -> Kind:
    if isinstance(value, str):
        return Kind.TEXT
    if isinstance(value, bool):
        return Kind.BOOLEAN
    return Kind.INTEGER if isinstance(value, int) else Kind.NUMBER
