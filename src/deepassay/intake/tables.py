"""Files of rows, whatever they are saved as: each as the tables that are in it.

What is wrong with one is a `BadFile`: the room that reads it says it in an error of its own.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from deepassay.errors import MissingExtra, Notice
from deepassay.files import (
    BadFile,
    decode_text,
    each_key_once,
    json_lines,
    read_yaml,
    read_yaml_entries,
)
from deepassay.intake.columns import UNSAID, NamedColumns
from deepassay.intake.encodings import text_of
from deepassay.intake.heading import under_heads
from deepassay.intake.heads import is_head
from deepassay.intake.rows import InputRow, Way
from deepassay.intake.shapes import plain_value, tables_in_value
from deepassay.intake.workbooks import sheets_of
from deepassay.score import Json

DELIMITED: Final = frozenset((".csv", ".tsv", ".tab", ".psv"))
SPREADSHEETS: Final = frozenset((".xlsx", ".xlsm", ".xls", ".ods"))
MARKDOWN: Final = frozenset((".md", ".markdown"))
YAML: Final = frozenset((".yaml", ".yml"))
LINES: Final = frozenset((".jsonl", ".ndjson"))
TABLES: Final = frozenset((*DELIMITED, *SPREADSHEETS, *YAML, ".ndjson", ".parquet"))
"""Endings of files that hold many rows; `.json` and `.jsonl` may also be something else."""

Tables = Mapping[str, list[InputRow]]
"""Rows by the name of their sheet, which is empty where there are no sheets."""


def read_tables(path: Path, name: str | None = None, columns: NamedColumns = UNSAID) -> Tables:
    """The tables of a file; what has another ending is read as JSON Lines. name: for places.

    columns: what people say of the head. Raises BadFile and OSError, and MissingExtra for what
    needs one.
    """
    return tables_of(path.read_bytes(), path.suffix.lower(), name or path.name, columns)


def tables_of(raw: bytes, ending: str, name: str, columns: NamedColumns = UNSAID) -> Tables:
    """The tables in the bytes of a file with this ending. name: for places."""
    if ending in SPREADSHEETS:
        return sheets_of(raw, name, columns)
    if ending == ".parquet":
        return {"": list(_parquet(raw, name))}
    if ending in DELIMITED or ending == ".txt":
        read = _text if ending == ".txt" else _delimited
        return {"": read(text_of(raw)[0], name, columns)}
    if ending in MARKDOWN:
        return _in_markdown(text_of(raw)[0], name, columns)
    text = decode_text(raw).removeprefix("\ufeff")
    if ending in YAML:
        return _yaml(text, name, columns)
    try:
        return _json(text, name, columns, whole=ending == ".json")
    except BadFile as error:
        if ending in (".json", *LINES):
            raise
        kind = f"a file named *{ending}" if ending else "a file without an ending"
        told = f"{kind} is read as JSON, which it is not"
        raise BadFile(told, "Save its table as CSV, XLSX or JSON.", error.line) from error


# ------------------------------------------------------------------ cells


def _delimited(text: str, name: str, columns: NamedColumns) -> list[InputRow]:
    from deepassay.intake.delimited import read_delimited  # JSON and workbooks need none

    above = _REMARKS.match(text)
    body = text[above.end() :] if above else text
    before = text.count("\n") - body.count("\n")
    lines = [(before + number, cells) for number, cells in read_delimited(body, is_head)]
    if above:
        which = (
            "1 line above the table is" if before == 1 else f"{before} lines above the table are"
        )
        told = f"{name}: {which} left out: {above[0].strip()!r}."
        warnings.warn(Notice(told), stacklevel=2)
    return list(under_heads(lines, lambda number: f"{name}, line {number}", columns))


_REMARKS: Final = re.compile(r"(?:(?:#(?![,;|\t\"])|//)[^\n]*\n)+")
"""Lines that programs write above a table for people."""


def is_tabbed(path: Path) -> bool:
    """Whether a text is a table, as spreadsheets save it."""
    try:
        return _has_tabs(text_of(path.read_bytes())[0])
    except (BadFile, OSError):
        return False  # whoever reads it says so


def is_table(text: str) -> bool:
    """Whether a Markdown text is little else than a table with a column of prompts."""
    bars = [line for line in text.splitlines() if line.startswith("|")]
    mostly = sum(map(len, bars)) > _MOSTLY * len(text)
    return mostly and any(is_head(each.strip(), "prompt") for each in bars[0].split("|"))


_MOSTLY: Final = 0.8
"""Of the characters of a text those in tables, if it is one, and no report with one."""


def _in_markdown(text: str, name: str, columns: NamedColumns) -> Tables:
    """The tables in a Markdown text; `<br>` in their cells ends a line.

    Raises BadFile for a text with none, or with tables beside it of which none is known as prompts.
    """
    from markdown_it import MarkdownIt

    tables: list[list[tuple[int, list[str]]]] = []
    inside = False
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type in ("table_open", "table_close"):
            inside = token.type == "table_open"
            tables += [[]] if inside else []
        elif token.type == "tr_open":
            tables[-1].append(((token.map or [0])[0] + 1, []))
        elif token.type == "inline" and inside:
            tables[-1][-1][1].append(re.sub(r"\s*<br\s*/?>\s*", "\n", token.content))
    found = {
        f"table {number}": [*under_heads(lines, lambda line: f"{name}, line {line}", columns)]
        for number, lines in enumerate(tables, start=1)
    }
    bars = sum(len(line) for line in text.splitlines() if line.lstrip().startswith("|"))
    heads = {name for rows in found.values() for row in rows[:1] for name in row.fields}
    known = columns.named or any(is_head(each, "prompt") for each in heads)
    if not found or (bars * 2 < len(text) and not known):
        raise BadFile(
            "it is a text and no table of prompts",
            "Write one with a row for each prompt, or put each task into a text file of its own, "
            f"and give the folder. {_REPORTS_APART}",
        )
    return found if len(found) > 1 else {"": next(iter(found.values()))}


def _has_tabs(text: str) -> bool:
    """Whether it is a table with tabs, all lines as long; of names of columns that are known, or of
    several lines.
    """
    if "\t" not in text.lstrip("\ufeff\r\n").partition("\n")[0]:
        return False
    from deepassay.intake.delimited import read_delimited

    try:
        lines = read_delimited(text.removeprefix("\ufeff"), is_head, ("\t",))
    except BadFile:
        return False
    width = len(lines[0][1]) if lines else 0
    return width > 1 and (len(lines) > 2 or sum(map(is_head, lines[0][1])) > 1)


def _text(text: str, name: str, columns: NamedColumns) -> list[InputRow]:
    """A line each, without bullets or numbers; a table where it is one, or JSON Lines."""
    if text.lstrip()[:1] == "{":
        return _json(text, name, columns, whole=False)[""]
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if _has_tabs(text):
        return _delimited(text, name, columns)
    _refuse_paragraphs(text)
    said = [line.strip() for _, line in lines]
    numbered = [
        re.sub(rf"\A(?:[^\W\d]{{1,10}} ?)?{number}[.):、]\s*", "", line)
        for number, line in enumerate(said, 1)
    ]
    bare = [re.sub(r"\A[-*•]\s+", "", line) for line in said]
    for stripped in (numbered, bare):
        if len(said) > 1 and all(a != b for a, b in zip(said, stripped, strict=True)):
            said = stripped
            break
    if odd := _odd_line(said):
        raise BadFile(
            f"it is not certain that every line is a task: {odd!r} reads otherwise",
            "Leave nothing but a prompt on each line; or save them as CSV below the head `prompt`, "
            "and a table under the ending .csv.",
        )
    return [
        InputRow(f"{name}, line {number}", {"prompt": line}, flat=True)
        for (number, _), line in zip(lines, said, strict=True)
    ]


_OPENS: Final = re.compile(r"[\"'“„«‘¿¡(「『《]*[^\W\d_](?!\))")
_ENDS: Final = re.compile(r"[.?!…。？！؟][\"'”»’)」』》]*\Z")
_LABEL: Final = re.compile(r"[^\W\d_][\w ]{0,14}[:：=]")
_CELLS: Final = re.compile(r"[|;]|\S {3,}\S")


def _odd_line(said: Sequence[str]) -> str:
    """The first line that reads like no prompt beside the others, or as all do; else nothing.

    That is one which begins with no letter, like `## Cities`, is a head, ends no sentence as all
    others do; or all have labels or cells.
    """
    labels = Counter(match[0] for each in said if (match := _LABEL.match(each)))
    heads = sum(map(is_head, re.split(r"[,;|]", said[0]))) if said else 0
    cells = heads > 1 or all(map(_CELLS.search, said))
    if len(said) > 1 and (cells or max(labels.values(), default=0) > 1):
        return said[0]
    ending = [each for each in said if _ENDS.search(each)]
    other = [each for each in said if each not in ending]
    odd = [each for each in said if not _OPENS.match(each)]
    return next(iter(odd or (other if len(ending) >= len(other) else [])), "")


_REPORTS_APART: Final = "Reports in it go into files as well: AGENT/TASK.md, in another folder."


def _refuse_paragraphs(text: str) -> None:
    """Raise BadFile where a line may be a part of something longer."""
    blocks = [block.split("\n") for block in re.split(r"\n[ \t\r]*\n", text.strip())]
    several = len(blocks) > 1 and any(len(block) > 1 for block in blocks)
    folded = next(
        (
            (one, other)
            for block in blocks
            for one, other in pairwise(block)
            if other[:1].islower() and not re.search(r"[.?!:;。？！：；]\s*\Z", one)
        ),
        None,
    )
    if several or folded:
        raise BadFile(
            "it is not certain that every line is a task of its own: "
            + ("some lines stand together between blank ones" if several else "a line goes on"),
            "Put a task into one line each, without blank lines; or each task into a text file of "
            f"its own, and give the folder. {_REPORTS_APART}",
        )


# ------------------------------------------------------------------ JSON and YAML


def _json(text: str, name: str, columns: NamedColumns, whole: bool) -> Tables:
    """JSON Lines, or a document with tables in it. whole: it should be one."""
    first = text.lstrip()[:1]
    if whole or first == "[":
        try:
            value = _document(text)
        except BadFile:
            if whole and first != "{":
                raise
            value = None  # it may be objects, a line each
        if whole or (isinstance(value, list) and all(isinstance(each, dict) for each in value)):
            if tables := tables_in_value(value, name, columns=columns):
                return tables
            if isinstance(value, list):
                raise _without_rows(value)
    try:
        lines = json_lines(text)
        return {"": [InputRow(f"{name}, line {number}", fields) for number, fields in lines]}
    except BadFile as error:
        raise whole_document(text, error) from None


def document_of(path: Path) -> Json:
    """What a file holds that is one JSON or YAML mapping; None for any other file."""
    ending, raw = path.suffix.lower(), path.read_bytes()
    if ending not in {".json", *YAML} or raw.lstrip()[:1] in (b"[", b"-", b""):
        return None
    text = decode_text(raw).removeprefix("\ufeff")
    try:
        value = _document(text) if ending == ".json" else plain_value(read_yaml(text))
    except BadFile:
        return None  # whoever reads its rows says what is wrong
    return value if isinstance(value, dict) else None


def whole_document(text: str, error: BadFile) -> BadFile:
    """What is wrong with a text of several lines that are no objects, which may be one document."""
    try:
        value = _document(text)
    except BadFile:
        return error
    return _without_rows(value) if "\n" in text.strip() else error


def _without_rows(value: Json) -> BadFile:
    if isinstance(value, dict):
        fields = ", ".join(map(repr, [*value][:5])) + (" and more" if len(value) > 5 else "")
        held = f"one JSON object with the fields {fields}"
    else:
        kinds = {"list": "lists", "str": "texts", "dict": "objects"}
        inner = {kinds.get(type(each).__name__, "values") for each in value or ()}
        held = f"a JSON list of {' and '.join(sorted(inner)) or 'nothing'}"
    return BadFile(
        f"it holds {held}, in which no rows are known",
        'Write a list of objects, as [{"id": "1", "prompt": "...", "agent": "...", "report": '
        '"..."}], under the ending .json.',
    )


def _document(text: str) -> Json:
    try:
        return json.loads(text, object_pairs_hook=each_key_once)
    except RecursionError:
        raise BadFile("not JSON: nested too deep", "Correct the file.") from None
    except ValueError as error:
        line = getattr(error, "lineno", None)
        said = getattr(error, "msg", error)
        raise BadFile(f"not JSON: {said}", "Correct the file.", line) from error


_NEXT_DOCUMENT: Final = re.compile(r"^---[ \t\r]*$", re.MULTILINE)


def _yaml(text: str, name: str, columns: NamedColumns) -> Tables:
    several = [each for each in _NEXT_DOCUMENT.split(text) if each.strip()]
    if len(several) > 1 and not any(each.lstrip().startswith("- ") for each in several):
        values = plain_value([read_yaml(each) for each in several])
        return tables_in_value(values, name, "document", columns)
    try:
        entries = read_yaml_entries(text)
    except BadFile:
        tables = tables_in_value(plain_value(read_yaml(text)), name, columns=columns)
        if not tables or any(rows[0].place == name for rows in tables.values()):
            raise  # the fields of one row are no list
        return tables
    rows = []
    for entry in entries:

        def part(way: Way, line_of: Callable[[Way], int] = entry.line_of) -> str:
            return f"{name}, line {line_of(way)}"

        rows.append(InputRow(part(()), entry.fields, part))
    return {"": rows}


# ------------------------------------------------------------------ what needs a library


def _parquet(raw: bytes, name: str) -> Iterator[InputRow]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("Reading Parquet", "parquet") from error
    try:
        rows = parquet.read_table(arrow.BufferReader(raw)).to_pylist()
    except arrow.ArrowException as error:
        raise BadFile(f"not a Parquet file ({error})", "Download it again.") from error
    for number, fields in enumerate(rows, start=1):
        yield InputRow(f"{name}, row {number}", fields)
