"""Files of one record a line, each validated: transcripts, inspirations."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from deepassay.errors import BadTasks
from deepassay.tasks.fields import field_name
from deepassay.tasks.rows import read_rows

M = TypeVar("M", bound=BaseModel)


def read_lines(path: Path, kind: type[M]) -> list[tuple[str, M]]:
    """The records of a JSON Lines file, each with its place as a message names it.

    Raises BadTasks naming line and field for whatever is wrong.
    """
    records = []
    for row in read_rows(path):
        try:
            records.append((row.place, kind.model_validate(row.fields)))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = f"{field_name(first['loc'])}: " if first["loc"] else ""
            problem = first["msg"].removeprefix("Value error, ")
            raise BadTasks(
                f"{row.place}: {where}{problem}.",
                f"The fields of a line are: {', '.join(kind.model_fields)}.",
            ) from error
    return records


def read_unique(path: Path, kind: type[M], what: str, key: str) -> list[M]:
    """The records of a JSON Lines file in which no two have the same value of the field `key`.

    what: a record is called in messages. Raises BadTasks.
    """
    records: dict[str, M] = {}
    for place, record in read_lines(path, kind):
        value = getattr(record, key)
        if value in records:
            raise BadTasks(
                f"{place}: there is {what} {value!r} already.",
                f"Give every one {'an identifier' if key == 'id' else f'a {key}'} of its own.",
            )
        records[value] = record
    return list(records.values())
