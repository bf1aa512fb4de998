"""Stopping in good order: what has begun may end, and nothing else begins.

A piece of work begins with its first request to a model or for a page.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


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
    try:
        for number in numbers:
            loop.add_signal_handler(number, on, number)
    except (ValueError, RuntimeError):
        yield received
        return
    try:
        yield received
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


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
