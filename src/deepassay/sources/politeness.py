"""Being a bearable visitor: a few pages of a host at a time, and none while it asks to wait."""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class Politeness:
    """Who may ask which host when.

    connections: how many requests may be open at once in all, per_host: to one host.
    spacing: seconds between the beginnings of two requests to one host.
    """

    def __init__(self, connections: int, per_host: int, spacing: float) -> None:
        self._all = asyncio.Semaphore(connections)
        self._of_host: defaultdict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(per_host)
        )
        self._free_at: defaultdict[str, float] = defaultdict(float)
        self._spacing = spacing

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait until the host may be asked; the time in here is the request's."""
        # The host's queue first, so that those who wait for one host keep nobody from others.
        async with self._of_host[host]:
            while (wait := self._free_at[host] - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            self._free_at[host] = time.monotonic() + self._spacing
            async with self._all:
                yield

    def pause(self, host: str, seconds: float) -> None:
        """Nobody asks this host for so long."""
        self._free_at[host] = max(self._free_at[host], time.monotonic() + seconds)


def retry_after(header: str | None) -> float | None:
    """The seconds that a Retry-After header asks for (a number or a date), or None."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = parsedate_to_datetime(header)
        except (ValueError, OverflowError):
            return None
        seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
