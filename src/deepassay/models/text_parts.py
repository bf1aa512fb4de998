"""A text in parts of so many tokens, cut where it breaks best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from typing import Final

from deepassay.models.usage import estimate_tokens

_LIGHTEST: Final = 4.3
"""Characters of a token at most."""


def overlapping_parts(text: str, size: int, overlap: int) -> Iterator[str]:
    """A text in parts of at most `size` characters, of which two neighbours share `overlap`."""
    for start, end in cuts_of(text, lambda start: start + size, overlap):
        yield text[start:end]


def cuts_of(text: str, reach: Callable[[int], int], overlap: int) -> Iterator[tuple[int, int]]:
    """Where the parts of a text begin and end.

    reach: up to which offset a part may go that begins at this one; three quarters of a part
    must be longer than `overlap`. A part ends at the end of a paragraph where one lies in its
    last quarter, else of a line, else at a blank. Every character of the text stands in a part.
    """
    start = 0
    while (last := reach(start)) < len(text):
        end = _end_of_part(text, last - (last - start) // 4, last)
        yield start, end
        start = end - overlap
    yield start, len(text)


def cuts_by_tokens(text: str, tokens: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Where parts of at most `tokens` begin and end, as `estimate_tokens` counts."""
    return cuts_of(text, lambda start: _reach(text, start, tokens), overlap)


def _reach(text: str, start: int, most: int) -> int:
    """How far a part may go that begins at `start`.

    A script differs from another in tokens a character, and one text may hold both: the part is
    shortened until its own text fits.
    """
    end = min(len(text), start + ceil(most * _LIGHTEST))
    while (tokens := estimate_tokens(text[start:end])) > most:
        end = start + (end - start) * most // tokens
    return end


def _end_of_part(text: str, first: int, last: int) -> int:
    """A place to cut between two offsets, the latest of the best kind."""
    for mark in ("\n\n", "\n", " "):
        at = text.rfind(mark, first, last)
        if at >= 0:
            return at + len(mark)
    return last
