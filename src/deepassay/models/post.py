"""Posting JSON to one address: the least that a request takes, and every end that it can come to.

A library's client does per request what a run of thousands needs not have done: a pool that looks
at all of its connections, cookies, redirects, hooks. Here a request takes a connection off a
stack, and puts it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Final, NamedTuple

import httpcore2
import httpx2

from deepassay.models.client import Fault, FaultKind
from deepassay.models.wire import LARGEST_ANSWER

_FRESH: Final = 0.02
"""Seconds in which a connection is not looked at again: looking takes a third of a sending."""

KEPT: Final = 30.0
"""Seconds that a connection waits for work: what forwards it may drop it without a word."""


class Posted(NamedTuple):
    """What came back. headers: by their names in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Post:
    """Connections to one address, as many as there are requests at the same time.

    headers: of every request. seconds: of silence; connect: for reaching the server. No proxy is
    used, no redirect followed, nothing compressed is taken.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], *, seconds: float, connect: float
    ) -> None:
        address = httpx2.URL(url)  # of names and paths in any script
        self._url = httpcore2.URL(
            scheme=address.raw_scheme,
            host=address.raw_host,
            port=address.port,
            target=address.raw_path,
        )
        self._headers = [
            (b"Host", address.netloc),
            (b"User-Agent", b"deepassay"),  # some gateways refuse whoever does not say
            (b"Content-Type", b"application/json"),
            (b"Accept", b"application/json"),
            (b"Accept-Encoding", b"identity"),
            *((name.encode(), value.encode()) for name, value in headers.items()),
        ]
        self._timeout = {"connect": connect, "read": seconds, "write": seconds, "pool": seconds}
        self._secure = self._url.scheme == b"https"
        self._ssl = httpx2.create_ssl_context(trust_env=False) if self._secure else None
        self._idle: list[tuple[httpcore2.AsyncHTTPConnection, float]] = []

    async def aclose(self) -> None:
        """Close the connections that wait for work."""
        while self._idle:
            await self._idle.pop()[0].aclose()

    async def send(self, content: bytes) -> Posted:
        """Post a body, once. Raises Fault where no whole answer came back."""
        connection = await self._connection()
        try:
            return await self._sent(connection, content)
        except httpcore2.TimeoutException as error:
            raise Fault(FaultKind.TIMEOUT, f"nothing came back in time ({_name(error)})") from None
        except (
            httpcore2.NetworkError,
            httpcore2.ProtocolError,
            httpcore2.UnsupportedProtocol,
            OSError,  # what the library passes on: a record of TLS that was damaged on its way
        ) as error:
            raise Fault(FaultKind.CONNECTION, f"{_name(error)}: {error}"[:300]) from None
        finally:
            if connection.is_idle() and not connection.is_closed():
                self._idle.append((connection, monotonic()))
            else:
                await connection.aclose()

    async def _sent(self, connection: httpcore2.AsyncHTTPConnection, content: bytes) -> Posted:
        length = (b"Content-Length", str(len(content)).encode())
        response = await connection.handle_async_request(
            httpcore2.Request(
                b"POST",
                self._url,
                headers=[*self._headers, length],
                content=content,
                extensions={"timeout": self._timeout},
            )
        )
        try:
            headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in response.headers
            }
            if headers.get("content-encoding", "identity") != "identity":
                raise Fault(FaultKind.GARBLED, "the server compressed an answer unasked")
            return Posted(response.status, headers, await _read(response))
        finally:
            await response.aclose()

    async def _connection(self) -> httpcore2.AsyncHTTPConnection:
        """One that waits for work and was not closed from the other side, or a new one."""
        while self._idle:
            connection, since = self._idle.pop()
            if monotonic() - since < _FRESH or not connection.has_expired():
                return connection
            await connection.aclose()
        return httpcore2.AsyncHTTPConnection(
            self._url.origin, ssl_context=self._ssl, keepalive_expiry=KEPT
        )


async def _read(response: httpcore2.Response) -> bytes:
    pieces, length = [], 0
    async for piece in response.aiter_stream():
        length += len(piece)
        if length > LARGEST_ANSWER:
            raise Fault(FaultKind.GARBLED, f"the answer is larger than {LARGEST_ANSWER} bytes")
        pieces.append(piece)
    return b"".join(pieces)


def _name(error: Exception) -> str:
    return type(error).__name__
