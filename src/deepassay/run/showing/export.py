"""Run files exported as tidy tables, a file for each: a row for one thing, with keys that join."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting
from deepassay.plugins import of_wing
from deepassay.reports.report import Report
from deepassay.results.agents import run_totals
from deepassay.results.records import Judged
from deepassay.results.tables import Column, ColumnKind, Row
from deepassay.results.tidy import item_rows, judgement_rows, page_rows, part_rows, score_row
from deepassay.run.showing.lengths import length_of, measure
from deepassay.run.showing.output import FORMATS, ParquetFile, check_output, replacing
from deepassay.run.showing.records import each_run, judged
from deepassay.run.showing.yardsticks import about
from deepassay.runfile import RunFile
from deepassay.score import digest, report_key


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
                    replaced.enter_context(replacing(file)), columns(table, texts=texts)
                )
            )
            for table, file in files.items()
        }
        for run in each_run(paths):
            for table, row in _rows_of(run, wanted):
                sheets[table].add({**row, "run": names[run.path]})
                written[table] += 1
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


def write_rows(
    rows: Sequence[Row],
    columns: Sequence[Column],
    output: Path,
    runs: Sequence[Path],
    *,
    force: bool = False,
) -> None:
    """Write rows into one Parquet file. Raises as `export` does."""
    check_output(output, runs, force=force)
    with replacing(output) as fresh, ParquetFile(fresh, columns) as file:
        for row in rows:
            file.add(row)


def _rows_of(run: RunFile, tables: Sequence[str]) -> Iterator[tuple[str, Row]]:
    for table in tables:
        if table in OF_RUNS:
            for row in OF_RUNS[table](run):
                yield table, row
    of_outcomes = [table for table in tables if table not in OF_RUNS]
    if not of_outcomes:
        return
    digests = Digests(run) if "scores" in of_outcomes else None
    for record in judged(run):
        for table in of_outcomes:
            for row in outcome_rows(record, table, digests):
                yield table, row


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


class Digests:
    """The digest of each report of a run, in a temporary file: they may be very many."""

    def __init__(self, run: RunFile) -> None:
        self._db = sqlite3.connect("")
        self._db.execute("CREATE TABLE digests(agent, task, sample, digest)")
        self._db.executemany(
            "INSERT INTO digests VALUES(?,?,?,?)",
            ((*report_key(each), digest(each.text)) for each in run.reports()),
        )
        self._db.execute("CREATE INDEX place ON digests(agent, task, sample, digest)")

    def of(self, record: Judged) -> str | None:
        """That of the report that a judgement is about, if there is one."""
        sql = "SELECT digest FROM digests WHERE agent=? AND task=? AND sample=?"
        for (found,) in self._db.execute(sql, report_key(record)):
            return str(found)
        return None


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
        length = None if text is None else length_of(text)
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
            "seconds": each.seconds,
            "tokens": tokens[0] if tokens else None,
            "cost": each.cost,
            "characters": None if each.report is None else len(each.report),
            "text": each.raw,
        }


def outcome_rows(record: Judged, table: str, digests: Digests | None) -> Iterator[Row]:
    """The rows of a judgement in one of the tables about judgements. digests: for `scores`."""
    if table == "scores":
        yield {**score_row(record), "report": digests and digests.of(record)}
    else:
        yield from OF_OUTCOMES[table](record)


OF_RUNS: Final[Mapping[str, Callable[[RunFile], Iterator[Row]]]] = {
    "tasks": task_rows,
    "labels": label_rows,
    "reports": report_rows,
    "answers": answer_rows,
    "pages": capture_rows,
    "runs": run_rows,
}
"""Tables that are read from the run file as they stand there."""

OF_OUTCOMES: Final[Mapping[str, Callable[[Judged], Iterator[Row]]]] = {
    "judgements": judgement_rows,
    "parts": part_rows,
    "items": item_rows,
    "page_uses": page_rows,
}
"""Tables that, like `scores`, are made of judgements: all of them in one pass."""


Columns = tuple[Column, ...]


def _of(kind: ColumnKind, *names: str) -> Columns:
    return tuple(Column(name, kind) for name in names)


RUN: Final = _of(ColumnKind.TEXT, "run")
REPORT: Final = (*_of(ColumnKind.TEXT, "agent", "task"), *_of(ColumnKind.INTEGER, "sample"))
OUTCOME: Final = (*_of(ColumnKind.TEXT, "protocol"), *REPORT, *_of(ColumnKind.INTEGER, "repeat"))

TABLES: Final[Mapping[str, Columns]] = {
    "tasks": (
        *RUN,
        *_of(ColumnKind.TEXT, "task"),
        *_of(ColumnKind.INTEGER, "number"),
        *_of(ColumnKind.TEXT, "language", "prompt"),
        *_of(ColumnKind.INTEGER, "checklist", "rubric", "ace"),
        *_of(ColumnKind.BOOLEAN, "criteria", "reference"),
    ),
    "labels": (*RUN, *_of(ColumnKind.TEXT, "task", "label", "value")),
    "reports": (
        *RUN,
        *REPORT,
        *_of(ColumnKind.TEXT, "report"),
        *_of(ColumnKind.INTEGER, "characters", "words", "tokens"),
        *_of(
            ColumnKind.INTEGER,
            "characters_without_urls",
            "words_without_urls",
            "tokens_without_urls",
        ),
        *_of(ColumnKind.INTEGER, "citations", "references"),
    ),
    "scores": (
        *RUN,
        *OUTCOME,
        *_of(ColumnKind.TEXT, "report"),
        *_of(ColumnKind.NUMBER, "value"),
        *_of(ColumnKind.TEXT, "cause", "detail"),
        *_of(ColumnKind.BOOLEAN, "open"),
        *_of(ColumnKind.NUMBER, "low", "high", "lowest", "highest", "met", "of"),
        *_of(ColumnKind.TEXT, "edition"),
        *_of(ColumnKind.INTEGER, "judges"),
        *_of(ColumnKind.BOOLEAN, "offline", "reference"),
        *_of(ColumnKind.TEXT, "recipe", "signature"),
    ),
    "judgements": (
        *RUN,
        *OUTCOME,
        *_of(ColumnKind.TEXT, "judge"),
        *_of(ColumnKind.NUMBER, "value"),
        *_of(ColumnKind.TEXT, "cause", "detail"),
    ),
    "parts": (
        *RUN,
        *OUTCOME,
        *_of(ColumnKind.TEXT, "judge", "part"),
        *_of(ColumnKind.NUMBER, "value"),
    ),
    "items": (
        *RUN,
        *OUTCOME,
        *_of(ColumnKind.TEXT, "judge"),
        *_of(ColumnKind.INTEGER, "number"),
        *_of(ColumnKind.TEXT, "item", "text", "verdict"),
        *_of(ColumnKind.NUMBER, "score", "reference", "weight"),
        *_of(ColumnKind.TEXT, "axis"),
        *_of(ColumnKind.BOOLEAN, "mandatory"),
        *_of(ColumnKind.INTEGER, "depth"),
        *_of(ColumnKind.TEXT, "decided_by", "cause", "url", "justification"),
        *_of(ColumnKind.INTEGER, "line", "column"),
    ),
    "answers": (
        *RUN,
        *_of(ColumnKind.TEXT, "answer", "operation", "model"),
        *_of(ColumnKind.INTEGER, "repeat"),
        *_of(ColumnKind.TEXT, "cause", "detail", "served_model", "finish_reason"),
        *_of(ColumnKind.INTEGER, "attempts"),
        *_of(ColumnKind.BOOLEAN, "repaired"),
        *_of(ColumnKind.INTEGER, "input", "output", "cached", "cache_write", "reasoning"),
        *_of(ColumnKind.NUMBER, "cost"),
    ),
    "pages": (
        *RUN,
        *_of(ColumnKind.TEXT, "page", "url", "final_url"),
        *_of(ColumnKind.TIME, "fetched"),
        *_of(ColumnKind.TEXT, "reader"),
        *_of(ColumnKind.INTEGER, "status"),
        *_of(ColumnKind.TEXT, "kind", "detail", "media", "title", "digest"),
        *_of(ColumnKind.INTEGER, "characters", "words"),
    ),
    "page_uses": (*RUN, *OUTCOME, *_of(ColumnKind.TEXT, "url", "page")),
    "runs": (
        *RUN,
        *REPORT,
        *_of(ColumnKind.TEXT, "stop", "detail"),
        *_of(ColumnKind.NUMBER, "seconds"),
        *_of(ColumnKind.INTEGER, "tokens"),
        *_of(ColumnKind.NUMBER, "cost"),
        *_of(ColumnKind.INTEGER, "characters"),
    ),
}
"""The columns of every table, in their order."""

TEXTS: Final[Mapping[str, Columns]] = {
    "reports": _of(ColumnKind.TEXT, "text"),
    "answers": _of(ColumnKind.TEXT, "text"),
    "pages": _of(ColumnKind.TEXT, "text"),
    "runs": _of(ColumnKind.TEXT, "text"),
}
"""The column that some tables have besides, where the texts themselves are asked for."""


def columns(table: str, texts: bool = False) -> Columns:
    """The columns of a table, with the texts or without."""
    return TABLES[table] + (TEXTS.get(table, ()) if texts else ())
