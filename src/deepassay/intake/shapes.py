"""Rows in what JSON, YAML and Python hold: lists, maps and the ways in which tables are written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from deepassay.errors import MissingExtra
from deepassay.files import BadFile
from deepassay.intake.columns import NamedColumns, with_named
from deepassay.intake.heads import is_head
from deepassay.intake.rows import InputRow
from deepassay.score import Json


class FrameLike(Protocol):
    """A table of another package, as a data frame of pandas is: see `is_frame`."""

    to_dict: Any


def rows_in(value: Json, name: str, of: str = "object") -> list[InputRow] | None:
    """The rows of a value, or None for what has no rows. name: for places, with the number.

    A list of mappings, or of texts, which are prompts; a mapping that holds one such list
    (`{"tasks": [...]}`), fields or texts by identifier, columns (`{"prompt": [...]}`, or as data
    frames are written: by the number of the row, or apart as `columns` and `data`), or the fields
    of one row. Raises BadFile where it holds several lists.
    """
    if isinstance(value, list | tuple):
        return _listed(value, name, of)
    if not isinstance(value, Mapping) or not value:
        return None
    if {"columns", "data"} <= value.keys() <= {"columns", "data", "index"}:
        split = [dict(zip(value["columns"], each, strict=True)) for each in value["data"]]
        return _listed(split, name, "row")
    one = any(is_head(str(key), "prompt") and isinstance(value[key], str) for key in value)
    if not one and (rows := _only_list(value, name)):
        return rows
    if any(is_head(str(key)) for key in value):
        return _by_column(value, name) or [InputRow(name, {**value})]
    return _by_identifier(value, name, of) or _only_list(value, name)


def _by_identifier(value: Mapping[str, Json], name: str, of: str) -> list[InputRow] | None:
    """Rows of texts or fields by identifier."""
    inner = list(value.values())
    if all(isinstance(each, str) for each in inner):
        return _listed([{"id": key, "prompt": each} for key, each in value.items()], name, of)
    if all(isinstance(each, Mapping) and any(map(is_head, map(str, each))) for each in inner):
        return _listed([{"id": key, **each} for key, each in value.items()], name, of)
    return None


def _only_list(value: Mapping[str, Json], name: str) -> list[InputRow] | None:
    """Rows of the one list in a mapping, of the agent that is named beside it.

    Raises BadFile where there are several.
    """
    lists = {key: each for key, each in value.items() if isinstance(each, list)}
    if any(is_head(str(key)) for key, each in lists.items() if not _of_mappings(each)):
        return None  # a list is a column
    found = {key: rows for key, each in lists.items() if (rows := _listed(each, name, key))}
    if len(found) > 1:
        named = " and ".join(map(repr, found))
        raise BadFile(
            f"it holds several lists: {named}", "Put the one that is meant into a file of its own."
        )
    rows = next(iter(found.values()), None)
    agent = {k: v for k, v in value.items() if is_head(str(k), "agent") and isinstance(v, str)}
    return rows and [replace(row, fields={**agent, **row.fields}) for row in rows]


def _of_mappings(value: Sequence[Json]) -> bool:
    return bool(value) and all(isinstance(each, Mapping) for each in value)


_TURNS: Final = ("messages", "conversations", "conversation", "dialogue", "dialog", "turns")


def prepared(rows: Sequence[InputRow], columns: NamedColumns) -> list[InputRow]:
    """Rows under whose columns can be looked: with conversations and named inner fields opened."""
    return with_named(_with_turns(rows), columns)


def _with_turns(rows: Sequence[InputRow]) -> list[InputRow]:
    """Rows in which a conversation of one question and its answer stands as prompt and response.

    Turns are `{role, content}` or `{from, value}`, as models are trained on. Others stay as they
    are: in longer ones nobody can say which turn was the task.
    """
    name = next((each for each in _TURNS if all(each in row.fields for row in rows)), None)
    if name is None or any(is_head(each, "prompt") for row in rows for each in row.fields):
        return [*rows]
    opened = []
    for row in rows:
        said: dict[str, list[str]] = {}
        for turn in row.fields[name] if isinstance(row.fields[name], list) else ():
            if isinstance(turn, Mapping):
                who = str(turn.get("role", turn.get("from")))
                said.setdefault(who, []).append(_said(turn.get("content", turn.get("value"))))
        asked = [*said.get("user", ()), *said.get("human", ())]
        given = [*said.get("assistant", ()), *said.get("gpt", ())]
        if len(asked) != 1 or len(given) > 1:
            return [*rows]
        fields = {key: each for key, each in row.fields.items() if key != name}
        opened.append(
            replace(row, fields={**fields, "prompt": asked[0], "response": "".join(given)})
        )
    return opened


def _said(content: Json) -> str:
    """The text of a turn: as it is, or of its parts."""
    if isinstance(content, list):
        return "".join(_said(each.get("text")) for each in content if isinstance(each, Mapping))
    return content if isinstance(content, str) else ""


def _listed(value: Sequence[Json], name: str, of: str) -> list[InputRow] | None:
    if value and all(isinstance(each, Mapping) for each in value):
        return [InputRow(f"{name}, {of} {n}", each) for n, each in enumerate(value, start=1)]
    if value and all(isinstance(each, str) and each.strip() for each in value):
        return [InputRow(f"{name}, {of} {n}", {"prompt": each}) for n, each in enumerate(value, 1)]
    return None


def _by_column(value: Mapping[str, Json], name: str) -> list[InputRow] | None:
    """Rows of columns: lists of one length, or mappings with the same keys."""
    inner = list(value.values())
    if all(isinstance(each, Mapping) for each in inner) and all(
        each.keys() == inner[0].keys() for each in inner
    ):
        columns = {key: list(each.values()) for key, each in value.items()}
    elif all(isinstance(each, list) for each in inner):
        columns = dict(value)
    else:
        return None
    if len({len(each) for each in columns.values()}) > 1:
        raise BadFile("its columns are not equally long", "Give every column a value a row.")
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return _listed(rows, name, "row")


def is_frame(value: object) -> bool:
    """Whether a value of Python is a table of another package, as a data frame of pandas is."""
    ways = ("to_dicts", "to_pylist", "to_list", "to_dict", "__dataframe__")
    return not isinstance(value, Mapping) and any(hasattr(value, each) for each in ways)


def frame_rows(frame: Any, name: str) -> list[InputRow]:  # noqa: ANN401 - of any package
    """The rows of a data frame, or of a series of texts. Raises BadFile for what has none."""
    if any(each is not None for each in getattr(getattr(frame, "index", None), "names", ())):
        frame = frame.reset_index()  # an index that has a name is a column
    if hasattr(frame, "to_dicts"):
        records = frame.to_dicts()  # polars
    elif hasattr(frame, "to_pylist"):
        records = frame.to_pylist()  # Arrow
    elif hasattr(frame, "to_list"):
        records = frame.to_list()  # a series, or a data set of Hugging Face
    elif hasattr(frame, "to_dict"):
        records = frame.to_dict("records")  # pandas
    else:
        try:
            from pyarrow import interchange
        except ImportError as error:
            raise MissingExtra("Reading this data frame", "parquet") from error
        records = interchange.from_dataframe(frame).to_pylist()
    rows = _listed([_plain(each) for each in records], name, "row")
    if rows is None:
        raise BadFile(f"{name}: no rows with named columns", "Give a table with a row a task.")
    return rows


def _plain(value: Any) -> Json:  # noqa: ANN401 - of any package
    """A value as JSON has it: numbers of numpy as Python's, dates as texts, NaN as nothing."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else int(value) if value.is_integer() else value
    return None if str(value) in ("NaT", "<NA>") else str(value)
