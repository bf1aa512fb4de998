"""What a search finds, and who can be asked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from deepassay.score import Json


@dataclass(frozen=True)
class Hit:
    """One page that a search names. It has not been read by that, whatever stands here of it.

    url: canonical. snippet: a passage of it, plain text. text: all of it, where the provider
    sends that. date: YYYY-MM-DD where the provider gives a day, else its own words. rank: from 1.
    """

    url: str
    title: str
    snippet: str
    text: str | None = None
    date: str | None = None
    rank: int = 1
    provider: str = ""


@dataclass(frozen=True)
class Found:
    """The answer to one query. hits: by rank, each address once; there may be none.

    notes: what the provider says of itself, a sentence each: engines that gave no answer, words
    that were cut. cost: USD, None where it says nothing. requests: how many were sent, failed ones
    included. raw: the answer as it came, empty for a corpus.
    """

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    cost: float | None = None
    requests: int = 0
    raw: bytes = field(default=b"", repr=False)

    @property
    def digest(self) -> str:
        """SHA-256 of the raw answer, in hexadecimal."""
        return hashlib.sha256(self.raw).hexdigest()


class Search(Protocol):
    """Whoever can be asked for pages."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """What decides the answers: provider, its address and settings, or the corpus."""
        ...

    async def search(self, query: str, *, count: int = 10, language: str | None = None) -> Found:
        """The pages that answer a query best, at most `count` of them.

        query: data, in which nothing is an operator of ours. language: `en`, `zh`, for providers
        that take one. Raises SearchFailed when no answer can be had.
        """
        ...
