"""`tasks transcribe`: transcripts from recordings, subtitles and text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deepassay.cli.options import BaseUrl, Deadline
from deepassay.cli.terminal import note

if TYPE_CHECKING:
    from deepassay.curate.arena.transcript import Transcript
    from deepassay.errors import BadTasks


def transcribe(
    files: Annotated[list[Path], typer.Argument(help="Audio, video, subtitles, text.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for one transcript a file.")
    ],
    model: Annotated[
        str | None,
        typer.Option(
            help="Who transcribes recordings: openai:NAME for an endpoint, or a folder or name "
            "of a model for faster-whisper on this machine."
        ),
    ] = None,
    base_url: BaseUrl = None,
    language: Annotated[
        Literal["en", "zh"] | None, typer.Option(help="What is spoken.  [found out]")
    ] = None,
    deadline: Deadline = 600.0,
) -> None:
    """Turn recordings of seminars, subtitles and text into transcripts with time marks.

    Transcripts that are in the folder already are left as they are. A model on this machine
    sends nothing anywhere; an endpoint is sent the audio, and the video only where its audio
    cannot be taken out.
    """
    from deepassay.curate.arena.transcribing import Listener, outputs_for
    from deepassay.curate.arena.transcribing import transcribe as work
    from deepassay.errors import BadTasks

    outputs = outputs_for(files, output)
    kept = sum(path.exists() for path in outputs.values())
    errors: list[BadTasks] = []

    def failed(error: BadTasks) -> None:
        errors.append(error)
        note(f"deepassay: {error}")

    work(outputs, Listener(model, base_url, language, deadline), _tell, failed)
    already = f" ({kept} had theirs already)" if kept else ""
    note(
        f"Transcripts of {len(files) - len(errors)} of {len(files)} files are in {output}{already}."
    )
    if errors:
        raise typer.Exit(BadTasks.exit_status)


def _tell(path: Path, transcript: Transcript) -> None:
    times = [each.end or each.start or 0.0 for each in transcript.segments]
    length = f", {max(times) / 60:.0f} minutes" if any(times) else ", without times"
    note(f"  {path.name}: {len(transcript.segments)} segments{length}")
