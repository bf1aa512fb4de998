"""`view`: runs in the browser; `html`: the same as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.comparing import hold_scored
from deepassay.cli.help import listed
from deepassay.cli.leaderboard import with_columns
from deepassay.cli.terminal import note as tell_besides
from deepassay.cli.terminal import show
from deepassay.results.judge_evidence import OnJudge


@listed("deepassay view run.assay", "deepassay view before.assay after.assay", group="look")
def _view(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files.")],
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8766,
    host: Annotated[str, typer.Option(help="Where it listens, on this machine.")] = "127.0.0.1",
    index: Annotated[
        Path | None,
        typer.Option(help="Keep what was read for searching in this file, for the next time."),
    ] = None,
    human: Annotated[
        Path | None, typer.Option(help="What people decided, to hold judges against: see agree.")
    ] = None,
    rater: Annotated[str, typer.Option(help="Whose name your notes bear.")] = "reader",
    on_judge: OnJudge,
) -> None:
    """Read runs in the browser: reports, verdicts, pages.

    A run may be written meanwhile: what is new is shown as it comes.
    """
    import asyncio

    from deepassay.wings.view.serving import serve

    def tell(address: str) -> None:
        show(address)
        tell_besides("Everything stays on this machine; stop it with Ctrl-C.")

    def count(outcomes: int) -> None:
        tell_besides(f"{outcomes} outcomes were read.")

    asyncio.run(serve(runs, host, port, index, human, rater, on_judge, tell, count))


@listed(
    "deepassay html run.assay -o results.html",
    "deepassay html run.assay -o cut.html --largest 0.2",
    "deepassay html after.assay --since before.assay -o changes.html",
    group="look",
)
def _html(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run files.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file for the page.")],
    *,
    title: Annotated[str, typer.Option(help="What stands on top.")] = "",
    note: Annotated[str, typer.Option(help="A word of your own below it.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    allow_mixed: Annotated[
        bool,
        typer.Option("--allow-mixed", hidden=True, help="Rank scores of unequal recipes, marked."),
    ] = False,
    largest: Annotated[
        float,
        typer.Option("--largest", min=0.1, help="MB of a file; of more it is an index and files."),
    ] = 20.0,
    on_judge: OnJudge,
    since: Annotated[
        Path | None, typer.Option(help="Say what changed since this run, report by report.")
    ] = None,
    notes: Annotated[
        bool, typer.Option("--notes", help="Show what readers noted in `view`, beside the runs.")
    ] = False,
    worst: Annotated[
        int, typer.Option(min=0, help="Pages for so many reports of each agent; figures of all.")
    ] = 0,
) -> None:
    """Write the reading room as files, to send to people."""
    from deepassay.results.tables import several
    from deepassay.wings.view.writing import write_page

    def tell(folder: Path) -> None:
        tell_besides(f"Wrote {output}; what it leads to follows in {folder}.")

    page = write_page(
        runs,
        output,
        title=title,
        note=note,
        force=force,
        allow_mixed=allow_mixed,
        limit=round(largest * 1e6),
        on_judge=on_judge,
        since=since,
        notes=notes,
        worst=worst,
        on_index=tell,
    )
    size = f"{page.size / 1e6:.1f} MB"
    if page.folder is None:
        tell_besides(f"Wrote {output} ({size}).")
    else:
        tell_besides(f"Wrote {several(page.files, 'file')} into {page.folder} ({size}).")
    hold_scored(runs)


view = with_columns(_view, beside_only=True)
html = with_columns(_html, beside_only=True)
