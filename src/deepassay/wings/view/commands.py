"""`view`: runs in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.help import listed
from deepassay.cli.terminal import note, show


@listed("deepassay view run.assay", "deepassay view before.assay after.assay", group="look")
def view(
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
) -> None:
    """Read runs in the browser: reports, verdicts, pages.

    A run may be written meanwhile: what is new is shown as it comes.
    """
    import asyncio

    from deepassay.wings.view.serving import serve

    def tell(address: str) -> None:
        show(address)
        note("Everything stays on this machine; stop it with Ctrl-C.")

    def count(outcomes: int) -> None:
        note(f"{outcomes} outcomes were read.")

    asyncio.run(serve(runs, host, port, index, human, rater, tell, count))
