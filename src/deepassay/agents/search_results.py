"""What a search finds, and who can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Final, Protocol

from deepassay.score import Json, digest

LONGEST_QUERY: Final = 2000
"""Characters of a query, where a provider has no limit of its own."""

MOST_WORDS: Final = 1000
"""Words of it."""


def shortened_query(query: str, longest: int = LONGEST_QUERY, most_words: int = MOST_WORDS) -> str:
    """A query in one line, of so many characters and words at most."""
    words = query[: 50 * LONGEST_QUERY].split(maxsplit=most_words)
    return " ".join(words[:most_words])[:longest].strip()


@dataclass(frozen=True)
class SearchHit:
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
class SearchHits:
    """The answer to one query. hits: by rank, each address once; there may be none.

    notes: what the provider says of itself, a sentence each: engines that gave no answer, words
    that were cut. cost: USD, None where it says nothing. requests: how many were sent, failed ones
    included. raw: the answer as it came, keys aside; empty for a corpus.
    """

    hits: tuple[SearchHit, ...]
    notes: tuple[str, ...] = ()
    cost: float | None = None
    requests: int = 0
    raw: str = field(default="", repr=False)

    @property
    def digest(self) -> str:
        """SHA-256 of the raw answer, in hexadecimal."""
        return digest(self.raw)

    def as_json(self) -> dict[str, Json]:
        """All of it, as JSON can hold it; `of` gives it back."""
        return asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Json]) -> SearchHits:
        """What `as_json` made JSON of."""
        hits = tuple(SearchHit(**each) for each in kept["hits"])
        return cls(**{**kept, "hits": hits, "notes": tuple(kept["notes"])})


class Search(Protocol):
    """Whoever can be asked for pages."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """What decides the answers: provider, its address and settings, or the corpus."""
        ...

    async def search(
        self, query: str, *, count: int = 10, language: str | None = None
    ) -> SearchHits:
        """The pages that answer a query best, at most `count` of them.

        query: data, in which nothing is an operator of ours. language: `en`, `zh`, for providers
        that take one. Raises SearchFailed when no answer can be had.
        """
        ...
