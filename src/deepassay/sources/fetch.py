"""One page from the web: its bytes and where it ended, or why there is none.

A page has one budget of time (`deadline`) for all it takes: redirects, retries, waiting for
a server that asked to be left alone, reading. Only waiting for others who ask the same host
is not counted. Tried again, at most `attempts` times: server errors, torn connections and
bodies, connections that time out, and a 429 or 503 whose Retry-After fits into the budget.

No cookies, no credentials, no proxy of the environment; every address is vetted (`guard`).
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from http.cookiejar import DefaultCookiePolicy
from types import TracebackType

import httpcore2
import httpx2

from deepassay.sources import body, guard
from deepassay.sources.challenge import challenge
from deepassay.sources.faults import Passing, broken, refusal, unsuccessful
from deepassay.sources.page import Failure, NoPage
from deepassay.sources.politeness import Politeness, retry_after

MOST_REDIRECTS = 5
WIRE_CAP = 10_000_000
DECODED_CAP = 25_000_000

_CONNECT_TIMEOUT = 10.0
_BACKOFF = 0.5  # seconds before the second attempt, doubled before the third
_HEADERS = {
    "User-Agent": "deepassay (reads the pages that a report cites)",
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "gzip",
}
_KEPT = 4  # connections that wait for another page of their host
_MOVED = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Fetched:
    """What a server sent in the end.

    final_url: where redirects led. media: the Content-Type header as served. body: without
    the encodings of the transport.
    """

    final_url: str
    status: int
    media: str
    body: bytes


@dataclass(frozen=True)
class _Moved:
    to: str


_Outcome = Fetched | NoPage | Passing | _Moved


class _Budget:
    """The seconds that are left for a page."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    @asynccontextmanager
    async def spent(self) -> AsyncIterator[None]:
        """The time in here is spent. Raises TimeoutError when there is no more."""
        start = time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, self.left)):
                yield
        finally:
            self.left -= time.monotonic() - start


@cache
def _trust() -> ssl.SSLContext:
    """The system's authorities; once for all fetchers, since reading them takes 20 ms."""
    return ssl.create_default_context()


class _Transport(httpx2.AsyncHTTPTransport):
    """The library's transport, but connecting through the guard."""

    def __init__(self, backend: guard.Guarded, connections: int) -> None:
        context = _trust()
        super().__init__(verify=context, trust_env=False)
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=context,
            max_connections=connections,
            max_keepalive_connections=_KEPT,  # the pool looks at all of them for every page
            network_backend=backend,
        )


class Fetcher:
    """Fetches pages; an asynchronous context manager, for one event loop.

    allow: the guard's rule. resolver: the addresses of a host. deadline: seconds for one page.
    connections, per_host: requests open at once, in all and to one host. spacing: seconds
    between two requests to one host. wire_cap, decoded_cap: bytes. attempts: per redirect hop.
    """

    def __init__(
        self,
        *,
        allow: guard.Rule = guard.public,
        resolver: guard.Resolver = guard.resolve,
        deadline: float = 30.0,
        connections: int = 32,
        per_host: int = 2,
        spacing: float = 0.05,
        wire_cap: int = WIRE_CAP,
        decoded_cap: int = DECODED_CAP,
        attempts: int = 3,
        backoff: float = _BACKOFF,
    ) -> None:
        self._deadline = deadline
        self._caps = (wire_cap, decoded_cap)
        self._attempts = attempts
        self._backoff = backoff
        self._politeness = Politeness(connections, per_host, spacing)
        self._client = httpx2.AsyncClient(
            transport=_Transport(guard.Guarded(allow, resolver), connections),
            trust_env=False,
            follow_redirects=False,
            headers=_HEADERS,
            timeout=httpx2.Timeout(None, connect=min(_CONNECT_TIMEOUT, deadline)),
        )
        # An empty list of domains: the jar keeps nothing and sends nothing.
        self._client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    async def __aenter__(self) -> Fetcher:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

    async def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> Fetched | NoPage:
        """The page under an address. Never raises for what the web does.

        headers: sent beside our own, and left out as soon as a redirect leads to another origin:
        they may hold a key.
        """
        budget = _Budget(self._deadline)
        try:
            ended = await self._follow(url, dict(headers or {}), budget)
        except TimeoutError:
            ended = NoPage(url, Failure.TIMEOUT, f"There was no end within {self._deadline:g} s.")
        return replace(ended, url=url) if isinstance(ended, NoPage) else ended

    async def _follow(self, url: str, headers: dict[str, str], budget: _Budget) -> Fetched | NoPage:
        seen = set[str]()
        while len(seen) <= MOST_REDIRECTS:
            if url in seen:
                return NoPage(url, Failure.DEAD, "The address redirects in a circle.")
            seen.add(url)
            if refused := refusal(url):
                return refused
            outcome = await self._insist(url, headers, budget)
            if not isinstance(outcome, _Moved):
                return outcome
            if _origin(outcome.to) != _origin(url):
                headers = {}
            url = outcome.to
        return NoPage(url, Failure.DEAD, f"There are more than {MOST_REDIRECTS} redirects.")

    async def _insist(
        self, url: str, headers: Mapping[str, str], budget: _Budget
    ) -> Fetched | NoPage | _Moved:
        """One hop, tried again while that may help and the budget allows."""
        host = httpx2.URL(url).host
        attempt = 0
        while True:
            attempt += 1
            async with self._politeness.turn(host), budget.spent():
                outcome = await self._attempt(url, headers)
            if not isinstance(outcome, Passing):
                return outcome
            wait = outcome.wait
            if wait is None:
                wait = self._backoff * 2 ** (attempt - 1)
            if attempt == self._attempts or wait >= budget.left:
                return outcome.failure
            if outcome.wait is not None:
                self._politeness.pause(host, wait)
            async with budget.spent():
                await asyncio.sleep(wait)

    async def _attempt(self, url: str, headers: Mapping[str, str]) -> _Outcome:
        try:
            async with self._client.stream("GET", url, headers=headers) as response:
                return await self._received(url, response)
        except guard.Refused as error:
            return NoPage(url, Failure.REFUSED, f"Not reached: {error}.")
        except body.TooLarge as error:
            return NoPage(url, Failure.TOO_LARGE, f"Not read to its end: {error}.")
        except body.UnknownEncoding as error:
            return NoPage(url, Failure.NOT_TEXT, f"Not read: {error}.")
        except (body.Torn, httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
            return broken(url, error)

    async def _received(self, url: str, response: httpx2.Response) -> _Outcome:
        status = response.status_code
        if status in _MOVED and "location" in response.headers:
            return _moved(url, response.headers["location"])
        if response.is_success or status == 503:  # some gates say 503
            content = await self._content(response)
            media = response.headers.get("content-type", "")
            if _is_readable(media) and (gate := challenge(content, response.headers)):
                detail = f"Instead of the page there was {gate} (status {status})."
                return NoPage(url, Failure.BLOCKED, detail, status)
            if response.is_success:
                return Fetched(str(response.url), status, media, content)
        return unsuccessful(url, status, retry_after(response.headers.get("retry-after")))

    async def _content(self, response: httpx2.Response) -> bytes:
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._caps[0]:
            raise body.TooLarge(f"it has {int(length[:20]):,} bytes")
        encoding = response.headers.get("content-encoding", "")
        return await body.read(response.aiter_raw(), encoding, *self._caps)


def _moved(url: str, location: str) -> _Moved | NoPage:
    try:
        return _Moved(str(httpx2.URL(url).join(location)))
    except (httpx2.InvalidURL, ValueError) as error:
        return NoPage(url, Failure.DEAD, f"It redirects to what is no address: {error}.")


def _is_readable(media: str) -> bool:
    return media.partition(";")[0].strip().lower() in ("", "text/html", "text/plain") or (
        "xhtml" in media.lower()
    )


def _origin(url: str) -> tuple[str, str, int | None]:
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        return ("", "", None)
    return (parsed.scheme, parsed.host, parsed.port)
