"""A corpus whose searches and pages are noted down, run by run, for whoever serves it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import unquote

from deepassay.agents.search_results import shortened_query
from deepassay.runfile import AgentRun, Served, TraceEvent
from deepassay.runfile.agent_runs import Answering
from deepassay.sources.page import Failure
from deepassay.text import canonical
from deepassay.wings.research.sandbox.dialects import SearchQuery, ServedHit
from deepassay.wings.research.search.corpus import Corpus, CorpusPage

_PREFIXED: Final = re.compile(r"(?:https?://[^/]*)?(?:/s/[^/]*)?/w/")
_SCHEME: Final = re.compile(r"(https?):/+", re.IGNORECASE)


@dataclass(frozen=True)
class RequestOrigin:
    """From where a request comes. session: the run that it belongs to, "" where nobody says.

    base: the address that the agent knows the sandbox by, without a slash at the end. way: how a
    page is asked for, `prefix` or `proxy`.
    """

    session: str
    base: str
    way: str = "prefix"


class Sandbox:
    """A corpus for agents that run outside. prefix: hits name addresses that lead back here.

    by_token: only sessions that `token` was called for are served under a name; else whoever asks
    names one, as users do who serve a corpus to agents that they start themselves.
    """

    def __init__(
        self, corpus: Corpus, log: Answering, *, prefix: bool, by_token: bool = False
    ) -> None:
        self.corpus = corpus
        self._log = log
        self._prefix = prefix
        self._by_token = by_token
        self._sessions: dict[str, str] = {}

    def token(self, session: str) -> str:
        """What stands for a session in addresses from now on, in place of what did before.

        Nobody can guess it, so that no agent writes into what another one did.
        """
        self._sessions = {key: name for key, name in self._sessions.items() if name != session}
        token = secrets.token_hex(16)
        self._sessions[token] = session
        return token

    def session(self, token: str) -> str | None:
        """The session that a token stands for; None where it stands for none."""
        return self._sessions.get(token, None if self._by_token else token[:200])

    async def search(self, asked: SearchQuery, place: RequestOrigin) -> list[ServedHit]:
        """The hits of a query, by rank. All that the agent is given is on the disk before."""
        first = asked.page * asked.count
        query = shortened_query(asked.query)
        found = await self.corpus.search(query, count=first + asked.count)
        results = [
            ServedHit(hit, self.corpus.pages[hit.url], self._shown(hit.url, place))
            for hit in found.hits[first:]
        ]
        body = {
            "query": query,
            "dialect": asked.dialect,
            "page": asked.page,
            "urls": [each.hit.url for each in results],
        }
        await self._log.log(place.session, "search", body)
        for each in results if asked.text else ():
            await self._note(place, each.hit.url, each.page, asked.dialect)
        return results

    async def page(self, address: str, place: RequestOrigin, way: str) -> CorpusPage | None:
        """The page that `find` gives for an address; that it was asked for is noted.

        way: how the page is asked for.
        """
        url, page = await self.find(address)
        await self._note(place, url, page, way)
        return page

    async def find(self, address: str) -> tuple[str, CorpusPage | None]:
        """The canonical address, and what it leads to; None where the corpus has none of it.

        address: with or without what `prefix` puts before it.
        """
        url = canonical(plain_address(address))
        url = url if url in self.corpus.pages else self._spellings.get(unquote(url), url)
        page = self.corpus.pages.get(url)
        if page is None:
            capture = await self.corpus.read(url)
            if capture.failure != Failure.NOT_ARCHIVED.value:
                page = CorpusPage(capture, capture.text or "", None, "")
        return url, page

    async def refuse(self, url: str, place: RequestOrigin, status: int, way: str) -> None:
        """Note a request for a page that is not served at all."""
        await self._log.log(place.session, "page", {"url": url, "status": status, "way": way})

    @cached_property
    def _spellings(self) -> Mapping[str, str]:
        """Addresses by what they are without escapes, which clients put in and leave out."""
        return {unquote(url): url for url in self.corpus.pages}

    def _shown(self, url: str, place: RequestOrigin) -> str:
        return f"{place.base}/w/{url}" if self._prefix else url

    async def _note(
        self, place: RequestOrigin, url: str, page: CorpusPage | None, way: str
    ) -> None:
        await self.refuse(url, place, page.status if page else 404, way)


def plain_address(address: str) -> str:
    """An address without what a sandbox puts before it, as clients may have changed it since."""
    bare = address[found.end() :] if (found := _PREFIXED.match(address)) else address
    if re.match(r"https?%3a", bare, re.IGNORECASE):
        bare = unquote(bare)
    return _SCHEME.sub(r"\1://", bare, count=1)


def watched(run: AgentRun, served: Iterable[Served]) -> AgentRun:
    """A run with what its agent asked for, found and opened, as far as it did not say so itself.

    served: what the sandbox served in its session. Opened is what was read: pages with a status
    below 400, also those that came whole with the hits. Without a request nobody saw it search.
    """
    events = [*map(_event, served)]
    return run.watched(events) if events else run


def _event(row: Served) -> TraceEvent:
    """A request as an event. What was read stays in the corpus."""
    told, span = row.body, f"{row.session} {row.number}"
    if row.kind == "search":
        further = f" [{told['page']}]" if told.get("page") else ""
        query, tool = f"{told.get('query', '')}{further}", str(told.get("dialect", ""))
        return TraceEvent("search", query, tuple(told["urls"]), tool=tool, span=span)
    tool, status = str(told.get("way", "")), int(told["status"])
    return TraceEvent("page", urls=(str(told["url"]),), status=status, tool=tool, span=span)
