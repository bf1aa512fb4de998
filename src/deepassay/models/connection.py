"""One connection to a model's server: h11 speaks HTTP/1.1, asyncio carries the bytes."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from ipaddress import ip_address
from socket import SOCK_STREAM
from typing import Final

import h11

_LONGEST_HEAD: Final = 100 * 1024
"""Bytes of the headers of an answer; gateways send long ones."""

_ONE_ADDRESS: Final = 3.0
"""Seconds for each address of a host but the last: where IPv6 leads nowhere, IPv4 may not."""

Said = h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]
"""What h11 makes of what came; PAUSED after the end of an answer that more follows."""


async def connected(
    host: str, port: int, context: ssl.SSLContext | None, seconds: float
) -> Connection:
    """A new connection, encrypted if there is a context. Raises OSError, TimeoutError.

    Addresses are tried in turn and not side by side, where a connection that is made just as
    somebody cancels would stay open (asyncio's `happy_eyeballs_delay`, in Python 3.11).
    """
    loop = asyncio.get_running_loop()
    named = host if context is not None else None

    async def opened(address: str) -> Connection:
        made = loop.create_connection(Connection, address, port, ssl=context, server_hostname=named)
        return (await made)[1]

    async with asyncio.timeout(seconds):
        *others, last = await _addresses(host, port)
        for address in others:
            with suppress(OSError):  # which TimeoutError is too
                async with asyncio.timeout(_ONE_ADDRESS):
                    return await opened(address)
        return await opened(last)


async def _addresses(host: str, port: int) -> list[str]:
    """Of a host, at least one. Raises OSError."""
    try:
        given = ip_address(host)
    except ValueError:
        return await _looked_up(host, port)
    return [str(given)]


async def _looked_up(name: str, port: int) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(name, port, type=SOCK_STREAM)
    except UnicodeError:
        raise OSError(f"{name!r} is no name of a host") from None
    return [*dict.fromkeys(str(address[0]) for *_, address in found)]


class Connection(asyncio.Protocol):
    """Takes one request at a time. After a failure it is good for nothing but to be closed."""

    def __init__(self) -> None:
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LONGEST_HEAD)
        self._transport: asyncio.Transport | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._error: Exception | None = None
        self._closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep where to write."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep what came for whoever waits; nobody does between two requests."""
        if self._http.our_state is h11.IDLE:
            self._ended = True
            self.close()
        else:
            self._http.receive_data(data)
            self._wake()

    def eof_received(self) -> None:
        """Remember that nothing more will come; the transport closes itself."""
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Remember why."""
        self._ended = True
        self._error = exc
        self._closed.set_result(None)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    @property
    def waits(self) -> bool:
        """Whether a request may be sent: the last one is sent and answered, and nothing more came.

        An answer may come before the request is sent to its end, from a server that refuses it.
        """
        if self._ended or self._transport is None or self._transport.get_write_buffer_size():
            return False
        return self._http.our_state is h11.IDLE and self._http.trailing_data == (b"", False)

    async def ask(
        self, request: h11.Request, content: bytes, seconds: float, longest: int
    ) -> tuple[h11.Response, bytes | None]:
        """Send a request, and give the answer with its body; None for one that is too long.

        seconds: of silence. longest: bytes of a body. Raises OSError, h11.ProtocolError, and
        TimeoutError.
        """
        assert self._transport is not None
        events = (request, h11.Data(data=content), h11.EndOfMessage())
        self._transport.write(b"".join(self._http.send(event) or b"" for event in events))
        answer = await self._event(seconds)
        while not isinstance(answer, h11.Response):  # remarks that go ahead of it
            answer = await self._event(seconds)
        body = bytearray()
        while isinstance(event := await self._event(seconds), h11.Data):
            body += event.data
            if len(body) > longest:
                return answer, None
        if self._http.our_state is self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        return answer, bytes(body)

    async def _event(self, seconds: float) -> Said:
        """The next thing that the server says."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if not self._ended:
                await self._news(seconds)
            elif self._error is not None:
                raise self._error
            elif self._http.their_state is h11.SEND_RESPONSE:
                raise ConnectionResetError("the server hung up without an answer")
            else:  # which is how a body of unknown length ends
                self._http.receive_data(b"")
        return event

    async def _news(self, seconds: float) -> None:
        """Wait until something comes."""
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(seconds):
                await self._waiter
        finally:
            self._waiter = None

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.abort()

    async def closed(self) -> None:
        """Wait until the socket is closed."""
        await self._closed
