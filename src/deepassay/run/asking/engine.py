"""The engine of all that asks: one thing done for many items, several at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Final, Generic, TypeVar

from deepassay.errors import Interrupted
from deepassay.stopping import piece_of_work, signals

T = TypeVar("T")

WAIT_ENDED: Final = "the end of the wait for batches"
"""Why a command stopped that waits for batches no more."""

GRACE: Final = 10.0
"""Seconds that items which have been begun are given to end after the engine was stopped."""


class ConcurrentQueue(Generic[T]):
    """Do something for every item. `stop` and `stop_at_once` may be called at any time."""

    def __init__(self, do: Callable[[T], Awaitable[None]]) -> None:
        self._do = do
        self._stopping = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def stop(self) -> None:
        """Begin nothing more; an item that has sent something may end."""
        self._stopping.set()

    def stop_at_once(self) -> None:
        """Break off what is under way too."""
        self._stopping.set()
        for task in self._tasks:
            task.cancel()

    async def finish(self, items: Iterable[T], number: int) -> None:
        """Take the items as they come, so many at a time, until there is none or it is stopped.

        An error stops all and is raised when the others have ended.
        """
        left = iter(items)
        self._tasks = [asyncio.create_task(self._work(left)) for _ in range(number)]
        working = asyncio.gather(*self._tasks, return_exceptions=True)
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            either: set[asyncio.Future[Any]] = {working, stopping}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({working}, timeout=GRACE)
        finally:
            stopping.cancel()
            self.stop_at_once()
            ends = await asyncio.gather(*self._tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end

    async def finish_or_stop(self, items: Iterable[T], number: int) -> None:
        """Do as `finish` does, ended by signals in good order. Raises Interrupted if one came."""
        with signals(self.stop, self.stop_at_once) as received:
            await self.finish(items, number)
        if received:
            raise Interrupted

    async def _work(self, left: Iterator[T]) -> None:
        try:
            for item in left:
                if self._stopping.is_set():
                    return
                with piece_of_work(lambda: not self._stopping.is_set()):
                    await self._do(item)
        except Exception:
            self.stop()
            raise
