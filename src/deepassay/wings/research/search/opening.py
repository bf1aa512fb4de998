"""Searches by the words that people name them with, and searches that are kept."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, Self

from deepassay.agents.search_results import Search, SearchHits
from deepassay.errors import BadSetting, SearchFailed
from deepassay.runfile.agent_runs import Answering
from deepassay.score import Json, digest
from deepassay.wings.research.search.corpus import open_corpus

CHOICES: Final = "corpus:PATH, searxng:URL, tavily, brave, exa, serper"


@asynccontextmanager
async def search_from(spec: str) -> AsyncIterator[Search]:
    """The search that a word names, as long as the context lasts.

    spec: `corpus:PATH`, or a provider: `searxng`, `tavily`, `brave`, `exa`, `serper`, each perhaps
    with another address than its own: `searxng:http://127.0.0.1:8888`. A `Corpus` reads its pages
    too. Keys come from the environment only: TAVILY_API_KEY, BRAVE_API_KEY, EXA_API_KEY,
    SERPER_API_KEY; SEARXNG_URL is the address of SearXNG where none is given.

    Raises BadSetting for what names no search, a missing key or address, and what `open_corpus`
    raises.
    """
    name, _, rest = spec.partition(":")
    if name == "corpus":
        if not rest:
            raise BadSetting("corpus: of which files?", "Give a folder or a file: corpus:PATH.")
        async with open_corpus(Path(rest)) as corpus:
            yield corpus
        return
    from deepassay.wings.research.search.providers import PROVIDERS, LiveSearch  # loads aiohttp

    if name not in PROVIDERS:
        raise BadSetting(f"{spec!r} names no search.", f"Choose one of {CHOICES}.")
    provider = PROVIDERS[name]
    base = rest or os.environ.get(provider.base_variable, "").strip() or provider.base
    if not base:
        raise BadSetting(
            f"{name}: its address is missing.",
            f"Set {provider.base_variable}, or give it: {name}:https://search.example.",
        )
    key = os.environ.get(provider.key, "").strip()
    if provider.key and not key and not rest:
        raise BadSetting(
            f"{name} needs a key, and {provider.key} is not set.",
            f"Set the variable, or choose another search: {CHOICES}.",
        )
    async with LiveSearch(provider, base, key) as search:
        yield search


class OpenSearches:
    """Searches that the agents of a command share: each is opened once and closed at the end."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._open: dict[str, Search] = {}
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def get(self, spec: str) -> Search:
        """The search that a word names. Raises what `search_from` raises."""
        async with self._opening:
            if spec not in self._open:
                self._open[spec] = await self._stack.enter_async_context(search_from(spec))
            return self._open[spec]


class KeptSearch:
    """A search whose answers stand in a run file: no query is asked twice, nor paid twice.

    search: who is asked what is not kept; None for nobody, as in a run without a network. identity:
    of that search.
    """

    def __init__(
        self, kept: Answering, search: Search | None, identity: Mapping[str, Json]
    ) -> None:
        self._kept = kept
        self._search = search
        self.identity = identity
        self._underway: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def search(
        self, query: str, *, count: int = 10, language: str | None = None
    ) -> SearchHits:
        """What was found before, else what is found now. Raises SearchFailed."""
        key = digest([dict(self.identity), query, count, language])
        async with self._underway[key]:
            if (before := self._kept.search(key)) is not None:
                return SearchHits.of(before)
            if self._search is None:
                raise SearchFailed(
                    f"What a search for {query!r} brought is not kept.", "Run it with the search."
                )
            found = await self._search.search(query, count=count, language=language)
            await self._kept.keep_search(
                key, str(self.identity.get("provider")), query, found.as_json()
            )
            return found
