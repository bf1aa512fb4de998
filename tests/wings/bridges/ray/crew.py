"""Workers in this process, behind links as Ray's are: everything but the cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from deepassay.reports.files import HERE
from deepassay.run.asking.evaluate import Summary, evaluate
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.score import canonical_json
from deepassay.wings.bridges.ray import engine
from deepassay.wings.bridges.ray.engine import crewed
from deepassay.wings.bridges.ray.fleet import Lost
from deepassay.wings.bridges.ray.wire import Message
from deepassay.wings.bridges.ray.worker import Worker
from tests.loopback import SCENARIOS, FakeJudge, Reply, Request, completion


class HereLink:
    """A worker that dies when it is killed: nothing that it says afterwards is heard."""

    def __init__(self, name: str, alone: asyncio.Lock) -> None:
        self.name = name
        self._alone = alone  # for what holds warnings back in a process, one at a time
        self.worker = Worker()
        self._dead = asyncio.Event()

    async def start(self, brief: Message) -> Message:
        self._loop = asyncio.get_running_loop()
        packed = Message.of(brief.packed())  # as it travels
        async with self._alone:
            return Message("started", 0, await self.worker.start(packed.value))

    async def send(self, messages: Sequence[bytes]) -> None:
        if self._dead.is_set():
            raise Lost(self.name)
        await self.worker.hear(messages)

    async def listen(self) -> Sequence[bytes] | None:
        death = asyncio.create_task(self._dead.wait())
        talk = asyncio.create_task(self.worker.talk())
        await asyncio.wait({death, talk}, return_when=asyncio.FIRST_COMPLETED)
        death.cancel()
        if self._dead.is_set():
            talk.cancel()
            raise Lost(self.name)
        return await talk

    def kill_soon(self) -> None:
        """The same from another thread."""
        self._loop.call_soon_threadsafe(self.kill)

    def kill(self) -> None:
        self._dead.set()
        for case in self.worker._cases.values():
            case.cancel()


class Crew:
    """Has `evaluate` run on workers of this process. links: those of the last run."""

    converter = HERE

    def __init__(self, monkeypatch: Any) -> None:
        self.links: list[HereLink] = []
        self._number = 2
        monkeypatch.setattr(engine, "engine", lambda settings: nullcontext(self))

    @asynccontextmanager
    async def engaged(self, *given: Any) -> Any:
        alone = asyncio.Lock()
        self.links = [HereLink(f"worker {place + 1}", alone) for place in range(self._number)]
        try:
            async with crewed(self.links, *given) as fleet:
                yield fleet
        finally:
            for link in self.links:  # what the end of a process would close
                await link.worker._opened.aclose()

    def evaluate(
        self, options: dict[str, Any], run: Path, *, workers: int = 2, **more: Any
    ) -> Summary:
        """`evaluate` on so many workers."""
        self._number = workers
        return local(options, run, engine="ray", **more)


def local(options: dict[str, Any], run: Path, **more: Any) -> Summary:
    """`evaluate` in one process, as `tests.run.kills.settings` gives the options."""
    given = {**options, **more}
    tasks, reports = given.pop("tasks"), given.pop("reports")
    return evaluate(tasks, reports, Settings(**given, run=run))


@contextmanager
def at_request(judge: FakeJudge, number: int, act: Callable[[], None]) -> Iterator[None]:
    """Act when so many requests have come in, before the last of them is answered."""

    def act_once(request: Request, text: str) -> Reply:
        if len(judge.requests) == number:
            act()
        return completion(text)

    judge.requests.clear()
    judge.scenarios["good"] = act_once
    yield
    judge.scenarios["good"] = SCENARIOS["good"]


def rows(path: Path) -> dict[str, Any]:
    """All that a run file holds but for what is never the same: seconds, salts, names of requests.

    Sorted, since the order in which rows come decides nothing.
    """
    with RunFile.read(path) as run:
        assert not run.verify().damage
        answers = [canonical_json({**vars(each), "prompt_digest": ""}) for each in run.exchanges()]
        captures = [
            canonical_json([each.url, each.text, each.failure, each.media])
            for each in run.captures.all()
        ]
        scores = [canonical_json([each.key, each.outcome]) for each in run.scores()]
        return {
            "answers": sorted(answers),
            "captures": sorted(captures),
            "scores": sorted(scores),
            "attempts": run.attempts(),
            "usage": run.usage(),
            "spent": round(run.spent(), 9),
        }
