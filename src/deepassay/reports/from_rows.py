"""Reports from rows: as they are published, or under whatever names the columns have."""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from deepassay.errors import BadReports, Notice
from deepassay.files import BadFile, json_lines
from deepassay.intake.choices import ColumnChoice, asking
from deepassay.intake.choosing import table_for
from deepassay.intake.columns import (
    OF_REPORTS,
    ORDER,
    FoundColumns,
    NamedColumns,
    UnusedColumns,
)
from deepassay.intake.heads import ColumnPart, is_head, is_known
from deepassay.intake.leaves import is_source, opened
from deepassay.intake.rows import InputRow
from deepassay.intake.searching import agents_in
from deepassay.intake.tables import read_tables, whole_document
from deepassay.intake.turns import turns_in
from deepassay.reports.cells import of_people, provider_markdown
from deepassay.reports.faults import SecondOfTable, SecondReport, tell_of_copies, unless_failed
from deepassay.reports.files import (
    LAYOUTS,
    NoAnswer,
    NoReports,
    markdown_of,
    markdown_text,
    read_json_report,
)
from deepassay.reports.naming import agent_of, whose
from deepassay.reports.report import Report
from deepassay.score import Json, ReportKey, report_key
from deepassay.text import brief

_ARTICLES = ("article", "response", "final_report", "report", "answer")
_PROMPTS = ("prompt", "question")
_TASKS = ("custom_id", "id", "key", "task_id", "task")


def reports_of_rows(
    rows: Sequence[InputRow],
    agent: str,
    path: str,
    columns: NamedColumns,
    folder: Path | None = None,
) -> Iterator[Report]:
    """The reports of rows, of which no two are one agent's for one task and sample.

    agent: where no column names one. path: for messages. folder: of files that a column names.
    Raises BadReports.
    """
    rows = _without_failed(rows, path)
    if _are_published(rows, columns):
        if not any("article" in row.fields for row in rows):
            rows = opened(rows, lambda value: False)  # conversations say which model answered
        agents = agents_in(rows)
        yield from _each_once(_published(row, agent, path, agents) for row in rows)
        return
    try:
        filled, there = table_for({"": [*rows]}, columns, _NEEDED, path, _is_answer)
    except BadFile as error:
        raise NoReports(f"{error.problem.removesuffix('.')}.", error.remedy) from error
    yield from _of_table(filled, there, agent, path, columns, folder)


def _without_failed(rows: Sequence[InputRow], path: str) -> list[InputRow]:
    """The rows without requests that failed where others hold answers of providers; told of."""
    failed = {
        row.place: why
        for row in rows
        if not (row.flat or _says_report(row)) and (why := _failure(row.fields))
    }
    answered = {row.place for row in rows if failed and _holds_answer(row)}
    failed = {place: why for place, why in failed.items() if place not in answered}
    if not (failed and answered):
        return [*rows]
    place, why = next(iter(failed.items()))
    warnings.warn(
        Notice(
            f"{path}: {len(failed)} of {len(rows)} answers failed and are left out, "
            f"the first at {place}: {brief(why)}."
        ),
        stacklevel=3,
    )
    return [row for row in rows if row.place not in failed]


def _says_report(row: InputRow) -> bool:
    texts = [each for name, each in row.fields.items() if is_head(name, "report")]
    return any(isinstance(each, str) and each.strip() for each in texts)


def _holds_answer(row: InputRow) -> bool:
    return any(map(_is_answer, (row.fields, *row.fields.values())))


_ENVELOPES: Final = 3
"""Levels around what went wrong, as of batches: `response.body.error.message`."""
_FAILED_STATUS: Final = 400


def _failure(value: Mapping[str, Json], depth: int = 0) -> str:
    """What went wrong with a request, by its error or else by its status; empty where nothing."""
    for name in ("error", "errors"):
        error = value.get(name)
        if error:
            told = error.get("message") if isinstance(error, Mapping) else None
            return str(told or (error if isinstance(error, str) else json.dumps(error)))
    inner = [each for each in value.values() if isinstance(each, Mapping)] * (depth < _ENVELOPES)
    if why := next((why for each in inner if (why := _failure(each, depth + 1))), ""):
        return why
    status = value.get("status_code")
    failed = isinstance(status, int) and status >= _FAILED_STATUS
    return f"status {status}" if failed else ""


def _of_table(
    rows: Sequence[InputRow],
    there: FoundColumns,
    agent: str,
    path: str,
    columns: NamedColumns,
    folder: Path | None,
) -> Iterator[Report]:
    """The reports of a table. folder: of the files that it may name. Raises BadReports."""
    if not there.agent and (len(there.report) == 1 or there.sample == ORDER):
        _tell_of_name(agent, path, columns)
    _tell_of_unused(rows, there, path)
    if there.sample == ORDER and there.rest:
        rows = _without_copies(rows)
    try:
        found = of_people(rows, there, agent, path, columns, folder)
        yield from _each_once(_answers(found, there))
        return
    except SecondReport as error:
        twice = error
    if there.sample == ORDER:
        raise twice
    said = [pair for pair in columns.named if pair[0] != "sample"]
    each = ColumnChoice((*said, ("sample", ORDER)), "several answers to one task")
    raise asking(SecondOfTable, twice.problem, [each])


def _answers(
    found: Iterable[tuple[str, Report]], there: FoundColumns
) -> Iterator[tuple[str, Report]]:
    """The reports without those that say why there is none, which are not counted either."""
    every = [*found]
    kept = {id(each) for each in unless_failed([report for _, report in every])}
    counted: Counter[tuple[str, str]] = Counter()
    for place, report in every:
        if id(report) in kept:
            counted[report.agent, report.task] += 1
            in_order = there.sample == ORDER and len(there.report) == 1
            number = counted[report.agent, report.task] if in_order else report.sample
            yield place, report if number == report.sample else report.but(sample=number)


def _without_copies(rows: Sequence[InputRow]) -> list[InputRow]:
    """The rows without those that say in all columns what another says, of which a Notice tells."""
    first: dict[str, InputRow] = {}
    again = []
    for row in rows:
        known = first.setdefault(json.dumps(row.fields, sort_keys=True, default=str), row)
        again += [] if known is row else [f"{row.place}, as {known.place}"]
    tell_of_copies(again)
    return [*first.values()]


def _each_once(found: Iterable[tuple[str, Report]]) -> Iterator[Report]:
    """The reports; one that comes again with the same text is told of. Raises SecondReport."""
    first: dict[ReportKey, tuple[str, str]] = {}
    again: list[str] = []
    for place, report in found:
        known, text = first.setdefault(report_key(report), (place, report.digest))
        if known == place:
            yield report
        elif text == report.digest:
            again.append(f"{place}, as {known}")
        else:
            raise SecondReport(report, place, known)
    tell_of_copies(again)


def _is_answer(value: Json) -> bool:
    from deepassay.reports.answers import answer_of  # most reports are texts

    return answer_of(value) is not None


def _tell_of_name(agent: str, path: str, columns: NamedColumns) -> None:
    """A Notice that the agent has its name from the file, where that says nothing by itself."""
    if columns.one_file:
        said = f"{path}: no column is known as the agent, which is called {agent!r} after the file."
        warnings.warn(Notice(f"{said} Rename the file, or add a column `agent`."), stacklevel=2)


def _tell_of_unused(rows: Sequence[InputRow], found: FoundColumns, path: str) -> None:
    """A Notice of columns that are not used."""
    if len(found.report) > 1:  # in a wide table, an agent without any report is an empty column
        told = {*found.taken, *found.rest, *(each.partition(".")[0] for each in found.taken)}
        every = dict.fromkeys(name for row in rows for name in row.fields)
        empty = [name for name in every if name not in told]
        if empty:
            said = f"{path}: nothing stands in the columns {', '.join(map(repr, empty))}."
            warnings.warn(Notice(said), stacklevel=2)
    if found.rest:
        warnings.warn(UnusedColumns(path, found.rest, OF_REPORTS), stacklevel=2)


# ------------------------------------------------------------------ as published


def _are_published(rows: Sequence[InputRow], columns: NamedColumns) -> bool:
    """Whether rows have the fields of published files, of which none may mean two things."""
    return not columns.named and all(map(_is_published, rows))


def _is_published(row: InputRow) -> bool:
    articles = [name for name in _ARTICLES if row.fields.get(name) is not None]
    others = [name for name in row.fields if is_head(name, "report")]
    if row.flat or _first_of(row.fields, _TASKS) is None:
        return False
    if articles or others:
        if any(is_source(text) for e in articles if isinstance(text := row.fields[e], str)):
            return False  # which is opened
        one = len(articles) == 1 and not {*others} - {*articles}
        return "article" in articles or (one and _is_answer(row.fields[articles[0]]))
    if any(turns_in(each) is not None for each in row.fields.values()):
        return False  # a conversation says itself what was asked
    return isinstance(row.fields.get("chosen"), list) or _is_answer(row.fields)


def _published(row: InputRow, agent: str, path: str, column: str | None) -> tuple[str, Report]:
    """The report of one line; other fields of the record are not looked at."""
    record, place = row.fields, row.place
    task, prompt = _first_of(record, _TASKS), _first_of(record, _PROMPTS)
    if isinstance(task, bool) or not isinstance(task, int | str) or task == "":
        raise BadReports(f"{place}: field 'id' is missing or no identifier.", LAYOUTS)
    if prompt is not None and not isinstance(prompt, str):
        raise BadReports(f"{place}: field 'prompt' is not a text.", LAYOUTS)
    text, by = _first_of(record, _ARTICLES), ""
    if column is not None and row.at(column) and (text is not None or row.inner):
        agent = str(row.at(column))
    if text is None and isinstance(right := record.get("chosen"), list) and right:
        text = right[0]  # RewardBench 2: all completions are in the task, the report is the first
    if not isinstance(text, str):
        text, by = provider_markdown(
            text or record, place, "field 'article' is missing or not a text"
        )
    name = str(task).removeprefix("qid_")
    return place, Report(text, agent, name, path=f"{path}#{task}", prompt=prompt, converter=by)


def _first_of(record: Mapping[str, Any], names: Iterable[str]) -> Any:  # noqa: ANN401 - JSON
    """The first of these fields in which anything stands."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def _is_record(value: Mapping[str, Json]) -> bool:
    """Whether it has a task and a report, as published."""
    return _first_of(value, _TASKS) is not None and _first_of(value, _ARTICLES) is not None


# ------------------------------------------------------------------ files of rows

_NEEDED: Final[Sequence[Sequence[ColumnPart]]] = (("report",), ("prompt", "id"))


def json_lines_of(path: Path, columns: NamedColumns) -> Iterator[Report]:
    """The reports of a file with an object a line, or of a list of such objects."""
    text = markdown_text(path)
    try:
        rows = [InputRow(f"{path}:{number}", each) for number, each in json_lines(text)]
    except BadFile as error:
        if not re.match(r"\s*\[\s*\{", text):
            said = whole_document(text, error)
            line = "" if said.line is None else f"{said.line}:"
            raise BadReports(f"{path}:{line} {said.problem}.", said.remedy) from error
        yield from table_of(path, columns)
        return
    yield from reports_of_rows(rows, agent_of(path), str(path), columns, path.parent)


def table_of(path: Path, columns: NamedColumns) -> Iterator[Report]:
    """The reports of a table, or of the one sheet of a workbook that holds any."""
    try:
        tables = read_tables(path, str(path), columns)
        tables = {name: _without_failed(each, str(path)) for name, each in tables.items()}
        rows = next(iter(tables.values()), [])
        if len(tables) == 1 and rows and _are_published(rows, columns):
            yield from reports_of_rows(rows, agent_of(path), str(path), columns)
            return
        rows, there = table_for(tables, columns, _NEEDED, str(path), _is_answer)
    except BadFile as error:
        where = "" if error.problem.startswith(str(path)) else f"{error.at(path)}: "
        raise BadReports(f"{where}{error.problem.removesuffix('.')}.", error.remedy) from error
    except OSError as error:
        raise BadReports(f"{path}: the file cannot be read ({error.strerror}).") from error
    yield from _of_table(rows, there, agent_of(path), str(path), columns, path.parent)


def json_of(path: Path, columns: NamedColumns, tables: bool = True) -> Iterator[Report]:
    """The answer of a provider, or a list of what a JSON Lines file has on its lines.

    tables: it may also be a table in another shape, which nothing in a folder is taken for.
    """
    try:
        value = read_json_report(path)
        records = value if isinstance(value, list) else [value]
        rows = [
            InputRow(f"{path}, object {number}", each)
            for number, each in enumerate(records, 1)
            if isinstance(each, Mapping)
        ]
        rows = _without_failed(rows, str(path)) if len(rows) == len(records) else []
        if rows and all(_is_record(each.fields) for each in rows):
            yield from reports_of_rows(rows, agent_of(path), str(path), columns)
            return
        text, by = markdown_of(value, str(path))
    except NoAnswer:
        if not tables:
            raise
        try:
            yield from table_of(path, columns)
        except BadReports as error:
            raise NoAnswer(error.problem, error.remedy) from error
    else:
        asked = [
            each
            for name, each in (value.items() if tables and isinstance(value, Mapping) else ())
            if is_known(name, "prompt", 0) and isinstance(each, str)
        ]
        prompt = asked[0] if len(asked) == 1 else None
        yield Report(text, *whose(path), path=str(path), prompt=prompt, converter=by)
