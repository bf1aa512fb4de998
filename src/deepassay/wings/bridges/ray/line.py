"""The run file, the pages and the purse as a worker sees them: a line to the driver.

Each method waits until the driver has answered; what was kept is on the disk then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from itertools import count
from typing import TYPE_CHECKING, Final

from deepassay.errors import OverBudget
from deepassay.models.budget import Budget, Reservation
from deepassay.runfile import Attempt, Capture, SentBack, StoredAnswer, StoredVerdict
from deepassay.score import Json
from deepassay.sources.snapshots import ReadOnce
from deepassay.wings.bridges.ray.wire import (
    Message,
    as_json,
    as_list,
    capture_as_json,
    capture_of,
    of,
)

if TYPE_CHECKING:
    from deepassay.sources.readers import PageReader

CASE: Final[ContextVar[int]] = ContextVar("case")
"""The number of the case that is being carried out."""


class DriverLine:
    """Questions to the driver and its answers. send: hands a message over; it never waits."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._numbers = count(1)
        self._open: dict[int, asyncio.Future[Json]] = {}

    def tell(self, kind: str, value: Json, number: int = 0) -> None:
        """Say something that needs no answer."""
        self._send(Message(kind, number, value))

    async def ask(self, kind: str, value: Json) -> Json:
        """What the driver answers. Who stops waiting withdraws the question."""
        return await self.asked(kind, value)[1]

    def asked(self, kind: str, value: Json) -> tuple[int, asyncio.Future[Json]]:
        """A question with its number, by which it can be withdrawn or ended."""
        number = next(self._numbers)
        answer = self._open[number] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(lambda done: self._ended(number, done))
        self._send(Message(kind, number, value))
        return number, answer

    def answered(self, number: int, value: Json) -> None:
        """Hand an answer of the driver to who waits for it, if somebody still does."""
        if (answer := self._open.get(number)) is not None and not answer.done():
            answer.set_result(value)

    def _ended(self, number: int, answer: asyncio.Future[Json]) -> None:
        del self._open[number]
        if answer.cancelled():
            self.tell("end", 0.0, number)


class RemoteRun:
    """The answers of the run: see `models.ask.Answers`."""

    def __init__(self, line: DriverLine, salt: str) -> None:
        self._line = line
        self.salt = salt

    async def look_up(self, key: str) -> StoredAnswer | None:
        """What is known under this key. While somebody else asks for it, it takes until then."""
        found = await self._line.ask("answer", [key, CASE.get()])
        return None if found is None else of(StoredAnswer, found)

    async def keep_answer(self, answer: StoredAnswer, attempts: Sequence[Attempt]) -> None:
        """Have an answer kept with its attempts."""
        await self._line.ask("keep answer", [as_json(answer), as_list(attempts)])

    async def sent_back(self, key: str) -> Sequence[SentBack]:
        """What was answered to a question that has no end yet, and sent back."""
        return of(list[SentBack], await self._line.ask("sent back", key))

    async def keep_sent_back(self, key: str, answers: Sequence[SentBack]) -> None:
        """Have the driver keep answers that were sent back, with their requests."""
        kept = [as_json(each) | {"attempts": as_list(each.attempts)} for each in answers]
        await self._line.ask("keep sent back", [key, kept])

    async def keep_attempt(self, attempt: Attempt) -> None:
        """Have the driver keep one request with its end, tokens and cost."""
        await self._line.ask("keep attempts", [as_json(attempt)])

    def keep_attempts(self, attempts: Sequence[Attempt]) -> None:
        """Have attempts kept that nobody waits for."""
        self._line.tell("keep attempts", as_list(attempts))


class RemoteVerdicts:
    """What judges said of pages: see `protocols.protocol.Verdicts`."""

    def __init__(self, line: DriverLine) -> None:
        self._line = line

    @asynccontextmanager
    async def turn(self, names: Sequence[str]) -> AsyncIterator[Sequence[str]]:
        """Of what is named, what no other case judges, of any worker, as soon as there is some."""
        number, granted = self._line.asked("turn", list(names))
        try:
            yield of(list[str], await granted)
        finally:
            self._line.tell("end", 0.0, number)

    async def find_all(self, keys: Iterable[str]) -> dict[str, StoredVerdict]:
        """The verdicts under these keys, as far as there are any."""
        found = await self._line.ask("verdicts", list(keys))
        return {each.key: each for each in of(list[StoredVerdict], found)}

    async def keep(self, verdicts: Sequence[StoredVerdict]) -> None:
        """Have the driver keep verdicts in the run file."""
        await self._line.ask("keep verdicts", as_list(verdicts))


class RemotePages(ReadOnce):
    """Pages that the driver keeps; what it does not know is read here."""

    def __init__(self, line: DriverLine, reader: PageReader | None, *, retry: bool) -> None:
        super().__init__(reader, retry=retry)
        self._line = line
        self._reads = reader is not None

    async def look_up(self, url: str) -> Capture | None:
        """What is kept of an address. While another worker reads it, it takes until then."""
        found = await self._line.ask("page", [url, CASE.get() if self._reads else None])
        return None if found is None else capture_of(found)

    async def keep(self, capture: Capture) -> None:
        """Have a capture kept, with its body."""
        await self._line.ask("keep page", capture_as_json(capture))


class LeasedBudget(Budget):
    """The purse of the driver. Every call is paid out of a lease of its own."""

    def __init__(self, line: DriverLine, cap: float | None, rate: float | None) -> None:
        super().__init__(cap, rate=rate)
        self._line = line

    @asynccontextmanager
    async def reserve(self, worst: float) -> AsyncIterator[Reservation]:
        """As for one process; a lease that is never given back counts in full."""
        number, reservation = 0, Reservation(0.0)
        try:
            if self.cap is not None or self.rate is not None:
                number, granted = self._line.asked("lease", worst)
                if (refused := await granted) is not None:
                    raise OverBudget(*refused)
            reservation.cost = worst
            yield reservation
        finally:
            self._line.tell("end" if number else "spent", reservation.cost, number)
