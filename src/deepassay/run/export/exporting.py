"""Run files exported as tidy tables, each into a file of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from deepassay.errors import BadSetting
from deepassay.results.tables import Column, Row
from deepassay.run.export.rows import OF_RUNS, digests_of, outcome_rows
from deepassay.run.export.schema import TABLES, columns
from deepassay.run.export.writing import FORMATS, ParquetFile
from deepassay.run.output import check_output, replacing
from deepassay.run.records import each_run, judged
from deepassay.runfile import RunFile


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
    Raises BadSetting for an unknown table, or a file that is there (unless `force`), MissingExtra
    for Parquet without pyarrow, BadRunFile for a run that cannot be read or is given twice.
    """
    wanted = _wanted(tables)
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
            for table, row in _rows(run, wanted):
                sheets[table].add({**row, "run": names[run.path]})
                written[table] += 1
    return dict(written)


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


def _rows(run: RunFile, tables: Sequence[str]) -> Iterator[tuple[str, Row]]:
    for table in tables:
        if table in OF_RUNS:
            for row in OF_RUNS[table](run):
                yield table, row
    of_outcomes = [table for table in tables if table not in OF_RUNS]
    if not of_outcomes:
        return
    digests = digests_of(run) if "scores" in of_outcomes else {}
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
