"""What was said in a seminar: segments with their times, and one text that quotes are found in."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeGuard, TypeVar

from pydantic import BaseModel, Field, ValidationError

from deepassay.errors import BadTasks
from deepassay.models.fence import place_of_quote
from deepassay.score import digest
from deepassay.tasks.entries import append
from deepassay.tasks.fields import Misplaced, Record, Text, field_name, first_mistake, problem_of
from deepassay.tasks.rows import read_rows
from deepassay.tasks.task import Language
from deepassay.text import EAST_ASIAN, FULL_WIDTH

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""Since the beginning of the recording."""


class Segment(Record):
    """Some words of one speaker. start, end: in seconds; None where no time is known."""

    text: Text
    start: Seconds | None = None
    end: Seconds | None = None
    speaker: str | None = None


class Transcript(Record):
    """One seminar. name: what its inspirations and tasks are traced back to."""

    name: Text
    language: Language = "en"
    segments: Annotated[tuple[Segment, ...], Field(strict=False, min_length=1)]

    @property
    def id(self) -> str:
        """The name of the transcript, by which files refer to it."""
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


M = TypeVar("M", bound=BaseModel)


def read_records(path: Path, kind: type[M]) -> list[tuple[str, M]]:
    """The records of JSON Lines or YAML, each with its place as a message names it.

    Raises BadTasks naming line and field for whatever is wrong.
    """
    records = []
    for row in read_rows(path):
        try:
            records.append((row.place, kind.model_validate(row.fields)))
        except ValidationError as error:
            first = first_mistake(error)
            where = f"{field_name(first['loc'])}: " if first["loc"] else ""
            cause = first.get("ctx", {}).get("error")
            way = (*first["loc"], *([cause.place] if isinstance(cause, Misplaced) else []))
            raise BadTasks(
                f"{row.place_of(way)}: {where}{problem_of(first)}.",
                f"The fields of a line are: {', '.join(kind.model_fields)}.",
            ) from error
    return records


def read_unique(path: Path, kind: type[M], what: str, key: str) -> list[M]:
    """The records of a file in which no two have the same value of the field `key`.

    what: a record is called in messages. Raises BadTasks.
    """
    records: dict[str, M] = {}
    for place, record in read_records(path, kind):
        value = getattr(record, key)
        if value in records:
            raise BadTasks(
                f"{place}: there is {what} {value!r} already.",
                f"Give every one {'an identifier' if key == 'id' else f'a {key}'} of its own.",
            )
        records[value] = record
    return list(records.values())


_TIME = re.compile(r"(?:(\d{1,4}):)?([0-5]?\d):([0-5]\d)(?:[.,](\d{1,6}))?")
_TAG = re.compile(
    r"</?(?:b|i|u|s|c|v|lang|ruby|rt|font)(?:[.\s][^<>]{0,200})?>|<[\d:.,]{5,16}>", re.IGNORECASE
)
_STYLE = re.compile(r"\{\\[^{}]{0,100}\}")  # of a foreign format, often left behind in SubRip
_ENTITY = re.compile(r"&(?:amp|lt|gt|nbsp|lrm|rlm|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_LABEL = re.compile(r"(?:>>\s?)?([^\W_][^:：<>\"“”!?。，]{0,39})(?::\s|：)")
_NUMBERED = re.compile(r"(?i:speaker|sprecher|说话人|发言人)[ _]?\w{1,4}")
NEARLY_ALL: Final = 0.75
"""Share of the lines of a transcript that begin with the name of a speaker."""

_WIDE: Final = EAST_ASIAN + FULL_WIDTH
_LONGEST: Final = 10_000 * 3600  # seconds: what a time mark can say
_BETWEEN_WIDE = re.compile(f"(?<=[{_WIDE}]) (?=[{_WIDE}])")


class Utterance(NamedTuple):
    """Words as a file has them, a label perhaps before them. Times in seconds."""

    text: str
    start: float | None = None
    end: float | None = None
    speaker: str | None = None


def seconds(mark: str) -> float | None:
    """The time that `1:02:03.5`, `02:03,500` or `2:03` stand for; None if they stand for none."""
    found = _TIME.fullmatch(mark)
    if found is None:
        return None
    hours, minutes, rest, fraction = found.groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + int(rest) + float(f"0.{fraction}")


def spoken_words(text: str) -> str:
    """The words on one line, without tags; entities are what they stand for."""
    bare = _STYLE.sub("", _TAG.sub("", text))
    line = " ".join(_ENTITY.sub(lambda found: html.unescape(found[0]), bare).split())
    return _BETWEEN_WIDE.sub("", line)


def segments_of(utterances: Iterable[Utterance]) -> tuple[Segment, ...]:
    """Segments of what has words. A name before a colon becomes the speaker where it is one.

    It is one if it stands in capitals, is numbered, or begins two lines or more: `Note: …` is
    what somebody said. Where nearly all lines begin with such a name, those that begin only one
    line are names as well.
    """
    lines = [each._replace(text=text) for each in utterances if (text := spoken_words(each.text))]
    labels = [None if each.speaker else _label(each.text) for each in lines]
    often = Counter(label for label, _ in filter(None, labels))
    names = {label for label, times in often.items() if _is_name(label, times)}
    if sum(often[name] for name in names) >= NEARLY_ALL * len(lines):
        names |= often.keys()
    found = []
    for line, label in zip(lines, labels, strict=True):
        each = line
        if label and label[0] in names and (rest := each.text[label[1] :].strip()):
            each = each._replace(speaker=label[0], text=rest)
        text = each.text.removeprefix(">>").strip() or each.text
        found.append(Segment(text=text, start=each.start, end=each.end, speaker=each.speaker))
    return tuple(found)


def _label(text: str) -> tuple[str, int] | None:
    """What stands before the first colon, if it could be a name, and where the words begin."""
    found = _LABEL.match(text)
    if found is None:
        return None
    name = found[1].strip()
    parts = name.split()
    named = len(parts) <= 4 and not any(part[0].islower() for part in parts)
    named = named and not name.isdigit()
    return (name, found.end()) if named else None


def _is_name(label: str, times: int) -> bool:
    capitals = label.isupper() and len(label) > 1
    return capitals or times > 1 or _NUMBERED.fullmatch(label) is not None


def is_time(value: object) -> TypeGuard[float]:
    """Whether a value can be seconds since the beginning of a recording."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0 <= value <= _LONGEST
