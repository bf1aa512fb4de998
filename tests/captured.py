"""Captures put into a run file by a test that has no loop of its own."""

from __future__ import annotations

import asyncio

from deepassay.runfile import Capture, RunFile


def keep(run: RunFile, *captures: Capture) -> None:
    """Keep captures whole, one after the other."""

    async def all_of_them() -> None:
        for each in captures:
            await run.captures.keep(each)

    asyncio.run(all_of_them())
