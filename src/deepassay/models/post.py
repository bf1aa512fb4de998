"""Posting JSON to one address: the least that a request takes, and every end that it can come to.

A library's client does per request what a run of thousands needs not have done: a pool that looks
at all of its connections, cookies, redirects, hooks. Here a request takes a connection off a
stack, and puts it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Final, NamedTuple

import h11
import httpx2

from deepassay.models.client import Fault, FaultKind
from deepassay.models.connection import Connection, connected
from deepassay.models.wire import LARGEST_ANSWER

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
        secure = address.scheme == "https"
        self._host = address.raw_host.decode("ascii")
        self._port = address.port or (443 if secure else 80)
        self._ssl = httpx2.create_ssl_context(trust_env=False) if secure else None
        self._target = address.raw_path
        self._headers = [
            (b"Host", address.netloc),
            (b"User-Agent", b"deepassay"),  # some gateways refuse whoever does not say
            (b"Content-Type", b"application/json"),
            (b"Accept", b"application/json"),
            (b"Accept-Encoding", b"identity"),
            *((name.encode(), value.encode()) for name, value in headers.items()),
        ]
        self._seconds = seconds
        self._connect = connect
        self._idle: list[tuple[Connection, float]] = []

    async def aclose(self) -> None:
        """Close the connections that wait for work."""
        idle = [connection for connection, _ in self._idle]
        self._idle.clear()
        for connection in idle:
            connection.close()
        for connection in idle:
            await connection.closed()

    async def send(self, content: bytes) -> Posted:
        """Post a body, once.

        Raises Fault where no whole answer came back; it may quote what came, whatever that was.
        """
        connection = None
        try:
            connection = self._waiting()
            if connection is None:
                connection = await connected(self._host, self._port, self._ssl, self._connect)
            return await self._sent(connection, content)
        except TimeoutError:
            what = "no connection" if connection is None else "nothing came back"
            raise Fault(FaultKind.TIMEOUT, f"{what} in time") from None
        except (h11.ProtocolError, OSError) as error:
            detail = f"{type(error).__name__}: {error}"
            raise Fault(FaultKind.CONNECTION, detail) from None
        finally:
            if connection is not None:
                if connection.waits:
                    self._idle.append((connection, monotonic()))
                else:
                    connection.close()

    async def _sent(self, connection: Connection, content: bytes) -> Posted:
        length = (b"Content-Length", str(len(content)).encode())
        request = h11.Request(method=b"POST", target=self._target, headers=[*self._headers, length])
        answer, body = await connection.ask(request, content, self._seconds, LARGEST_ANSWER)
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in answer.headers
        }
        if body is None:
            raise Fault(FaultKind.GARBLED, f"the answer is larger than {LARGEST_ANSWER} bytes")
        if headers.get("content-encoding", "identity") != "identity":
            raise Fault(FaultKind.GARBLED, "the server compressed an answer unasked")
        return Posted(answer.status_code, headers, body)

    def _waiting(self) -> Connection | None:
        """One that waits for work and was not closed from the other side."""
        while self._idle:
            connection, since = self._idle.pop()
            if connection.waits and monotonic() - since < KEPT:
                return connection
            connection.close()
        return None
