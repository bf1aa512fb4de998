"""`sources`: the pages that reports cite, fetched, listed, taken out and brought in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.help import HelpfulGroup, listed
from deepassay.cli.options import DEFAULT_RUN, Own, ReportPaths, takes
from deepassay.cli.terminal import end_with_nothing, note, show
from deepassay.errors import BadSetting
from deepassay.run.settings import Settings

if TYPE_CHECKING:
    from deepassay.run.asking.sources import Harvest
    from deepassay.runfile import Capture

Snapshots = Annotated[Path, typer.Option(help="Where pages are kept: a run file, or one of pages.")]

app = typer.Typer(
    cls=HelpfulGroup,
    help="Fetch, list, export and import the pages that reports cite.",
    no_args_is_help=True,
    rich_markup_mode=None,
    rich_help_panel="reports",
)


@app.command()
@listed(
    "deepassay sources fetch examples/demo/reports --snapshots pages.assay",
)
@takes(
    Own("snapshots", "Where pages are kept: a run file, or one of pages.", DEFAULT_RUN),
    Own("max_connections", "Pages at the same time at most.", 32),
    Own("deadline", "Seconds for one page.", 30.0),
    "reader",
    "allow_host",
    "page_proxy",
)
def fetch(
    reports: ReportPaths,
    settings: Settings,
    retry: Annotated[
        bool,
        typer.Option(
            "--retry", help="Try again what is no page, but for what is too large or no text."
        ),
    ] = False,
) -> None:
    """Read every page that reports cite, once. The same command run again resumes."""
    from deepassay.cli.terminal import ProgressBar
    from deepassay.run.asking.sources import fetch as run
    from deepassay.sources.page import DOUBTFUL, OK

    snapshots = settings.snapshots or DEFAULT_RUN
    with ProgressBar() as progress:

        def update(harvest: Harvest) -> None:
            states = sorted(harvest.states.items())
            notes = [f"{count} {state}" for state, count in states]
            progress.show(harvest.kept + harvest.done, harvest.total, notes)

        harvest = run(reports, snapshots, settings, retry=retry, on_progress=update)
    _tell(harvest, snapshots)
    if harvest.signal:
        raise typer.Exit(128 + harvest.signal)
    if not harvest.total:
        end_with_nothing(
            "These reports cite no address, so no page was read. `deepassay statements FILE` says "
            "what a citation leads to."
        )
    if not harvest.states[OK] + harvest.states[DOUBTFUL]:
        end_with_nothing(
            "Not one page was read. `deepassay sources list` says of each why; --retry tries again."
        )


def _tell(harvest: Harvest, snapshots: Path) -> None:
    for line in harvest.lines():
        note(line)
    if harvest.states["blocked"]:
        note(
            "Blocked pages can be saved in a browser and brought in: "
            f"deepassay sources import PAGE.html --url URL --snapshots {snapshots}\n"
            f"Which they are: deepassay sources list --state blocked --snapshots {snapshots}"
        )


@app.command("list")
@listed(
    "deepassay sources list --snapshots pages.assay",
    "deepassay sources list --snapshots pages.assay --state ok --json",
)
def list_(
    snapshots: Snapshots = DEFAULT_RUN,
    state: Annotated[
        list[str] | None,
        typer.Option(help="Only these: ok, doubtful, gone, blocked, …; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON Lines.")] = False,
) -> None:
    """Show what is kept of each address: its page, or the failure."""
    from deepassay.run.asking.sources import captures_by_address
    from deepassay.sources.page import DOUBTFUL, OK, Failure

    known = [OK, DOUBTFUL, *Failure]
    for each in state or ():
        if each not in known:
            raise BadSetting(f"--state {each}: there is no such state.", ", ".join(known))
    shown = False
    for name, page in captures_by_address(snapshots, state or ()):
        shown = True
        show(_json(name, page) if as_json else _line(name, page))
    if not shown:
        of_state = f" {' or '.join(state)}" if state else ""
        end_with_nothing(f"{snapshots} keeps no address{of_state}: see `deepassay sources fetch`.")


def _line(state: str, page: Capture) -> str:
    about = page.detail or page.title
    return f"{state:<12} {page.fetched[:10]} {page.reader:<7} {page.url}  {' '.join(about.split())}"


def _json(state: str, page: Capture) -> str:
    about = {name: value for name, value in vars(page).items() if name not in {"text", "body"}}
    return json.dumps({"state": state, **about}, ensure_ascii=False)


@app.command()
@listed(
    "deepassay sources export -o pages.warc.gz --snapshots pages.assay",
)
def export(
    output: Annotated[Path, typer.Option("--output", "-o", help="A file named *.warc.gz.")],
    snapshots: Snapshots = DEFAULT_RUN,
) -> None:
    """Write all pages into a web archive (WARC)."""
    from deepassay.run.archives import write_archive as run

    if not (written := run(snapshots, output)):
        end_with_nothing(f"{snapshots} keeps no page: see `deepassay sources fetch`.")
    note(f"Wrote {written} captures to {output}")


@app.command("import")
@listed(
    "deepassay sources import examples/demo/pages.jsonl",
    "deepassay sources import pages.warc.gz --snapshots elsewhere.assay",
)
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="WARC, WACZ, saved HTML, PDF, text, JSON Lines, or a folder of these, as a corpus."
        ),
    ],
    snapshots: Snapshots = DEFAULT_RUN,
    url: Annotated[
        str | None, typer.Option(help="The address of the one page that is in the file.")
    ] = None,
) -> None:
    """Bring in pages that a browser or another program saved."""
    from deepassay.run.archives import import_pages

    if url is not None and len(files) > 1:
        raise BadSetting("--url is the address of one page.", "Import one file at a time.")
    imported = import_pages(files, snapshots, url)
    for line in imported.lines():
        note(line)
    if imported.aside.bad:
        raise typer.Exit(1)
    if not imported.states.total():
        end_with_nothing("These files hold no page. Give WARC, WACZ, saved pages, or JSON Lines.")
