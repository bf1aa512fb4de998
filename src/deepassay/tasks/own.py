"""Tasks of people's own, from rows under whatever names their columns have."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from pydantic import ValidationError

from deepassay.errors import BadTasks
from deepassay.intake.columns import (
    UNSAID,
    FoundColumns,
    NamedColumns,
    UnusedColumns,
    option,
)
from deepassay.intake.heads import is_target, may_be_expected
from deepassay.intake.proposals import are_dates
from deepassay.intake.rows import InputRow, Way, made_id, numbers_rows, same_words
from deepassay.intake.searching import find_columns
from deepassay.score import Json
from deepassay.tasks.fields import field_name, first_mistake, problem_of
from deepassay.tasks.languages import UNKNOWN, is_other_language
from deepassay.tasks.task import Task, detect_language

LONGEST_LABEL: Final = 80
"""Characters of what tables can be cut by."""
_FIELDS: Final = frozenset(Task.model_fields) - {"id", "prompt"}
_LISTS: Final = frozenset(
    {"bibliography", "blocked", "checklist", "feedback", "relevant", "rubric"}
)
"""Fields that hold a list. People write their names with a capital, as heads of columns are."""
_LANGUAGES: Final = {
    **dict.fromkeys(("en", "eng", "english", "en-us", "en-gb", "en_us", "英文", "英语"), "en"),
    **dict.fromkeys(("zh", "zho", "chinese", "zh-cn", "zh_cn", "zh-tw", "cn", "中文"), "zh"),
}


def tasks_of_rows(
    rows: Sequence[InputRow], found: FoundColumns, columns: NamedColumns = UNSAID
) -> Iterator[tuple[str, Task]]:
    """The tasks of a table, each with its place. found: its columns.

    Without identifiers they are made of the prompts, so that they stay when rows are added. Where a
    row is a report, as in a table with agents, rows of one task are one task, and identifiers that
    differ for one prompt are of rows and not taken. Columns besides are fields of `Task`, or labels
    if they hold short texts and numbers; what is neither is left out with a Notice.

    Raises BadTasks.
    """
    rows, found = _with_lists_named(rows, found)
    prompt = str(found.prompt)
    reports = [name for name in found.report if not _within_a_field(name, rows)]
    by_report = bool(found.agent or reports or found.sample)
    id = found.id
    if id and by_report and not columns.named_as("id") and numbers_rows(rows, id, prompt):
        id = None
    rest = tuple(each for each in found.rest if each not in columns.named_as("reference"))
    found = found._replace(rest=rest)
    labels = _label_columns(rows, found, prompt if by_report or not id else "")
    first: dict[str, tuple[InputRow, Task]] = {}
    for row in rows:
        if by_report and row.flat and row.fields.get(prompt) in (None, ""):
            raise BadTasks(
                f"{row.place}: the prompt is missing (column {prompt!r}).",
                "Fill it in; where it stands in the first row of a group only, fill it down, and "
                "take the row out if it is none of an answer.",
            )
        said = value_of(row, prompt, "prompt")
        key = id_of(row, id) if id else made_id(said) if isinstance(said, str) else ""
        if key in first and (by_report or not id):
            other, known = first[key]
            if same_words(str(said)) != same_words(known.prompt):
                raise BadTasks(
                    f"{row.place}: the prompt differs from that of {other.place}, which has the "
                    f"same identifier {key!r}.",
                    f"Correct one of them, or take no identifiers: {option([('id', '')])}",
                )
            continue
        fields = {
            name: value
            for name, value in row.fields.items()
            if name in _FIELDS and not _is_of_others(name, value)
        }
        if row.flat:
            fields = {
                each: value for each, cell in fields.items() if (value := _opened(row, each, cell))
            }
        if right := [each for each in columns.named_as("reference") if row.fields.get(each)]:
            fields["reference"] = row.fields[right[0]]
        fields |= {
            "id": key,
            "prompt": said.strip() if row.flat and isinstance(said, str) else said,
        }
        task = valid_task(row, _labelled(row, fields, labels))
        first[key] = (row, task)
        yield row.place, task


def _with_lists_named(
    rows: Sequence[InputRow], found: FoundColumns
) -> tuple[Sequence[InputRow], FoundColumns]:
    """The table with its columns of lists under the names of their fields: `Checklist` in capitals.

    One that holds no list keeps its name, as does one beside a column that has the name already.
    """
    fields: dict[str, str] = {}
    for name in found.rest:
        field = name.strip().lower()
        taken = field in found.rest or field in fields.values()
        if field in _LISTS and not taken and any(_is_list(row.fields.get(name)) for row in rows):
            fields[name] = field
    if not fields:
        return rows, found
    renamed = [
        replace(row, fields={fields.get(each, each): value for each, value in row.fields.items()})
        for row in rows
    ]
    return renamed, found._replace(rest=tuple(fields.get(name, name) for name in found.rest))


def _is_list(cell: Json) -> bool:
    """Whether a cell holds a list: as such, as JSON, or with an item on each of several lines."""
    text = cell.strip() if isinstance(cell, str) else ""
    return isinstance(cell, list) or text.startswith("[") or "\n" in text


def _is_of_others(name: str, value: Json) -> bool:
    """Whether it is called as a field of tasks is, and holds the answers of agents."""
    return name == "completions" and not isinstance(value, Mapping)


def _within_a_field(column: str, rows: Sequence[InputRow]) -> bool:
    """Whether a column that is called as reports are is a field of the tasks, or lies in one."""
    name = column.partition(".")[0]
    return name in _FIELDS and any(
        name in row.fields and not _is_of_others(name, row.fields[name]) for row in rows
    )


def own_tasks(rows: Sequence[InputRow], live: bool) -> Iterator[tuple[str, Task]]:
    """Our own layout: the fields of `Task`, of which only id and prompt are required."""
    place = rows[0].place.partition(", ")[0]
    return tasks_of_rows(rows, find_columns(rows, UNSAID, [["prompt"]], place))


def _label_columns(rows: Sequence[InputRow], found: FoundColumns, prompt: str) -> list[str]:
    """The columns that become labels. Of what becomes nothing, a Notice tells.

    prompt: where several rows may be of one task, its column; what differs between those is no
    label. Raises BadTasks for one that is named nearly as a field is.
    """
    labels, lost = [], []
    for name in found.rest:
        if name in _FIELDS:
            continue
        for row in rows:
            if get_close_matches(name.lower(), _FIELDS, 1, 0.8):
                raise _unknown(row, name)
        of_tasks: dict[str, Json] = {}
        if not _is_of_a_report(name, found.report) and all(
            _is_label(value := row.fields.get(name))
            and (not prompt or of_tasks.setdefault(str(row.fields.get(prompt)), value) == value)
            for row in rows
        ):
            labels.append(name)
        else:
            lost.append(name)
    if lost:
        where = rows[0].place.partition(", ")[0]
        right = [name for name in lost if is_target(name) or may_be_expected(name)]
        right = [name for name in right if not are_dates(rows, name)]
        line = option([("reference", right[0])]) if right else ""
        hint = f" To hold reports against {right[0]!r}: {line}." if right else ""
        warnings.warn(UnusedColumns(where, lost, hint=hint), stacklevel=2)
    return labels


def _is_of_a_report(name: str, reports: Sequence[str]) -> bool:
    """Whether one of several columns of reports is named in it, as in `heron minutes`."""
    words = re.split(r"[\W_]+", name.casefold())
    return len(reports) > 1 and any(
        {*re.split(r"[\W_]+", each.casefold())} <= {*words} for each in reports if each != name
    )


def _is_label(value: Json) -> bool:
    text = value if isinstance(value, str) else ""
    fits = value is None or isinstance(value, str | int | float)
    return fits and len(text) <= LONGEST_LABEL and "\n" not in text


def _labelled(row: InputRow, fields: dict[str, Json], columns: Sequence[str]) -> dict[str, Json]:
    """The fields with labels from columns; a language that is neither of ours is one too."""
    labels = {
        name: str(row.fields[name]).strip()
        for name in columns
        if row.fields.get(name) not in (None, "")
    }
    if isinstance(said := fields.get("language"), str) and said not in ("en", "zh"):
        del fields["language"]
        if (known := _LANGUAGES.get(said.strip().lower())) is not None:
            fields["language"] = known
        elif said.strip():
            labels["written_in"] = said.strip()
    said, prompt = fields.get("language"), str(fields.get("prompt"))
    if said is None and is_other_language(prompt, detect_language(prompt) == "zh"):
        labels["language"] = UNKNOWN
    given = fields.get("labels", {})
    if labels and isinstance(given, Mapping):
        fields["labels"] = {**labels, **given}
    return fields


def _opened(row: InputRow, name: str, cell: Json) -> Json:
    """What a cell holds that is a field: a text, JSON, or a list with a line for each."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if text[:1] in ("[", "{") and name not in ("reference", "language"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise bad_field(row, name, f"is not JSON ({error})") from error
    if name in ("blocked", "checklist", "relevant"):
        lines = (line.strip().removeprefix("- ").removeprefix("• ") for line in text.split("\n"))
        return [line for line in lines if line]
    return text


def valid_task(
    row: InputRow, fields: Mapping[str, Json], called: Callable[[Way], str] = field_name
) -> Task:
    """A validated task, or BadTasks naming the field that is wrong, as `called` calls it."""
    try:
        return Task.model_validate(fields)
    except ValidationError as error:
        first = first_mistake(error)
    if first["type"] == "extra_forbidden":
        raise _unknown(row, field_name(first["loc"]))
    raise bad_field(row, called(first["loc"]), problem_of(first))


def _unknown(row: InputRow, field: str) -> BadTasks:
    allowed = ", ".join(Task.model_fields)
    return BadTasks(
        f"{row.place}: unknown field '{field}'.",
        f"A task has: {allowed}. What tables are to be cut by belongs into labels.",
    )


def value_of(row: InputRow, column: str, field: str = "") -> Json:
    """What stands there. field: its name in messages. Raises BadTasks where nothing does."""
    value = row.fields.get(column)
    if value is None:
        named = f" (column {column!r})" if field not in ("", column) else ""
        raise bad_field(row, field or column, f"is missing{named}")
    return value


def id_of(row: InputRow, column: str) -> str:
    """An identifier is a text; whole numbers are written out. Raises BadTasks."""
    value = value_of(row, column, "id" if row.flat else column)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise bad_field(row, column, "must be a text or a whole number")
    return str(value).strip() if row.flat else str(value)


def bad_field(row: InputRow, field: str, problem: str) -> BadTasks:
    """What is wrong with a field of a row."""
    return BadTasks(f"{row.place}: field '{field}': {problem}.", "Correct that line of the file.")


def labels_of(row: InputRow, **columns: str) -> dict[str, str]:
    """Labels from columns of the row; a missing or empty one gives no label."""
    labels = {}
    for label, column in columns.items():
        value = column if label == "set" else row.fields.get(column)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise bad_field(row, column, "is not a text")
        labels[label] = value
    return labels
