"""Inspirations of transcripts, from their files to a file of inspirations.

The file grows by one transcript after the other, in their order; what it holds already is
neither asked nor changed. Inspirations that the filter drops stand in it with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deepassay.curate.inspira import inspirations_of
from deepassay.curate.inspiration import Inspiration, read_inspirations, write_inspirations
from deepassay.curate.subtitles import transcripts_in
from deepassay.curate.transcript import Transcript
from deepassay.errors import BadTasks
from deepassay.run.making import NOBODY, Job, Listener, Made, make_all
from deepassay.run.settings import Settings

CALLS: Final = 4
"""Calls that one transcript takes at the same time, about: its windows, then the filter."""


@dataclass
class Inspired(Made):
    """What came of it. usable, dropped: inspirations in the file, of these transcripts."""

    usable: int = 0
    dropped: int = 0


def find_inspirations(
    transcripts: Sequence[Path],
    output: Path,
    settings: Settings,
    *,
    listener: Listener = NOBODY,
) -> Inspired:
    """Find the inspirations of every transcript that the output has none from. Raises BadInput.

    transcripts: their files; `settings.limit` counts transcripts.
    """
    given = load_transcripts(transcripts)[: settings.limit]
    there = read_inspirations(output) if output.exists() else []
    refuse_changed(given, there, output)
    known = {each.transcript for each in there}
    wanted = [each for each in given if each.name not in known]
    made = Inspired(len(given), kept=len(given) - len(wanted))

    def write(found: Sequence[tuple[Transcript, list[Inspiration]]]) -> None:
        write_inspirations(output, [each for _, those in found for each in those])

    make_all(Job(inspirations_of, write, CALLS), wanted, settings, made, listener)
    names = {each.name for each in given}
    of_these = [each for each in read_inspirations(output) if each.transcript in names]
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
