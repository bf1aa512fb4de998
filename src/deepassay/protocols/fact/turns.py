"""The pages of a report, a few at a time: memory does not grow with how many it cites."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Final, TypeVar

MOST_PAGES: Final = 32
"""Pages of one report that are read and judged at a time."""

Found = TypeVar("Found")


async def in_turn(work: Iterable[Awaitable[Found]]) -> list[Found]:
    """What comes of work that holds a page each, in its order, MOST_PAGES at a time."""
    room = asyncio.Semaphore(MOST_PAGES)

    async def one(piece: Awaitable[Found]) -> Found:
        async with room:
            return await piece

    return await asyncio.gather(*map(one, work))
