"""What the rows of a run file hold: the one place where a body is checked as it is read.

A run file may come from anybody. Past this door a record has the types that its class declares,
its numbers are finite, and what would be counted up to has bounds. Evidence that only protocols
know stays as it is: `results.evidence` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal, TypeVar, cast

from pydantic import TypeAdapter
from pydantic_core import PydanticCustomError, SchemaValidator, ValidationError, core_schema

from deepassay.score import MOST, Cause, Json, is_possible

T = TypeVar("T")
Schema = core_schema.CoreSchema

MOST_REPEATS: Final = 1000
"""Judgements of a report, and answers of an agent to a task."""
MOST_SHARDS: Final = 100_000


class BadShape(ValueError):
    """A value that no run writes there; its text says which part of it, and why."""


def _plainly(error: ValidationError) -> BadShape:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return BadShape(f"{where}: {first['msg']}" if where else first["msg"])


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - of any type
    return TypeAdapter(kind)


def shaped(kind: type[T], value: Json) -> T:
    """The record of this class that a row holds. Raises BadShape where it holds none."""
    try:
        found: T = _adapter(cast(Any, kind)).validate_python(value)
    except ValidationError as error:
        raise _plainly(error) from None
    return found


NUMBER: Final = core_schema.union_schema(
    [
        core_schema.int_schema(strict=True, ge=-(2**63), lt=2**63),
        core_schema.float_schema(strict=True, allow_inf_nan=False, ge=-MOST, le=MOST),
    ],
    mode="left_to_right",
    custom_error_type="no_number",
    custom_error_message=f"Input should be a number, of at most {MOST:g} in size",
)
"""Whole numbers stay whole, and nothing is infinite, or as good as that."""

TEXT: Final = core_schema.str_schema(strict=True)
FLAG: Final = core_schema.bool_schema(strict=True)
_WHOLE: Final = core_schema.int_schema(strict=True, ge=0, le=2**53)
ANY: Final = core_schema.any_schema()


def maybe(schema: Schema) -> Schema:
    """The schema of what this one takes, or null."""
    return core_schema.nullable_schema(schema)


def list_schema_of(schema: Schema, exactly: int | None = None) -> Schema:
    """The schema of a list of such entries. exactly: how many there must be."""
    return core_schema.list_schema(schema, strict=True, min_length=exactly, max_length=exactly)


def by_name(schema: Schema) -> Schema:
    """An object whose values are all of one kind."""
    return core_schema.dict_schema(TEXT, schema, strict=True)


def record_of(*, required: Mapping[str, Schema] = {}, **entries: Schema) -> Schema:
    """An object of which these entries are read, and no others. required: those it must have."""
    fields = {
        name: core_schema.typed_dict_field(each, required=True) for name, each in required.items()
    }
    fields |= {
        name: core_schema.typed_dict_field(each, required=False) for name, each in entries.items()
    }
    return core_schema.typed_dict_schema(fields, extra_behavior="ignore")


PLACE: Final[Mapping[str, Schema]] = {
    "protocol": TEXT,
    "agent": TEXT,
    "task": TEXT,
    "sample": core_schema.int_schema(strict=True, ge=1, le=2**53),
    "repeat": _WHOLE,
}
"""Of what a score is."""

OUTCOME: Final[Mapping[str, Schema]] = {
    "value": NUMBER,
    "bounds": maybe(list_schema_of(NUMBER, exactly=2)),
    "tally": maybe(list_schema_of(NUMBER, exactly=2)),
    "parts": by_name(maybe(NUMBER)),
    "cause": core_schema.literal_schema([str(each) for each in Cause]),
    "detail": TEXT,
}
"""What an outcome says besides its evidence."""

_COUNTS: Final = maybe(by_name(maybe(NUMBER)))

DETAILS: Final[Mapping[str, Schema]] = {
    "open": FLAG,
    "again": FLAG,
    "low": maybe(NUMBER),
    "high": maybe(NUMBER),
    "counts": _COUNTS,
    "released_counts": _COUNTS,
    "page_classes": _COUNTS,
    "errors": _COUNTS,
    "totals": maybe(by_name(ANY)),
    "statements_by": maybe(TEXT),
    "winner": maybe(TEXT),
    "games": maybe(list_schema_of(TEXT)),
    "consistent": maybe(FLAG),
    "quirks": maybe(list_schema_of(TEXT)),
    "correct": maybe(_WHOLE),
    "agreement": maybe(list_schema_of(by_name(ANY))),
    "pages": maybe(list_schema_of(by_name(ANY))),
    "items": maybe(list_schema_of(by_name(ANY))),
}
"""Evidence that every protocol may keep, see `results.evidence`."""

RECORD: Final[Mapping[str, Schema]] = {
    "version": ANY,
    "converter": ANY,
    "made": maybe(by_name(TEXT)),
    "served": ANY,
    "pages": maybe(by_name(TEXT)),
}
"""What a score's recipe shows and is not decided by."""


_IDENTITY: Final = record_of(
    required={
        "protocol": TEXT,
        "edition": TEXT,
        "judges": list_schema_of(record_of(required={"model": TEXT})),
        "repeats": core_schema.int_schema(strict=True, ge=0, le=MOST_REPEATS),
    }
)
"""What decides the scores of a protocol, as far as results read it."""


def _score() -> Schema:
    """A body of the table `scores`; each judge of a panel says what a judge alone would."""
    more = {
        "key": TEXT,
        "outcome": _outcome(),
        "identity": _IDENTITY,
        "record": record_of(**RECORD),
    }
    return record_of(required={**PLACE, **more})


def _of_a_score(schema: Schema) -> Schema:
    """An outcome of which the value, if it has one, is one that a score may have."""

    def possible(kept: Json) -> Json:
        value, bounds = kept.get("value"), kept.get("bounds")
        if value is not None and not is_possible(value, bounds):
            what = "no score is {value}, where scores are between {low} and {high}"
            told = {"value": value, "low": bounds[0], "high": bounds[1]}
            raise PydanticCustomError("impossible_score", what, told)
        return kept

    return core_schema.no_info_after_validator_function(possible, schema)


def _details() -> Schema:
    one = _of_a_score(record_of(**OUTCOME, details=record_of(**DETAILS)))
    return record_of(**DETAILS, judges=maybe(by_name(one)))


def _outcome() -> Schema:
    details = _details()
    scored, unscored = (
        record_of(required={**{name: OUTCOME[name] for name in said}, "details": details})
        for said in (("value", "bounds", "parts", "tally"), ("cause", "detail"))
    )
    return core_schema.tagged_union_schema(
        {"score": _of_a_score(scored), "unscored": unscored},
        discriminator=lambda kept: (
            "unscored" if isinstance(kept, dict) and "cause" in kept else "score"
        ),
    )


_PART: Final = record_of(
    required={
        "count": core_schema.int_schema(strict=True, ge=1, le=MOST_SHARDS),
        "whole": TEXT,
        "numbers": list_schema_of(core_schema.int_schema(strict=True, ge=1, le=MOST_SHARDS)),
    }
)
_DAY: Final = core_schema.chain_schema([TEXT, core_schema.date_schema()])

Shape = Literal[
    "any",
    "object",
    "text",
    "score",
    "identity of a protocol",
    "configuration",
    "parts",
    "counts",
    "texts",
    "objects",
    "outcome",
    "record",
    "details",
    "numbers",
]
"""Names of what rows hold that is no record of a class."""

_SHAPES: Final[Mapping[Shape, Schema]] = {
    "any": ANY,
    "object": by_name(ANY),
    "text": TEXT,
    "score": _score(),
    "outcome": _outcome(),
    "record": record_of(**RECORD),
    "details": _details(),
    "numbers": by_name(maybe(NUMBER)),
    "identity of a protocol": _IDENTITY,
    "configuration": record_of(
        date=_DAY, repeat=core_schema.int_schema(strict=True, ge=0, le=MOST_REPEATS)
    ),
    "parts": by_name(_PART),
    "counts": by_name(core_schema.int_schema(strict=True)),
    "texts": by_name(TEXT),
    "objects": by_name(by_name(ANY)),
}


@cache
def _validator(name: Shape) -> SchemaValidator:
    return SchemaValidator(_SHAPES[name])


def check_shape(name: Shape, value: Json) -> None:
    """Raise BadShape where a value is not what rows of this name hold."""
    try:
        _validator(name).validate_python(value)
    except ValidationError as error:
        raise _plainly(error) from None
