"""What was said in a seminar: segments with their times, and one text that quotes are found in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from deepassay.curate.arena.lines import read_unique
from deepassay.models.quotes import place_of_quote
from deepassay.score import digest
from deepassay.tasks.dates import Language
from deepassay.tasks.entries import append
from deepassay.tasks.fields import Text

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""Since the beginning of the recording."""


class Segment(BaseModel):
    """Some words of one speaker. start, end: in seconds; None where no time is known."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: Text
    start: Seconds | None = None
    end: Seconds | None = None
    speaker: str | None = None


class Transcript(BaseModel):
    """One seminar. name: what its inspirations and tasks are traced back to."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Text
    language: Language = "en"
    segments: Annotated[tuple[Segment, ...], Field(strict=False, min_length=1)]

    @property
    def id(self) -> str:
        """The name."""
        return self.name

    @cached_property
    def text(self) -> str:
        """All segments, each on its line."""
        return "\n".join(segment.text for segment in self.segments)

    @cached_property
    def digest(self) -> str:
        """Of the text, in hexadecimal."""
        return digest(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        """Offset at which each segment begins."""
        return list(accumulate((len(each.text) + 1 for each in self.segments[:-1]), initial=0))

    def segment_at(self, offset: int) -> Segment:
        """The segment that holds a character of the text."""
        return self.segments[max(0, bisect_right(self._starts, offset) - 1)]

    def time_at(self, offset: int) -> float | None:
        """When the segment that holds a character of the text begins, in seconds, if known."""
        return self.segment_at(offset).start

    def find(self, quote: str) -> tuple[int, int] | None:
        """Where words stand in the text, blanks and typography aside; None if they do not."""
        return place_of_quote(self.text, quote)


def read_transcripts(path: str | Path) -> list[Transcript]:
    """The transcripts of a JSON Lines file, one a line.

    Raises BadTasks for a line that is none, and where two have the same name.
    """
    return read_unique(Path(path), Transcript, "a transcript", "name")


def write_transcripts(path: str | Path, transcripts: Iterable[Transcript]) -> None:
    """Add transcripts at the end of a JSON Lines file, making it if it is missing.

    Raises BadTasks if it cannot be written.
    """
    entries = [
        {
            "name": each.name,
            "language": each.language,
            "segments": [segment.model_dump(exclude_none=True) for segment in each.segments],
        }
        for each in transcripts
    ]
    append(Path(path), entries)


def clock(seconds: float) -> str:
    """A time in a recording as people write it: `1:02:33`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
