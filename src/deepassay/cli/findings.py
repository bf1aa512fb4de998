"""`leaderboard`, `explain`, `html`, `replay`: what run files say."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.terminal import hand_over, note, show
from deepassay.errors import BadSetting

RunFiles = Annotated[list[Path], typer.Argument(help="Run files.")]
OneRun = Annotated[Path, typer.Argument(help="A run file.")]


class TableFormat(StrEnum):
    """How a table is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


class BoardFormat(StrEnum):
    """How a leaderboard is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


OutputFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="The file to write, in place of printing.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file.")]


def leaderboard(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run files or published scores.")
    ],
    by: Annotated[
        str | None, typer.Option(help="Cut the table by this label of tasks, or by axis: by parts.")
    ] = None,
    format: Annotated[BoardFormat, typer.Option()] = BoardFormat.TEXT,
    parts: Annotated[bool, typer.Option("--parts", help="With a table of all parts.")] = False,
    allow_mixed: Annotated[
        bool, typer.Option("--allow-mixed", help="Rank scores of unequal recipes, marked.")
    ] = False,
    agents: Annotated[
        Path | None,
        typer.Option(help="Group agents by family: file of agent, family, collected."),
    ] = None,
    protocol: Annotated[list[str] | None, typer.Option(help="Only this protocol.")] = None,
    lengths: Annotated[
        bool,
        typer.Option(
            "--lengths", help="Show how long reports are, and whether longer ones score higher."
        ),
    ] = False,
    output: OutputFile = None,
    force: Force = False,
) -> None:
    """Rank agents, with how many judgements each number rests on and how far it may be off."""
    from deepassay.run.boards import ranking_of, table_of_lengths

    if lengths and (parts or allow_mixed or agents or protocol):
        raise BadSetting(
            "--lengths ranks nobody: --parts, --allow-mixed, --agents, --protocol do nothing.",
            "Leave them out, or call leaderboard twice.",
        )
    _check(output, runs, format, force)
    if lengths:
        sheet = table_of_lengths(runs, by)
    else:
        sheet = ranking_of(runs, by, agents, protocol or (), parts=parts, allow_mixed=allow_mixed)
    if output is None:
        hand_over(sheet.written(format.value))
    else:
        sheet.write(output, runs, format.value, force=force)
        note(f"Wrote {output}.")


def _check(output: Path | None, runs: list[Path], format: BoardFormat, force: bool) -> None:
    """Refuse what cannot be written before anything is read."""
    if output is not None:
        from deepassay.run.output import check_output

        check_output(output, runs, force=force)
    elif format is BoardFormat.PARQUET:
        raise BadSetting("Parquet is not printed.", "Name a file with -o.")
    elif force:
        raise BadSetting("--force overwrites a file, and none is named.", "Name it with -o.")


def explain(
    run: OneRun,
    agent: Annotated[str, typer.Option(help="Whose report.")],
    task: Annotated[str, typer.Option(help="For which task.")],
    protocol: Annotated[str | None, typer.Option(help="Only this protocol.")] = None,
) -> None:
    """Show the evidence behind the scores of one report."""
    from deepassay.run.page import explained

    show(explained(run, agent, task, protocol))


def replay(
    run: OneRun,
    protocol: Annotated[
        list[str] | None,
        typer.Option(help="module:Class of a protocol that no package registers."),
    ] = None,
) -> None:
    """Verify every row of the run file, and compute every score anew with nothing asked."""
    from deepassay.protocols.registry import parse_protocols
    from deepassay.run.replay import replay as recompute
    from deepassay.runfile import RunFile

    given = parse_protocols(protocol or ())
    with RunFile.read(run) as file:
        done = recompute(file, given)
    for line in done.lines():
        show(line)
    for problem in done.problems():
        note(problem)
    raise typer.Exit(0 if done.proved else 1)


def html(
    runs: RunFiles,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file for the page.")],
    force: Force = False,
    allow_mixed: Annotated[
        bool, typer.Option("--allow-mixed", help="Rank scores of unequal recipes, marked.")
    ] = False,
) -> None:
    """Write one page with the leaderboard, every report, and the evidence of every score."""
    from deepassay.run.page import write_page

    size = write_page(runs, output, force=force, allow_mixed=allow_mixed)
    note(f"Wrote {output} ({size / 1e6:.1f} MB).")
