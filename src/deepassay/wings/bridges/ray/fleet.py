"""The workers of a run: cases go out, outcomes come back, and what a lost one had is sent again.

Nothing here knows of Ray: a `WorkerLink` is whatever messages go to and fro on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Final, Protocol

from deepassay.errors import DeepAssayError
from deepassay.models.budget import Budget
from deepassay.protocols.protocol import Case
from deepassay.protocols.protocol import Protocol as Scoring
from deepassay.run.asking.execute import WORKERS, CaseOutcome
from deepassay.runfile import RunFile
from deepassay.score import Cause, Json, Unscored
from deepassay.sources.snapshots import Snapshots
from deepassay.wings.bridges.ray.desk import Desk, Office
from deepassay.wings.bridges.ray.wire import Message, case_as_json, outcome_from_wire

SILENCE: Final = 120.0
"""Seconds without a word after which a worker is given up; it speaks every ten."""

FAREWELL: Final = 15.0
"""Seconds that workers have to say what they broke off."""


class Lost(Exception):
    """A worker, its node or the way to it is gone."""


class WorkerLink(Protocol):
    """The way to one worker. name: of the worker, for people."""

    name: str

    async def send(self, messages: Sequence[bytes]) -> None:
        """Have the worker hear these, after those before. Raises Lost."""
        ...

    async def listen(self) -> Sequence[bytes] | None:
        """What the worker says next; None when it has said all. Raises Lost."""
        ...

    def kill(self) -> None:
        """End the worker, if it is still there."""
        ...


class ReadyLink(WorkerLink, Protocol):
    """The way to a worker that has not begun."""

    async def start(self, brief: Message) -> Message:
        """What the worker says of itself. Raises Lost with the reason, where it cannot start."""
        ...


class _Member:
    """One worker, and the cases that it has. room: how many it takes at a time."""

    def __init__(self, link: WorkerLink, office: Office, room: int) -> None:
        self.link = link
        self.room = room
        self.cases: dict[int, asyncio.Future[CaseOutcome]] = {}
        self.alive = True
        self._desk = Desk(office, self.say, self._give_up)
        self._outbox: asyncio.Queue[Message] = asyncio.Queue()
        self._listening = asyncio.create_task(self._listen())
        self._sending = asyncio.create_task(self._send())

    @property
    def load(self) -> float:
        """How full it is: 1 if it takes no more."""
        return len(self.cases) / self.room

    def say(self, message: Message) -> None:
        """Have the worker hear this next."""
        self._outbox.put_nowait(message)

    async def over(self) -> None:
        """Wait until it has said everything, or is gone; then nothing is left of it."""
        await asyncio.wait({self._listening}, timeout=FAREWELL)
        self._listening.cancel()
        self._sending.cancel()
        await asyncio.gather(self._listening, self._sending, return_exceptions=True)
        self.link.kill()

    async def _send(self) -> None:
        """One delivery at a time: two could overtake each other."""
        with suppress(Lost):  # which who listens finds out too
            while True:
                messages = [await self._outbox.get()]
                while not self._outbox.empty():
                    messages.append(self._outbox.get_nowait())
                await self.link.send([each.packed() for each in messages])

    async def _listen(self) -> None:
        said: Sequence[bytes] | None = ()
        try:
            while said is not None:
                for each in said:
                    self._take(Message.of(each))
                async with asyncio.timeout(SILENCE):
                    said = await self.link.listen()
        except (Lost, TimeoutError, ValueError):  # ValueError: it says what no worker of ours says
            pass
        finally:
            await self._bury()

    def _give_up(self, why: ValueError) -> None:
        """A faulty worker is as good as lost: who listens to it hears that."""
        self._listening.cancel()

    def _take(self, message: Message) -> None:
        kind, number, value = message
        if kind not in ("outcome", "stopped", "failed", "broke"):
            self._desk.take(message)
            return
        self._desk.case_over(number)
        if (case := self.cases.pop(number, None)) is None or case.done():
            return
        match kind:
            case "outcome":
                case.set_result(self._judged(value))
            case "stopped":
                case.cancel()
            case "failed":
                case.set_exception(DeepAssayError(*(value if _is_error(value) else [str(value)])))
            case "broke":
                case.set_exception(RuntimeError(f"on {self.link.name}: {value!s:.2000}"))

    def _judged(self, value: Json) -> CaseOutcome:
        """What came of a case; that it is nothing, where it is no outcome."""
        try:
            return CaseOutcome(*outcome_from_wire(value))
        except ValueError as error:
            detail = f"{self.link.name} returned what is no outcome: {error}"
            return CaseOutcome(Unscored(Cause.JUDGE_UNREACHABLE, detail[:300]), {})

    async def _bury(self) -> None:
        """Nothing more comes from it, and nothing is to: a worker cut off might work on."""
        self.alive = False
        self.link.kill()
        await self._desk.close()
        for case in self.cases.values():
            if not case.done():
                case.set_exception(Lost(self.link.name))
        self.cases.clear()


def _is_error(value: Json) -> bool:
    """Whether a value is a problem and its remedy."""
    return type(value) is list and len(value) == 2 and all(isinstance(each, str) for each in value)


class Fleet:
    """Has workers carry out cases. `judge` may be called for many at a time.

    links: to workers that are ready. connections: calls that each of them makes at a time.
    """

    def __init__(
        self,
        links: Sequence[WorkerLink],
        run: RunFile,
        pages: Snapshots,
        budget: Budget,
        connections: Sequence[int],
    ) -> None:
        office = Office(run, pages, budget, self._fail)
        self._members = [
            _Member(link, office, WORKERS * number)
            for link, number in zip(links, connections, strict=True)
        ]
        self._homes: dict[str, _Member] = {}
        self._numbers = count(1)
        self.lost: list[str] = []

    async def judge(self, protocol: Scoring, case: Case) -> CaseOutcome:
        """Have a case carried out. If its worker is lost, another finds what was paid already."""
        while True:
            member, number = self._choose(case.task.id), next(self._numbers)
            ended: asyncio.Future[CaseOutcome] = asyncio.get_running_loop().create_future()
            member.cases[number] = ended
            member.say(Message("case", number, case_as_json(protocol, case)))
            try:
                return await ended
            except Lost as lost:
                if str(lost) not in self.lost:
                    self.lost.append(str(lost))
            except asyncio.CancelledError:
                member.say(Message("break off", number, None))
                raise

    def stop(self) -> None:
        """Begin nothing more; a case that has sent something may end."""
        for member in self._members:
            member.say(Message("stop", 0, None))

    async def close(self) -> None:
        """Break off what is left, keep what the workers say of it, and let them go."""
        for member in self._members:
            member.say(Message("end", 0, None))
        await asyncio.gather(*(member.over() for member in self._members))

    def _choose(self, task: str) -> _Member:
        """The worker that has had cases of the task, where there is room; else the emptiest.

        What a provider or a worker remembers of a task and its pages is of use to the next case.
        """
        alive = [each for each in self._members if each.alive]
        if not alive:
            raise DeepAssayError(
                f"No worker is left: {', '.join(self.lost)} were lost with what they worked on.",
                "What is done is kept: the same command goes on from here. `ray status` says what "
                "is left of the cluster, and its logs say why workers ended (memory, as a rule).",
            )
        emptiest = min(alive, key=lambda each: each.load)
        home = self._homes.get(task)
        if home is None or not home.alive:
            home = self._homes[task] = emptiest
        return home if home.load < 1 else emptiest

    def _fail(self, error: BaseException) -> None:
        """The run cannot go on: whoever waits for a case hears of it."""
        for member in self._members:
            for case in member.cases.values():
                if not case.done():
                    case.set_exception(error)


def recipe_differences(ours: Mapping[str, object], theirs: Mapping[str, object]) -> str:
    """In which parts two recipes differ, in words."""
    parts = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
    return ", ".join(parts)
