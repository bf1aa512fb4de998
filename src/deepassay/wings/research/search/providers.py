"""Providers of web searches: what each is asked, what it answers, and one client for all of them.

Loads aiohttp: import it late.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Self
from urllib.parse import urlsplit

import aiohttp

from deepassay.agents.search_results import LONGEST_QUERY, MOST_WORDS, SearchHits, shortened_query
from deepassay.errors import BadSetting, SearchFailed
from deepassay.models.client import Fault
from deepassay.models.wire import Posted, sent, session
from deepassay.network import retry_after
from deepassay.score import Json
from deepassay.sources.faults import address_refusal
from deepassay.sources.fetch import Politeness
from deepassay.text import unkeyed
from deepassay.wings.research.search.answers import Fields, error_line, read_hits

VERSION: Final = "search-1"
"""Names what is asked of providers and how their answers are read."""

ATTEMPTS: Final = 4
"""Requests for one query, at most."""

LONGEST_WAIT: Final = 30.0
"""Seconds between two of them at most, whatever a provider asks for."""

SECONDS: Final = 30.0
"""Of silence that a provider is allowed."""

Ask = Callable[[str, int, str | None], dict[str, Json]]
"""The parameters for a query, a number of hits, and a language."""


@dataclass(frozen=True)
class SearchProvider:
    """An interface to searches.

    base: its address, overridden by the variable in `base_variable`. key: the variable that holds
    the key, header: which header carries it. posts: JSON in a body, else parameters in the address.
    most: hits that one request may ask for. longest, most_words: of a query. spacing: seconds
    between the beginnings of two requests. forbidden: what to do about its status 403.
    """

    name: str
    path: str
    ask: Ask
    fields: Fields
    base: str = ""
    base_variable: str = ""
    key: str = ""
    header: str = "Authorization: Bearer {key}"
    posts: bool = True
    most: int = 20
    longest: int = LONGEST_QUERY
    most_words: int = MOST_WORDS
    spacing: float = 0.1
    forbidden: str = ""


def _searxng(query: str, count: int, language: str | None) -> dict[str, Json]:
    # There is no parameter for the number of hits.
    return {"q": query, "format": "json"} | ({"language": language} if language else {})


def _tavily(query: str, count: int, language: str | None) -> dict[str, Json]:
    return {"query": query, "max_results": count, "include_raw_content": "markdown"}


def _brave(query: str, count: int, language: str | None) -> dict[str, Json]:
    asked: dict[str, Json] = {"q": query, "count": count, "extra_snippets": "true"}
    names = {"zh": "zh-hans"}
    return asked | ({"search_lang": names.get(language, language)} if language else {})


def _exa(query: str, count: int, language: str | None) -> dict[str, Json]:
    # The text of ten pages is in the price of a search.
    contents = {"text": True, "highlights": True}
    return {"query": query, "type": "auto", "numResults": count, "contents": contents}


def _serper(query: str, count: int, language: str | None) -> dict[str, Json]:
    names = {"zh": "zh-cn"}
    asked: dict[str, Json] = {"q": query, "num": count}
    return asked | ({"hl": names.get(language, language)} if language else {})


PROVIDERS: Final[Mapping[str, SearchProvider]] = {
    each.name: each
    for each in (
        SearchProvider(
            "searxng",
            "/search",
            _searxng,
            Fields(["results"], ["content"], date="publishedDate"),
            base_variable="SEARXNG_URL",
            posts=False,
            spacing=0.5,
            forbidden="Add `json` to `search: formats:` in the settings.yml of the instance, and "
            "see that its limiter lets you in.",
        ),
        SearchProvider(
            "tavily",
            "/search",
            _tavily,
            Fields(["results"], ["content"], text="raw_content", date="published_date"),
            base="https://api.tavily.com",
            key="TAVILY_API_KEY",
            longest=400,
        ),
        SearchProvider(
            "brave",
            "/res/v1/web/search",
            _brave,
            Fields(["web", "results"], ["description", "extra_snippets"], date="page_age"),
            base="https://api.search.brave.com",
            key="BRAVE_API_KEY",
            header="X-Subscription-Token: {key}",
            posts=False,
            longest=400,
            most_words=50,
            spacing=1.05,  # small plans allow one a second
        ),
        SearchProvider(
            "exa",
            "/search",
            _exa,
            Fields(["results"], ["highlights"], text="text", date="publishedDate"),
            base="https://api.exa.ai",
            key="EXA_API_KEY",
            header="x-api-key: {key}",
            most=10,
        ),
        SearchProvider(
            "serper",
            "/search",
            _serper,
            Fields(["organic"], ["snippet"], url="link", date="date"),
            base="https://google.serper.dev",
            key="SERPER_API_KEY",
            header="X-API-KEY: {key}",
            most=100,
        ),
    )
}


@dataclass
class LiveSearch:
    """Asks a provider, over connections that last as long as the context.

    base: its address. key: "" where none is sent. first_wait: seconds before the second request
    for a query where the provider names no time; each further wait is twice as long.
    """

    provider: SearchProvider
    base: str
    key: str = field(default="", repr=False)
    first_wait: float = 1.0

    def __post_init__(self) -> None:
        if refused := address_refusal(self.base):
            raise BadSetting(
                f"{self.provider.name}: {self.base} is no address of a provider. {refused.detail}",
                "Give it like https://search.example, without a query.",
            )
        if not (self.key.isascii() and self.key.isprintable()):
            raise BadSetting(
                f"{self.provider.key} holds what no key can be: characters besides ASCII.",
                "Copy the key again.",
            )
        self.base = self.base.rstrip("/")
        self._host = urlsplit(self.base).netloc
        self._gate = Politeness(4, 4, self.provider.spacing)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        name, _, value = self.provider.header.partition(": ")
        headers = {"Accept": "application/json"}
        if self.key:
            headers[name] = value.format(key=self.key)
        self._session = session(SECONDS, SECONDS, headers)
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._session is not None
        await self._session.close()

    @property
    def identity(self) -> Mapping[str, Json]:
        """The provider, its address, and how it is asked."""
        return {"provider": self.provider.name, "base": self.base, "version": VERSION}

    async def search(
        self, query: str, *, count: int = 10, language: str | None = None
    ) -> SearchHits:
        """What the provider finds. A query without a word is not sent. Raises SearchFailed."""
        asked = shortened_query(query, self.provider.longest, self.provider.most_words)
        if not asked:
            return SearchHits(())
        parameters = self.provider.ask(asked, min(count, self.provider.most), language)
        answer, requests = await self._answer(parameters)
        found = read_hits(self.provider, answer, count, requests)
        if asked != " ".join(query.split()):
            note = f"{self.provider.name} takes no longer queries: only {asked!r} was asked."
            found = replace(found, notes=(*found.notes, note))
        return found

    async def _answer(self, parameters: Mapping[str, Json]) -> tuple[str, int]:
        """The text of an answer, and how many requests it took."""
        told = ""
        for attempt in range(1, ATTEMPTS + 1):
            wait: float | None = None
            try:
                async with self._gate.slot(self._host):
                    posted = await self._sent(parameters)
            except Fault as fault:
                told = fault.detail
                if not fault.kind.passes:
                    break
            else:
                text = unkeyed(posted.body.decode("utf-8", "replace"), self.key)
                if posted.status == 200:
                    return text, attempt
                told = f"status {posted.status}: {error_line(text)}"
                if posted.status != 429 and posted.status < 500:
                    raise self._refused(posted.status, told)
                wait = retry_after(posted.headers.get("retry-after"))
            if attempt < ATTEMPTS:
                wait = self.first_wait * 2 ** (attempt - 1) if wait is None else wait
                self._gate.pause(self._host, min(LONGEST_WAIT, wait))
        raise SearchFailed(
            f"{self.provider.name} ({self.base}) gave no answer: {told}.",
            "Ask again later, or another provider.",
        )

    async def _sent(self, parameters: Mapping[str, Json]) -> Posted:
        """One request and what came back. Raises Fault."""
        assert self._session is not None, "a search is entered first"
        posts = self.provider.posts
        return await sent(
            self._session,
            "POST" if posts else "GET",
            self.base + self.provider.path,
            seconds=2 * SECONDS,
            json=parameters if posts else None,
            params=None if posts else parameters,
        )

    def _refused(self, status: int, told: str) -> SearchFailed:
        """What a status means that another request would meet too."""
        name, key = self.provider.name, self.provider.key
        remedy = "Check the address of the provider, and what its documentation says of the status."
        if status in (401, 403) and key:
            remedy = f"Set {key} to a key of {name} that is valid, and allowed to search."
        elif status == 403:
            remedy = self.provider.forbidden
        elif status in (402, 432, 433):  # the last two: Tavily's, for plans that are used up
            remedy = f"The plan of the key in {key} is used up: raise it, or ask another provider."
        return SearchFailed(f"{name} ({self.base}) refuses to answer: {told}.", remedy)
