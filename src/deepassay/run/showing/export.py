"""Run files exported as tidy tables, a file for each: a row for one thing, with keys that join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting
from deepassay.plugins import of_wing
from deepassay.reports.report import Report
from deepassay.results.agents import run_totals
from deepassay.results.tables import ColumnKind, Row
from deepassay.results.tidy import (
    ITEMS,
    ITEMS_READ,
    JUDGEMENTS,
    PAGES,
    PARTS,
    PLACE,
    SCORES,
    SCORES_READ,
    Cells,
    Columns,
    Tabled,
    item_rows,
    judgement_rows,
    of_kind,
    page_rows,
    part_rows,
    score_cells,
)
from deepassay.run.showing.lengths import lengths_of, measure
from deepassay.run.showing.output import FORMATS, as_cells, check_output, fresh_output
from deepassay.run.showing.records import Judgements, digests_of, each_run
from deepassay.run.showing.yardsticks import about
from deepassay.runfile import RunFile
from deepassay.score import digest


def export(
    paths: Sequence[Path],
    output: Path,
    tables: Sequence[str] = (),
    format: str = "jsonl",
    *,
    texts: bool = False,
    force: bool = False,
) -> dict[str, int]:
    """Write tables of run files; how many rows each has. Either all are written or none.

    output: a folder, or for a single table a file whose name ends in the format. tables: names of
    TABLES, all of them if there is none. texts: with the texts of reports, answers and pages.
    format: of FORMATS; or LOGS, a log of Inspect for each protocol and agent, and its samples.
    Raises BadSetting for an unknown table, or a file that is there (unless `force`), MissingExtra
    for Parquet without pyarrow, BadRunFile for a run that cannot be read or is given twice.
    """
    if format == LOGS:
        return _logs(paths, output, tables, texts=texts, force=force)
    wanted = _wanted(tables)
    if format not in FORMATS:
        formats = ", ".join((*FORMATS, LOGS))
        raise BadSetting(f"There is no format {format!r}.", f"Formats: {formats}.")
    files = _files(output, wanted, format)
    for file in files.values():
        check_output(file, paths, force=force)
    names = _names(paths)
    written: Counter[str] = Counter(dict.fromkeys(wanted, 0))
    with ExitStack() as replaced, ExitStack() as opened:
        sheets = {
            table: opened.enter_context(
                FORMATS[format](
                    replaced.enter_context(fresh_output(file)), columns(table, texts=texts)
                )
            )
            for table, file in files.items()
        }
        for run in each_run(paths):
            for table, shared, rows in _rows_of(run, wanted, texts=texts):
                sheets[table].add((names[run.path], *shared), rows)
                written[table] += len(rows)
    return dict(written)


LOGS: Final = "eval"
"""The format of Inspect."""


def _logs(
    paths: Sequence[Path], output: Path, tables: Sequence[str], *, texts: bool, force: bool
) -> dict[str, int]:
    """Write logs of Inspect; how many samples each has."""
    if tables or texts:
        raise BadSetting("A log of Inspect is no table.", "Leave --tables and --texts out.")
    write_logs = of_wing("bridges.inspect.writing", "write_logs")
    written: dict[str, int] = write_logs(paths, output, force=force)
    return written


Rows = Iterator[tuple[str, Cells, Sequence[Cells]]]
"""Rows of tables: the cells that some share, behind the name of the run, and then their own."""


def _rows_of(run: RunFile, tables: Sequence[str], *, texts: bool) -> Rows:
    """Rows of these tables, one table after the other: for each is read what it has."""
    of_outcomes = [table for table in tables if table not in OF_RUNS]
    for table in tables:
        if table in OF_RUNS:
            own = columns(table, texts)[len(RUN) :]
            for row in OF_RUNS[table](run):
                yield table, (), [as_cells(row, own)]
    if not of_outcomes:
        return
    judgements = Judgements(run)
    for table in of_outcomes:
        if table == "scores":
            digests = digests_of(run)
            for each in judgements.tabled(SCORES_READ):
                yield table, each.place, [(digests.get(each.place[1:4]), *score_cells(each))]
        else:
            read, made = OF_OUTCOMES[table]
            for each in judgements.tabled(read):
                yield table, each.place, [*made(each)]


def _wanted(tables: Sequence[str]) -> list[str]:
    """The tables that are asked for, in the order of TABLES."""
    for name in tables:
        if name not in TABLES:
            raise BadSetting(f"There is no table {name!r}.", f"Tables: {', '.join(TABLES)}.")
    return [name for name in TABLES if name in tables or not tables]


def _files(output: Path, tables: Sequence[str], format: str) -> Mapping[str, Path]:
    if output.suffix != f".{format}" or output.is_dir():
        return {table: output / f"{table}.{format}" for table in tables}
    if len(tables) > 1:
        raise BadSetting(
            f"{output} is one file, and these are {len(tables)} tables.",
            "Name a folder with -o, or one table with --tables.",
        )
    return {tables[0]: output}


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """What the column `run` says: the name of the file, with its folder if names are alike."""
    alike = Counter(path.name for path in paths)
    return {path: path.name if alike[path.name] == 1 else str(path) for path in paths}


def task_rows(run: RunFile) -> Iterator[Row]:
    """The tasks in their order, and how much there is to hold their reports against."""
    whole = about(run)
    for number, task in enumerate(whole.tasks.values(), start=1):
        yield {
            "task": task.id,
            "number": number,
            "language": task.language,
            "prompt": task.prompt,
            "checklist": len(task.checklist),
            "rubric": len(task.rubric),
            "ace": len(task.ace or ()),
            "criteria": task.criteria is not None,
            "reference": task.id in whole.references,
        }


def label_rows(run: RunFile) -> Iterator[Row]:
    """Every label of every task."""
    for identifier, task in about(run).tasks.items():
        for label, value in sorted(task.labels.items()):
            yield {"task": identifier, "label": label, "value": value}


def report_rows(run: RunFile) -> Iterator[Row]:
    """The reports with their lengths and their texts."""
    for stored in run.reports():
        report = Report(stored.text, stored.agent, stored.task, stored.sample)
        found = measure(report, {})
        (characters, words, tokens), bare = found.whole, found.bare
        yield {
            "agent": stored.agent,
            "task": stored.task,
            "sample": stored.sample,
            "report": report.digest,
            "characters": characters,
            "words": words,
            "tokens": tokens,
            "characters_without_urls": bare.characters,
            "words_without_urls": bare.words,
            "tokens_without_urls": bare.tokens,
            "citations": found.citations,
            "references": found.references,
            "text": stored.text,
        }


def answer_rows(run: RunFile) -> Iterator[Row]:
    """Every exchange with a model, or with the offline baseline."""
    for answer in run.exchanges():
        used = dict.fromkeys(("input", "output", "cached", "cache_write", "reasoning"), 0)
        yield {
            **vars(answer),
            **(used | answer.usage if answer.usage else {}),
            "answer": answer.key,
            "text": answer.raw,
        }


def capture_rows(run: RunFile) -> Iterator[Row]:
    """Every snapshot of a page, and every failure to get one."""
    for capture in run.captures.rows():
        whole = run.captures.to_read(capture.id) or capture
        text = whole.text
        length = None if text is None else lengths_of(text)
        yield {
            **vars(capture),
            "page": capture.id,
            "kind": capture.failure or "ok",
            "digest": None if text is None else digest(text),
            "characters": length and length.characters,
            "words": length and length.words,
            "text": text,
        }


def run_rows(run: RunFile) -> Iterator[Row]:
    """Every run of an agent that `research` had answer."""
    for stored in run.answering.runs():
        each = stored.run
        tokens = run_totals([stored])[stored.agent].tokens
        yield {
            "agent": stored.agent,
            "task": stored.task,
            "sample": stored.sample,
            "stop": each.stop,
            "detail": each.detail,
            "seconds": each.seconds or None,
            "tokens": tokens[0] if tokens else None,
            "cost": each.cost,
            "characters": None if each.report is None else len(each.report),
            "text": each.raw,
        }


OF_RUNS: Final[Mapping[str, Callable[[RunFile], Iterator[Row]]]] = {
    "tasks": task_rows,
    "labels": label_rows,
    "reports": report_rows,
    "answers": answer_rows,
    "pages": capture_rows,
    "runs": run_rows,
}
"""Tables that are read from the run file as they stand there."""

OF_OUTCOMES: Final[Mapping[str, tuple[Sequence[str], Callable[[Tabled], Iterator[Cells]]]]] = {
    "judgements": (("value", "cause", "detail", "lowest", "highest", "voices"), judgement_rows),
    "parts": (("parts", "voices"), part_rows),
    "items": (ITEMS_READ, item_rows),
    "page_uses": (("pages",), page_rows),
}
"""Tables that are made of outcomes: which columns are read for them, and what makes the rows."""


RUN: Final = of_kind(ColumnKind.TEXT, "run")
REPORT: Final = PLACE[1:4]

TABLES: Final[Mapping[str, Columns]] = {
    "tasks": (
        *RUN,
        *of_kind(ColumnKind.TEXT, "task"),
        *of_kind(ColumnKind.INTEGER, "number"),
        *of_kind(ColumnKind.TEXT, "language", "prompt"),
        *of_kind(ColumnKind.INTEGER, "checklist", "rubric", "ace"),
        *of_kind(ColumnKind.BOOLEAN, "criteria", "reference"),
    ),
    "labels": (*RUN, *of_kind(ColumnKind.TEXT, "task", "label", "value")),
    "reports": (
        *RUN,
        *REPORT,
        *of_kind(ColumnKind.TEXT, "report"),
        *of_kind(ColumnKind.INTEGER, "characters", "words", "tokens"),
        *of_kind(
            ColumnKind.INTEGER,
            "characters_without_urls",
            "words_without_urls",
            "tokens_without_urls",
        ),
        *of_kind(ColumnKind.INTEGER, "citations", "references"),
    ),
    "scores": (
        *RUN,
        *PLACE,
        *of_kind(ColumnKind.TEXT, "report"),
        *SCORES,
    ),
    "judgements": (*RUN, *PLACE, *JUDGEMENTS),
    "parts": (*RUN, *PLACE, *PARTS),
    "items": (*RUN, *PLACE, *ITEMS),
    "answers": (
        *RUN,
        *of_kind(ColumnKind.TEXT, "answer", "operation", "model"),
        *of_kind(ColumnKind.INTEGER, "repeat"),
        *of_kind(ColumnKind.TEXT, "cause", "detail", "served_model", "finish_reason"),
        *of_kind(ColumnKind.INTEGER, "attempts"),
        *of_kind(ColumnKind.BOOLEAN, "repaired"),
        *of_kind(ColumnKind.INTEGER, "input", "output", "cached", "cache_write", "reasoning"),
        *of_kind(ColumnKind.NUMBER, "cost"),
    ),
    "pages": (
        *RUN,
        *of_kind(ColumnKind.TEXT, "page", "url", "final_url"),
        *of_kind(ColumnKind.TIME, "fetched"),
        *of_kind(ColumnKind.TEXT, "reader"),
        *of_kind(ColumnKind.INTEGER, "status"),
        *of_kind(ColumnKind.TEXT, "kind", "detail", "media", "title", "digest"),
        *of_kind(ColumnKind.INTEGER, "characters", "words"),
    ),
    "page_uses": (*RUN, *PLACE, *PAGES),
    "runs": (
        *RUN,
        *REPORT,
        *of_kind(ColumnKind.TEXT, "stop", "detail"),
        *of_kind(ColumnKind.NUMBER, "seconds"),
        *of_kind(ColumnKind.INTEGER, "tokens"),
        *of_kind(ColumnKind.NUMBER, "cost"),
        *of_kind(ColumnKind.INTEGER, "characters"),
    ),
}
"""The columns of every table, in their order."""

TEXTS: Final[Mapping[str, Columns]] = {
    "reports": of_kind(ColumnKind.TEXT, "text"),
    "answers": of_kind(ColumnKind.TEXT, "text"),
    "pages": of_kind(ColumnKind.TEXT, "text"),
    "runs": of_kind(ColumnKind.TEXT, "text"),
}
"""The column that some tables have besides, where the texts themselves are asked for."""


def columns(table: str, texts: bool = False) -> Columns:
    """The columns of a table, with the texts or without."""
    return TABLES[table] + (TEXTS.get(table, ()) if texts else ())
