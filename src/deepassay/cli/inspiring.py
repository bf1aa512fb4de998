"""`tasks inspire`: leads for research, found in transcripts of seminars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deepassay.cli.grouping import ungrouped
from deepassay.cli.making import finish_making
from deepassay.cli.options import AddedTo, FirstTranscripts, Model, Settings, Terms
from deepassay.cli.terminal import note, say_stopping

if TYPE_CHECKING:
    from deepassay.curate.arena.transcript import Transcript


@ungrouped
def inspire(
    transcripts: Annotated[
        list[Path], typer.Argument(help="Transcripts: .jsonl .srt .vtt .txt .json.")
    ],
    output: AddedTo,
    *,
    maker: Model = "offline",
    settings: Settings,
    limit: FirstTranscripts = None,
    terms: Terms,
) -> None:
    """Find inspirations in transcripts of seminars, each with the words it was read from.

    What the filter finds unusable stays in the file, with the reason in the field `dropped`. The
    same command run again resumes where it was stopped.
    """
    from deepassay.run.inspiring import InspireRequest, find_inspirations

    request = InspireRequest(
        transcripts=transcripts,
        output=output,
        maker=maker,
        **vars(settings),
        limit=limit,
        **vars(terms),
    )
    made = find_inspirations(request, on_transcript=_tell, on_signal=say_stopping)
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
