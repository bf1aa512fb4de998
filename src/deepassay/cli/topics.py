"""`tasks topics`: which queries ask for deep research, on what, and how many tasks that makes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.comparing import TableFormat
from deepassay.cli.options import MAKER, MODEL, TERMS, Own, takes
from deepassay.cli.terminal import finish_making, hand_over, say_stopping, tell_failure
from deepassay.run.settings import Settings

if TYPE_CHECKING:
    from deepassay.run.topics import TopicsFound


@takes(MAKER, *MODEL, Own("limit", "Only the first queries."), *TERMS)
def topics(
    queries: Annotated[
        Path, typer.Argument(help="Queries with id and prompt: JSON Lines, CSV or Parquet.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON Lines: added to.")] = Path(
        "topics.jsonl"
    ),
    size: Annotated[int, typer.Option(min=1, help="Tasks of the set to be made.")] = 100,
    language: Annotated[
        list[str] | None, typer.Option(help="Of its tasks; may be repeated.  [en, zh]")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(help="A set with topics, to compare the distribution with.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the order of the menus.")] = 1,
    format: Annotated[TableFormat, typer.Option()] = "text",
    *,
    settings: Settings,
) -> None:
    """See what users research, and the tasks each topic gets.

    Queries that ask for deep research are sorted under 22 topics, each asked twice with the menu
    the other way round. The same command run again resumes where it was stopped.
    """
    from deepassay.cli.terminal import Progress
    from deepassay.curate.topic_tables import write_topics
    from deepassay.run.making import Listener
    from deepassay.run.topics import TopicTerms, find_topics

    terms = TopicTerms(size, tuple(language or ("en", "zh")), seed, compare)
    listener = Listener(partial(tell_failure, what="query"), say_stopping)
    with Progress() as progress:

        def show(done: int, of: int) -> None:
            progress.show(done, of, ())

        found = find_topics(queries, output, settings, terms, listener=listener, on_progress=show)
    if found.demands is not None:
        hand_over(write_topics(found.demands, found.allocation, found.compared, format))
    remarks = [*_remarks(found, output, settings)]
    finish_making(found, output, settings, "verdicts", remarks, items="queries")


def _remarks(found: TopicsFound, output: Path, settings: Settings) -> Iterator[str]:
    from deepassay.curate.topic_tables import allocation_file

    if found.allocation is not None:
        yield f"Tasks by topic and language are in {allocation_file(output)}."
    elif found.demands is not None:
        yield "No query has a topic, so no tasks were allotted."
    if settings.maker == "offline":
        yield "They were sorted by rule, a baseline that counts words: name a model with --maker."
