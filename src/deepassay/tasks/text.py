"""Text of task files and criteria: its words, and what can be neither sent nor written."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator

from deepassay.text import EAST_ASIAN

_WORD: Final = re.compile(rf"[{EAST_ASIAN}]|[^\s{EAST_ASIAN}]++")


def count_words(text: str) -> int:
    """Words are what blanks separate, and every East Asian character by itself."""
    return sum(1 for _ in _WORD.finditer(text))


def _writable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("holds half a character (a lone surrogate)") from error
    return text


def _real(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


Writable = Annotated[str, AfterValidator(_writable)]
"""Perhaps empty."""

Text = Annotated[str, AfterValidator(_real), AfterValidator(_writable)]
"""Not empty."""
