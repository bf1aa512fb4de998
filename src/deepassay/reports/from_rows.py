"""Reports from rows: as they are published, or under whatever names the columns have."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from deepassay.errors import BadReports, Notice
from deepassay.files import BadFile, json_lines
from deepassay.intake.columns import FoundColumns, NamedColumns, agents_in, find_columns, option
from deepassay.intake.heads import ColumnPart, is_head, is_target, is_weak
from deepassay.intake.rows import InputRow, made_id, numbers_rows
from deepassay.intake.shapes import prepared
from deepassay.intake.tables import read_tables, table_for, whole_document
from deepassay.reports.answers import answer_of
from deepassay.reports.files import NoAnswer, markdown_of, read_json_report, read_report_text
from deepassay.reports.naming import agent_of, whose
from deepassay.reports.report import Report
from deepassay.score import Json, ReportKey, report_key

LAYOUTS: Final = (
    "Reports are Markdown or text files (AGENT/TASK.md, AGENT/qid_TASK_report.md or "
    "AGENT/TASK/answer_1.md), HTML, PDF or DOCX files of such names, answers as providers send "
    "them (AGENT/TASK.json), or tables with a column of reports and one of prompts or identifiers "
    "(JSON Lines, JSON, CSV, XLSX, YAML, Parquet)."
)
UNSAID: Final = NamedColumns()
_ARTICLES = ("article", "response", "final_report", "report", "answer")
_PROMPTS = ("prompt", "question")
_TASKS = ("custom_id", "id", "key", "task_id", "task")


def reports_of_rows(
    rows: Sequence[InputRow], agent: str, path: str, columns: NamedColumns = UNSAID
) -> Iterator[Report]:
    """The reports of rows, of which no two are one agent's for one task and sample.

    agent: where no column names one. path: for messages. Raises BadReports.
    """
    found: Iterator[tuple[str, Report]]
    free: Sequence[str] = ()
    if not columns.named and all(map(_is_published, rows)):
        agents = agents_in(rows)
        found = (_published(row, agent, path, agents) for row in rows)
    else:
        try:
            rows = prepared(rows, columns)
            there = find_columns(rows, columns, [["report"], ["prompt", "id"]], path)
        except BadFile as error:
            raise BadReports(f"{error.problem.removesuffix('.')}.", error.remedy) from error
        _tell_of_unused(rows, there, agent, path, columns)
        free = [] if there.agent else there.rest
        found = _of_people(rows, there, agent, path, columns)
    first: dict[ReportKey, str] = {}
    for place, report in found:
        if (known := first.setdefault(report_key(report), place)) != place:
            twice = second(report, place, known)
            names = [name for name in free if _names_agents(rows, name)]
            raise BadReports(twice.problem, _say_agent(names, columns)) if names else twice
        yield report


def _tell_of_unused(
    rows: Sequence[InputRow], found: FoundColumns, agent: str, path: str, columns: NamedColumns
) -> None:
    """A Notice of columns that are not used, with the option for one that may name the agent."""
    if len(found.report) > 1:  # in a wide table, an agent without any report is an empty column
        told = {found.id, found.prompt, found.sample, *found.report, *found.rest}
        empty = [
            name for name in dict.fromkeys(k for r in rows for k in r.fields) if name not in told
        ]
        if empty:
            said = f"{path}: nothing stands in the columns {', '.join(map(repr, empty))}."
            warnings.warn(Notice(said), stacklevel=2)
    if not found.rest:
        return
    said = f"{path}: of its reports not used: {', '.join(map(repr, found.rest))}."
    named = found.agent or len(found.report) > 1 or "agent" in dict(columns.named)
    if not named and (names := [name for name in found.rest if _names_agents(rows, name)]):
        said += f" The agent is called {agent!r}. {_say_agent(names, columns)}"
    warnings.warn(Notice(said), stacklevel=2)


def _names_agents(rows: Sequence[InputRow], name: str) -> bool:
    """Whether a column of texts has few that occur often."""
    if is_target(name):
        return False
    values = [row.fields.get(name) for row in rows]
    short = all(isinstance(each, str) and len(each) < 60 for each in values)
    return short and len({*values}) < len(values)


def _say_agent(names: Sequence[str], columns: NamedColumns) -> str:
    lines = " or ".join(option([*columns.named, ("agent", name)]) for name in names[:3])
    return f"If a column names the agent, say so: {lines}"


def second(report: Report, place: str, first: str) -> BadReports:
    """What is wrong where two reports stand for one agent, task and sample."""
    return BadReports(
        f"{place}: a second report of agent {report.agent!r} for task {report.task!r}, sample "
        f"{report.sample}; the first is {first}",
        "Give each once, and number several answers: answer_1.md, answer_2.md, or in a column of a "
        "table named sample.",
    )


# ------------------------------------------------------------------ as published


def _is_published(row: InputRow) -> bool:
    """Whether it has the fields of published files, of which none may mean two things."""
    articles = [name for name in _ARTICLES if row.fields.get(name) is not None]
    others = [name for name in row.fields if is_head(name, "report")]
    return (
        not row.flat
        and _first_of(row.fields, _TASKS) is not None
        and ("article" in articles or len(articles) == 1 or not (articles or others))
    )


def _published(row: InputRow, agent: str, path: str, column: str | None) -> tuple[str, Report]:
    """The report of one line; other fields of the record are not looked at."""
    record, place = row.fields, row.place
    task, prompt = _first_of(record, _TASKS), _first_of(record, _PROMPTS)
    if isinstance(task, bool) or not isinstance(task, int | str) or task == "":
        raise BadReports(f"{place}: field 'id' is missing or no identifier.", LAYOUTS)
    if prompt is not None and not isinstance(prompt, str):
        raise BadReports(f"{place}: field 'prompt' is not a text.", LAYOUTS)
    text, by = _first_of(record, _ARTICLES), ""
    if text is not None and column is not None and record.get(column):
        agent = str(record[column])
    if text is None and isinstance(right := record.get("chosen"), list) and right:
        text = right[0]  # RewardBench 2: all completions are in the task, the report is the first
    if not isinstance(text, str):
        text, by = _converted(text or record, place, "field 'article' is missing or not a text")
    name = str(task).removeprefix("qid_")
    return place, Report(text, agent, name, path=f"{path}#{task}", prompt=prompt, converter=by)


def _converted(value: object, place: str, otherwise: str) -> tuple[str, str]:
    """The Markdown of an answer as providers send it, and what made it. Raises BadReports."""
    try:
        converted = markdown_of(value, place)
    except NoAnswer as error:
        raise BadReports(f"{place}: {otherwise}.", LAYOUTS) from error
    return converted.text, converted.by


def _first_of(record: Mapping[str, Any], names: Iterable[str]) -> Any:  # noqa: ANN401 - JSON
    """The first of these fields in which anything stands."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def _is_record(value: object) -> bool:
    """Whether it has a task and a report, as published."""
    return (
        isinstance(value, dict)
        and _first_of(value, _TASKS) is not None
        and _first_of(value, _ARTICLES) is not None
    )


# ------------------------------------------------------------------ as people have them


def _of_people(
    rows: Sequence[InputRow], found: FoundColumns, agent: str, path: str, columns: NamedColumns
) -> Iterator[tuple[str, Report]]:
    """The reports of a table, each with its place; a cell without a text is none."""
    said = columns.named_as("id"), columns.named_as("prompt")
    id, prompt = found.id, found.prompt
    if id and prompt and not said[1] and is_weak("prompt", prompt):
        prompt = None  # a title or topic beside an identifier need not be what was asked
    if id and not said[0]:
        if prompt and numbers_rows(rows, id, prompt):
            id = None
        elif not prompt and found.agent:
            _refuse_numbers(rows, id, found.agent, path, columns)
    _refuse_names(rows, found.report, path)
    wide = _agents_of(found.report, rows)
    cells: Counter[str] = Counter()
    empty: Counter[str] = Counter()
    for row in rows:
        for column in found.report:
            text, place = row.fields.get(column), row.place
            nothing = text is None or (row.flat and str(text).strip() in _NOTHING)
            if len(found.report) > 1:
                place, agent = f"{row.place}, column {column}", wide[column]
            elif found.agent and (not nothing or row.cells.get(found.agent)):
                agent = _filled(row, found.agent, "the agent")
            cells[agent] += 1
            if nothing:
                empty[agent] += 1
                continue
            text, by = _text_in(text, place, column, columns)
            asked = _filled(row, prompt, "the prompt") if prompt else None
            name = _filled(row, id, "the task") if id else made_id(str(asked))
            yield (
                place,
                Report(
                    text,
                    agent,
                    name.removeprefix("qid_"),
                    _sample(row, found.sample),
                    f"{path}#{row.place.rpartition(', ')[2]}",
                    asked,
                    by,
                ),
            )
    for each, number in empty.items():
        if number == cells[each]:
            nothing_of = f"{path}: {each} has 0 of {number} reports: nothing stands in its cells."
            warnings.warn(Notice(nothing_of), stacklevel=2)


_NOTHING: Final = frozenset(
    ("", "N/A", "#N/A", "nan", "NaN", "None", "null", "NULL", "#NAME?", "#REF!", "#VALUE!")
)
"""What programs write into a cell for nothing, or for what they could not compute."""
_NAMES_A_FILE: Final = re.compile(
    r"\w+://\S+|www\.\S+|\S{1,300}\.[A-Za-z]\w{0,4}|[^\n]{1,300}\.(md|txt|html?|pdf|docx?|json)"
)


def _refuse_names(rows: Sequence[InputRow], columns: Sequence[str], path: str) -> None:
    """Raise BadReports for a column of reports that holds where they are, and not their texts."""
    for column in columns:
        values = [row.fields.get(column) for row in rows]
        texts = [each.strip() for each in values if isinstance(each, str)]
        cells = [each for each in texts if each not in _NOTHING]
        if cells and all(map(_NAMES_A_FILE.fullmatch, cells)):
            raise BadReports(
                f"{path}: the column {column!r} holds names of files or addresses and no "
                f"texts, as {cells[0]!r}.",
                "Give the folder of the files as the reports, named after the tasks; or a table "
                "with the texts themselves in a column.",
            )


def _agents_of(columns: Sequence[str], rows: Sequence[InputRow]) -> dict[str, str]:
    """The agent of each column of a wide table: its name, of a field in a field the inner one."""
    inner = {}
    for column in columns:
        outer, _, key = column.partition(".")
        within = key and any(isinstance(row.fields.get(outer), Mapping) for row in rows)
        inner[column] = key if within else column
    return inner if len({*inner.values()}) == len(inner) else {each: each for each in columns}


def _text_in(value: Json, place: str, column: str, columns: NamedColumns) -> tuple[str, str]:
    """The Markdown of what stands there, and what made it. Raises BadReports."""
    if isinstance(value, str):
        return value, ""
    if isinstance(value, int | float):
        raise BadReports(f"{place}: {column!r} is a number and no report.", LAYOUTS)
    _refuse_inner(value, place, column, columns)
    return _converted(value, place, f"{column!r} is neither a text nor an answer")


def _refuse_inner(value: object, place: str, column: str, columns: NamedColumns) -> None:
    """Raise BadReports for fields in a field, none of which is known as the answer."""
    inner = value if isinstance(value, Mapping) else {}
    names = [name for name, each in inner.items() if isinstance(each, str)]
    if names and answer_of(value) is None:
        said = [pair for pair in columns.named if pair != ("report", column)]
        lines = (option([*said, ("report", f"{column}.{name}")]) for name in names[:3])
        raise BadReports(
            f"{place}: {column!r} holds fields: {', '.join(names)}.",
            f"Say which is the report: {' or '.join(lines)}",
        )


def _filled(row: InputRow, column: str, what: str) -> str:
    value = row.fields.get(column)
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise BadReports(
            f"{row.place}: {what} is missing (column {column!r}).",
            "Fill it in, or take the row out.",
        )
    return str(value).strip()


def _sample(row: InputRow, column: str | None) -> int:
    if column is None:
        return 1
    value = str(row.fields.get(column)).strip()
    if not value.isdecimal():
        raise BadReports(
            f"{row.place}: column {column!r} holds {value!r}, which is no number of an answer.",
            f"Number the answers from 1 on, or say that the column is none: "
            f"{option([('sample', '')])}",
        )
    return int(value)


def _refuse_numbers(
    rows: Sequence[InputRow], id: str, agent: str, path: str, columns: NamedColumns
) -> None:
    """Raise BadReports where identifiers seem to be of rows: no two agents share one."""
    owners: dict[object, set[object]] = {}
    for row in rows:
        owners.setdefault(row.fields.get(id), set()).add(row.fields.get(agent))
    agents = {each for those in owners.values() for each in those}
    if len(agents) > 1 and all(len(those) == 1 for those in owners.values()):
        raise BadReports(
            f"{path}: {id!r} seems to number the rows and not the tasks: of {len(agents)} agents "
            "no two have one in common, and there is no prompt.",
            "Add a column with the prompts; or, if it does name the tasks: "
            f"{option([*columns.named, ('id', id)])}",
        )


# ------------------------------------------------------------------ files of rows

_NEEDED: Final[Sequence[Sequence[ColumnPart]]] = (("report",), ("prompt", "id"))


def json_lines_of(path: Path, columns: NamedColumns = UNSAID) -> Iterator[Report]:
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
    yield from reports_of_rows(rows, agent_of(path), str(path), columns)


def table_of(path: Path, columns: NamedColumns = UNSAID) -> Iterator[Report]:
    """The reports of a table, or of the one sheet of a workbook that holds any."""
    try:
        tables = read_tables(path, str(path))
        rows, _ = table_for(tables, columns, _NEEDED, str(path))
    except BadFile as error:
        where = "" if error.problem.startswith(str(path)) else f"{error.at(path)}: "
        raise BadReports(f"{where}{error.problem.removesuffix('.')}.", error.remedy) from error
    except OSError as error:
        raise BadReports(f"{path}: the file cannot be read ({error.strerror}).") from error
    yield from reports_of_rows(rows, agent_of(path), str(path), columns)


def json_of(path: Path, columns: NamedColumns = UNSAID, tables: bool = True) -> Iterator[Report]:
    """The answer of a provider, or a list of what a JSON Lines file has on its lines.

    tables: it may also be a table in another shape, which nothing in a folder is taken for.
    """
    try:
        value = read_json_report(path)
        records = value if isinstance(value, list) else [value]
        if records and all(map(_is_record, records)):
            rows = [
                InputRow(f"{path}, object {number}", each) for number, each in enumerate(records, 1)
            ]
            yield from reports_of_rows(rows, agent_of(path), str(path), columns)
            return
        text, by = markdown_of(value, str(path))
    except NoAnswer as none:
        if not tables:
            raise
        try:
            yield from table_of(path, columns)
        except BadReports as error:
            raise NoAnswer(f"{none.problem} As a table: {error.problem}", error.remedy) from error
    else:
        yield Report(text, *whose(path), path=str(path), converter=by)


def markdown_text(path: Path) -> str:
    """Text of a file; a byte order mark at its start is no part of the report."""
    return read_report_text(path).removeprefix("\ufeff")
