"""What run files say: `leaderboard`, `compare`, `explain`, `html`, `export`, `replay`, …."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deepassay.cli.terminal import hand_over, note, show
from deepassay.errors import BadSetting
from deepassay.score import canonical_json

if TYPE_CHECKING:
    from deepassay.results.comparing import ComparisonTerms


RunFiles = Annotated[list[Path], typer.Argument(help="Run files.")]
OneRun = Annotated[Path, typer.Argument(help="A run file.")]


TableFormat = Literal["text", "markdown", "csv", "json"]
BoardFormat = Literal["text", "markdown", "latex", "csv", "json", "parquet"]
ExportFormat = Literal["jsonl", "csv", "parquet"]
OutputFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="The file to write, in place of printing.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file.")]


ScoredRuns = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Run files or published scores.")
]
AllowMixed = Annotated[
    bool, typer.Option("--allow-mixed", help="Rank scores of unequal recipes, marked.")
]
LengthsOption = Annotated[
    bool,
    typer.Option(
        "--lengths", help="Show how long reports are, and whether longer ones score higher."
    ),
]
PaperOption = Annotated[
    str | None,
    typer.Option("--as", help="As a table or figure of a paper: bench:table1, live:figure5."),
]
HumanOption = Annotated[
    Path | None,
    typer.Option(help="With --as: what people said, as `agree` and `agree rubrics` read it."),
]


def leaderboard(
    runs: ScoredRuns,
    by: Annotated[
        str | None, typer.Option(help="Cut the table by this label of tasks, or by axis: by parts.")
    ] = None,
    format: Annotated[BoardFormat, typer.Option()] = "text",
    parts: Annotated[bool, typer.Option("--parts", help="With a table of all parts.")] = False,
    allow_mixed: AllowMixed = False,
    agents: Annotated[
        Path | None,
        typer.Option(help="Group agents by family: file of agent, family, collected."),
    ] = None,
    protocol: Annotated[list[str] | None, typer.Option(help="Only this protocol.")] = None,
    lengths: LengthsOption = False,
    paper: PaperOption = None,
    human: HumanOption = None,
    output: OutputFile = None,
    force: Force = False,
) -> None:
    """Rank agents, with how many judgements each number rests on and how far it may be off."""
    from deepassay.run.boards import ranking_of, table_of_lengths
    from deepassay.run.paper_tables import paper_table

    if lengths and (parts or allow_mixed or agents or protocol):
        raise BadSetting(
            "--lengths ranks nobody: --parts, --allow-mixed, --agents, --protocol do nothing.",
            "Leave them out, or call leaderboard twice.",
        )
    if (paper and (lengths or parts or allow_mixed or by)) or (human and not paper):
        raise BadSetting(
            "--as goes with --agents, --protocol and --human alone, and --human goes with --as.",
            "Leave the other options out.",
        )
    _check(output, runs, format, force)
    if paper:
        sheet = paper_table(paper, runs, agents, human, protocol or ())
    elif lengths:
        sheet = table_of_lengths(runs, by)
    else:
        sheet = ranking_of(runs, by, agents, protocol or (), parts=parts, allow_mixed=allow_mixed)
    if output is None:
        hand_over(sheet.written(format))
    else:
        sheet.write(output, runs, format, force=force)
        note(f"Wrote {output}.")


def _check(output: Path | None, runs: list[Path], format: BoardFormat, force: bool) -> None:
    """Refuse what cannot be written before anything is read."""
    if output is not None:
        from deepassay.run.output import check_output

        check_output(output, runs, force=force)
    elif format == "parquet":
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
    allow_mixed: AllowMixed = False,
) -> None:
    """Write one page with the leaderboard, every report, and the evidence of every score."""
    from deepassay.run.page import write_page

    size = write_page(runs, output, force=force, allow_mixed=allow_mixed)
    note(f"Wrote {output} ({size / 1e6:.1f} MB).")


EQUAL = 1e-9


def compare(
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN... [A B]", help="Run files or published scores; then two agents."
        ),
    ],
    protocol: Annotated[
        list[str] | None, typer.Option(help="Only this protocol; may be repeated.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Cut by this label of tasks too.")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Take tasks of one value of this label for one.")
    ] = None,
    tie: Annotated[
        float, typer.Option(min=0.0, help="Scores of a task no further apart are a tie.")
    ] = EQUAL,
    difference: Annotated[
        float | None,
        typer.Option(help="Say how many tasks this difference needs; with --judges: matters."),
    ] = None,
    judges: Annotated[
        bool, typer.Option("--judges", help="RUN_OLD RUN_NEW: one set of reports, two judges.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of everything drawn by chance.")] = 0,
    format: Annotated[TableFormat, typer.Option()] = "text",
) -> None:
    """Compare agents over the same tasks, or two judges of the same reports."""
    from deepassay.results.comparing import ComparisonTerms

    if difference is not None and not (isfinite(difference) and difference > 0):
        raise BadSetting(f"--difference is {difference:g}.", "Give a number above zero.")
    if not isfinite(tie):
        raise BadSetting(f"--tie is {tie:g}.", "Give a number from zero on.")
    terms = ComparisonTerms(tie=tie, by=by, cluster=cluster, difference=difference, seed=seed)
    runs = [Path(each) for each in given if Path(each).is_file()]
    agents = [each for each in given if not Path(each).is_file()]
    if judges:
        hand_over(_judges(runs, agents, protocol, terms, format))
        return
    hand_over(_agents(runs, agents, protocol, terms, format))


def _agents(
    runs: list[Path],
    agents: list[str],
    protocols: list[str] | None,
    terms: ComparisonTerms,
    format: str,
) -> str:
    from deepassay.results.comparing import compare
    from deepassay.results.comparison_tables import write_contests
    from deepassay.run.boards import only_judged_by, scores_of

    if not runs:
        raise BadSetting(f"None of these is a file: {', '.join(agents)}.", "Name a run file first.")
    if len(agents) not in (0, 2):
        raise BadSetting(
            f"These are not files, so they are taken for agents: {', '.join(agents)}.",
            f"Name two agents, or none to compare all pairs. Files: {', '.join(map(str, runs))}.",
        )
    pair = (agents[0], agents[1]) if agents else None
    records = only_judged_by(protocols or (), scores_of(runs))
    return write_contests(compare(records, pair, terms), format, ranked=not agents)


def _judges(
    runs: list[Path],
    others: list[str],
    protocols: list[str] | None,
    terms: ComparisonTerms,
    format: str,
) -> str:
    from deepassay.results.migration import migrate
    from deepassay.results.migration_tables import write_migrations
    from deepassay.run.boards import only_judged_by
    from deepassay.run.records import rejudged

    if len(runs) != 2 or others:
        raise BadSetting(
            "--judges takes two run files and nothing else.",
            f"Files found: {', '.join(map(str, runs)) or 'none'}; not found: "
            f"{', '.join(others) or 'none'}.",
        )
    if terms.by or terms.cluster or terms.tie != EQUAL or terms.seed:
        raise BadSetting(
            "--by, --cluster, --tie and --seed do nothing with --judges.", "Leave them out."
        )
    old, new, changed = rejudged(runs[0], runs[1])
    before, after = (only_judged_by(protocols or (), side) for side in (old, new))
    found = migrate(before, after, terms.difference, changed)
    return write_migrations(found, format)


def export(
    runs: RunFiles,
    format: Annotated[ExportFormat, typer.Option()] = "jsonl",
    tables: Annotated[
        list[str] | None,
        typer.Option(help="With -o: only these tables; with commas between, or repeated."),
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
        if tables is not None or texts or force or format == "parquet":
            raise BadSetting("Tables are written into files.", "Name a folder with -o.")
        if len(runs) > 1:
            raise BadSetting("Outcomes are printed of one run.", "Name a folder with -o.")
        hand_over(_outcomes(runs[0], format))
        return
    from deepassay.run.export import export as write_tables

    wanted = [name.strip() for name in ",".join(tables or ()).split(",") if name.strip()]
    written = write_tables(runs, output, wanted, format, texts=texts, force=force)
    counts = ", ".join(f"{table} {rows}" for table, rows in written.items())
    note(f"Wrote rows into {output}: {counts}.")


def _outcomes(run: Path, format: ExportFormat) -> str:
    """Every outcome of a run, in a fixed order, with its recipe and its evidence."""
    from deepassay.results.tables import as_csv
    from deepassay.run.records import as_lines
    from deepassay.runfile import RunFile

    with RunFile.read(run) as file:
        lines = list(as_lines(file))
    if format == "jsonl":
        return "".join(canonical_json(line) + "\n" for line in lines)
    columns = ("protocol", "agent", "task", "sample", "repeat", "value", "cause", "signature")
    return as_csv(lines, columns)


def figures(
    runs: ScoredRuns,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the figures.")],
    format: Annotated[Literal["svg", "png", "both"], typer.Option()] = "svg",
    only: Annotated[
        list[str] | None, typer.Option(help="Only this kind of figure; may be repeated.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Draw scores by this label of tasks.")] = None,
    agents: Annotated[
        Path | None,
        typer.Option(help="Draw scores by family: file of agent, family, collected."),
    ] = None,
    allow_mixed: Annotated[
        bool, typer.Option("--allow-mixed", help="Draw scores of unequal recipes, marked.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print captions, and every figure not drawn.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
) -> None:
    """Draw rankings, differences, noise, lengths and what each protocol has to show."""
    from deepassay.run.boards import material, write_figures

    formats = ("svg", "png") if format == "both" else (format,)
    what = material(runs, by, agents, allow_mixed=allow_mixed)
    written = write_figures(what, output, formats, runs, only=only or (), force=force)
    for line in written.lines(verbose=verbose):
        show(line)
    if written.lacking:
        signs = "".join(sorted(written.lacking)[:10])
        note(
            f"No font is installed for {len(written.lacking)} of the characters ({signs}): they "
            "are empty boxes in PNG. Install one, such as Noto Sans CJK SC, or use SVG."
        )
    if not written.files:
        raise typer.Exit(1)
