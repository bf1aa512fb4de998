"""The driver's side of a line: what a worker asks for is looked up, kept and paid for here.

Nobody else writes the run file, and there is no other purse.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Final

from deepassay.errors import OverBudget
from deepassay.models.budget import Budget
from deepassay.runfile import Attempt, RunFile, SentBack, StoredAnswer, StoredVerdict
from deepassay.score import Json
from deepassay.sources.snapshots import Snapshots
from deepassay.wings.bridges.ray.wire import (
    Message,
    amount_of,
    as_json,
    as_list,
    capture_as_json,
    capture_of,
    of,
)

_HELD: Final = ("turn", "lease")
"""What a worker has until it says that it is through."""


@dataclass
class _Claim:
    """Something that is being made. owner: the desk and the case that make it."""

    owner: tuple[Desk, int]
    over: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Office:
    """What all desks share: the run file, the purse, and who is making what just now.

    failed: is told of an error that ends the run.
    """

    run: RunFile
    pages: Snapshots
    budget: Budget
    failed: Callable[[BaseException], None]
    _claims: dict[str, _Claim] = field(default_factory=dict)

    async def free(self, name: str, desk: Desk) -> None:
        """Wait until no other worker makes what is named; one by itself knows what it makes."""
        while (claim := self._claims.get(name)) is not None and claim.owner[0] is not desk:
            await claim.over.wait()

    def claim(self, name: str, desk: Desk, case: int) -> None:
        """What is named is made by this case from now on, unless its worker makes it already."""
        self._claims.setdefault(name, _Claim((desk, case)))

    def release(self, name: str) -> None:
        """Let those go on that wait for what has this name."""
        if (claim := self._claims.pop(name, None)) is not None:
            claim.over.set()

    def give_up(self, desk: Desk, case: int | None = None) -> None:
        """A case, or all of a worker, will make nothing more."""
        for name, claim in list(self._claims.items()):
            if claim.owner[0] is desk and case in (None, claim.owner[1]):
                self.release(name)


class Desk:
    """Serves one worker. send: hands a message to it; it never waits.

    faulty: is told where the worker asks for what no worker of ours would.
    """

    def __init__(
        self,
        office: Office,
        send: Callable[[Message], None],
        faulty: Callable[[ValueError], None],
    ) -> None:
        self._faulty = faulty
        self._office = office
        self._send = send
        self._serving: dict[int, asyncio.Task[None]] = {}
        self._unasked: set[asyncio.Task[None]] = set()
        self._ends: dict[int, asyncio.Future[float]] = {}

    def take(self, message: Message) -> None:
        """Begin to do what a worker asks for. What must be in order is put in order here.

        Raises ValueError for what no worker of ours asks for.
        """
        kind, number, value = message
        if kind == "end":
            self._end(number, amount_of(value))
            return
        if kind == "spent":
            self._office.budget.spent += amount_of(value)
            return
        if number in self._serving or (not number and kind in _HELD):
            raise ValueError(f"{kind!r:.80} under the number {number}, which is taken or none")
        task = asyncio.create_task(self._serve(message))
        if number:
            self._serving[number] = task
            task.add_done_callback(lambda done: self._serving.pop(number, None))
        else:
            self._unasked.add(task)
            task.add_done_callback(self._unasked.discard)

    def _end(self, number: int, cost: float) -> None:
        """The worker is through with a turn or a lease, or does not wait for an answer any more."""
        if (end := self._ends.get(number)) is not None:
            if not end.done():
                end.set_result(cost)
        elif (task := self._serving.get(number)) is not None:
            task.cancel()

    def case_over(self, case: int) -> None:
        """A case makes nothing any more."""
        self._office.give_up(self, case)

    async def close(self) -> None:
        """The worker is gone. What it leased counts in full: it may have been billed."""
        waiting = [*self._serving.values()]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, *self._unasked, return_exceptions=True)
        self._office.give_up(self)

    async def _serve(self, message: Message) -> None:
        kind, number, value = message
        try:
            match kind:
                case "turn":
                    names = of(list[str], value)
                    async with self._office.run.verdicts.turn(names) as free:
                        await self._until_end(number, list(free))
                case "lease":
                    await self._lease(number, amount_of(value))
                case _:
                    self._reply(number, await self._done(kind, value))
        except (ValueError, TypeError, LookupError) as error:  # what it says is no such thing
            self._faulty(ValueError(f"{kind!r:.80}: {error}"))
        except Exception as error:  # the run cannot go on
            self._office.failed(error)

    def _reply(self, number: int, value: Json) -> None:
        if number:
            self._send(Message("answer", number, value))

    async def _until_end(self, number: int, granted: Json = None) -> float:
        """Grant something, and wait until it is given back."""
        end: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._ends[number] = end
        self._reply(number, granted)
        try:
            return await end
        finally:
            del self._ends[number]

    async def _lease(self, number: int, worst: float) -> None:
        try:
            async with self._office.budget.reserve(worst) as reservation:
                reservation.cost = await self._until_end(number)
        except OverBudget as error:
            self._reply(number, [error.problem, error.remedy])

    async def _done(self, kind: str, value: Json) -> Json:
        run, pages = self._office.run, self._office.pages
        match kind:
            case "answer":
                return await self._answer(*value)
            case "keep answer":
                answer = of(StoredAnswer, value[0])
                await run.keep_answer(answer, of(list[Attempt], value[1]))
                self._office.release(answer.key)
            case "keep attempts":
                for attempt in of(list[Attempt], value):
                    await run.keep_attempt(attempt)
            case "sent back":
                return [asdict(each) for each in await run.sent_back(str(value))]
            case "keep sent back":
                if answers := of(list[SentBack], value[1]):
                    await run.keep_sent_back(str(value[0]), answers)
            case "page":
                return await self._page(*value)
            case "keep page":
                capture = capture_of(value)
                await pages.keep(capture)
                self._office.release(capture.url)
            case "verdicts":
                return as_list((await run.verdicts.find_all(of(list[str], value))).values())
            case "keep verdicts":
                await run.verdicts.keep(of(list[StoredVerdict], value))
            case _:
                raise ValueError(f"a worker asks for {kind!r}, which nobody knows")
        return None

    async def _answer(self, key: str, case: int) -> Json:
        """What is known; where nothing is, the worker asks, and others wait for its answer."""
        await self._office.free(key, self)
        found = await self._office.run.look_up(key)
        if found is None:
            self._office.claim(key, self, case)
        return found and as_json(found)

    async def _page(self, url: str, case: int | None) -> Json:
        """A page that is kept, as JSON; else None, and the case has the claim to read it.

        case: None where the worker would not read it either.
        """
        await self._office.free(url, self)
        found = await self._office.pages.look_up(url)
        if found is None and case is not None:
            self._office.claim(url, self, case)
        return found and capture_as_json(found)
