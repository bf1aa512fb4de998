"""All batches of a command: a batcher for each model, and when to stop waiting for them."""

from __future__ import annotations

import asyncio
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Final, Self

from deepassay.errors import BadSetting, Notice
from deepassay.models.batches.batcher import LOOKS, Batcher
from deepassay.models.batches.interface import PACING, BatchInterface
from deepassay.models.budget import Budget
from deepassay.models.live import LiveAsker
from deepassay.runfile import Batching, RunFile
from deepassay.score import digest

MOST: Final = 10_000
"""Requests in a batch, if nobody says otherwise."""


def refuse_waiting(run: Batching, identity: object) -> None:
    """Raise BadSetting where questions to the model with this identity wait in batches.

    Asked live they would be paid for once more.
    """
    held = Counter(each.batch for each in run.requests.values())
    for batch in run.batches():
        if held[batch.number] and batch.service.startswith(digest(identity)[:16]):
            raise BadSetting(
                f"{held[batch.number]} questions wait in batch {batch.number}, {batch.provider}.",
                "Collect it with --batch (or --batch-file), as it was submitted. If it will never "
                f"come back: `deepassay batches RUN --forget {batch.number}`.",
            )


class Batchers:
    """The batchers of one command. Use it as `async with`, inside the loop that asks.

    most: requests in a batch at most. wait: seconds after which the command waits no more, once
    nothing is left to do but wait; None to wait for every batch. on_leaving: called then.
    """

    def __init__(
        self,
        run: RunFile,
        budget: Budget,
        *,
        most: int = MOST,
        wait: float | None = None,
    ) -> None:
        self.on_leaving: Callable[[], None] = lambda: None
        self._run = run
        self._budget = budget
        self._most = most
        self._wait = wait
        self._pacing = PACING
        self._unpaid = run.batching.unpaid()
        self._batchers: dict[str, Batcher] = {}
        self._ending: list[asyncio.Task[None]] = []
        self._live: list[LiveAsker] = []
        for cost in self._unpaid.values():
            budget.hold(cost)

    async def __aenter__(self) -> Self:
        work = self._tell() if self._wait is None else self._end(self._wait)
        self._ending.append(asyncio.create_task(work))
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in self._ending:
            task.cancel()
        for batcher in self._batchers.values():
            await batcher.aclose()

    def of(self, interface: BatchInterface, identity: object) -> Batcher:
        """The batcher of the model with this identity."""
        service = digest(identity)[:16]
        if service not in self._batchers:
            self._batchers[service] = batcher = Batcher(
                interface,
                self._run.batching,
                service,
                self._budget,
                self._unpaid,
                self._most,
                self._pacing,
            )
            batcher.start()
        return self._batchers[service]

    def beside(self, asker: LiveAsker) -> LiveAsker:
        """Somebody who is asked live in the same command: nobody leaves a question to him."""
        self._live.append(asker)
        return asker

    def leave(self) -> None:
        """Submit nothing more, and call `on_leaving` when what is being submitted is on record."""
        self._ending.append(asyncio.create_task(self._leave()))

    async def _leave(self) -> None:
        for batcher in self._batchers.values():
            await batcher.leave()
        self.on_leaving()

    async def _end(self, seconds: float) -> None:
        """Leave after so long, as soon as there is nothing to do but wait."""
        await asyncio.sleep(seconds)
        await self._rest()
        await self._leave()

    async def _tell(self) -> None:
        """Say once that from now on there is nothing to do but wait."""
        await self._rest()
        if requests := sum(each.requests for each in self._run.batching.open()):
            told = (
                f"Questions in batches: {requests:,}. That may take a day. Stop when you like: "
                "they go on, and the same command collects the answers."
            )
            warnings.warn(Notice(told), stacklevel=2)

    async def _rest(self) -> None:
        """Return when there is nothing to do but wait, and nobody was asked live for a moment."""
        silent = 0
        while not self._only_waits or (self._live and silent < LOOKS):
            await asyncio.sleep(self._pacing.idle / LOOKS)
            silent = 0 if any(each.is_asking for each in self._live) else silent + 1

    @property
    def _only_waits(self) -> bool:
        batchers = self._batchers.values()
        return any(batcher.is_awaited for batcher in batchers) and all(
            batcher.is_quiet for batcher in batchers
        )
