"""Inspirations: leads for research that were voiced in a seminar, each with its passage.

DeepResearch Arena, Table 2 and the appendix "Inspiration extraction prompt", which names the two
qualities that each type must have; Table 2 and the text say Transdisciplinarity where the prompt
says Transdisciplinary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import Field

from deepassay.reports.sentences import split_sentences
from deepassay.tasks.entries import append
from deepassay.tasks.fields import Record, Text
from deepassay.tasks.task import Language
from deepassay.wings.build.arena.transcript import Seconds, read_unique

Kind = Literal["Limitation", "Methodology", "Transdisciplinarity", "Hypothesis"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

Quality = Literal["novelty", "explorability", "challenge", "verifiability"]

REQUIRED: Final[Mapping[Kind, tuple[Quality, Quality]]] = {
    "Limitation": ("challenge", "explorability"),
    "Methodology": ("novelty", "explorability"),
    "Transdisciplinarity": ("novelty", "explorability"),
    "Hypothesis": ("verifiability", "explorability"),
}
"""The qualities that an inspiration of each type must have; it may have others besides."""

Offset = Annotated[int, Field(ge=0)]


class TranscriptPassage(Record):
    """Words of a transcript: `transcript.text[start:end]`, and their time in seconds if known."""

    quote: Text
    start: Offset
    end: Offset
    time: Seconds | None = None


class Inspiration(TranscriptPassage):
    """A lead for research and the passage of the transcript that it was read from.

    id: unique within a file. transcript: name of the one it is from. also: other passages that
    the same was read from. merged: the texts of those that this one stands for. dropped: why the
    filter takes it for unusable; None for one to make tasks from.
    """

    id: Text
    type: Kind
    text: Text
    qualities: Annotated[tuple[Quality, ...], Field(strict=False, min_length=2)]
    transcript: Text
    language: Language = "en"
    also: Annotated[tuple[TranscriptPassage, ...], Field(strict=False)] = ()
    merged: Annotated[tuple[Text, ...], Field(strict=False)] = ()
    dropped: Text | None = None


def read_inspirations(path: str | Path) -> list[Inspiration]:
    """The inspirations of a JSON Lines file, those that were dropped included.

    Raises BadTasks for a line that is none, and where two have the same identifier.
    """
    return read_unique(Path(path), Inspiration, "an inspiration", "id")


def write_inspirations(path: str | Path, inspirations: Iterable[Inspiration]) -> None:
    """Add inspirations at the end of a JSON Lines file, making it if it is missing.

    Raises BadTasks if it cannot be written.
    """
    append(Path(path), [_fields(each) for each in inspirations])


def _fields(inspiration: Inspiration) -> dict[str, object]:
    names = (
        *("id", "type", "text", "qualities", "quote", "start", "end", "time"),
        *("transcript", "language", "also", "merged", "dropped"),
    )
    fields = inspiration.model_dump(mode="json")
    may_lack = ("time", "also", "merged", "dropped")
    return {
        name: fields[name]
        for name in names
        if name not in may_lack or fields[name] not in (None, [])
    }


def merged_inspirations(inspirations: Iterable[Inspiration]) -> list[Inspiration]:
    """Inspirations of one transcript, each once, in the order of their passages.

    Windows overlap, so that one lead may be read twice. Two are one only if they are of one type,
    were read from the same words, and one of them says every sentence of the other. Likeness is
    not enough: a single word can turn a claim round. The one that says more stays, and notes the
    other's text and passage.
    """
    kept: list[Inspiration] = []
    said: list[frozenset[str]] = []
    for each in sorted(inspirations, key=lambda one: (one.start, one.end)):
        own = _sentences(each.text)
        for number, other in enumerate(kept):
            if not (each.type == other.type and _same_place(each, other)):
                continue
            if own <= said[number]:
                kept[number] = _with(other, each)
                break
            if said[number] < own:
                kept[number], said[number] = _with(each, other), own
                break
        else:
            kept.append(each)
            said.append(own)
    return sorted(kept, key=lambda one: (one.start, one.end))


def _same_place(one: TranscriptPassage, other: TranscriptPassage) -> bool:
    """Whether half of the shorter passage stands in the other one as well."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return 2 * shared >= min(one.end - one.start, other.end - other.start)


def _sentences(text: str) -> frozenset[str]:
    """The sentences of a text, without their case, their blanks and the full stop."""
    folded = (each.of(text).casefold().split() for each in split_sentences(text))
    return frozenset(" ".join(words).rstrip(".。 ") for words in folded)


def _with(kept: Inspiration, other: Inspiration) -> Inspiration:
    """An inspiration that notes another one with its idea: its text, and where else it stands."""
    place = TranscriptPassage(quote=other.quote, start=other.start, end=other.end, time=other.time)
    known = {(each.start, each.end) for each in (kept, *kept.also)}
    places = [each for each in (place, *other.also) if (each.start, each.end) not in known]
    texts = (*kept.merged, other.text, *other.merged)
    return kept.model_copy(update={"also": (*kept.also, *places), "merged": texts})
