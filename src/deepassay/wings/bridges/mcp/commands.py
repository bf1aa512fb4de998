"""`mcp`: the tools for agents, over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deepassay.cli.help import listed, reads_file
from deepassay.cli.options import MODEL, Own, takes
from deepassay.cli.terminal import note
from deepassay.errors import BadSetting
from deepassay.run.settings import Settings


@listed(
    "deepassay mcp",
    "deepassay mcp --folder examples/demo/reports --judge openai:gpt-5-mini --budget 2",
    group="tools",
)
@reads_file()
@takes(
    Own("protocols", "Which `score` may be asked for; repeated.  [those of every report]"),
    Own("judge", "offline, or PROVIDER:NAME; repeated: a panel."),
    *(*MODEL, "effort", "extractor", "verifier", "budget", "rate", "allow_unpriced", "prices"),
    *("max_connections", "deadline", "snapshots"),
)
def mcp(
    folder: Annotated[
        Path | None, typer.Option(help="Where tools may read reports; else they are handed over.")
    ] = None,
    waits: Annotated[
        float, typer.Option(min=1, max=600, help="Seconds until a long call says it goes on.")
    ] = 45.0,
    *,
    settings: Settings,
) -> None:
    """Serve lint, statements, check and score to agents, by MCP.

    It speaks over standard input and output, and is started by the agent's program.
    """
    from deepassay.wings.bridges.mcp.service import ReportTools, protocols_offered
    from deepassay.wings.bridges.mcp.tools import server_of

    if folder is not None and not folder.is_dir():
        raise BadSetting(f"--folder {folder}: there is no such folder.", "Name one.")
    service = ReportTools(
        protocols_offered(settings.protocols), settings, folder, settings.budget, waits
    )
    server = server_of(service)
    note(f"Tools over standard input and output; score: {', '.join(service.protocols)}.")
    server.run("stdio")
