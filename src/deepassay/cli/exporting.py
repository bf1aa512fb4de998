"""`export`: what a run file holds, as outcomes with all their evidence or as tidy tables."""

from __future__ import annotations

import csv
import io
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.findings import Force, OutputFile, RunFiles
from deepassay.cli.terminal import hand_over, note
from deepassay.errors import BadSetting
from deepassay.score import canonical_json


class ExportFormat(StrEnum):
    """How rows are written."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


def export(
    runs: RunFiles,
    format: Annotated[ExportFormat, typer.Option()] = ExportFormat.JSONL,
    tables: Annotated[
        str | None, typer.Option(help="With -o: only these tables, separated by commas.")
    ] = None,
    texts: Annotated[
        bool, typer.Option("--texts", help="With -o: the texts of reports, answers and pages too.")
    ] = False,
    output: OutputFile = None,
    force: Force = False,
) -> None:
    """Write every outcome of a run with its recipe and evidence; with -o, tidy tables of runs.

    OUTPUT is a folder, or for one table a file that ends in the format.
    """
    if output is None:
        if tables is not None or texts or force or format is ExportFormat.PARQUET:
            raise BadSetting("Tables are written into files.", "Name a folder with -o.")
        if len(runs) > 1:
            raise BadSetting("Outcomes are printed of one run.", "Name a folder with -o.")
        hand_over(_outcomes(runs[0], format))
        return
    from deepassay.run.export.exporting import export as write_tables

    wanted = [name.strip() for name in (tables or "").split(",") if name.strip()]
    written = write_tables(runs, output, wanted, format.value, texts=texts, force=force)
    counts = ", ".join(f"{table} {rows}" for table, rows in written.items())
    note(f"Wrote rows into {output}: {counts}.")


def _outcomes(run: Path, format: ExportFormat) -> str:
    """Every outcome of a run, in a fixed order, with its recipe and its evidence."""
    from deepassay.run.records import as_lines
    from deepassay.runfile import RunFile

    with RunFile.read(run) as file:
        lines = list(as_lines(file))
    if format is ExportFormat.JSONL:
        return "".join(canonical_json(line) + "\n" for line in lines)
    out = io.StringIO()
    columns = ("protocol", "agent", "task", "sample", "repeat", "value", "cause", "signature")
    rows = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    rows.writeheader()
    rows.writerows(lines)
    return out.getvalue()
