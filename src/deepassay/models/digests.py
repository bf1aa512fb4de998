"""Digests of texts that come back, as a report does with every question about it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from deepassay.score import digest

LONGEST_KEPT: Final = 200_000
"""Characters of a text of which something is kept for the next question: reports, and no pages."""


def digest_of_text(text: str) -> str:
    """SHA-256 of a text, in hexadecimal, as `digest` gives it."""
    return (_kept if len(text) <= LONGEST_KEPT else digest)(text)


_kept = lru_cache(maxsize=256)(digest)
