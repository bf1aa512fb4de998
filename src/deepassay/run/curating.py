"""Making what tasks are judged by, from a task file to a file of criteria.

Every answer is kept in a run file, so that the same command goes on where it was stopped. The
file of criteria grows by one task after the other, in the order of the tasks; what it holds
already is neither asked nor changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from deepassay.models.ask import Asker
from deepassay.run.casting import solo
from deepassay.run.plan import Player
from deepassay.run.stopping import signals
from deepassay.run.terms import Terms
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from deepassay.tasks.criteria import DIMENSIONS, Criteria
from deepassay.tasks.criteria_files import (
    TaskCriteria,
    join_criteria,
    load_criteria,
    write_criteria,
)
from deepassay.tasks.curate.making import make_criteria
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task


@dataclass(frozen=True)
class CriteriaRequest(Terms):
    """Everything that `tasks criteria` takes, as on the command line.

    samples: of the weights of dimensions, averaged.
    """

    tasks: Path
    output: Path
    maker: str = "offline"
    samples: int = 5
    edition: Literal["paper", "code"] = "paper"
    base_url: str | None = None
    temperature: float | None = None
    max_output: int | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        self.refuse_infinite("temperature")


@dataclass
class Made:
    """What came of it. kept: tasks that had criteria already; made: those of now, by identifier.

    failures: why other tasks have none. signal: the number of the one that stopped it, or 0.
    """

    total: int
    kept: int = 0
    made: list[str] = field(default_factory=list)
    failures: dict[str, Unscored] = field(default_factory=dict)
    spent: float = 0.0
    signal: int = 0

    @property
    def left(self) -> int:
        """Tasks that were not come to."""
        return self.total - self.kept - len(self.made) - len(self.failures)

    @property
    def out_of_budget(self) -> bool:
        """Whether a call was refused because the budget might have been passed."""
        return any(each.cause is Cause.BUDGET for each in self.failures.values())


OnTask = Callable[[Task, Criteria | Unscored], None]


def curate(
    request: CriteriaRequest,
    on_task: OnTask = lambda task, outcome: None,
    on_signal: Callable[[], None] = lambda: None,
) -> Made:
    """Make criteria for every task that the file lacks.

    on_task: called after each, when its criteria are in the file. Raises BadInput. SIGINT and
    SIGTERM end it in good order, as `evaluate` does.
    """
    tasks = load_tasks(request.tasks)[: request.limit]
    known = load_criteria(request.output) if request.output.exists() else {}
    if any(task.id in known for task in tasks):
        join_criteria(tasks, known, request.output)  # refuses those of other prompts
    wanted = [task for task in tasks if task.id not in known]
    made = Made(len(tasks), kept=len(tasks) - len(wanted))
    if wanted:
        write_criteria(request.output, {})  # refuses before anything is paid for
        with RunFile.create(request.run) as run:
            asyncio.run(_Curation(request, run, wanted, made, on_task).finish(on_signal))
            made.spent = run.spent()
    return made


class _Curation:
    """The tasks on their way. Several are asked at a time, and written down in their order."""

    def __init__(
        self,
        request: CriteriaRequest,
        run: RunFile,
        tasks: Sequence[Task],
        made: Made,
        on_task: OnTask,
    ) -> None:
        self._request = request
        self._run = run
        self._tasks = tasks
        self._made = made
        self._on_task = on_task
        self._stopping = False
        # Enough tasks to keep every connection busy, and few enough to end soon when stopped.
        calls = request.samples + len(DIMENSIONS)
        self._turn = asyncio.Semaphore(2 + request.max_connections // calls)
        self._hands: list[asyncio.Task[Criteria | Unscored | None]] = []

    async def finish(self, on_signal: Callable[[], None]) -> None:
        """Do all of it, or as much as signals allow."""

        def stop() -> None:
            self._stopping = True
            on_signal()

        async with solo(_maker(self._request), self._request, self._run) as maker:
            self._hands = [asyncio.create_task(self._make(task, maker)) for task in self._tasks]
            try:
                with signals(stop, self._hurry) as received:
                    for task, hand in zip(self._tasks, self._hands, strict=True):
                        await self._write_down(task, hand)
            finally:
                self._hurry()
                await asyncio.gather(*self._hands, return_exceptions=True)
        self._made.signal = received[0] if received else 0

    def _hurry(self) -> None:
        for hand in self._hands:
            hand.cancel()

    async def _make(self, task: Task, maker: Asker) -> Criteria | Unscored | None:
        """The criteria of one task, or None where it was not begun."""
        async with self._turn:
            if self._stopping:
                return None
            request = self._request
            outcome = await make_criteria(task, maker, request.samples, request.edition)
        if isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET:
            self._stopping = True  # the next task would be refused as well
        return outcome

    async def _write_down(self, task: Task, hand: asyncio.Task[Criteria | Unscored | None]) -> None:
        await asyncio.wait([hand])
        outcome = None if hand.cancelled() else hand.result()
        if outcome is None:
            return
        if isinstance(outcome, Unscored):
            self._made.failures[task.id] = outcome
        else:
            write_criteria(self._request.output, {task.id: TaskCriteria(outcome, task.prompt)})
            self._made.made.append(task.id)
        self._on_task(task, outcome)


def _maker(request: CriteriaRequest) -> Player:
    return Player(
        request.maker,
        request.base_url,
        temperature=request.temperature,
        max_output=request.max_output,
    )
