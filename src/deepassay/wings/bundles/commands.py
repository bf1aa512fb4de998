"""`bundle`, `verify`, `commit`, `board`: runs that others can check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from deepassay.cli.help import listed, reads_file
from deepassay.cli.options import EVALUATION, TaskFile, takes
from deepassay.cli.results import Force, OneRun
from deepassay.cli.terminal import complain, hand_over, note, show
from deepassay.files import as_json
from deepassay.run.settings import Settings

Signers = Annotated[
    Path | None,
    typer.Option(help="Whose signature counts: a file of allowed signers, as ssh-keygen has it."),
]
BundlePath = Annotated[Path, typer.Argument(metavar="BUNDLE", help="What `bundle` wrote.")]
PROMISED: Final = tuple(
    name
    for name in EVALUATION
    if name
    in {
        *("set", "protocols", "edition", "repeat", "limit", "columns", "frozen_dates", "reader"),
        *(
            "criteria",
            "rubric",
            "ace",
            "bibliography",
            "judge",
            "base_url",
            "effort",
            "temperature",
        ),
        *("max_output", "structured", "quotes", "context_window"),
        *("extractor", "cleaner", "maker", "verifier"),
    }
)


@listed(
    "deepassay bundle run.assay -o run.assay.zip",
    "deepassay bundle run.assay -o bundles/promised.assay.zip --commitment commitment.json",
    group="tools",
)
def bundle(
    run: OneRun,
    output: Annotated[Path, typer.Option("--output", "-o", help="The bundle to write.")],
    *,
    title: Annotated[str, typer.Option(help="What boards call it.  [the run's name]")] = "",
    about: Annotated[str, typer.Option("--note", help="A word of your own.")] = "",
    commitment: Annotated[
        Path | None, typer.Option(help="What `commit` wrote before the run.")
    ] = None,
    sign: Annotated[Path | None, typer.Option(help="A private key of SSH to sign with.")] = None,
    force: Force = False,
) -> None:
    """Pack a run so that anybody can check it.

    The bundle holds reports, answers, pages, recipe and figures.
    """
    from deepassay.wings.bundles.packing import write_bundle

    made = write_bundle(
        run, output, title=title, note=about, commitment=commitment, key=sign, force=force
    )
    note(
        f"Wrote {output}: {len(made.figures)} rows of figures, {output.stat().st_size:,} bytes"
        f"{', signed' if sign else ''}. It holds all reports, pages and answers of the run."
    )


@listed(
    "deepassay verify run.assay.zip",
    "deepassay verify bundles/signed.assay.zip --signers build/signers.txt",
    group="tools",
)
def verify(
    path: BundlePath,
    signers: Signers = None,
    promised: Annotated[
        str | None,
        typer.Option(metavar="DIGEST", help="What was published before the run; see `commit`."),
    ] = None,
    format: Annotated[Literal["text", "json"], typer.Option()] = "text",
) -> None:
    """Check a bundle: files, scores, figures. Nothing is asked."""
    from deepassay.wings.bundles.verifying import as_record, as_text
    from deepassay.wings.bundles.verifying import verify as check

    found = check(path, signers, promised)
    if format == "json":
        hand_over(as_json(as_record(found)))
    else:
        show(as_text(found, path))
    for problem in found.problems:
        complain(problem)
    raise typer.Exit(0 if found.holds else 1)


@listed(
    "deepassay commit examples/demo/tasks.jsonl --protocol coverage --protocol presentation -o "
    "promised.json",
    "deepassay commit examples/demo/tasks.jsonl --protocol race --judge openai:gpt-5-mini -o "
    "race.json",
    group="tools",
)
@reads_file()
@takes(*PROMISED)
def commit(
    tasks: TaskFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The commitment to write.")],
    force: Force = False,
    *,
    settings: Settings,
) -> None:
    """Promise tasks, protocols and judges before a run.

    Publish the digest that is printed.
    """
    from deepassay.run.showing.output import check_output, write_output
    from deepassay.wings.bundles.commitment import commit_to

    check_output(output, [], force=force)
    promised = commit_to(tasks, settings)
    write_output(output, promised.to_json(), [], force=force)
    note(
        f"Wrote {output}: {len(promised.tasks)} tasks by {', '.join(promised.protocols)}. "
        "Publish this digest before the run, and keep the file:"
    )
    show(promised.digest)


@listed(
    'deepassay board bundles -o board.html --title "Our leaderboard"',
    "deepassay board bundles -o board.json --format json",
    group="tools",
)
def board(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where bundles lie.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")],
    title: Annotated[str, typer.Option(help="What stands on top.")] = "Leaderboard",
    signers: Signers = None,
    format: Annotated[Literal["html", "json"], typer.Option()] = "html",
    force: Force = False,
) -> None:
    """Make a leaderboard of bundles, each verified first."""
    from deepassay.run.showing.output import check_output, write_output
    from deepassay.wings.bundles.board import as_page, as_records, board_of

    check_output(output, [], force=force)
    made = board_of(folder, signers)
    text = as_page(made, title, output) if format == "html" else as_json(as_records(made))
    write_output(output, text, [], force=force)
    for line in made.lines():
        note(line)
    note(f"Wrote {output}.")
    raise typer.Exit(0 if made.shown else 1)
