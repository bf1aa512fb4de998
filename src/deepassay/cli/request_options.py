"""The options of `evaluate` and `estimate`, declared once and handed on as one request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deepassay.cli.grouping import ungrouped
from deepassay.cli.options import (
    AllowHost,
    BaseUrl,
    FirstTasks,
    Judges,
    MaxOutput,
    PageProxy,
    Reader,
    TaskFile,
    Temperature,
    Terms,
)

if TYPE_CHECKING:
    from deepassay.run.request import Request


@dataclass(frozen=True, kw_only=True)
class Scored:
    """What is scored, and by which protocols."""

    tasks: TaskFile
    reports: Annotated[list[Path], typer.Argument(help="Folders of reports, or JSON Lines.")]
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            help="A protocol or a group of them; may be repeated.  [all metrics that the tasks "
            "have the inputs for, but for those that read cited pages]"
        ),
    ] = None
    edition: Annotated[
        str, typer.Option(help="paper: as printed; code: as the released program.")
    ] = "paper"


@dataclass(frozen=True, kw_only=True)
class Judging:
    """Who judges, with which settings, and how often."""

    judge: Judges = None
    base_url: BaseUrl = None
    effort: Annotated[str | None, typer.Option(help="Reasoning effort: low, medium, high.")] = None
    temperature: Temperature = None
    max_output: MaxOutput = None
    structured: Annotated[
        bool, typer.Option("--structured", help="Have the provider enforce the JSON schema.")
    ] = False
    context_window: Annotated[
        int | None, typer.Option(min=1, help="Tokens that the judge takes, if nobody else knows.")
    ] = None
    repeat: Annotated[int, typer.Option(min=1, help="Independent judgements of every report.")] = 1


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How tasks are read, and how many."""

    date: Annotated[str | None, typer.Option(help="Today, as tasks are told: YYYY-MM-DD.")] = None
    frozen_dates: Annotated[
        bool, typer.Option("--frozen-dates", help="The dates that the set was published with.")
    ] = False
    limit: FirstTasks = None


@dataclass(frozen=True, kw_only=True)
class Players:
    """Who plays the other roles."""

    extractor: Annotated[
        str | None, typer.Option(help="Who reads statements out of reports.  [the judge]")
    ] = None
    cleaner: Annotated[
        str | None, typer.Option(help="Who takes citations out of reports.  [the judge]")
    ] = None
    maker: Annotated[
        str | None,
        typer.Option(help="Who makes the checklists of ACE that no file gives.  [the judge]"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Yardsticks:
    """What reports are held against besides the task."""

    reference: Annotated[
        str | None, typer.Option(help="An agent, or a file of reports, to compare with.")
    ] = None
    baseline: Annotated[
        str | None,
        typer.Option(
            help="An agent, or a file of reports, that pairs are made with.  [every agent]"
        ),
    ] = None
    criteria: Annotated[
        Path | None, typer.Option(help="Criteria of the tasks: see `tasks criteria`.")
    ] = None
    rubric: Annotated[
        Path | None, typer.Option(help="Rubrics of the tasks: see `tasks rubric`.")
    ] = None
    ace: Annotated[
        Path | None, typer.Option(help="ACE's checklists of tasks: see `tasks checklist`.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Pages:
    """Where cited pages come from."""

    reader: Reader = "direct"
    snapshots: Annotated[
        Path | None, typer.Option(help="A file of cited pages that several runs share.")
    ] = None
    offline_sources: Annotated[
        bool, typer.Option("--offline-sources", help="Fetch no page: only what is kept.")
    ] = False
    allow_host: AllowHost = None
    page_proxy: PageProxy = None


@dataclass(frozen=True, kw_only=True)
class Ending:
    """What becomes of judgements that failed."""

    min_coverage: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Exit with 1 if less is scored for any agent."),
    ] = None
    retry_unscored: Annotated[
        bool, typer.Option("--retry-unscored", help="Ask again for what failed.")
    ] = False


def not_overruled(context: typer.Context) -> dict[str, dict[str, Any]]:
    """Settings of single protocols from assay.toml, but for those that were typed."""
    return {
        protocol: {
            name: value
            for name, value in table.items()
            if (source := context.get_parameter_source(name)) is None
            or source.name != "COMMANDLINE"
        }
        for protocol, table in (context.obj or {}).items()
    }


def with_options(action: Callable[[Request], None]) -> Callable[..., None]:
    """A command that takes the options of `evaluate` and gives them to `action`."""

    def command(
        context: typer.Context,
        scored: Scored,
        judging: Judging,
        reading: Reading,
        players: Players,
        yardsticks: Yardsticks,
        pages: Pages,
        terms: Terms,
        ending: Ending,
    ) -> None:
        from deepassay.run.request import Request

        given: dict[str, Any] = {"per_protocol": not_overruled(context)}
        for group in (scored, judging, reading, players, yardsticks, pages, terms, ending):
            given |= vars(group)
        given["protocols"] = given.pop("protocol") or []
        given["judges"] = given.pop("judge") or ["offline"]
        given["allow_hosts"] = given.pop("allow_host") or []
        action(Request(**given))

    command.__doc__ = action.__doc__
    return ungrouped(command)
