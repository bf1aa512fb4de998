"""`research`: having agents answer tasks. `sandbox`: a corpus served to agents elsewhere."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.help import listed, reads_file
from deepassay.cli.options import BATCHES, MAKER, MODEL, TERMS, Own, TaskFile, agents_named, takes
from deepassay.cli.terminal import complain, finish_making, note, say_stopping, show, teller
from deepassay.run.settings import Settings

if TYPE_CHECKING:
    from deepassay.cli.terminal import ProgressBar
    from deepassay.wings.research.answering import ResearchProgress as Answered

Sandboxed = Annotated[
    Path | None, typer.Option(help="A corpus that agents search and read as {sandbox}.")
]


@listed(
    "deepassay research examples/demo/research/tasks.jsonl --agent deerflow+ --agent "
    '"printed=deerflow+:paper" --search corpus:examples/demo/research/corpus --date 2026-05-04 '
    "-o reports",
    "deepassay research examples/demo/research/tasks.jsonl --agent deerflow+ --search "
    "corpus:examples/demo/research/corpus --limit 1",
    group="reports",
)
@reads_file()
@takes(
    *(
        "date",
        "columns",
        "limit",
        "shard",
        "max_connections",
        "deadline",
        "time_limit",
        "budget",
        "allow_unpriced",
    ),
    *BATCHES,
    *("prices", "reader", "snapshots", "offline_sources", "allow_host", "page_proxy"),
    Own("run", "Where everything is kept.", default=Path("run.assay")),
    help="Have agents answer tasks. The same command run again resumes where it was stopped.",
)
def research(
    context: typer.Context,
    tasks: TaskFile,
    agent: Annotated[
        list[str] | None, typer.Option(help="NAME of assay.toml, or NAME=SPEC; repeatable.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A folder for the reports.")
    ] = None,
    *,
    search: Annotated[
        str | None, typer.Option(help="Where agents of ours search: corpus:PATH, or a provider.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model of agents that name none: offline or PROVIDER:NAME.")
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Answers of each agent to each task.")] = 1,
    max_agents: Annotated[int, typer.Option(min=1, help="Runs of agents at a time.")] = 4,
    retry: Annotated[
        bool, typer.Option("--retry", help="Run again what ended without a report.")
    ] = False,
    sandbox: Sandboxed = None,
    settings: Settings,
) -> None:
    """Have agents answer tasks into the run file, and write their reports below a folder."""
    from deepassay.cli.terminal import ProgressBar
    from deepassay.run.asking.agent_runs import ResearchTerms
    from deepassay.wings.research.answering import research as answer

    agents = agents_named(context, agent, _given(search=search, model=model))
    terms = ResearchTerms(
        repeat=repeat, at_once=max_agents, output=output, retry=retry, sandbox=sandbox
    )
    with ProgressBar() as progress:
        done = answer(tasks, agents, settings, terms, partial(_show, progress), say_stopping)
    for line in done.lines():
        (complain if done.progress.stopped else note)(line)
    if done.signal:
        raise typer.Exit(128 + done.signal)
    if done.progress.stopped:
        raise typer.Exit(3 if done.out_of_budget else 4)
    if not done.reports and done.progress.total:
        complain("No report was written.")
        raise typer.Exit(1)


def _given(**options: str | None) -> dict[str, str]:
    return {name: value for name, value in options.items() if value is not None}


@listed(
    "deepassay sandbox examples/demo/research/corpus --port 8791 --run served.assay",
    "deepassay sandbox examples/demo/pages.jsonl --port 8791",
    group="reports",
)
def sandbox(
    corpus: Annotated[Path, typer.Argument(help="A folder or file of pages, or a run file.")],
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")],
    run: Annotated[
        Path | None, typer.Option(help="A run file for every query and every page served.")
    ] = None,
    prefix: Annotated[
        bool, typer.Option("--prefix", help="Hits name pages by addresses of the sandbox.")
    ] = False,
    host: Annotated[str, typer.Option(help="Where it listens.")] = "127.0.0.1",
    expose: Annotated[
        bool, typer.Option("--expose", help="Other machines may read the corpus.")
    ] = False,
) -> None:
    """Serve a corpus to agents: searches, pages, tools of MCP."""
    import asyncio

    from deepassay.runfile import RunFile
    from deepassay.wings.research.sandbox.sandbox import Sandbox
    from deepassay.wings.research.sandbox.server import has_tools, serve
    from deepassay.wings.research.search.corpus import open_corpus

    async def work() -> None:
        async with open_corpus(corpus) as pages:
            with RunFile.create(run) if run else RunFile.in_memory() as kept:
                served = Sandbox(pages, kept.answering, prefix=prefix)

                def tell(address: str) -> None:
                    note(f"{len(pages.pages)} pages of {corpus}; stop it with Ctrl-C")
                    if not has_tools():
                        note("  without MCP: pip install 'deepassay[mcp]'")
                    show(address)

                await serve(served, host, port, exposed=expose, tell=tell)

    asyncio.run(work())


def _show(bar: ProgressBar, progress: Answered, spent: float) -> None:
    stops = [f"{count} {stop}" for stop, count in sorted(progress.stops.items())]
    ended = progress.kept + progress.done
    bar.show(ended, progress.total, [*stops, f"${spent:.2f}"])


@listed(
    "deepassay standardise examples/demo/reports/magpie -o standard --run standard.assay",
    "deepassay standardise examples/demo/reports/heron -o standard --run standard.assay",
    group="reports",
)
@takes("columns", MAKER, *MODEL, *TERMS)
def standardise(
    paths: Annotated[list[Path], typer.Argument(help="Reports, or folders of reports.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for AGENT/TASK.md.")],
    *,
    settings: Settings,
) -> None:
    """Write reports with [1][2] at sentence ends and one list.

    A model is asked only where pages are named and cited nowhere. The same command
    run again resumes where it was stopped.
    """
    from deepassay.wings.research.standardising import standardise as rewrite

    made = rewrite(paths, output, settings, listener=teller())
    finish_making(made, output, settings, "standard forms", items="reports")
