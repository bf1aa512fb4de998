"""`agree draw` and `agree show`: files for people to fill in, then for them to prefer judges by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from deepassay.cli.help import listed
from deepassay.cli.results import RunFiles
from deepassay.cli.terminal import end_with_nothing, note, show

if TYPE_CHECKING:
    from deepassay.wings.people.study import BlankSheet

Folder = Annotated[Path, typer.Option("--output", "-o", help="The folder for the files.")]
Seed = Annotated[int, typer.Option(min=0, help="For everything drawn at random.")]
Overwrite = Annotated[bool, typer.Option("--force", help="Overwrite files.")]


@listed(
    "deepassay agree draw build/demo.assay --protocol coverage -n 12 --rater ada -o study",
)
def draw(
    runs: RunFiles,
    protocol: Annotated[str, typer.Option(help="Whose verdicts people are to decide on.")],
    output: Folder,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="How many.")] = 100,
    kind: Annotated[
        Literal["all", "agreement", "disagreement", "both"],
        typer.Option("--of", help="Only where all judges agree, where they do not, or of each."),
    ] = "all",
    rater: Annotated[
        list[str] | None, typer.Option(help="Who decides; may be repeated: a row for each.")
    ] = None,
    seed: Seed = 0,
    force: Overwrite = False,
) -> None:
    """Draw a sample for people to decide on.

    It is without what the judges said; nothing is asked.
    """
    from deepassay.wings.people.study import draw_study as draw_sample

    raters = rater or ("person",)
    drawn = draw_sample(runs, protocol, number, kind, raters, output, seed, force=force)
    _tell(drawn, "Fill in `verdict`, then: deepassay agree people RUN --human FILE.")


def show_judges(
    runs: RunFiles,
    human: Annotated[list[Path], typer.Option(help="The decisions, filled in; may be repeated.")],
    output: Folder,
    differing: Annotated[
        bool, typer.Option("--differing", help="Only where the judges differ.")
    ] = False,
    seed: Seed = 0,
    force: Overwrite = False,
) -> None:
    """Write what each judge said on what people decided.

    It is for them to say which judge they prefer.
    """
    from deepassay.wings.people.study import ask_preferences

    written = ask_preferences(human, runs, output, seed, differing=differing, force=force)
    fill = "Fill in `prefer`: a letter, several (A B), tie or none."
    _tell(written, f"{fill}\nThen: deepassay agree preferences FILE.")


def _tell(written: BlankSheet, then: str) -> NoReturn:
    show(f"{written.file}: {written.rows} rows.")
    for remark in written.remarks:
        note(remark)
    if not written.rows:
        end_with_nothing("Nothing was drawn: no verdict of these runs fits what is asked for.")
    note(then)
    raise typer.Exit(0 if written.whole else 1)
