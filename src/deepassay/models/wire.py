"""Requests to models over aiohttp. Loads the library: import it late.

Proxies and authorities are those of the environment. No redirect is followed, no cookie kept,
nothing sent twice, and nothing compressed taken: an uncompressed answer cannot be larger than what
comes over the wire. How many connections there are is the caller's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from io import BytesIO
from typing import Any, Final, NamedTuple

import aiohttp
from aiohttp.client_reqrep import ConnectionKey
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from deepassay.models.client import LARGEST_ANSWER, Fault, FaultKind
from deepassay.models.faults import NO_SERVER, TOO_SLOW, fault_of_broken_request, proxy_refused
from deepassay.network import KEPT, LONGEST_HEADER, is_plain, proxy_of, trust, unusable_proxy

_IN_ONE_PIECE: Final = 2**20  # bytes; aiohttp wants more to be read piece by piece


class Posted(NamedTuple):
    """What came back. headers: by their names in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Post:
    """Posts JSON to one address, over as many connections as there are requests at a time.

    headers: of every request. seconds: of silence; connect: for reaching the server. Raises
    BadSetting for a proxy of the environment that cannot be used.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], *, seconds: float, connect: float
    ) -> None:
        proxy = proxy_of(url)
        if proxy is not None and not proxy.startswith(("http://", "https://")):
            raise unusable_proxy(
                f"{proxy.partition('://')[0]}:// is no way to a proxy that we know."
            )
        self._url = url
        self._proxy = proxy
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        self._headers |= headers
        self._seconds = seconds
        self._connect = connect
        self._session: aiohttp.ClientSession | None = None

    async def aclose(self) -> None:
        """Close the connections that wait for work."""
        if self._session is not None:
            await self._session.close()

    async def send(self, content: bytes) -> Posted:
        """Post a body, once.

        Raises Fault where no whole answer came back; it may quote what came, whatever that was.
        """
        if self._session is None:
            self._session = session(self._seconds, self._connect, self._headers)
        data = content if len(content) <= _IN_ONE_PIECE else BytesIO(content)
        return await sent(self._session, "POST", self._url, data=data, proxy=self._proxy)


def session(seconds: float, connect: float, headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """A session of aiohttp in the running loop. seconds: of silence; connect: to be connected."""
    return aiohttp.ClientSession(
        connector=_Connector(limit=0, keepalive_timeout=KEPT, ssl=trust()),
        # Some gateways refuse whoever does not say who asks.
        headers={"User-Agent": "deepassay", "Accept-Encoding": "identity", **headers},
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(connect=connect, sock_read=seconds),
        auto_decompress=False,
        max_line_size=LONGEST_HEADER,
        max_field_size=LONGEST_HEADER,
    )


async def sent(
    session: aiohttp.ClientSession,
    method: str,
    url: str,
    *,
    seconds: float | None = None,
    **given: Any,  # noqa: ANN401 - what aiohttp takes: json, params, headers, data
) -> Posted:
    """Send one request, once, by the proxy of the environment; no redirect is followed.

    seconds: for all of it. given: with a `proxy`, where it was looked up before. Raises Fault where
    no whole answer came back; it may quote what came, whatever that was.
    """
    try:
        if "proxy" not in given:
            given["proxy"] = proxy_of(url)
        async with (
            asyncio.timeout(seconds),
            session.request(method, url, allow_redirects=False, **given) as answer,
        ):
            return await received(answer)
    except Fault:
        raise
    except Exception as error:  # of whichever kind: a server has said or done something
        raise fault_in(error) from None


class _Connector(aiohttp.TCPConnector):
    """Uses no connection again on which something came unasked.

    It would be taken for the answer to the next question.
    """

    async def _get(self, key: ConnectionKey, traces: list[Trace]) -> Connection | None:
        while (found := await super()._get(key, traces)) is not None:
            if found.protocol is not None and not found.protocol.should_close:
                break
            found.close()
        return found


async def received(answer: aiohttp.ClientResponse) -> Posted:
    """An answer with its body. Raises Fault where it is too large, or compressed."""
    headers = {name.lower(): value for name, value in answer.headers.items()}
    if not is_plain(headers.get("content-encoding", "")):
        raise Fault(FaultKind.GARBLED, "the server compressed an answer unasked")
    body = bytearray()
    async for piece in answer.content.iter_any():
        body += piece
        if len(body) > LARGEST_ANSWER:
            answer.close()
            raise Fault(FaultKind.GARBLED, f"the answer is larger than {LARGEST_ANSWER} bytes")
    return Posted(answer.status, headers, bytes(body))


def fault_in(error: Exception) -> Fault:
    """The fault that an exception of aiohttp stands for."""
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return proxy_refused(error.status)
    if isinstance(error, aiohttp.InvalidURL):
        return Fault(FaultKind.ACCESS, NO_SERVER)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return Fault(FaultKind.TIMEOUT, TOO_SLOW)
    return fault_of_broken_request(error)
