"""Inspirations: leads for research that were voiced in a seminar, each with its passage.

DeepResearch Arena, Table 2 and the appendix "Inspiration extraction prompt", which names the two
qualities that each type must have; Table 2 and the text say Transdisciplinarity where the prompt
says Transdisciplinary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import Field
from rapidfuzz import fuzz

from deepassay.curate.transcript import Seconds, read_unique
from deepassay.tasks.entries import append
from deepassay.tasks.fields import Record, Text
from deepassay.tasks.task import Language
from deepassay.text import HAN

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


class QuotedPassage(Record):
    """Words of a transcript: `transcript.text[start:end]`, and their time in seconds if known."""

    quote: Text
    start: Offset
    end: Offset
    time: Seconds | None = None


class Inspiration(QuotedPassage):
    """A lead for research and the passage of the transcript that it was read from.

    id: unique within a file. transcript: name of the one it is from. also: later passages with the
    same idea. merged: the texts of near-duplicates that this one stands for. dropped: why the
    filter takes it for unusable; None for one to make tasks from.
    """

    id: Text
    type: Kind
    text: Text
    qualities: Annotated[tuple[Quality, ...], Field(strict=False, min_length=2)]
    transcript: Text
    language: Language = "en"
    also: Annotated[tuple[QuotedPassage, ...], Field(strict=False)] = ()
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


SAME: Final = 85.0
"""Likeness of two texts, of 100, from which on they say the same."""

SAME_PLACE: Final = 60.0
"""The same for two that were read from the same words; what only one of them says besides
counts little then, since one window shows less of the surroundings than the other."""

_WORD = re.compile(rf"[{HAN}]|[^\W{HAN}]+")


def merged(inspirations: Iterable[Inspiration]) -> list[Inspiration]:
    """Inspirations of one transcript without near-duplicates, in the order of their passages.

    The earlier one stays, with its own words and qualities, and notes the later one's text and
    passage. Two of different types are two leads, whatever they have in common.
    """
    kept: list[Inspiration] = []
    words: list[str] = []
    for each in sorted(inspirations, key=lambda one: (one.start, one.end)):
        own = _words(each.text)
        for number, other in enumerate(kept):
            if each.type == other.type and _same(
                own, words[number], same_place=_same_place(each, other)
            ):
                kept[number] = _with(other, each)
                break
        else:
            kept.append(each)
            words.append(own)
    return kept


def _same_place(one: QuotedPassage, other: QuotedPassage) -> bool:
    """Whether half of the shorter passage stands in the other one as well."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return 2 * shared >= min(one.end - one.start, other.end - other.start)


def _same(one: str, other: str, *, same_place: bool) -> bool:
    if same_place:
        return fuzz.token_set_ratio(one, other) >= SAME_PLACE
    return fuzz.token_sort_ratio(one, other, score_cutoff=SAME) >= SAME


def _with(kept: Inspiration, other: Inspiration) -> Inspiration:
    """An inspiration that notes another one with its idea: its text, and where else it stands."""
    place = QuotedPassage(quote=other.quote, start=other.start, end=other.end, time=other.time)
    known = {(each.start, each.end) for each in (kept, *kept.also)}
    also = kept.also if (place.start, place.end) in known else (*kept.also, place)
    return kept.model_copy(update={"also": also, "merged": (*kept.merged, other.text)})


def _words(text: str) -> str:
    """The words of a text with blanks between them, every Chinese character as one."""
    return " ".join(_WORD.findall(text.casefold()))
