"""Taking the examples in brackets out of a criterion, by rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_MARK: Final = re.compile(
    r"\s{0,9}(?:(?:e\.\s?g\b|eg\b|for example\b|for instance\b|such as\b|examples?\s?:)"
    r"|例如|比如|譬如|诸如|例:|例：|如(?![果何下此有需若无未]))",
    re.IGNORECASE,
)
_OPENING: Final = "(（[［"
_CLOSING: Final = ")）]］"
_LATIN: Final = re.compile(r"[A-Za-z0-9]")


def without_examples(criterion: str) -> str:
    """The criterion without the brackets that begin with "e.g.", "such as", "例如" or the like.

    Brackets inside such a bracket go with it; one that is never closed stays. What would leave
    nothing stays as it is. Linear in the length of the text.
    """
    kept: list[str] = []
    at = 0
    for start, end in _examples(criterion):
        _join(kept, criterion[at:start])
        at = end
    _join(kept, criterion[at:])
    words = "".join(kept).strip()
    return words if any(map(str.isalnum, words)) else criterion


def _examples(text: str) -> Iterator[tuple[int, int]]:
    """The outermost brackets that hold examples, in their order, brackets included."""
    open_: list[int] = []
    found: list[tuple[int, int]] = []
    for place, char in enumerate(text):
        if char in _OPENING:
            open_.append(place)
        elif char in _CLOSING and open_:
            start = open_.pop()
            if _MARK.match(text, start + 1):
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start, place + 1))
    yield from found


def _join(pieces: list[str], piece: str) -> None:
    """Add what stands behind a bracket. The blanks before it go, but words stay apart."""
    while pieces:
        if bare := pieces.pop().rstrip():
            meet = _LATIN.match(bare[-1]) and _LATIN.match(piece)
            pieces += [bare, " "] if meet else [bare]
            break
    pieces.append(piece)
