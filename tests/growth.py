"""Whether work takes time in proportion to its size: a ratio, so that no machine is too slow."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from math import inf
from typing import TypeVar

import pytest

T = TypeVar("T")

EIGHTH = 8
MOST = 3.0
"""How many times as long each character may take in a text eight times as long. In linear time it
is 1, in quadratic 8; the middle leaves room for caches of the processor and for logarithms."""

MOMENT = 0.01
ROUNDS = 8


def processor_time(work: Callable[[], object]) -> float:
    """Seconds of this process alone; the garbage collector, which works in steps, is off."""
    gc.disable()
    try:
        began = time.process_time()
        work()
        return time.process_time() - began
    finally:
        gc.enable()


def assert_linear(
    work: Callable[[T], object],
    made: Callable[[int], T],
    size: int = 250_000,
    most: float = MOST,
) -> None:
    """Fails if `work(made(size))` takes more than `most` times what its eighth has one expect.

    made: what to work on, of a given size; making it is not measured. Each size counts by its best
    of several rounds, which differ a little in size so that nothing kept from one answers the next.
    """
    work(made(size // 64))  # loads what is loaded late
    few = many = inf
    for number in range(ROUNDS):
        length = size - number * (size // 50)
        less, more = made(length // EIGHTH), made(length)
        few = min(few, processor_time(lambda less=less: work(less)) / (length // EIGHTH))
        many = min(many, processor_time(lambda more=more: work(more)) / length)
        if many <= most * few or many * length < MOMENT:
            return
    pytest.fail(f"eight times as much takes {EIGHTH * many / few:.1f} times as long")


def repeated(piece: str) -> Callable[[int], str]:
    """What makes a text of a given length of one piece."""
    return lambda size: piece * (size // len(piece))
