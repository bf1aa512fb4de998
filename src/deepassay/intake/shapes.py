"""Rows in what JSON, YAML and Python hold: lists, maps and the ways in which tables are written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from deepassay.errors import MissingExtra
from deepassay.files import BadFile
from deepassay.intake.columns import is_head
from deepassay.intake.rows import Row
from deepassay.score import Json


class Frame(Protocol):
    """A table of another package, as a data frame of pandas is: see `is_frame`."""

    to_dict: Any


def rows_in(value: Json, name: str, of: str = "object") -> list[Row] | None:
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
        rows = [dict(zip(value["columns"], each, strict=True)) for each in value["data"]]
        return _listed(rows, name, "row")
    if any(is_head(str(key)) for key in value):
        return _by_column(value, name) or [Row(name, {**value})]
    return _by_identifier(value, name, of) or _only_list(value, name)


def _by_identifier(value: Mapping[str, Json], name: str, of: str) -> list[Row] | None:
    """Rows of texts or fields by identifier."""
    inner = list(value.values())
    if all(isinstance(each, str) for each in inner):
        return _listed([{"id": key, "prompt": each} for key, each in value.items()], name, of)
    if all(isinstance(each, Mapping) and any(map(is_head, map(str, each))) for each in inner):
        return _listed([{"id": key, **each} for key, each in value.items()], name, of)
    return None


def _only_list(value: Mapping[str, Json], name: str) -> list[Row] | None:
    """Rows of the one list in a mapping. Raises BadFile where there are several."""
    lists = {key: each for key, each in value.items() if isinstance(each, list)}
    found = {key: rows for key, each in lists.items() if (rows := _listed(each, name, key))}
    if len(found) > 1:
        named = " and ".join(map(repr, found))
        raise BadFile(
            f"it holds several lists: {named}", "Put the one that is meant into a file of its own."
        )
    return next(iter(found.values()), None)


def _listed(value: Sequence[Json], name: str, of: str) -> list[Row] | None:
    if value and all(isinstance(each, Mapping) for each in value):
        return [Row(f"{name}, {of} {n}", each) for n, each in enumerate(value, start=1)]
    if value and all(isinstance(each, str) and each.strip() for each in value):
        return [Row(f"{name}, {of} {n}", {"prompt": each}) for n, each in enumerate(value, 1)]
    return None


def _by_column(value: Mapping[str, Json], name: str) -> list[Row] | None:
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


def frame_rows(frame: Any, name: str) -> list[Row]:  # noqa: ANN401 - of any package
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
