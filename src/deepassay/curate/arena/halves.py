"""The two halves of a prompt: what a model is shown, and what it must not know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from deepassay.text import HAN_CHARACTER

# Of the marks that stand next to each other (`?!`, `...`) only the first is one.
_MARK: Final = re.compile(r"(?<![.,;:!?。，；：！？、．｡､])[.,;:!?。，；：！？、．｡､]")
_WORD: Final = re.compile(r"[^\W_]")


def halves(prompt: str) -> tuple[str, str] | None:
    """Prefix and suffix of a prompt, cut before the punctuation mark nearest the middle.

    DeepResearch Arena, section A.1, eq. 9. Marks are `. , ; : ! ?`, their full-width forms and the
    Chinese enumeration comma; but no half-width one between two letters or digits (`3.5`, `10,000`,
    `10:30`, `e.g`), and none without words on both sides of it. Of two equally near the left one is
    taken. The mark opens the suffix; together the halves are the prompt. None without a mark.
    """
    worded = [found.start() for found in _WORD.finditer(prompt)]
    if not worded:
        return None
    inner = [at for at in _marks(prompt) if worded[0] < at < worded[-1]]
    if not inner:
        return None
    cut = min(inner, key=lambda at: abs(2 * at - len(prompt)))  # the first of equals
    return prompt[:cut], prompt[cut:]


def _marks(prompt: str) -> Iterator[int]:
    for found in _MARK.finditer(prompt):
        at = found.start()
        joins = (
            found[0].isascii()
            and _spelled(prompt[at - 1 : at])
            and _spelled(prompt[at + 1 : at + 2])
        )
        if not joins:
            yield at


def _spelled(character: str) -> bool:
    """Whether it is a letter or digit. Not so Han: no blank stands between it and a mark."""
    return character.isalnum() and not HAN_CHARACTER.match(character)
