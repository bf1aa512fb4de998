"""Work on one report, a few pieces at a time: memory does not grow with its pages or criteria."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Final, TypeVar

MOST_AT_ONCE: Final = 32
"""Pieces of work on one report that are done at a time, each with the text that it is about."""

Found = TypeVar("Found")


async def in_turn(work: Iterable[Awaitable[Found]]) -> list[Found]:
    """What comes of every piece, in their order, MOST_AT_ONCE of them at a time."""
    room = asyncio.Semaphore(MOST_AT_ONCE)

    async def one(piece: Awaitable[Found]) -> Found:
        async with room:
            return await piece

    return await asyncio.gather(*map(one, work))
