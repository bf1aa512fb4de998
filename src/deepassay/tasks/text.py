"""Text of task files and criteria: what is half a character can be neither sent nor written."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator


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
