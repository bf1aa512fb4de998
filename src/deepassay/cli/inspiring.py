"""`tasks inspire`: leads for research, found in transcripts of seminars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.making import finish_making
from deepassay.cli.options import (
    DEFAULT_RUN,
    AllowUnpriced,
    BaseUrl,
    Budget,
    Deadline,
    MaxConnections,
    MaxOutput,
    Prices,
    RunPath,
    Temperature,
)
from deepassay.cli.terminal import note, say_stopping

if TYPE_CHECKING:
    from deepassay.tasks.curate.arena.transcript import Transcript


def inspire(
    transcripts: Annotated[
        list[Path], typer.Argument(help="Transcripts: .jsonl .srt .vtt .txt .json.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON Lines: added to.")],
    maker: Annotated[str, typer.Option(help="offline, or PROVIDER:NAME.")] = "offline",
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    max_output: MaxOutput = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first transcripts.")] = None,
    max_connections: MaxConnections = 16,
    deadline: Deadline = 120.0,
    budget: Budget = None,
    allow_unpriced: AllowUnpriced = False,
    prices: Prices = None,
    run: RunPath = DEFAULT_RUN,
) -> None:
    """Find inspirations in transcripts of seminars, each with the words it was read from.

    What the filter finds unusable stays in the file, with the reason in the field `dropped`. The
    same command run again resumes where it was stopped.
    """
    from deepassay.run.inspiring import InspireRequest
    from deepassay.run.inspiring import inspire as find

    request = InspireRequest(
        transcripts=transcripts,
        output=output,
        maker=maker,
        base_url=base_url,
        temperature=temperature,
        max_output=max_output,
        limit=limit,
        run=run,
        max_connections=max_connections,
        deadline=deadline,
        budget=budget,
        allow_unpriced=allow_unpriced,
        prices=prices,
    )
    made = find(request, on_transcript=_tell, on_signal=say_stopping)
    remarks = [f"Usable: {made.usable} inspirations. Dropped: {made.dropped}, with the reason."]
    if maker == "offline" and made.made:
        remarks.append("They were found by rule, a baseline that sees cue phrases only.")
    finish_making(made, request, "inspirations", remarks, items="transcripts")


def _tell(transcript: Transcript, outcome: object) -> None:
    from deepassay.score import Unscored

    if isinstance(outcome, Unscored):
        note(f"  transcript {transcript.name}: {outcome.cause}: {outcome.detail}")
    elif not outcome:
        note(f"  transcript {transcript.name}: no inspiration found")
