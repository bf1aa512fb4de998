"""The options of `evaluate` and `estimate`, declared once and handed on as one value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from deepassay.run.request import Request

DEFAULT_RUN: Final = Path("run.assay")

RunPath = Annotated[Path, typer.Option("--run", help="Where everything is kept.")]
BaseUrl = Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.")]
Temperature = Annotated[float | None, typer.Option(min=0.0)]
MaxOutput = Annotated[int | None, typer.Option(min=1, help="Tokens of one answer at most.")]
MaxConnections = Annotated[int, typer.Option(min=1, help="Calls at the same time at most.")]
Deadline = Annotated[float, typer.Option(min=0.1, help="Seconds for one attempt at a question.")]
Budget = Annotated[float | None, typer.Option(min=0.0, help="USD that the run may cost in all.")]
AllowUnpriced = Annotated[
    bool, typer.Option("--allow-unpriced", help="Ask models of unknown price.")
]
Prices = Annotated[Path | None, typer.Option(help="A file of prices that override the known ones.")]
Reader = Annotated[
    str, typer.Option(help="Who reads cited pages: direct, jina, or archive:YYYY-MM-DD.")
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(help="HOST or HOST:PORT that pages may come from though it is not public."),
]
Judges = Annotated[
    list[str] | None,
    typer.Option("--judge", help="offline, or PROVIDER:NAME; repeated: a panel.  [offline]"),
]


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
        tasks: Annotated[Path, typer.Argument(help="JSON Lines, CSV or Parquet.")],
        reports: Annotated[list[Path], typer.Argument(help="Folders of reports, or JSON Lines.")],
        protocol: Annotated[
            list[str] | None,
            typer.Option(
                help="A protocol or a group of them; may be repeated.  [all metrics that the tasks "
                "have the inputs for, but for those that read cited pages]"
            ),
        ] = None,
        edition: Annotated[
            str, typer.Option(help="paper: as printed; code: as the released program.")
        ] = "paper",
        judge: Judges = None,
        base_url: BaseUrl = None,
        effort: Annotated[
            str | None, typer.Option(help="Reasoning effort: low, medium, high.")
        ] = None,
        temperature: Temperature = None,
        max_output: MaxOutput = None,
        structured: Annotated[
            bool, typer.Option("--structured", help="Have the provider enforce the JSON schema.")
        ] = False,
        context_window: Annotated[
            int | None,
            typer.Option(min=1, help="Tokens that the judge takes, if nobody else knows."),
        ] = None,
        repeat: Annotated[
            int, typer.Option(min=1, help="Independent judgements of every report.")
        ] = 1,
        date: Annotated[
            str | None, typer.Option(help="Today, as tasks are told: YYYY-MM-DD.")
        ] = None,
        frozen_dates: Annotated[
            bool, typer.Option("--frozen-dates", help="The dates that the set was published with.")
        ] = False,
        limit: Annotated[int | None, typer.Option(min=1, help="Only the first tasks.")] = None,
        extractor: Annotated[
            str | None, typer.Option(help="Who reads statements out of reports.  [the judge]")
        ] = None,
        cleaner: Annotated[
            str | None, typer.Option(help="Who takes citations out of reports.  [the judge]")
        ] = None,
        maker: Annotated[
            str | None,
            typer.Option(help="Who makes the checklists of ACE that no file gives.  [the judge]"),
        ] = None,
        reference: Annotated[
            str | None, typer.Option(help="An agent, or a file of reports, to compare with.")
        ] = None,
        baseline: Annotated[
            str | None,
            typer.Option(
                help="An agent, or a file of reports, that pairs are made with.  [every agent]"
            ),
        ] = None,
        criteria: Annotated[
            Path | None, typer.Option(help="Criteria of the tasks: see `tasks criteria`.")
        ] = None,
        rubric: Annotated[
            Path | None, typer.Option(help="Rubrics of the tasks: see `tasks rubric`.")
        ] = None,
        ace: Annotated[
            Path | None, typer.Option(help="ACE's checklists of tasks: see `tasks checklist`.")
        ] = None,
        reader: Reader = "direct",
        max_connections: MaxConnections = 16,
        deadline: Deadline = 120.0,
        budget: Budget = None,
        allow_unpriced: AllowUnpriced = False,
        prices: Prices = None,
        run: RunPath = DEFAULT_RUN,
        min_coverage: Annotated[
            float | None,
            typer.Option(min=0.0, max=1.0, help="Exit with 1 if less is scored for any agent."),
        ] = None,
        retry_unscored: Annotated[
            bool, typer.Option("--retry-unscored", help="Ask again for what failed.")
        ] = False,
        snapshots: Annotated[
            Path | None, typer.Option(help="A file of cited pages that several runs share.")
        ] = None,
        offline_sources: Annotated[
            bool, typer.Option("--offline-sources", help="Fetch no page: only what is kept.")
        ] = False,
        allow_host: AllowHost = None,
    ) -> None:
        from deepassay.run.request import Request

        action(
            Request(
                tasks=tasks,
                reports=reports,
                protocols=protocol or [],
                edition=edition,
                judges=judge or ["offline"],
                base_url=base_url,
                effort=effort,
                temperature=temperature,
                max_output=max_output,
                structured=structured,
                context_window=context_window,
                repeat=repeat,
                date=date,
                frozen_dates=frozen_dates,
                limit=limit,
                extractor=extractor,
                cleaner=cleaner,
                maker=maker,
                reference=reference,
                baseline=baseline,
                criteria=criteria,
                rubric=rubric,
                ace=ace,
                reader=reader,
                per_protocol=not_overruled(context),
                run=run,
                max_connections=max_connections,
                deadline=deadline,
                budget=budget,
                allow_unpriced=allow_unpriced,
                prices=prices,
                min_coverage=min_coverage,
                retry_unscored=retry_unscored,
                snapshots=snapshots,
                offline_sources=offline_sources,
                allow_hosts=allow_host or [],
            )
        )

    command.__doc__ = action.__doc__
    return command
