"""Options that more than one command takes, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

DEFAULT_RUN: Final = Path("run.assay")

RunPath = Annotated[Path, typer.Option("--run", help="Where everything is kept.")]
BaseUrl = Annotated[str | None, typer.Option(help="An OpenAI-compatible endpoint.")]
Temperature = Annotated[float | None, typer.Option(min=0.0)]
MaxOutput = Annotated[int | None, typer.Option(min=1, help="Tokens of one answer at most.")]
Deadline = Annotated[float, typer.Option(min=0.1, help="Seconds for one attempt at a question.")]
Prices = Annotated[Path | None, typer.Option(help="A file of prices that override the known ones.")]
Reader = Annotated[
    str, typer.Option(help="Who reads cited pages: direct, jina, or archive:YYYY-MM-DD.")
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(help="HOST or HOST:PORT that pages may come from though it is not public."),
]
PageProxy = Annotated[
    str | None,
    typer.Option(metavar="URL", help="A proxy to fetch cited pages through; no other is used."),
]
Judges = Annotated[
    list[str] | None,
    typer.Option("--judge", help="offline, or PROVIDER:NAME; repeated: a panel.  [offline]"),
]
Model = Annotated[str, typer.Option(help="offline, or PROVIDER:NAME.")]
TaskFile = Annotated[Path, typer.Argument(help="JSON Lines, CSV or Parquet.")]
FirstTasks = Annotated[int | None, typer.Option(min=1, help="Only the first tasks.")]
FirstTranscripts = Annotated[int | None, typer.Option(min=1, help="Only the first transcripts.")]
AddedTo = Annotated[Path, typer.Option("--output", "-o", help="JSON Lines: added to.")]
BestFirst = Annotated[Path, typer.Option("--output", "-o", help="JSON Lines: the best first.")]
Rounds = Annotated[int, typer.Option(min=1, help="Comparisons of every task.")]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the one model is asked that a command has."""

    base_url: BaseUrl = None
    temperature: Temperature = None
    max_output: MaxOutput = None


@dataclass(frozen=True, kw_only=True)
class Terms:
    """On what terms models are asked: the fields of `run.terms.Terms`."""

    max_connections: Annotated[int, typer.Option(min=1, help="Calls at the same time at most.")] = (
        16
    )
    deadline: Deadline = 120.0
    budget: Annotated[
        float | None, typer.Option(min=0.0, help="USD that the run may cost in all.")
    ] = None
    allow_unpriced: Annotated[
        bool, typer.Option("--allow-unpriced", help="Ask models of unknown price.")
    ] = False
    prices: Prices = None
    run: RunPath = DEFAULT_RUN
