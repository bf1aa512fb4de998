"""Parts of views that take long: made in threads, what was made before being shown meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any, Final, Generic, NamedTuple, TypeVar

from starlette.concurrency import run_in_threadpool

from deepassay.wings.view.filling import Filling
from deepassay.wings.view.side import SideFile

T = TypeVar("T")

PATIENCE: Final = 2.0
"""Seconds that a view waits for a part of which there is nothing yet."""

BRIEFER: Final = 20
"""How much less it waits where there is an earlier one."""

BRIEF: Final = 0.1
"""Seconds: what is made in less may be made anew at once."""

REST: Final = 4
"""How much longer than it took to make a part it is not made anew, so that views are answered."""

KEPT: Final = 100
"""Parts that are held ready."""


class SlowPart(NamedTuple, Generic[T]):
    """A part as it is now. value: None while there is none. fresh: whether it is the newest."""

    value: T | None
    fresh: bool


class SlowParts:
    """Holds parts ready, and has them made anew where what they depend on is other."""

    def __init__(
        self, runs: tuple[Path, ...], side: SideFile, filling: Filling, patience: float
    ) -> None:
        self._runs = runs
        self._patience = patience
        self._side = side
        self._filling = filling
        self._made: dict[tuple[object, ...], tuple[object, Any]] = {}
        self._making: dict[tuple[object, ...], asyncio.Task[None]] = {}
        self._rest_until: dict[tuple[object, ...], float] = {}

    async def of_runs(self, make: Callable[..., T], *given: object) -> SlowPart[T]:
        """What `make` makes of the run files and of what is given.

        Raises what `make` raises, if it does so while it is waited for.
        """
        return await self._get(self._filling.looks, make, self._runs, *given)

    async def of_side(self, make: Callable[..., T], *given: object) -> SlowPart[T]:
        """What `make` makes of the side file and of what is given."""
        return await self._get(self._filling.version, self._reading, make, *given)

    def _reading(self, make: Callable[..., T], *given: object) -> T:
        with self._side.reader() as reader:
            return make(reader, *given)

    async def _get(self, of: object, make: Callable[..., T], *given: object) -> SlowPart[T]:
        """What is made of what is given. of: what else it depends on."""
        key = (make, *given)
        before = self._made.get(key)
        resting = before is not None and monotonic() < self._rest_until.get(key, 0.0)
        if (before is None or before[0] != of) and not resting:
            if key not in self._making:
                self._making[key] = asyncio.create_task(self._make(key, of))
            task = self._making[key]
            await asyncio.wait({task}, timeout=self._patience / (BRIEFER if before else 1))
            if task.done():
                task.result()
        now = self._made.get(key)
        return SlowPart(now[1] if now else None, now is not None and now[0] == of)

    async def _make(self, key: tuple[Any, ...], of: object) -> None:
        make, *given = key
        began = monotonic()
        try:
            value = await run_in_threadpool(make, *given)
        finally:
            del self._making[key]
        if len(self._made) >= KEPT:
            self._made.clear()
            self._rest_until.clear()
        self._made[key] = of, value
        took = monotonic() - began
        self._rest_until[key] = began + took + (REST * took if took > BRIEF else 0.0)
