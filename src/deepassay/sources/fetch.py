"""One page from the web: its bytes and where it ended, or why there is none.

A page has one budget of time (`deadline`) for all it takes: redirects, retries, waiting for
a server that asked to be left alone, reading. Only waiting for others who ask the same host
is not counted. Tried again, at most `attempts` times: server errors, torn connections and
bodies, connections that time out, and a 429 or 503 whose Retry-After fits into the budget.

No cookies, no credentials, no proxy of the environment; every address is vetted (`guard`).
Loads aiohttp: import it late.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from urllib.parse import urljoin

import aiohttp

from deepassay.network import LONGEST_HEADER, retry_after, trust
from deepassay.sources import body, guard
from deepassay.sources.body import DECODED_CAP, WIRE_CAP
from deepassay.sources.faults import (
    Passing,
    address_of,
    address_refusal,
    challenge,
    failure_of_broken_request,
    unsuccessful,
)
from deepassay.sources.lookups import Lookups
from deepassay.sources.meter import Lateness, Meter
from deepassay.sources.page import NAMES_LATER, NO_HOST, NO_NAMES, Failure, NoPage

MOST_REDIRECTS = 5
_CONNECT_TIMEOUT = 10.0
_BACKOFF = 0.5  # seconds before the second attempt, doubled before the third
_HEADERS = {
    "User-Agent": "deepassay (reads the pages that a report cites)",
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "gzip",
}
AGAIN = 2  # pages at a time that are read once more since the loop was late
MOST_LATE = (
    0.1  # share of its deadline that the loop may be late without having a part in a timeout
)
_KEPT = 2.0  # seconds that a connection waits for another page of its host
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
class _Redirected:
    """sets_cookie: whether a reader's browser would come back with a cookie, and we do not."""

    to: str
    sets_cookie: bool = False


_Outcome = Fetched | NoPage | Passing | _Redirected


class _SecondsLeft:
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


class Politeness:
    """Who may ask which host when: few at a time, and nobody while a host asks to wait.

    connections: how many requests may be open at once in all, per_host: to one host.
    spacing: seconds between the beginnings of two requests to one host.
    """

    def __init__(self, connections: int, per_host: int, spacing: float) -> None:
        self._all = asyncio.Semaphore(connections)
        self._of_host: defaultdict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(per_host)
        )
        self._free_at: defaultdict[str, float] = defaultdict(float)
        self._spacing = spacing

    @asynccontextmanager
    async def slot(self, host: str) -> AsyncIterator[None]:
        """Wait until the host may be asked; the time in here is the request's."""
        # The host's queue first, so that those who wait for one host keep nobody from others.
        async with self._of_host[host]:
            while (wait := self._free_at[host] - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            self._free_at[host] = time.monotonic() + self._spacing
            async with self._all:
                yield

    def pause(self, host: str, seconds: float) -> None:
        """Nobody asks this host for so long."""
        self._free_at[host] = max(self._free_at[host], time.monotonic() + seconds)


class Fetcher:
    """Fetches pages; an asynchronous context manager, for one event loop.

    allow: the guard's rule. resolver: the addresses of a host. deadline: seconds for one page.
    connections, per_host: requests open at once, in all and to one host. spacing: seconds
    between two requests to one host. wire_cap, decoded_cap: bytes. attempts: per redirect hop.
    proxy: the address of one that is asked for every page, in place of the page's own host.
    to_read: the addresses of all pages of this round, whose hosts tell whether names are found.
    """

    def __init__(
        self,
        *,
        allow: guard.Rule = guard.public,
        resolver: guard.Resolver = guard.resolve_host,
        deadline: float = 30.0,
        connections: int = 32,
        per_host: int = 2,
        spacing: float = 0.05,
        wire_cap: int = WIRE_CAP,
        decoded_cap: int = DECODED_CAP,
        attempts: int = 3,
        backoff: float = _BACKOFF,
        proxy: str | None = None,
        to_read: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._deadline = deadline
        self._caps = (wire_cap, decoded_cap)
        self._attempts = attempts
        self._backoff = backoff
        self._politeness = Politeness(connections, per_host, spacing)
        self._meter = Meter(wire_cap + wire_cap // 4)
        # A proxy finds hosts itself: of them this machine looks up none.
        self._lookups = Lookups(resolver, to_read if proxy is None else tuple)
        self._guard = guard.AddressGuard(allow, self._lookups.resolve, self._meter)
        self._lateness = Lateness()
        self._again = asyncio.Semaphore(AGAIN)
        self._connections = connections
        self._proxy = proxy
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Fetcher:
        direct = self._proxy is None  # else the proxy is all that is connected to
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._connections,
                use_dns_cache=False,
                keepalive_timeout=_KEPT,
                ssl=trust(),
                resolver=self._guard if direct else None,
                socket_factory=self._guard.socket if direct else self._meter.socket,
            ),
            headers=_HEADERS,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(sock_connect=min(_CONNECT_TIMEOUT, self._deadline)),
            auto_decompress=False,
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
        )
        self._session._retry_connection = False  # ours are counted, and keep to the deadline
        await self._lateness.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._session is not None
        await self._lateness.__aexit__()
        await self._session.close()

    async def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> Fetched | NoPage:
        """The page under an address. Never raises for what the web does.

        headers: sent beside our own, and left out as soon as a redirect leads to another origin:
        they may hold a key.
        """
        late = self._lateness.seconds
        ended = await self._within_deadline(url, headers or {})
        late = self._lateness.seconds - late
        if _is_timeout(ended) and late > MOST_LATE * self._deadline:
            # It may be ours: something else kept the loop from reading.
            async with self._again:
                ended = await self._within_deadline(url, headers or {})
        if isinstance(ended, NoPage) and ended.detail in (NO_HOST, NAMES_LATER):
            if not await self._lookups.find_any():
                return NoPage(url, Failure.TIMEOUT, NO_NAMES)
            # Once more: names may be found again only since then.
            ended = await self._within_deadline(url, headers or {})
        return replace(ended, url=url) if isinstance(ended, NoPage) else ended

    async def _within_deadline(self, url: str, headers: Mapping[str, str]) -> Fetched | NoPage:
        budget = _SecondsLeft(self._deadline)
        try:
            return await self._follow(url, dict(headers), budget)
        except TimeoutError:
            return NoPage(url, Failure.TIMEOUT, f"There was no end within {self._deadline:g} s.")

    async def _follow(
        self, url: str, headers: dict[str, str], budget: _SecondsLeft
    ) -> Fetched | NoPage:
        seen = set[str]()
        wants_cookie = False
        while len(seen) <= MOST_REDIRECTS:
            if url in seen:
                return _not_led_to(url, "The address redirects in a circle", wants_cookie)
            seen.add(url)
            if refused := address_refusal(url):
                return refused
            outcome = await self._insist(url, headers, budget)
            if not isinstance(outcome, _Redirected):
                return outcome
            if _origin(outcome.to) != _origin(url):
                headers = {}
            url = outcome.to
            wants_cookie = wants_cookie or outcome.sets_cookie
        return _not_led_to(url, f"There are more than {MOST_REDIRECTS} redirects", wants_cookie)

    async def _insist(
        self, url: str, headers: Mapping[str, str], budget: _SecondsLeft
    ) -> Fetched | NoPage | _Redirected:
        """One hop, tried again while that may help and the budget allows."""
        host = address_of(url).raw_host or ""
        attempt = 0
        while True:
            attempt += 1
            async with self._politeness.slot(host), budget.spent():
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
        assert self._session is not None, "a fetcher is entered first"
        address = address_of(url)
        try:
            self._guard.check(
                address.raw_host or "", address.port or 0, proxied=self._proxy is not None
            )
            async with self._session.get(
                address, headers=headers, allow_redirects=False, proxy=self._proxy
            ) as response:
                connection = response.connection  # None if all of it has come
                socket = self._meter.head_is_there(connection and connection.transport)
                try:
                    return await self._received(url, response)
                except (aiohttp.ClientError, OSError) as error:
                    if socket is not None and socket.flood is not None:
                        raise socket.flood from error  # the library tells of it in words only
                    raise
        except guard.Refused as error:
            return NoPage(url, Failure.REFUSED, f"Not reached: {error}.")
        except body.TooLarge as error:
            return NoPage(url, Failure.TOO_LARGE, f"Not read to its end: {error}.")
        except body.UnknownEncoding as error:
            return NoPage(url, Failure.NOT_TEXT, f"Not read: {error}.")
        except (body.Torn, aiohttp.ClientError, OSError, ValueError) as error:
            return failure_of_broken_request(url, error)

    async def _received(self, url: str, response: aiohttp.ClientResponse) -> _Outcome:
        status = response.status
        if status in _MOVED and "location" in response.headers:
            return _moved(url, response.headers["location"], "set-cookie" in response.headers)
        success = 200 <= status < 300
        if success or status == 503:  # some gates say 503
            content = await self._content(response)
            media = response.headers.get("content-type", "")
            if _is_readable(media) and (gate := challenge(content, response.headers)):
                detail = f"Instead of the page there was {gate} (status {status})."
                return NoPage(url, Failure.BLOCKED, detail, status)
            if success:
                return Fetched(str(address_of(url)), status, media, content)
        return unsuccessful(url, status, retry_after(response.headers.get("retry-after")))

    async def _content(self, response: aiohttp.ClientResponse) -> bytes:
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._caps[0]:
            raise body.TooLarge(f"it has {int(length[:20]):,} bytes")
        encoding = response.headers.get("content-encoding", "")
        return await body.read_body(response.content.iter_any(), encoding, *self._caps)


def _is_timeout(ended: Fetched | NoPage) -> bool:
    return isinstance(ended, NoPage) and ended.failure is Failure.TIMEOUT


def _not_led_to(url: str, what: str, wants_cookie: bool) -> NoPage:
    """A page that redirects do not lead to; where they set cookies, they may lead readers there."""
    if wants_cookie:
        return NoPage(url, Failure.BLOCKED, f"{what}, and wants a cookie, which is not kept.")
    return NoPage(url, Failure.GONE, f"{what}.")


def _moved(url: str, location: str, sets_cookie: bool) -> _Redirected | NoPage:
    try:
        return _Redirected(urljoin(url, location), sets_cookie)
    except ValueError as error:
        return NoPage(url, Failure.GONE, f"It redirects to what is no address: {error}.")


def _is_readable(media: str) -> bool:
    return media.partition(";")[0].strip().lower() in ("", "text/html", "text/plain") or (
        "xhtml" in media.lower()
    )


def _origin(url: str) -> tuple[str, str | None, int | None]:
    try:
        parsed = address_of(url)
    except ValueError:
        return ("", "", None)
    return (parsed.scheme, parsed.raw_host, parsed.port)
