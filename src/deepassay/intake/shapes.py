"""Rows in what JSON, YAML and Python hold: lists, maps and the ways in which tables are written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from deepassay.errors import MissingExtra
from deepassay.files import BadFile
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.intake.heading import reads_like_head, under_heads
from deepassay.intake.heads import is_head, is_known, is_other
from deepassay.intake.laying import TEXT, TWO_NAMES
from deepassay.intake.leaves import opened
from deepassay.intake.proposals import is_wordy
from deepassay.intake.rows import InputRow
from deepassay.intake.turns import turns_in
from deepassay.score import Json


class FrameLike(Protocol):
    """A table of another package, as a data frame of pandas is: see `is_frame`."""

    to_dict: Any


def tables_in_value(
    value: Json, name: str, of: str = "object", columns: NamedColumns = UNSAID
) -> dict[str, list[InputRow]]:
    """The tables in a value, by the path of the list that each is; none in what has no rows.

    A list of mappings, of texts, which are prompts, or of lines of cells; columns
    (`{"prompt": [...]}`, or as data frames are written: by the number of the row, or apart as
    `columns` and `data`); fields or texts by identifier, or by two names; the fields of one row; or
    else each such list that stands in it, of mappings at some depth, with the agent that is named
    beside it. name: for places, with the number.
    columns: what people say of the head of lines of cells.
    """
    rows: list[InputRow] | None = None
    if isinstance(value, list | tuple):
        rows = _listed(value, name, of) or _of_lines(value, name, of, columns)
    elif not isinstance(value, Mapping) or not value:
        return {}
    elif _is_split(value):
        split = [dict(zip(value["columns"], each, strict=True)) for each in value["data"]]
        rows = _listed(split, name, "row")
    else:
        one = _is_one(value)
        tables = {} if one else dict(_lists_in(value, name, "", {}, 0))
        if tables := tables or ({} if one else _lines_in(value, name, columns)):
            return _bare(tables)
        if by_column := _by_column(value, name):
            rows = by_column
        elif any(_is_of_row(key, each) for key, each in value.items()):
            rows = [InputRow(name, {**value})]
        elif not (rows := _by_identifier(value, name, of)):
            (whole,) = opened([InputRow(name, {**value})], lambda each: False)
            if any(path.endswith(".user.first") for path in whole.inner):
                return {"": [InputRow(name, {**value})]}
            return _bare(dict(_lists_in(value, name, "", {}, 0, maps=True)))
    return {"": rows} if rows else {}


def _is_one(value: Mapping[str, Json]) -> bool:
    """Whether it is one row: a prompt, or a title beside another name of columns."""
    heads = [str(key) for key, each in value.items() if isinstance(each, str | int)]
    asked = [each for each in heads if is_head(each, "prompt")]
    strong = any(is_known(each, "prompt", 0) for each in asked)
    return strong or (bool(asked) and sum(map(is_head, heads)) > 1)


def _is_split(value: Mapping[str, Json]) -> bool:
    """Whether it is names of columns and lines of as many cells, whatever is said of them."""
    names, lines = value.get("columns"), value.get("data")
    return (
        isinstance(names, list)
        and isinstance(lines, list)
        and all(isinstance(each, str) for each in names)
        and all(isinstance(each, list) and len(each) == len(names) for each in lines)
    )


def _bare(tables: dict[str, list[InputRow]]) -> dict[str, list[InputRow]]:
    """The tables, of which an only one needs no name."""
    return {"": next(iter(tables.values()))} if len(tables) == 1 else tables


def _is_of_row(name: str, value: Json) -> bool:
    """Whether it is a field of a row: a value under a name of columns, or a conversation."""
    named = is_head(str(name)) and isinstance(value, str | int | float)
    return named or turns_in(value) is not None


def _by_identifier(value: Mapping[str, Json], name: str, of: str) -> list[InputRow] | None:
    """Rows of texts or fields by identifier, or by two names, one within the other."""
    inner = list(value.values())
    if all(isinstance(each, str) for each in inner):
        key, text = _called_in_pairs(value)
        return _listed([{key: one, text: other} for one, other in value.items()], name, of)
    if not all(isinstance(each, Mapping) and each for each in inner):
        return None
    if all(any(map(is_head, map(str, each))) for each in inner):
        return _listed([{"id": key, **each} for key, each in value.items()], name, of)
    found = [held for each in inner for held in each.values()]
    texts = all(isinstance(held, str) for held in found)
    if not texts and not all(isinstance(held, Mapping) and _has_report(held) for held in found):
        return None
    rows = [
        {TWO_NAMES[0]: outer, TWO_NAMES[1]: within, **({TEXT: held} if texts else held)}
        for outer, each in value.items()
        for within, held in each.items()
    ]
    return _listed(rows, name, of)


_SENTENCE: Final = re.compile(r".*\S\s.*[.?!。？！؟]\W*|.*[\u2e80-\u9fff].*[。？！?]\W*", re.DOTALL)


def _called_in_pairs(texts: Mapping[str, str]) -> tuple[str, str]:
    """What a text by another is: a report by its prompt, if that is a sentence; else a text by its
    identifier, or by a title, which may be what was asked.
    """
    if all(map(_SENTENCE.fullmatch, texts)):
        return "prompt", "report"
    rows = [InputRow("", {"": key}) for key in texts]
    longer = sum(map(len, texts.values())) > 3 * sum(map(len, texts))
    return ("title", TEXT) if longer and is_wordy(rows, "") else ("id", TEXT)


def _has_report(fields: Mapping[str, Json]) -> bool:
    return any(is_head(str(key), "report") for key in fields)


_DEEPEST: Final = 6
"""Levels of a document at which lists are looked for."""
_MOST_LISTS: Final = 200


def _lists_in(
    value: Mapping[str, Json],
    name: str,
    path: str,
    beside: Mapping[str, Json],
    depth: int,
    maps: bool = False,
) -> Iterator[tuple[str, list[InputRow]]]:
    """Each list of mappings in a mapping, with the agent that is named beside it or above.

    maps: mappings of fields by identifier are such lists too. A list that is a column is none, and
    none is in a table of which it is one. Texts are prompts unless records stand beside.
    """
    if _columns_of(value):
        return
    named = [value, *(each for each in value.values() if isinstance(each, Mapping))]
    agents = {
        key: each
        for level in reversed(named)
        for key, each in level.items()
        if is_head(str(key), "agent") and isinstance(each, str)
    }
    beside = {**beside, **agents}
    # Texts beside records are names of kinds, as of categories, and no prompts.
    records = any(isinstance(each, list) and _of_mappings(each) for each in value.values())
    for key, each in [*value.items()][:_MOST_LISTS]:
        way = f"{path}.{key}" if path else str(key)
        if isinstance(each, list) and turns_in(each) is not None:
            continue  # a conversation is of one row
        if isinstance(each, list) and _of_mappings(each):
            rows = _listed(each, name, way) or []
            yield way, [replace(row, fields={**beside, **row.fields}) for row in rows]
        elif isinstance(each, list) and not path and (_of_mappings(each) or not records):
            if listed := _listed(each, name, way):
                yield way, listed
        elif isinstance(each, Mapping) and each and depth < _DEEPEST:
            fields = maps and all(isinstance(inner, Mapping) for inner in each.values())
            if fields and (rows := _by_identifier(each, name, way) or []):
                yield way, [replace(row, fields={**beside, **row.fields}) for row in rows]
            else:
                yield from _lists_in(each, name, way, beside, depth + 1, maps)


def _of_mappings(value: Sequence[Json]) -> bool:
    return bool(value) and all(isinstance(each, Mapping) for each in value)


def spread_out(tables: Mapping[str, list[InputRow]]) -> dict[str, list[InputRow]]:
    """The lists of mappings in the rows of tables, as tables: each row with what it stands in.

    Of two identifiers it has the one that stands where the prompt does.
    """
    found: dict[str, list[InputRow]] = {}
    for sheet, rows in tables.items():
        for row in rows:
            asks = any(is_known(key, "prompt", 0) for key in row.fields)
            for path, each in lists_within(row.fields):
                above = _without(row.fields, path)
                ids = {name for name in above if asks and is_head(name, "id")}
                for number, fields in enumerate(each, start=1):
                    own = {name: value for name, value in fields.items() if name not in ids}
                    place = f"{row.place}, {path[-1]} {number}"
                    way = ".".join(filter(None, (sheet, *path)))
                    found.setdefault(way, []).append(InputRow(place, {**above, **own}))
    return found


_IDENTIFIER: Final = re.compile(
    r"(?=.*\d)([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})"
)
"""What programs name a thing by that they made."""


def lists_within(
    fields: Mapping[str, Json], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Sequence[Mapping[str, Json]]]]:
    """The lists of mappings in a row, each with its way; none in conversations, none of a name
    that says what it is, as of sources and right answers, and none in what an identifier names,
    which is of one row alone.
    """
    for key, each in fields.items():
        if _IDENTIFIER.fullmatch(str(key)):
            continue
        if isinstance(each, Mapping) and len(path) < _DEEPEST:
            if len(turns_in(each, fields) or ()) < 2:
                yield from lists_within(each, (*path, str(key)))
        elif (
            isinstance(each, list) and _of_mappings(each) and not (turns_in(each) or is_other(key))
        ):
            yield (*path, str(key)), each


def _without(fields: Mapping[str, Json], path: tuple[str, ...]) -> dict[str, Json]:
    """Fields without what stands at the end of a way."""
    key, *rest = path
    inner = fields[key]
    left = {name: value for name, value in fields.items() if name != key}
    return {**left, key: _without(inner, tuple(rest))} if rest and isinstance(inner, dict) else left


def _listed(value: Sequence[Json], name: str, of: str) -> list[InputRow] | None:
    if value and all(isinstance(each, Mapping) for each in value):
        return [InputRow(f"{name}, {of} {n}", each) for n, each in enumerate(value, start=1)]
    if value and all(isinstance(each, str) and each.strip() for each in value):
        return [InputRow(f"{name}, {of} {n}", {"prompt": each}) for n, each in enumerate(value, 1)]
    return None


def _lines_in(
    value: Mapping[str, Json], name: str, columns: NamedColumns
) -> dict[str, list[InputRow]]:
    """The lists of lines of cells in a mapping, as services of spreadsheets answer."""
    if _columns_of(value):
        return {}
    lists = {str(key): each for key, each in value.items() if isinstance(each, list)}
    found = {key: _of_lines(each, name, key, columns) for key, each in lists.items()}
    return {key: rows for key, rows in found.items() if rows}


def _of_lines(
    value: Sequence[Json], name: str, of: str, columns: NamedColumns
) -> list[InputRow] | None:
    """Rows of lines of cells, of which the last may be shorter where nothing stands; else None.

    The first is their head where it reads like one, or where people say so.
    """
    width = len(value[0]) if value and isinstance(value[0], list) else 0
    if width < 2 or not all(_is_line(each, width) for each in value):
        return None
    lines = [(number, each) for number, each in enumerate(value, start=1) if any(each)]
    if not (columns.named_as("head") or reads_like_head(lines)):
        columns = replace(columns, named=(*columns.named, ("head", "0")))
    return [*under_heads(lines, lambda number: f"{name}, {of} {number}", columns)]


def _is_line(value: Json, width: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= width
        and all(isinstance(each, str | int | float | None) for each in value)
    )


def _by_column(value: Mapping[str, Json], name: str) -> list[InputRow] | None:
    """Rows of columns: lists of one length, or mappings with the same keys."""
    inner = list(value.values())
    alike = all(isinstance(each, Mapping) and each.keys() == inner[0].keys() for each in inner)
    if alike and any(map(is_head, map(str, value))):
        columns = {key: list(each.values()) for key, each in value.items()}
    else:
        columns = _columns_of(value)
    if not columns:
        return None
    named = {len(cells) for key, cells in columns.items() if _is_text_head(key.partition(".")[0])}
    if len(named) == 1:  # others are of something else
        columns = {key: cells for key, cells in columns.items() if len(cells) in named}
    if len({len(each) for each in columns.values()}) > 1:
        raise BadFile("its columns are not equally long", "Give every column a value a row.")
    above = {key: each for key, each in value.items() if isinstance(each, str | int | float)}
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return _listed([{**above, **each} for each in rows], name, "row")


def _is_text_head(name: str) -> bool:
    return is_head(name, "prompt") or is_head(name, "report")


def _columns_of(value: Mapping[str, Json]) -> dict[str, list[Json]]:
    """The columns that a mapping is, some perhaps by agent in one of its own; else none.

    Lists are columns where one is called as prompts or reports are and there are several, or
    nothing else.
    """
    columns: dict[str, list[Json]] = {}
    for key, each in value.items():
        inner = each if isinstance(each, Mapping) else {}
        if isinstance(each, list) and not _of_mappings(each):
            columns[str(key)] = each
        elif inner and all(isinstance(x, list) and not _of_mappings(x) for x in inner.values()):
            columns |= {f"{key}.{within}": cells for within, cells in inner.items()}
    named = [each for each in columns if is_head(each.partition(".")[0])]
    asked = any(is_head(str(k), "prompt") and isinstance(v, str) for k, v in value.items())
    return columns if named and not asked and len(columns) in {*range(2, 1000), len(value)} else {}


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
    rows = _listed([plain_value(each) for each in records], name, "row")
    if rows is None:
        raise BadFile(f"{name}: no rows with named columns", "Give a table with a row a task.")
    return rows


def _name(key: object) -> str:
    """The name of a column; one of several levels has a blank between them."""
    return " ".join(filter(None, map(str, key))) if isinstance(key, tuple) else str(key)


def plain_value(value: Any) -> Json:  # noqa: ANN401 - of any package
    """A value as JSON has it: numbers of numpy as Python's, dates as texts, NaN as nothing."""
    if isinstance(value, Mapping):
        return {_name(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(each) for each in value]
    if hasattr(value, "tolist"):
        return plain_value(value.tolist())
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else int(value) if value.is_integer() else value
    return None if str(value) in ("NaT", "<NA>") else str(value)
