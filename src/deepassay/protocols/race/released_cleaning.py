"""The released program's cleaning of an article by a model, its loss of text included.

An article whose cleaning fails is halved. The first half ends at the nearest mark of a sentence
before the middle, the second begins at the middle: what lies between is lost. How often the
program tries is not part of it: here that is the asker's affair.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

SHORTEST: Final = 100
"""Characters, blanks at both ends aside, that the program wants of a cleaned article."""

_LOOKS_BACK: Final = 200
_MARKS: Final = frozenset(".?!。！？\n")


class Uncleaned(Exception):
    """The program has no cleaned text, and the report disappears from its results."""


async def released_clean(article: str, ask: Callable[[str], Awaitable[str | None]]) -> str:
    """The article as the program cleans it. ask: the model's text, None if it failed.

    Raises Uncleaned where the program drops the article.
    """
    whole = await ask(article)
    if whole is not None and accepted(whole):
        return whole
    merged = []
    for half in halves(article):
        text = await ask(half)
        if text is None or not accepted(text):
            raise Uncleaned("a half of it could not be cleaned either")
        merged.append(text)
    return "".join(merged)


def accepted(text: str) -> bool:
    """All that the program checks of a cleaned text."""
    return len(text.strip()) >= SHORTEST


def halves(article: str) -> tuple[str, str]:
    """The two pieces, up to 198 characters between them missing or one character in both."""
    middle = len(article) // 2
    for at in range(middle, max(0, middle - _LOOKS_BACK), -1):
        if article[at] in _MARKS:
            return article[: at + 1], article[middle:]
    return article[:middle], article[middle:]
