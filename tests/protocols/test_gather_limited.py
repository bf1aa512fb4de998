"""Pieces of work on one report, some at a time."""

import asyncio
import gc
import warnings

import pytest

from deepassay.protocols.protocol import MOST_AT_ONCE, gather_limited


@pytest.mark.asyncio
@pytest.mark.parametrize("rounds", [0, 1, 5], ids=["before any begins", "at once", "later"])
async def test_what_is_stopped_leaves_no_piece_that_nobody_awaits(rounds):
    """A coroutine that nobody awaits warns when it is forgotten."""
    begun = []

    async def piece(number):
        begun.append(number)
        await asyncio.Event().wait()

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        work = asyncio.ensure_future(
            gather_limited(piece(each) for each in range(MOST_AT_ONCE + 3))
        )
        for _ in range(1 + rounds):
            await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        gc.collect()
    assert not told and len(begun) <= MOST_AT_ONCE
