"""Searching and opening: only what a search found is opened, and only what was opened is read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from deepassay.agents.search_results import Search, SearchHit, SearchHits
from deepassay.errors import SearchFailed
from deepassay.score import Json
from deepassay.sources.page import Failure, NoPage, Page, Pages
from deepassay.wings.research.deerflow.asking import folded_query
from deepassay.wings.research.deerflow.budget import Amount, Short
from deepassay.wings.research.deerflow.roles import ResearchRoles

HITS = 8  # of one query


@dataclass
class Web:
    """What a run has searched, found, opened, and could not open.

    search: answers that are kept. pages: who reads an address. hits: by address, in the order in
    which they were found. opened: by address. closed: addresses without a text, with the reason.
    short: what there was too little of for another search or page.
    """

    search: Search
    pages: Pages
    roles: ResearchRoles
    language: str
    cite_unopened: bool = False
    queries: list[str] = field(default_factory=list)
    hits: dict[str, SearchHit] = field(default_factory=dict)
    opened: dict[str, Page] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    short: Short | None = None

    async def find(self, queries: Sequence[str]) -> list[SearchHit]:
        """Ask for each query once, however it is written; the hits that are new, by rank."""
        asked = []
        known = {folded_query(each) for each in self.queries}
        for query in queries:
            if folded_query(query) in known:
                continue
            known.add(folded_query(query))
            if self._takes(Amount(searches=1)):
                asked.append(query)
        self.queries += asked
        brought = await asyncio.gather(*map(self._found, asked))
        ranked = sorted((hit for hits in brought for hit in hits), key=lambda hit: hit.rank)
        fresh = {hit.url: hit for hit in reversed(ranked) if hit.url not in self.hits}
        hits = [fresh[url] for url in dict.fromkeys(hit.url for hit in ranked) if url in fresh]
        self.hits |= {hit.url: hit for hit in hits}
        return hits

    async def _found(self, query: str) -> Sequence[SearchHit]:
        try:
            async with self.roles.in_time():
                found = await self.search.search(query, count=HITS, language=self.language)
        except SearchFailed as error:
            found = SearchHits((), (error.problem,))
        except TimeoutError:
            found = SearchHits(
                (), ("The time for research was up before a search had its answer.",)
            )
        self.notes += [each for each in found.notes if each not in self.notes]
        return found.hits

    async def open(self, hits: Sequence[SearchHit]) -> list[Page]:
        """Read pages that were found; those that have a text, in the order of the hits."""
        asked = []
        for hit in hits:
            if hit.url in self.opened or hit.url in self.closed:
                continue
            if self._takes(Amount(pages=1)):
                asked.append(hit)
        came = await asyncio.gather(*(self._read(hit.url) for hit in asked))
        readable = []
        for hit, page in zip(asked, came, strict=True):
            if isinstance(page, Page):
                self.opened[hit.url] = page
                readable.append(page)
                continue
            self.closed[hit.url] = page.failure.value
            if self.cite_unopened and hit.snippet:
                readable.append(Page(hit.url, hit.snippet, hit.title))
        return readable

    async def _read(self, url: str) -> Page | NoPage:
        try:
            async with self.roles.in_time():
                return await self.pages.get(url)
        except TimeoutError:
            return NoPage(url, Failure.TIMEOUT, "The time for research was up.")

    def _takes(self, most: Amount) -> bool:
        """Whether there is room for a search or a page: without one there may be for the other."""
        short = self.roles.take(most)
        self.short = self.short or short
        return short is None

    def title(self, url: str) -> str:
        """The title of a page, its own or that of its hit."""
        page, hit = self.opened.get(url), self.hits.get(url)
        return (page.title if page else "") or (hit.title if hit else "")

    def record(self) -> Mapping[str, Json]:
        """What was searched and not opened, for the record of the run."""
        return {
            "search": dict(self.search.identity),
            "queries": list(self.queries),
            "closed": dict(self.closed),
            "search_notes": list(self.notes),
        }
