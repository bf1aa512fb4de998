"""Signals: on the first one the work is to end in good order, on the second at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def signals(stop: Callable[[], None], hurry: Callable[[], None]) -> Iterator[list[int]]:
    """Call `stop` at the first SIGINT or SIGTERM and `hurry` at those after it.

    Gives the list of the signals that came. Outside the main thread signals are somebody else's.
    """
    loop = asyncio.get_running_loop()
    received: list[int] = []

    def on(number: int) -> None:
        received.append(number)
        (stop if len(received) == 1 else hurry)()

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
