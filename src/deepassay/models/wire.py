"""The last step before the network: what is really sent is recorded, what comes back is capped."""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from functools import cached_property
from typing import Final

import httpx2

from deepassay.models.client import Call

LARGEST_ANSWER: Final = 16 * 1024 * 1024
"""Bytes. The longest real answers have a fraction of this."""

CALL: Final[ContextVar[Call | None]] = ContextVar("CALL", default=None)
"""The call whose request is being sent in this task."""


def http_client(seconds: float, connect: float) -> httpx2.AsyncClient:
    """A client for one endpoint: no proxies or keys from the environment, no compression.

    An uncompressed answer cannot be larger than what comes over the wire. How many connections
    there are is the caller's business.
    """
    return httpx2.AsyncClient(
        transport=_Watched(),
        trust_env=False,
        timeout=httpx2.Timeout(seconds, connect=connect),
        headers={"Accept-Encoding": "identity"},
    )


class _Watched(httpx2.AsyncBaseTransport):
    """A transport that notes the digest of each request's body and bounds each answer.

    It keeps its own stack of connections: the library's pool looks at all of them twice a
    request, which with fifty took a sixth of all the time that a request needs.
    """

    def __init__(self) -> None:
        self._idle: list[httpx2.AsyncHTTPTransport] = []

    @cached_property
    def _ssl(self) -> ssl.SSLContext:
        """Made for the first connection only: reading all certificates takes 20 ms."""
        return httpx2.create_ssl_context(trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if (call := CALL.get()) is not None:
            call.body_digest = hashlib.sha256(await request.aread()).hexdigest()
        connection = self._idle.pop() if self._idle else self._connection()
        try:
            response = await connection.handle_async_request(request)
        except BaseException:
            self._idle.append(connection)
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        stream = _Capped(response.stream, lambda: self._idle.append(connection))
        if response.headers.get("content-encoding", "identity") != "identity":
            await stream.aclose()
            raise httpx2.ReadError("the server compressed an answer that was to be plain")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=stream,
            extensions=response.extensions,
        )

    def _connection(self) -> httpx2.AsyncHTTPTransport:
        limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1)
        return httpx2.AsyncHTTPTransport(verify=self._ssl, trust_env=False, limits=limits)

    async def aclose(self) -> None:
        for connection in self._idle:
            await connection.aclose()


class _Capped(httpx2.AsyncByteStream):
    """A stream that ends in an error once it is longer than any answer. closed: called once."""

    def __init__(self, inner: httpx2.AsyncByteStream, closed: Callable[[], None]) -> None:
        self._inner = inner
        self._closed: Callable[[], None] | None = closed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for chunk in self._inner:
            length += len(chunk)
            if length > LARGEST_ANSWER:
                raise httpx2.ReadError(f"the answer is larger than {LARGEST_ANSWER} bytes")
            yield chunk

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            if (closed := self._closed) is not None:
                self._closed = None
                closed()
