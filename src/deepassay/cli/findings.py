"""`leaderboard`, `explain`, `html`, `export`, `replay`: what run files say."""

from __future__ import annotations

import csv
import io
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.terminal import hand_over, note, show
from deepassay.errors import BadSetting
from deepassay.score import canonical_json

RunFiles = Annotated[list[Path], typer.Argument(help="Run files.")]
OneRun = Annotated[Path, typer.Argument(help="A run file.")]


class TableFormat(StrEnum):
    """How a table is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


class ExportFormat(StrEnum):
    """How outcomes are written."""

    JSONL = "jsonl"
    CSV = "csv"


def leaderboard(
    runs: RunFiles,
    by: Annotated[str | None, typer.Option(help="Cut the table by this label of tasks.")] = None,
    format: Annotated[TableFormat, typer.Option()] = TableFormat.TEXT,
    parts: Annotated[bool, typer.Option("--parts", help="With a table of all parts.")] = False,
    allow_mixed: Annotated[
        bool, typer.Option("--allow-mixed", help="Rank scores of unequal recipes, marked.")
    ] = False,
    agents: Annotated[
        Path | None,
        typer.Option(help="Group agents by family: file of agent, family, collected."),
    ] = None,
    lengths: Annotated[
        bool,
        typer.Option(
            "--lengths", help="Show how long reports are, and whether longer ones score higher."
        ),
    ] = False,
) -> None:
    """Rank agents, with how many judgements each number rests on and how far it may be off."""
    if lengths:
        if parts or allow_mixed or agents:
            raise BadSetting(
                "--lengths ranks nobody, so --parts, --allow-mixed and --agents do nothing.",
                "Leave them out, or call leaderboard twice.",
            )
        hand_over(_lengths(runs, by, format))
        return
    from deepassay.findings.leaderboard import write
    from deepassay.findings.ranking import rank
    from deepassay.run.profiles import read_profiles
    from deepassay.run.records import records_of

    profiles = read_profiles(agents) if agents else None
    boards = rank(records_of(runs), by=by, allow_mixed=allow_mixed)
    hand_over(write(boards, format.value, parts=parts, profiles=profiles))


def _lengths(runs: list[Path], by: str | None, format: TableFormat) -> str:
    from deepassay.findings.length_tables import write_lengths
    from deepassay.run.lengths import measured
    from deepassay.run.records import records_of

    return write_lengths(measured(runs), records_of(runs), format.value, by)


def explain(
    run: OneRun,
    agent: Annotated[str, typer.Option(help="Whose report.")],
    task: Annotated[str, typer.Option(help="For which task.")],
    protocol: Annotated[str | None, typer.Option(help="Only this protocol.")] = None,
) -> None:
    """Show the evidence behind the scores of one report."""
    from deepassay.findings.explain import explain as evidence
    from deepassay.run.records import records_of

    show(evidence(records_of([run]), agent, task, protocol))


def export(
    run: OneRun,
    format: Annotated[ExportFormat, typer.Option()] = ExportFormat.JSONL,
) -> None:
    """Write every outcome, in a fixed order, with its recipe and its evidence."""
    from deepassay.run.records import as_lines
    from deepassay.runfile import RunFile

    with RunFile.read(run) as file:
        lines = list(as_lines(file))
    if format is ExportFormat.JSONL:
        hand_over("".join(canonical_json(line) + "\n" for line in lines))
        return
    out = io.StringIO()
    columns = ("protocol", "agent", "task", "sample", "repeat", "value", "cause", "signature")
    rows = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    rows.writeheader()
    rows.writerows(lines)
    hand_over(out.getvalue())


def replay(run: OneRun) -> None:
    """Compute every score anew from the run file, with nothing asked, and compare."""
    from deepassay.run.replay import replay as recompute
    from deepassay.runfile import RunFile

    with RunFile.read(run) as file:
        done = recompute(file)
    show(f"{done.same} outcomes are the same to the byte, {len(done.different)} are not.")
    for which in done.different:
        note(f"differs: {which}")
    raise typer.Exit(1 if done.different else 0)


def html(
    runs: RunFiles,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file for the page.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    allow_mixed: Annotated[
        bool, typer.Option("--allow-mixed", help="Rank scores of unequal recipes, marked.")
    ] = False,
) -> None:
    """Write one page with the leaderboard, every report, and the evidence of every score."""
    from deepassay.run.page import write_page

    size = write_page(runs, output, force=force, allow_mixed=allow_mixed)
    note(f"Wrote {output} ({size / 1e6:.1f} MB).")
