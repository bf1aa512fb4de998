"""Questions that wait for the next batch, and who waits for them to come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from deepassay.models.batches.interface import Encoded
from deepassay.models.client import Fault
from deepassay.runfile import Request


class Arrivals:
    """By the names of requests, those who wait for them: one each."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Future[Request]] = {}
        self._error: Exception | None = None

    def __bool__(self) -> bool:
        return any(not future.done() for future in self._waiting.values())

    async def of(self, name: str) -> Request:
        """The request of this name once it arrives. Raises what `fail` was told."""
        if self._error is not None:
            raise self._error
        future: asyncio.Future[Request] = asyncio.get_running_loop().create_future()
        self._waiting[name] = future
        try:
            return await future
        finally:
            del self._waiting[name]

    def arrived(self, request: Request) -> None:
        """Give a request to whom waits for it, if anybody does."""
        future = self._waiting.get(request.name)
        if future is not None and not future.done():
            future.set_result(request)

    def refused(self, queued: Queued) -> bool:
        """Whether a request is not to be sent any more, which whoever waits for it hears."""
        if (fault := queued.not_sent()) is None:
            return False
        future = self._waiting.get(queued.request.name)
        if future is not None and not future.done():
            future.set_exception(fault)
        return True

    def fail(self, error: Exception) -> None:
        """Have all who wait, or will, hear of an error."""
        self._error = error
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(error)


class Queued(NamedTuple):
    """A request with what is to be sent. not_sent: why it is not to be any more, or None."""

    request: Request
    encoded: Encoded
    not_sent: Callable[[], Fault | None]

    @property
    def digest(self) -> str:
        """The SHA-256 of the body of the request, in hexadecimal."""
        return sha256(self.encoded.body.encode()).hexdigest()


class Queue:
    """Requests in the order in which they came. most, most_bytes: of a batch at most."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self.most = most
        self._most_bytes = most_bytes
        self._queued: dict[str, Queued] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._queued)

    @property
    def is_full(self) -> bool:
        """Whether there is enough for a batch."""
        return len(self) >= self.most or self._bytes >= self._most_bytes

    def put(self, queued: Queued) -> None:
        """Put a request at the end of the queue for the next batch."""
        self._queued[queued.request.name] = queued
        self._bytes += _size(queued.encoded)

    def remove(self, name: str) -> None:
        """Have a request wait no more, if it does."""
        if (found := self._queued.pop(name, None)) is not None:
            self._bytes -= _size(found.encoded)

    def take(self) -> list[Queued]:
        """What makes the next batch: of one group, and one request at least."""
        group = next(iter(self._queued.values())).encoded.group
        taken: list[Queued] = []
        size = 0
        for each in list(self._queued.values()):
            if each.encoded.group != group:
                continue
            size += _size(each.encoded)
            if len(taken) == self.most or (taken and size > self._most_bytes):
                break
            self.remove(each.request.name)
            taken.append(each)
        return taken


def _size(encoded: Encoded) -> int:
    """Bytes of a request as it is sent: of what is no ASCII, each unit of UTF-16 takes six."""
    plain = len(encoded.body.encode("ascii", "ignore"))
    return plain + 6 * (len(encoded.body.encode("utf-16-le", "surrogatepass")) // 2 - plain)
