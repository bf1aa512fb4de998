"""Carrying out a plan: bounded concurrency, everything kept, safe to stop at any moment."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from deepassay import __version__
from deepassay.flight import flight
from deepassay.protocols.protocol import Case, Protocol, Roles, Sources
from deepassay.run.plan import Plan, identity_of, key_of
from deepassay.run.seen import Seen
from deepassay.run.yardsticks import as_stored, describe, yardsticks_of
from deepassay.runfile import End, RunFile, StoredReport, StoredScore
from deepassay.score import Cause, Json, Score, Unscored, to_json

ROOM: Final = 64 * 1024 * 1024
"""Bytes on the disk for tasks, criteria and references, besides the reports."""

AHEAD: Final = 2
"""So many cases are underway for each connection: while one waits, another is made ready. Where
pages are read, one: to read them is to begin."""

FIRST_QUESTIONS: Final = 0.2
"""Seconds for sending them before anything else is done, unless there is an outcome before."""

OUT: Final = 0.005
"""Seconds for the last of the first questions to get out, before others are made ready."""

GRACE: Final = 10.0
"""Seconds that calls in flight are given to end after the run was told to stop."""


@dataclass
class Tally:
    """How far a run has come.

    total: cases of the plan; kept: those that the run file had already; done: those of now.
    scored: outcomes with a score among kept and done; partly: those of them that lack a judge of
    the panel or a page; causes: why the others have none. stopped: why the run ended
    before everything was done, or empty.
    """

    total: int
    kept: int = 0
    done: int = 0
    scored: int = 0
    partly: int = 0
    causes: Counter[Cause] = field(default_factory=Counter)
    stopped: str = ""
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        """Cases that have no outcome yet."""
        return self.total - self.kept - self.done

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take at the pace so far."""
        passed = time.monotonic() - self.began
        return passed / self.done * self.left if self.done else None

    def count(self, end: End) -> None:
        """Count one outcome."""
        if end.cause is None:
            self.scored += 1
            self.partly += end.open
        else:
            self.causes[Cause(end.cause)] += 1


@dataclass(frozen=True)
class Work:
    """A case that has no outcome yet, and the recipe of the outcome."""

    protocol: Protocol
    case: Case
    identity: Json

    @cached_property
    def key(self) -> str:
        """The name of the outcome; it takes digests of all that the case is made of."""
        return key_of(self.identity, self.protocol, self.case)


class Execution:
    """One plan on one run file. `stop()` may be called at any time."""

    def __init__(
        self,
        plan: Plan,
        run: RunFile,
        panels: Mapping[str, Sequence[Roles]],
        sources: Sources,
        *,
        retry_unscored: bool = False,
        on_progress: Callable[[Tally], None] = lambda tally: None,
    ) -> None:
        self._plan = plan
        self._run = run
        self._panels = panels
        self._sources = sources
        self._retry = retry_unscored
        self._on_progress = on_progress
        self._stopping = asyncio.Event()
        self._hands: list[asyncio.Task[None]] = []
        self._writes: set[asyncio.Task[None]] = set()
        self._ahead = 1 if any(each.reads_pages for each in plan.protocols) else AHEAD
        self._registered: asyncio.Task[None]
        self._to_be_registered = asyncio.Event()
        self._ends: dict[str, End] = {}
        self._identities = {
            str(protocol): identity_of(plan, protocol, panels[str(protocol)])
            for protocol in plan.protocols
        }
        self.tally = Tally(plan.size)

    def stop(self, why: str) -> None:
        """Begin nothing more; a case that has sent something may end."""
        self.tally.stopped = self.tally.stopped or why
        self._stopping.set()

    def hurry(self) -> None:
        """Do not even wait for what is in flight."""
        for hand in self._hands:
            hand.cancel()

    async def finish(self, workers: int) -> Tally:
        """Bring every case to an end that has none. workers: how many calls are made at a time.

        Raises ConfigurationChanged if the run file was made under another configuration.
        """
        awaited = not self._run.is_empty or not self._has_room()
        self._registered = asyncio.create_task(self._register(patient=not awaited))
        self._registered.add_done_callback(self._on_registered)
        if awaited:
            await self._registered  # what lacked a new yardstick is forgotten by then
            self._ends = self._run.ends()
            self._count_kept()
        work = (each for each in self._cases(workers) if self._end_of(each) is None)
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            for number in range(self._ahead * workers):
                if number == workers:
                    await asyncio.sleep(OUT)
                self._hands.append(asyncio.create_task(self._hand(work)))
                await asyncio.sleep(0)  # its question is on its way while the next is prepared
            working = asyncio.gather(*self._hands, return_exceptions=True)
            either: set[asyncio.Future[Any]] = {working, stopping}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({working}, timeout=GRACE)
        finally:
            stopping.cancel()
            self.hurry()
            self._to_be_registered.set()
            ends = await asyncio.gather(*self._hands, return_exceptions=True)
            ends += await asyncio.gather(self._registered, *self._writes, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end
        return self.tally

    async def _register(self, *, patient: bool) -> None:
        """Tell the run file what the run is about; done once that is on the disk.

        patient: first the questions, whose answers are a while in coming.
        """
        if patient:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._to_be_registered.wait(), FIRST_QUESTIONS)
        plan = self._plan
        registered = self._run.register(
            {"date": plan.day.isoformat(), "repeat": plan.repeat},
            self._identities,
            {key: as_stored(task) for key, task in plan.tasks.items()},
            (
                StoredReport(report.agent, report.task, report.sample, report.text)
                for report in plan.reports
            ),
            yardsticks_of(plan),
            patient=patient,
        )
        await asyncio.wrap_future(registered)
        describe(self._run, plan.protocols)

    def _has_room(self) -> bool:
        """Whether what the run is about surely fits on the disk, so that asking can begin."""
        characters = sum(len(report.text) for report in self._plan.reports)
        return shutil.disk_usage(self._run.path.parent).free > 8 * characters + ROOM

    def _on_registered(self, registered: asyncio.Task[None]) -> None:
        """Ask nothing more if the run file cannot say what it is about."""
        if not registered.cancelled() and registered.exception() is not None:
            self.stop("an error in the program")  # and `finish` raises it

    def _count_kept(self) -> None:
        """Count what needs not be done, before anything is begun."""
        for work in self._cases():
            if (end := self._end_of(work)) is not None:
                self.tally.kept += 1
                self.tally.count(end)

    def _cases(self, abreast: int = 1) -> Iterator[Work]:
        for protocol, case in self._plan.cases(abreast):
            yield Work(protocol, case, self._identities[str(protocol)])

    def _end_of(self, work: Work) -> End | None:
        """How a case ended that needs not be done again."""
        end = self._ends.get(work.key) if self._ends else None
        return None if end is None or (self._retry and end.again) else end

    async def _hand(self, work: Iterator[Work]) -> None:
        try:
            for piece in work:
                if self._stopping.is_set():
                    return
                with flight(lambda: not self._stopping.is_set()):
                    await self._do(piece)
        except Exception:
            self.stop("an error in the program")
            raise

    async def _do(self, work: Work) -> None:
        seen = Seen()
        panel = [seen.roles(roles) for roles in self._panels[str(work.protocol)]]
        outcome = await judge(work.protocol, work.case, panel, seen.sources(self._sources))
        if isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET:
            # Not an outcome: the same command with a larger budget goes on from here.
            self.stop("budget")
            return
        report = work.case.report
        converter = {"converter": report.converter} if report.converter else {}
        made = work.protocol.made_basis(outcome.details)
        self._keep(
            StoredScore(
                key=work.key,
                protocol=str(work.protocol),
                agent=report.agent,
                task=report.task,
                sample=report.sample,
                repeat=work.case.repeat,
                outcome=to_json(outcome),
                identity=work.identity,
                record={
                    "version": __version__,
                    **converter,
                    **({"made": made} if made else {}),
                    **seen.record,
                },
            )
        )

    def _keep(self, score: StoredScore) -> None:
        """Have an outcome written. Nobody waits for it: its answers are on the disk already."""
        write = asyncio.create_task(self._write(score))
        self._writes.add(write)
        write.add_done_callback(lambda done: self._written(done, score.end))

    async def _write(self, score: StoredScore) -> None:
        self._to_be_registered.set()
        await asyncio.shield(self._registered)  # no outcome without what it is about
        await self._run.keep_score(score)

    def _written(self, write: asyncio.Task[None], end: End) -> None:
        if write.cancelled():
            return
        if write.exception() is not None:
            self.stop("an error in the program")  # and `finish` raises it
            return
        self._writes.discard(write)
        self.tally.done += 1
        self.tally.count(end)
        self._on_progress(self.tally)


async def judge(
    protocol: Protocol, case: Case, panel: Sequence[Roles], sources: Sources
) -> Score | Unscored:
    """The outcome of one case: every judge of the panel scores alone, then they are combined.

    Where the budget refused one of several judges, the case has no outcome yet.
    """
    if not case.report.text.strip():
        return Unscored(Cause.MISSING_INPUT, "the report is empty")
    if len(panel) == 1:
        return await protocol.score(case, panel[0], sources)
    outcomes = await asyncio.gather(*(protocol.score(case, roles, sources) for roles in panel))
    for outcome in outcomes:
        if isinstance(outcome, Unscored) and outcome.cause is Cause.BUDGET:
            return outcome
    names = [str(roles.judge.identity["model"]) for roles in panel]
    return protocol.combine(dict(zip(names, outcomes, strict=True)))
