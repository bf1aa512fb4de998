"""Who waits for requests to come back."""

from __future__ import annotations

import asyncio

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

    def fail(self, error: Exception) -> None:
        """Have all who wait, or will, hear of an error."""
        self._error = error
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(error)
