"""Making something for every task, transcript or the like of a set.

Several at a time, every answer kept, safe to stop at any moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar

from deepassay.models.ask import Asker
from deepassay.run.asking.connecting import one_model
from deepassay.run.settings import Settings
from deepassay.runfile import Batch, RunFile
from deepassay.score import Cause, Unscored
from deepassay.stopping import ConcurrentQueue, signals


class MakingSubject(Protocol):
    """What something is made for. id: unique in the set."""

    @property
    def id(self) -> str:
        """Under which the outcome is noted."""


ItemT = TypeVar("ItemT", bound=MakingSubject)
T = TypeVar("T")


def maker_of(settings: Settings) -> str:
    """Who makes things: the maker of the settings, by default `offline`."""
    return settings.maker or "offline"


@dataclass
class Made:
    """What came of it. kept: items that had it already; made: those of now, by identifier.

    fruitless: those of now for which there was nothing to make. failures: why other items lack it.
    signal: the number of the one that stopped it, or 0. waiting: batches that go on at providers.
    out_of_time: whether it waits for them no more.
    """

    total: int
    kept: int = 0
    made: list[str] = field(default_factory=list)
    fruitless: list[str] = field(default_factory=list)
    failures: dict[str, Unscored] = field(default_factory=dict)
    spent: float = 0.0
    signal: int = 0
    waiting: Sequence[Batch] = ()
    out_of_time: bool = False

    @property
    def having(self) -> int:
        """Items for which something is there."""
        return self.kept + len(self.made) - len(self.fruitless)

    @property
    def left(self) -> int:
        """Items that were not come to."""
        return self.total - self.kept - len(self.made) - len(self.failures)

    @property
    def out_of_budget(self) -> bool:
        """Whether a call was refused because the budget might have been passed."""
        return any(each.cause is Cause.BUDGET for each in self.failures.values())


@dataclass(frozen=True)
class MakingJob(Generic[ItemT, T]):
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

    item: Callable[[MakingSubject, object], None] = lambda item, outcome: None
    signal: Callable[[], None] = lambda: None
    stage: Callable[[str, Made], None] = lambda what, made: None


NOBODY: Final = Listener()


def make_all(
    job: MakingJob[ItemT, T],
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
        asyncio.run(_make_all(job, run, items, settings, made, listener))
        made.spent = run.spent()


async def _make_all(
    job: MakingJob[ItemT, T],
    run: RunFile,
    items: Sequence[ItemT],
    settings: Settings,
    made: Made,
    listener: Listener,
) -> None:
    output = _Output(job, items, made, listener)

    async def make(place: int) -> None:
        outcome = await job.make(items[place], maker)
        output.take(place, outcome)
        if isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET:
            engine.stop()  # the next item would be refused as well

    engine = ConcurrentQueue(make)

    async with one_model(maker_of(settings), settings, run) as (maker, batchers):

        def stop() -> None:
            engine.stop()
            listener.signal()
            if batchers is not None:
                batchers.leave()

        def leave() -> None:
            made.out_of_time = True
            engine.stop_at_once()

        if batchers is not None:
            batchers.on_leaving = leave
        with signals(stop, engine.stop_at_once) as received:
            # Enough items to keep every connection busy, and few enough to end soon when stopped.
            number = 2 + settings.at_once // job.calls
            await engine.finish(range(len(items)), number)
    output.end()
    made.signal = received[0] if received else 0
    made.waiting = run.batching.open()


class _Output(Generic[ItemT, T]):
    """What was made, written down in the order of the items."""

    def __init__(
        self, job: MakingJob[ItemT, T], items: Sequence[ItemT], made: Made, listener: Listener
    ) -> None:
        self._job = job
        self._items = items
        self._made = made
        self._listener = listener
        self._next = 0
        self._early: dict[int, T | Unscored] = {}
        self._due: list[tuple[ItemT, T | Unscored]] = []

    def take(self, place: int, outcome: T | Unscored) -> None:
        """Write what was made for an item, unless one before it is missing.

        A file is written whole, to be whole after a crash: once it is large, a tenth of it is
        waited for.
        """
        self._early[place] = outcome
        while self._next in self._early:
            self._due.append((self._items[self._next], self._early.pop(self._next)))
            self._next += 1
        if 10 * len(self._due) >= self._made.kept + len(self._made.made):
            self._write()

    def end(self) -> None:
        """Write the rest, though some before it may be missing."""
        self._due += [(self._items[place], self._early[place]) for place in sorted(self._early)]
        self._write()

    def _write(self) -> None:
        ended, self._due = self._due, []
        if made := [(item, each) for item, each in ended if not isinstance(each, Unscored)]:
            self._job.write(made)
        for item, outcome in ended:
            if isinstance(outcome, Unscored):
                self._made.failures[item.id] = outcome
            else:
                self._made.made.append(item.id)
            self._listener.item(item, outcome)
