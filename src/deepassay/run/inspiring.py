"""Inspirations of transcripts, from their files to a file of inspirations.

The file grows by one transcript after the other, in their order; what it holds already is
neither asked nor changed. Inspirations that the filter drops stand in it with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deepassay.curate.arena.extraction import inspirations_of
from deepassay.curate.arena.inspiration import (
    Inspiration,
    read_inspirations,
    write_inspirations,
)
from deepassay.curate.arena.subtitles import transcripts_in
from deepassay.curate.arena.transcript import Transcript
from deepassay.errors import BadTasks
from deepassay.run.making import Job, Made, MakerTerms, make_all
from deepassay.score import Unscored

CALLS: Final = 4
"""Calls that one transcript takes at the same time, about: its windows, then the filter."""


@dataclass(frozen=True, kw_only=True)
class InspireRequest(MakerTerms):
    """Everything that `tasks inspire` takes, as on the command line.

    transcripts: their files. limit: only so many transcripts.
    """

    transcripts: Sequence[Path]


@dataclass
class Inspired(Made):
    """What came of it. usable, dropped: inspirations in the file, of these transcripts."""

    usable: int = 0
    dropped: int = 0


OnTranscript = Callable[[Transcript, list[Inspiration] | Unscored], None]


def find_inspirations(
    request: InspireRequest,
    on_transcript: OnTranscript = lambda transcript, outcome: None,
    on_signal: Callable[[], None] = lambda: None,
) -> Inspired:
    """Find the inspirations of every transcript that the file has none from.

    on_transcript: called after each, when its inspirations are in the file. Raises BadInput.
    """
    transcripts = load_transcripts(request.transcripts)[: request.limit]
    there = read_inspirations(request.output) if request.output.exists() else []
    refuse_changed(transcripts, there, request.output)
    known = {each.transcript for each in there}
    wanted = [each for each in transcripts if each.name not in known]
    made = Inspired(len(transcripts), kept=len(transcripts) - len(wanted))

    def write(found: Sequence[tuple[Transcript, list[Inspiration]]]) -> None:
        write_inspirations(request.output, [each for _, those in found for each in those])

    if wanted:
        write_inspirations(request.output, [])  # refuses before anything is paid for
        job = Job(inspirations_of, write, on_transcript, calls=CALLS)
        make_all(job, wanted, request, made, on_signal)
    names = {each.name for each in transcripts}
    of_these = [each for each in read_inspirations(request.output) if each.transcript in names]
    made.dropped = sum(each.dropped is not None for each in of_these)
    made.usable = len(of_these) - made.dropped
    return made


def load_transcripts(paths: Iterable[Path]) -> list[Transcript]:
    """The transcripts of several files. Raises BadTasks where two have the same name."""
    found: dict[str, Transcript] = {}
    for path in paths:
        for transcript in transcripts_in(path):
            if transcript.name in found:
                raise BadTasks(
                    f"{path}: there is a transcript {transcript.name!r} already.",
                    "What comes of transcripts is traced by their names: rename one of the two.",
                )
            found[transcript.name] = transcript
    return list(found.values())


def refuse_changed(
    transcripts: Iterable[Transcript], inspirations: Iterable[Inspiration], path: Path
) -> None:
    """Raise BadTasks where a passage does not stand in its transcript any more."""
    texts = {each.name: each.text for each in transcripts}
    for each in inspirations:
        text = texts.get(each.transcript)
        if text is not None and text[each.start : each.end] != each.quote:
            raise BadTasks(
                f"{path}: inspiration {each.id!r} is from another text of the transcript "
                f"{each.transcript!r} than the one given.",
                "Give the transcript that it was made from, or another output file.",
            )
