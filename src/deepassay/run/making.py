"""Making something for every task, transcript or the like of a set.

Several at a time, every answer kept, safe to stop at any moment.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar

from deepassay.models.ask import Asker
from deepassay.run.connecting import one_model
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from deepassay.stopping import signals


class Item(Protocol):
    """What something is made for. id: unique in the set."""

    @property
    def id(self) -> str:
        """Under which the outcome is noted."""


ItemT = TypeVar("ItemT", bound=Item)
T = TypeVar("T")


def maker_of(settings: Settings) -> str:
    """Who makes things: the maker of the settings, by default `offline`."""
    return settings.maker or "offline"


@dataclass
class Made:
    """What came of it. kept: items that had it already; made: those of now, by identifier.

    failures: why other items lack it. signal: the number of the one that stopped it, or 0.
    """

    total: int
    kept: int = 0
    made: list[str] = field(default_factory=list)
    failures: dict[str, Unscored] = field(default_factory=dict)
    spent: float = 0.0
    signal: int = 0

    @property
    def left(self) -> int:
        """Items that were not come to."""
        return self.total - self.kept - len(self.made) - len(self.failures)

    @property
    def out_of_budget(self) -> bool:
        """Whether a call was refused because the budget might have been passed."""
        return any(each.cause is Cause.BUDGET for each in self.failures.values())


@dataclass(frozen=True)
class Job(Generic[ItemT, T]):
    """What is to be done for an item.

    make: asks the maker. write: puts what was made for some items into the output file, all of it
    or nothing; called without items first, so that it refuses before anything is paid for. calls:
    that one item takes at the same time, about.
    """

    make: Callable[[ItemT, Asker], Awaitable[T | Unscored]]
    write: Callable[[Sequence[tuple[ItemT, T]]], None]
    calls: int


@dataclass(frozen=True)
class Listener:
    """Who is told what happens: of each item with its outcome, when what was made is written; of
    the first signal; of the end of a stage, where there are several.
    """

    item: Callable[[Item, object], None] = lambda item, outcome: None
    signal: Callable[[], None] = lambda: None
    stage: Callable[[str, Made], None] = lambda what, made: None


NOBODY: Final = Listener()


def make_all(
    job: Job[ItemT, T],
    items: Sequence[ItemT],
    settings: Settings,
    made: Made,
    listener: Listener = NOBODY,
) -> None:
    """Have the maker do a job for every item, and note in `made` what came of it.

    Every answer is kept in the run file, so that the same command goes on where it was stopped.
    Raises BadInput. SIGINT and SIGTERM end it in good order, as `evaluate` does.
    """
    if not items:
        return
    job.write([])
    with RunFile.create(settings.run) as run:
        asyncio.run(_Making(job, run, items, settings, made, listener).finish())
        made.spent = run.spent()


class _Making(Generic[ItemT, T]):
    """The items on their way. Several are asked at a time, and written down in their order."""

    def __init__(
        self,
        job: Job[ItemT, T],
        run: RunFile,
        items: Sequence[ItemT],
        settings: Settings,
        made: Made,
        listener: Listener,
    ) -> None:
        self._job = job
        self._run = run
        self._items = items
        self._settings = settings
        self._made = made
        self._listener = listener
        self._stopping = False
        self._unwritten: list[tuple[ItemT, T | Unscored]] = []
        self._due = 0.0
        # Enough items to keep every connection busy, and few enough to end soon when stopped.
        self._turn = asyncio.Semaphore(2 + settings.max_connections // job.calls)
        self._underway: list[asyncio.Task[T | Unscored | None]] = []

    async def finish(self) -> None:
        """Do all of it, or as much as signals allow."""

        def stop() -> None:
            self._stopping = True
            self._listener.signal()

        async with one_model(maker_of(self._settings), self._settings, self._run) as maker:
            self._underway = [asyncio.create_task(self._make(item, maker)) for item in self._items]
            try:
                with signals(stop, self._stop_at_once) as received:
                    for item, task in zip(self._items, self._underway, strict=True):
                        await self._come_to(item, task)
                    self._write_down()
            finally:
                self._stop_at_once()
                await asyncio.gather(*self._underway, return_exceptions=True)
        self._made.signal = received[0] if received else 0

    def _stop_at_once(self) -> None:
        for task in self._underway:
            task.cancel()

    async def _make(self, item: ItemT, maker: Asker) -> T | Unscored | None:
        """What is made for one item, or None where it was not begun."""
        async with self._turn:
            if self._stopping:
                return None
            outcome = await self._job.make(item, maker)
        if isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET:
            self._stopping = True  # the next item would be refused as well
        return outcome

    async def _come_to(self, item: ItemT, task: asyncio.Task[T | Unscored | None]) -> None:
        """Take what was made for an item; it is written down now or with what comes soon."""
        if self._unwritten:
            await asyncio.wait([task], timeout=max(0.0, self._due - time.monotonic()))
            if time.monotonic() >= self._due:
                self._write_down()
        await asyncio.wait([task])
        outcome = None if task.cancelled() else task.result()
        if outcome is not None:
            self._unwritten.append((item, outcome))

    def _write_down(self) -> None:
        """Write what was made since the last time.

        A file is written whole, to be whole after a crash: the larger it has grown, the more is
        written at a time, so that a tenth of the time goes into writing at most.
        """
        began = time.monotonic()
        ended, self._unwritten = self._unwritten, []
        made = [(item, each) for item, each in ended if not isinstance(each, Unscored)]
        if made:
            self._job.write(made)
        for item, outcome in ended:
            if isinstance(outcome, Unscored):
                self._made.failures[item.id] = outcome
            else:
                self._made.made.append(item.id)
            self._listener.item(item, outcome)
        now = time.monotonic()
        self._due = now + 10 * (now - began)
