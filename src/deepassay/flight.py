"""Work that is prepared ahead of its turn, and left alone if the run is stopped before that.

Whoever does a piece of work opens a flight around it. It departs with the first request to a model
or for a page; after a stop none departs any more, but what has departed may go on to its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class _Flight:
    """One piece of work. may_begin: whether anything new is begun at all."""

    def __init__(self, may_begin: Callable[[], bool]) -> None:
        self._may_begin = may_begin
        self._departed = False

    def depart(self) -> None:
        if not self._departed and not self._may_begin():
            raise asyncio.CancelledError
        self._departed = True


# Tasks that are made in a flight belong to it.
_OWN: ContextVar[_Flight | None] = ContextVar("flight", default=None)


@contextmanager
def flight(may_begin: Callable[[], bool]) -> Iterator[None]:
    """Do a piece of work, whose first request is not sent once `may_begin` says no."""
    token = _OWN.set(_Flight(may_begin))
    try:
        yield
    finally:
        _OWN.reset(token)


def depart() -> None:
    """Go ahead with a request, which is about to be sent.

    Raises CancelledError where its piece of work is not to begin any more.
    """
    if (own := _OWN.get()) is not None:
        own.depart()
