"""The same idea read twice, as from two overlapping windows, made one inspiration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rapidfuzz import fuzz

from deepassay.curate.arena.inspiration import Inspiration, Passage
from deepassay.text import HAN

SAME: Final = 85.0
"""Likeness of two texts, of 100, from which on they say the same."""

SAME_PLACE: Final = 60.0
"""The same for two that were read from the same words; what only one of them says besides
counts little then, since one window shows less of the surroundings than the other."""

_WORD = re.compile(rf"[{HAN}]|[^\W{HAN}]+")


def merged(inspirations: Iterable[Inspiration]) -> list[Inspiration]:
    """Inspirations of one transcript without near-duplicates, in the order of their passages.

    The earlier one stays, with its own words and qualities, and notes the later one's passage.
    """
    kept: list[Inspiration] = []
    words: list[str] = []
    for each in sorted(inspirations, key=lambda one: (one.start, one.end)):
        said = _words(each.text)
        for number, other in enumerate(kept):
            if _same(said, words[number], same_place=_same_place(each, other)):
                kept[number] = _with(other, each)
                break
        else:
            kept.append(each)
            words.append(said)
    return kept


def _same_place(one: Passage, other: Passage) -> bool:
    """Whether half of the shorter passage stands in the other one as well."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return 2 * shared >= min(one.end - one.start, other.end - other.start)


def _same(one: str, other: str, *, same_place: bool) -> bool:
    if same_place:
        return fuzz.token_set_ratio(one, other) >= SAME_PLACE
    return fuzz.token_sort_ratio(one, other, score_cutoff=SAME) >= SAME


def _with(kept: Inspiration, other: Inspiration) -> Inspiration:
    """An inspiration that notes where another one with its idea stands."""
    place = Passage(quote=other.quote, start=other.start, end=other.end, time=other.time)
    known = {(each.start, each.end) for each in (kept, *kept.also)}
    if (place.start, place.end) in known:
        return kept
    return kept.model_copy(update={"also": (*kept.also, place)})


def _words(text: str) -> str:
    """The words of a text with blanks between them, every Chinese character as one."""
    return " ".join(_WORD.findall(text.casefold()))
