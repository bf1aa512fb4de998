"""Sockets that read a little at a time, and only so much between two requests.

A server that sends headers without end, or chunks of one byte, keeps the event loop busy with them:
small reads let the pages of other servers have their turn, and the caps end it.
"""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import suppress
from typing import Final
from weakref import WeakValueDictionary

from aiohttp import AddrInfoType

SIP: Final = 16_384
"""Bytes that are read at a time: some hundred header blocks, or some thousand chunks of a byte."""

HEAD_CAP: Final = 1_000_000
"""Bytes that may come before the head of a response is whole."""


Bytes = bytes | bytearray | memoryview


class Flood(OSError):
    """A server sends more than any page needs; an OSError, which the loop does not log."""


class MeteredSocket(socket.socket):
    """A socket whose reads are small, and counted from each request on."""

    def __init__(self, family: int, kind: int, protocol: int, fileno: int | None = None) -> None:
        super().__init__(family, kind, protocol, fileno)
        self.cap = HEAD_CAP
        self.read = 0
        self.flood: Flood | None = None

    def send(self, data: Bytes, flags: int = 0, /) -> int:  # type: ignore[override]
        """Send, and count anew: what is read next is an answer to this."""
        self.cap, self.read = HEAD_CAP, 0
        return super().send(data, flags)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Read a little. Raises Flood."""
        data = super().recv(min(size, SIP), flags)
        self._count(len(data))
        return data

    def recv_into(self, buffer: Bytes, size: int = 0, flags: int = 0, /) -> int:  # type: ignore[override]
        """Read a little into a buffer, as under TLS. Raises Flood."""
        length = super().recv_into(buffer, min(size or len(buffer), SIP), flags)
        self._count(length)
        return length

    def _count(self, length: int) -> None:
        self.read += length
        if self.read > self.cap:
            what = "before its page" if self.cap == HEAD_CAP else "for one page"
            self.flood = Flood(f"more than {self.cap:,} bytes were sent {what}")
            raise self.flood


class Meter:
    """The metered sockets of a fetcher. cap: bytes of a response as they come, framing and all."""

    def __init__(self, cap: int) -> None:
        self._cap = max(cap, HEAD_CAP + 1)
        self._sockets: WeakValueDictionary[int, MeteredSocket] = WeakValueDictionary()

    def socket(self, info: AddrInfoType) -> MeteredSocket:
        """A new socket for an address."""
        made = MeteredSocket(*info[:3])
        self._sockets[made.fileno()] = made
        return made

    def head_is_there(self, transport: asyncio.BaseTransport | None) -> MeteredSocket | None:
        """From now on a body may come. None for a loop that reads past the socket (uvloop)."""
        found = None if transport is None else transport.get_extra_info("socket")
        ours = None if found is None else self._sockets.get(found.fileno())
        if ours is not None:
            ours.cap = self._cap
        return ours


class Lateness:
    """How late the event loop is with what it has to do; an asynchronous context manager."""

    TICK: Final = 0.05

    def __init__(self) -> None:
        self.seconds = 0.0
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Lateness:
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _watch(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(self.TICK)
            self.seconds += max(0.0, time.monotonic() - began - 2 * self.TICK)
