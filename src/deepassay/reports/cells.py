"""The reports of tables as people have them: a cell each, by agent, task and number."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from pathlib import Path
from typing import Final

from deepassay.errors import BadReports, Notice
from deepassay.intake.columns import ORDER, FoundColumns, NamedColumns, option
from deepassay.intake.heads import KNOWN, is_weak
from deepassay.intake.proposals import names_part
from deepassay.intake.rows import InputRow, made_id, numbers_rows
from deepassay.reports.documents.convert import Converted
from deepassay.reports.files import (
    HERE,
    LAYOUTS,
    WRITTEN,
    NoAnswer,
    ending_of,
    markdown_of,
    read_markdown,
)
from deepassay.reports.report import Report
from deepassay.score import Json
from deepassay.text import natural_order


def of_people(
    rows: Sequence[InputRow],
    found: FoundColumns,
    agent: str,
    path: str,
    columns: NamedColumns,
    folder: Path | None,
) -> Iterator[tuple[str, Report]]:
    """The reports of a table, each with its place; a cell without a text is none."""
    id, prompt = _joining(rows, found, path, columns)
    files = _files_named(rows, found.report, path, folder)
    wide = _agents_of(found.report)
    numbered = (
        {column: rank for rank, column in enumerate(found.report, start=1)}
        if len(wide) > 1 and found.sample == ORDER
        else {}
    )
    samples = _AnswerNumbers(rows, found.sample)
    cells: Counter[str] = Counter()
    empty: Counter[str] = Counter()
    converted = _from_html(rows, found.report, path)
    for row in rows:
        for column in found.report:
            text, place = row.fields.get(column), row.place
            said = "" if text is None else str(text).strip().lower()
            nothing = not said or (row.flat and said in _NOTHING)
            if numbered:
                place = f"{row.place}, column {column}"
            elif len(found.report) > 1:
                place, agent = f"{row.place}, column {column}", wide[column]
            if found.agent and (not nothing or row.cells.get(found.agent)):
                agent = _filled(row, found.agent, "the agent")
            cells[agent] += 1
            if nothing:
                empty[agent] += 1
                continue
            if file := files.get(str(text).strip()):
                text = read_markdown(file)
            text, by = converted.get(str(text)) or _text_in(text, place, column, columns)
            asked = _filled(row, prompt, "the prompt") if prompt else None
            name = _filled(row, id, "the task") if id else made_id(str(asked))
            sample = numbered.get(column) or samples.of(row, agent, name)
            yield (
                place,
                Report(
                    text,
                    agent,
                    name.removeprefix("qid_"),
                    sample,
                    f"{path}#{_row_of(row.place, path)}",
                    asked,
                    by,
                ),
            )
    told = [_TAGGED.format(path=path, tagged=len(converted))] if converted else []
    nothing_of = {each: number for each, number in empty.items() if number == cells[each]}
    told += [_EMPTY.format(path=path, agent=a, number=n) for a, n in nothing_of.items()]
    for each in told:
        warnings.warn(Notice(each), stacklevel=2)


def _row_of(place: str, path: str) -> str:
    """How a row is named behind the name of its file: `line 8`."""
    line = re.fullmatch(r":(\d+)", place.removeprefix(path))  # as JSON Lines have it
    return f"line {line[1]}" if line else place.rpartition(", ")[2]


def _joining(
    rows: Sequence[InputRow], found: FoundColumns, path: str, columns: NamedColumns
) -> tuple[str | None, str | None]:
    """The columns of identifiers and prompts by which reports are joined to tasks."""
    id, prompt = found.id, found.prompt
    if id and prompt and not columns.named_as("prompt") and is_weak("prompt", prompt):
        prompt = None  # a title or topic beside an identifier need not be what was asked
    if id and not columns.named_as("id"):
        if prompt and numbers_rows(rows, id, prompt):
            id = None
        elif not prompt and found.agent:
            _refuse_numbers(rows, id, found.agent, path, columns)
    return id, prompt


_NOTHING: Final = frozenset(
    ("", "-", "n/a", "#n/a", "nan", "none", "null", "#name?", "#ref!", "#value!")
)
"""What programs write into a cell for nothing, or for what they could not compute."""
_HTML: Final = re.compile(
    r"\s*<(!doctype|html|body|article|section|div|p|h[1-6]|ul|ol|table)\b[^>]*>.*</\w+>\s*",
    re.IGNORECASE | re.DOTALL,
)
_EMPTY: Final = "{path}: {agent} has 0 of {number} reports: nothing stands in its cells."
_MARKDOWN: Final = re.compile(r"^(#{1,6} |[-*] |\d+\. |\|)", re.MULTILINE)
_TAGGED: Final = "{path}: {tagged} of its reports are HTML, and were converted to Markdown."


def _from_html(rows: Sequence[InputRow], columns: Sequence[str], path: str) -> dict[str, Converted]:
    """The Markdown of texts that are HTML, as services export what they show. Raises BadReports."""
    texts = {text for row in rows for each in columns if isinstance(text := row.at(each), str)}
    pages = [each for each in texts if _HTML.fullmatch(each) and not _MARKDOWN.search(each)]
    with ThreadPoolExecutor(HERE.abreast) as pool:
        place = Path(f"{path}.html")
        return dict(
            zip(pages, pool.map(lambda e: HERE.convert(place, e.encode()), pages), strict=True)
        )


_NAMES_A_FILE: Final = re.compile(
    r"\w+://\S+|www\.\S+|\S{1,300}\.[A-Za-z]\w{0,4}|[^\n]{1,300}\.(md|txt|html?|pdf|docx?|json)"
)


def _files_named(
    rows: Sequence[InputRow], columns: Sequence[str], path: str, folder: Path | None
) -> dict[str, Path]:
    """The files that columns name in place of texts, which are in the folder of the table.

    Raises BadReports for a column of names or addresses that lead nowhere, or out of the folder.
    """
    found: dict[str, Path] = {}
    for column in columns:
        values = [row.fields.get(column) for row in rows]
        texts = [each.strip() for each in values if isinstance(each, str)]
        cells = [each for each in texts if each.lower() not in _NOTHING]
        if not cells or not all(map(_NAMES_A_FILE.fullmatch, cells)):
            continue
        for cell in cells:
            file = folder / cell if folder else None
            if (
                file is None
                or not file.resolve().is_relative_to(folder.resolve() if folder else "")
                or not (file.is_file() and ending_of(file, WRITTEN))
            ):
                raise BadReports(
                    f"{path}: the column {column!r} holds names of files or addresses and no "
                    f"texts, and {cell!r} is no report in the folder of the table.",
                    "Write the names as they stand from that folder on; or give the folder of the "
                    "files as the reports, named after the tasks; or a table with the texts "
                    "themselves in a column.",
                )
            found[cell] = file
    return found


def _agents_of(columns: Sequence[str]) -> dict[str, str]:
    """The agent of each column of a wide table: its name, without what all of them share.

    That are names of what they stand in, as of `answers.cedar`, and words that say report, before
    or behind, as of `cedar_answer` and `Answer that you got from Cedar`.
    """
    named = {each: each for each in columns}
    if len(columns) < 2:
        return named
    if len(outer := {each.partition(".")[0] for each in columns}) == 1 and [*outer] != [*columns]:
        named = {each: each.partition(".")[2] or each for each in columns}
    ends = zip(*(reversed(each) for each in named.values()), strict=False)
    behind = "".join(one for one, *_ in takewhile(lambda e: len({*e}) == 1, ends))[::-1]
    word = re.search(r"[\s_.-].*", behind) or _EAST.search(behind)
    if word and names_part(word[0], "report"):
        named = {each: name[: -len(word[0])].strip() or each for each, name in named.items()}
    before = _shared_words([*named.values()])
    if names_part(before, "report"):
        named = {each: name[len(before) :] or each for each, name in named.items()}
    return named if len({*named.values()}) == len(named) else {each: each for each in columns}


_EAST: Final = re.compile(
    rf"({'|'.join(sorted(word for heads in KNOWN['report'] for word in heads if word > '一'))})\Z"
)


def _shared_words(names: Sequence[str]) -> str:
    """The words with which all begin; the first of them where behind more only numbers differ."""
    words = [re.findall(r"\S+\s+|[^\s_.-]+[_.-]+|.+", each) for each in names]
    same = [word for word, *others in zip(*words, strict=False) if {*others} == {word}]
    joined = "".join(same)
    return (
        "".join(same[:1]) if any(each[len(joined) :][:1].isdecimal() for each in names) else joined
    )


def _text_in(value: Json, place: str, column: str, columns: NamedColumns) -> tuple[str, str]:
    """The Markdown of what stands there, and what made it. Raises BadReports."""
    if isinstance(value, str):
        return value, ""
    if isinstance(value, int | float):
        raise BadReports(f"{place}: {column!r} is a number and no report.", LAYOUTS)
    _refuse_inner(value, place, column, columns)
    return provider_markdown(value, place, f"{column!r} is neither a text nor an answer")


def _refuse_inner(value: object, place: str, column: str, columns: NamedColumns) -> None:
    """Raise BadReports for fields in a field, none of which is known as the answer."""
    from deepassay.reports.answers import answer_of

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


class _AnswerNumbers:
    """Which of several answers of one agent to one task a row is: as its column says, or in order.

    What stands there counts as it is where that are whole numbers from 1 on, else by its rank.
    """

    def __init__(self, rows: Sequence[InputRow], column: str | None) -> None:
        self._column = column
        self._counted: Counter[tuple[str, str]] = Counter()
        there = {str(row.fields.get(column)).strip() for row in rows} if column else set()
        given = all(each.isdecimal() and int(each) > 0 for each in there)
        self._numbers = {
            each: int(each) if given else rank
            for rank, each in enumerate(sorted(there, key=natural_order), start=1)
        }

    def of(self, row: InputRow, agent: str, task: str) -> int:
        if self._column == ORDER:
            self._counted[agent, task] += 1
            return self._counted[agent, task]
        if self._column is None:
            return 1
        return self._numbers[_filled(row, self._column, "the number of the answer")]


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


def provider_markdown(value: object, place: str, otherwise: str) -> tuple[str, str]:
    """The Markdown of an answer as providers send it, and what made it. Raises BadReports."""
    try:
        converted = markdown_of(value, place)
    except NoAnswer as error:
        raise BadReports(f"{place}: {otherwise}.", LAYOUTS) from error
    return converted.text, converted.by
