"""Work on many items, and stopping in good order: what has begun may end, and nothing else begins.

A piece of work begins with its first request to a model or for a page.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, islice
from typing import Any, Final, Generic, TypeVar

from deepassay.errors import Interrupted


@contextmanager
def signals(stop: Callable[[], None], stop_at_once: Callable[[], None]) -> Iterator[list[int]]:
    """Call `stop` at the first SIGINT or SIGTERM and `stop_at_once` at those after it.

    Gives the list of the signals that came. Outside the main thread signals are somebody else's.
    """
    loop = asyncio.get_running_loop()
    received: list[int] = []

    def on(number: int) -> None:
        received.append(number)
        (stop if len(received) == 1 else stop_at_once)()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        for number in numbers:
            loop.add_signal_handler(number, on, number)
    except (ValueError, RuntimeError):
        yield received
        return
    try:
        yield received
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)  # which puts Python's own in its place
            if handler is not None:
                signal.signal(number, handler)


class _StoppableWork:
    """One piece of work. may_begin: whether anything new is begun at all."""

    def __init__(self, may_begin: Callable[[], bool]) -> None:
        self.may_begin = may_begin
        self.begun = False


# Tasks that are made while a piece is current belong to it.
_CURRENT: ContextVar[_StoppableWork | None] = ContextVar("piece of work", default=None)


@contextmanager
def piece_of_work(may_begin: Callable[[], bool]) -> Iterator[None]:
    """Do a piece of work, whose first request is not sent once `may_begin` says no."""
    token = _CURRENT.set(_StoppableWork(may_begin))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def begin() -> None:
    """Say that a request is about to be sent.

    Raises CancelledError where its piece of work has sent nothing yet and is not to begin.
    """
    if (piece := _CURRENT.get()) is None:
        return
    if not piece.begun and not piece.may_begin():
        raise asyncio.CancelledError
    piece.begun = True


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
        firsts = [*islice(left, number)]  # for these there is a task each; they begin in order
        every = chain(firsts, left)
        self._tasks = [asyncio.create_task(self._work(every)) for _ in firsts]
        del firsts  # what is done is not kept
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
            raise Interrupted(received[0])

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
