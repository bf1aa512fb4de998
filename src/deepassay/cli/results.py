"""What run files say: `explain`, `export`, `replay`, `merge`, `batches`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from deepassay.cli.comparing import floors_of
from deepassay.cli.help import listed
from deepassay.cli.terminal import complain, end_with_nothing, hand_over, note, show
from deepassay.errors import BadSetting
from deepassay.plugins import of_wing
from deepassay.score import canonical_json

RunFiles = Annotated[list[Path], typer.Argument(help="Run files.")]
OneRun = Annotated[Path, typer.Argument(help="A run file.")]
AllowMixed = Annotated[
    bool, typer.Option("--allow-mixed", hidden=True, help="Rank scores of unequal recipes, marked.")
]


ExportFormat = Literal["jsonl", "csv", "junit", "parquet", "eval", "eee", "openinference", "harbor"]
_TABLES: Final = ("jsonl", "csv", "parquet", "eval")  # the last says itself that it is no table
_GOES_WITH: Final = {
    **dict.fromkeys(("--model-of", "--organisation", "--relationship"), ("eee",)),
    **{"--reward": ("harbor",), "--fail-under": ("junit",)},
    **{"--tables": _TABLES, "--texts": (*_TABLES, "eee")},
}
"""Options of `export` that only some formats take."""
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
ModelsOf = Annotated[
    list[str] | None,
    typer.Option(metavar="AGENT=DEVELOPER/MODEL", help="With eee: the model of an agent."),
]
Organisation = Annotated[str | None, typer.Option(help="With eee: who publishes.  [unknown]")]
HowRelated = Annotated[
    Relationship | None,
    typer.Option(help="With eee: of the judging to the makers of the models.  [other]"),
]
RewardOf = Annotated[
    str | None, typer.Option(metavar="PROTOCOL", help="With harbor: whose score is the reward.")
]
OutputFile = Annotated[
    Path | None, typer.Option("--output", "-o", help="The file to write, in place of printing.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file.")]


ScoredRuns = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Run files or published scores.")
]


@listed(
    "deepassay explain run.assay",
    "deepassay explain run.assay --agent magpie --task swift-boxes --protocol coverage",
    group="look",
)
def explain(
    run: OneRun,
    agent: Annotated[str | None, typer.Option(help="Whose report.")] = None,
    task: Annotated[str | None, typer.Option(help="For which task.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Only this protocol.")] = None,
) -> None:
    """Show the evidence behind the scores of one report.

    Without an agent and a task it lists the reports worst first, each with the line to type.
    """
    if agent is not None and task is not None:
        from deepassay.run.showing.explaining import evidence_as_text

        show(evidence_as_text(run, agent, task, protocol))
        return
    from deepassay.results.tables import typed
    from deepassay.results.worst import worst_first
    from deepassay.run.showing.boards import read_scores

    show(worst_first(read_scores([run]), typed(str(run)), agent, task, protocol).rstrip("\n"))


@listed(
    "deepassay replay run.assay",
    "deepassay replay paid.assay",
    group="tools",
)
def replay(
    run: OneRun,
    protocol: Annotated[
        list[str] | None,
        typer.Option(help="module:Class of a protocol that no package registers."),
    ] = None,
) -> None:
    """Verify a run file, and compute every score anew. Nothing is asked."""
    from deepassay.protocols.registry import parse_protocols
    from deepassay.run.showing.replay import replay as recompute
    from deepassay.runfile import RunFile

    given = parse_protocols(protocol or ())
    with RunFile.read(run, to_verify=True) as file:
        done = recompute(file, given)
    for line in done.lines():
        show(line)
    for problem in done.problems():
        complain(problem)
    raise typer.Exit(0 if done.proved else 1)


@listed(
    "deepassay export run.assay --format csv > scores.csv",
    "deepassay export run.assay -o tables --format csv",
    group="look",
)
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
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROTOCOL=X",
            help="With junit: a score below X is a failure there; the exit status stays 0.",
        ),
    ] = None,
    output: OutputFile = None,
    force: Force = False,
    model_of: ModelsOf = None,
    organisation: Organisation = None,
    relationship: HowRelated = None,
    reward: RewardOf = None,
) -> None:
    """Write every outcome of a run with its recipe and evidence.

    With -o, tidy tables of runs: OUTPUT is a folder, or for one table a file that ends in the
    format. junit: a test case for each outcome. eval, with -o: logs of Inspect. eee, with -o: files
    of Every Eval Ever. openinference, with -o: scores on the spans of traces. harbor, with -o: the
    reward of a trial.
    """
    publishing = (model_of or (), organisation or "unknown", relationship or "other", texts)
    given = (model_of, organisation, relationship, reward, fail_under, tables, texts)
    for (option, formats), value in zip(_GOES_WITH.items(), given, strict=True):
        if value and format not in formats:
            raise BadSetting(
                f"{option} goes with --format {' or '.join(formats)}.", "Leave it out."
            )
    if format == "eee":
        _every_eval_ever(runs, output, *publishing, force)
        return
    if format == "openinference":
        _openinference(runs, output, force)
        return
    if format == "harbor":
        _harbor(runs, output, reward or "", force)
        return
    if format == "junit":
        _junit(runs, fail_under, output, force)
        return
    if output is None:
        if tables is not None or texts or force or format in ("parquet", "eval"):
            raise BadSetting("Tables are written into files.", "Name a folder with -o.")
        _print_outcomes(runs, format)
        return
    _tables(runs, output, tables or (), format, texts, force)


@listed(
    "deepassay merge build/shard-1.assay build/shard-2.assay -o build/merged.assay",
    "deepassay merge build/shard-*.assay -o build/all.assay",
    group="tools",
)
def merge(
    shards: Annotated[list[Path], typer.Argument(help="Run files made with --shard.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The run file to write.")],
) -> None:
    """Put the shards of one run together into one run file."""
    from deepassay.run.showing.merging import merge as put_together

    for line in put_together(shards, output).lines():
        note(line)


@listed(
    "deepassay batches run.assay",
    "deepassay batches build/batched.assay",
    group="tools",
)
def batches(
    run: Annotated[Path, typer.Argument(help="A run file.")],
    forget: Annotated[
        int | None, typer.Option(help="A batch that will not come back: ask its questions anew.")
    ] = None,
) -> None:
    """List the batches of a run: waited for, or back."""
    from deepassay.run.asking.waiting import forget as give_up
    from deepassay.run.asking.waiting import lines_of

    if forget is not None:
        give_up(run, forget)
    lines = list(lines_of(run))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        show("  ".join(map(str.ljust, line, widths)).rstrip())


def _tables(
    runs: list[Path],
    output: Path,
    tables: Sequence[str],
    format: ExportFormat,
    texts: bool,
    force: bool,
) -> None:
    from deepassay.run.showing.export import export as write_tables

    names = [name.strip() for name in ",".join(tables).split(",") if name.strip()]
    written = write_tables(runs, output, names, format, texts=texts, force=force)
    said = f"rows into {output}: " + ", ".join(f"{name} {rows}" for name, rows in written.items())
    if format == "eval":
        logs = f"{len(written)} log{'s' * (len(written) > 1)}"
        said = f"{logs} into {output}: `inspect view --log-dir {output}`"
    note(f"Wrote {said}.")


def _every_eval_ever(
    runs: list[Path],
    output: Path | None,
    model_of: Sequence[str],
    organisation: str,
    relationship: Relationship,
    texts: bool,
    force: bool,
) -> None:
    if output is None:
        raise BadSetting("Files of Every Eval Ever go into a folder.", "Name it with -o.")
    publishing = of_wing("bridges.formats.every_eval_ever", "Publishing")
    models = of_wing("bridges.formats.every_eval_ever", "models_given")(model_of)
    write = of_wing("bridges.formats.every_eval_ever", "write_every_eval_ever")
    for line in write(
        runs, output, publishing(organisation, relationship, models, texts), force=force
    ).lines(output):
        note(line)


def _harbor(runs: list[Path], output: Path | None, protocol: str, force: bool) -> None:
    if output is None or len(runs) > 1:
        raise BadSetting("A reward is of one run.", "Name the folder with -o: /logs/verifier.")
    done = of_wing("bridges.formats.harbor", "write_reward")(runs[0], output, protocol, force=force)
    for line in done.lines(output):
        note(line)
    raise typer.Exit(0 if done.rewards else 1)


def _openinference(runs: list[Path], output: Path | None, force: bool) -> None:
    if output is None:
        raise BadSetting("Spans go into a file.", "Name it with -o: scores.otlp.jsonl.")
    write = of_wing("bridges.formats.openinference", "write_evaluations")
    for line in write(runs, output, force=force).lines(output):
        note(line)


def _junit(
    runs: list[Path], fail_under: list[str] | None, output: Path | None, force: bool
) -> None:
    from deepassay.results.gates import as_junit
    from deepassay.run.showing.output import write_output
    from deepassay.run.showing.records import records_of

    text = as_junit(records_of(runs), floors_of(fail_under))
    if output is None:
        hand_over(text)
    else:
        write_output(output, text, runs, force=force)
        note(f"Wrote {output}.")


def _print_outcomes(runs: list[Path], format: ExportFormat) -> None:
    lines = 0
    for text in _outcomes(runs, format):
        hand_over(text)
        lines += 1
    if lines <= (format == "csv"):  # the head
        end_with_nothing(f"{runs[0]} has no outcome: see `deepassay evaluate`.")


def _outcomes(runs: list[Path], format: ExportFormat) -> Iterator[str]:
    """Every outcome of a run, in a fixed order, with its recipe and its evidence."""
    from deepassay.results.tables import as_csv
    from deepassay.run.showing.contents import tell_of_missing_shards
    from deepassay.run.showing.records import as_lines
    from deepassay.runfile import RunFile

    if len(runs) > 1:
        raise BadSetting("Outcomes are printed of one run.", "Name a folder with -o.")
    columns = ("protocol", "agent", "task", "sample", "repeat", "value", "cause", "signature")
    with RunFile.read(runs[0]) as file:
        tell_of_missing_shards(file)
        if format == "csv":
            yield as_csv((), columns)
        for line in as_lines(file):
            if format == "csv":
                yield as_csv([line], columns, header=False)
            else:
                yield canonical_json(line) + "\n"
