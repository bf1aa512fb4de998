"""Having agents answer tasks: every run kept, no agent paid twice, safe to stop at any moment."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Final

from deepassay.agents import Agent, Session, Stop, Tools
from deepassay.agents.sandbox.sandbox import Sandbox, watched
from deepassay.agents.search.corpus import Corpus, open_corpus
from deepassay.agents.search.opening import Searches
from deepassay.errors import BadInput
from deepassay.files import write_whole
from deepassay.run.connecting import connected_models
from deepassay.run.engine import Engine
from deepassay.run.settings import Settings
from deepassay.runfile import AgentRun, RunFile, StoredRun
from deepassay.score import Json, digest
from deepassay.stopping import signals
from deepassay.tasks.loaders import GivenTasks, tasks_of
from deepassay.tasks.task import Task

AGENTS: Final = 4
"""Runs of agents at a time, unless it is said otherwise."""

_AGAIN: Final = frozenset({Stop.BUDGET, Stop.CANCELLED})
"""Ends of runs without a report that the same command tries again."""


@dataclass(frozen=True)
class Place:
    """One run that is asked for."""

    agent: str
    task: Task
    sample: int

    @property
    def key(self) -> tuple[str, str, int]:
        """Agent, identifier of the task, sample."""
        return self.agent, self.task.id, self.sample


@dataclass
class Progress:
    """How far it has come. stops: how runs ended, those that were there already too."""

    total: int
    kept: int = 0
    done: int = 0
    stops: Counter[str] = field(default_factory=Counter)
    stopped: str = ""
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        """Runs that have not ended."""
        return self.total - self.kept - self.done


@dataclass(frozen=True)
class Researched:
    """What came of it. signal: the number of the one that stopped it, or 0."""

    settings: Settings
    progress: Progress
    agents: tuple[str, ...]
    spent: float
    unknown_cost: int
    seconds: float
    reports: int
    output: Path | None
    signal: int = 0
    refused: str = ""

    @property
    def out_of_budget(self) -> bool:
        """Whether it ended because the budget is used up."""
        return self.progress.stopped == "the budget"

    def lines(self) -> Iterator[str]:
        """The summary for a person."""
        progress = self.progress
        there = f" ({progress.kept} were there already)" if progress.kept else ""
        yield (
            f"{self.reports} reports of {progress.total} in {self.seconds:.1f} s{there}; "
            f"everything is in {self.settings.run}"
        )
        if self.output is not None and self.reports:
            yield f"  reports: {self.output}"
        for stop, count in sorted(progress.stops.items()):
            if stop != Stop.DONE:
                yield f"  {stop}: {count}"
        if progress.left:
            yield f"  not yet asked: {progress.left}"
        costs = [f"${self.spent:.4f}"] if self.spent or not self.unknown_cost else []
        if self.unknown_cost:
            costs.append(f"unknown for {self.unknown_cost} runs")
        yield f"  cost: {', '.join(costs)}"
        if progress.stopped:
            yield (
                f"Stopped by {progress.stopped}. "
                + (f"{self.refused} " if self.refused else "")
                + "What is done is kept: the same command goes on from here"
                + (" with a larger --budget." if self.out_of_budget else ".")
            )


@dataclass(frozen=True)
class Terms:
    """What answering takes besides the settings.

    repeat: answers of each agent to each task. at_once: runs at a time. output: a folder for the
    reports, AGENT/TASK.md. retry: run again what ended without a report. sandbox: a corpus that is
    served to the agents while they work, see `agents.sandbox`.
    """

    repeat: int = 1
    at_once: int = AGENTS
    output: Path | None = None
    retry: bool = False
    sandbox: Path | None = None


def research(
    tasks: GivenTasks,
    agents: Mapping[str, Agent],
    settings: Settings,
    terms: Terms,
    on_progress: Callable[[Progress, float], None] = lambda progress, spent: None,
    tell_of_signal: Callable[[], None] = lambda: None,
) -> Researched:
    """Have each agent answer each task, and keep everything in the run file.

    The same command goes on where it was stopped. Raises BadInput, before anything is paid for.
    """
    day = _day(settings)
    asked = [task.on(day, settings.edition) for task in tasks_of(tasks)][: settings.limit]
    if not asked:
        raise BadInput("There is no task to answer.", "Give a task file with at least one.")
    for agent in agents.values():
        agent.check(os.environ)
    if terms.output is not None:
        _check_output(terms.output)
    places = [
        Place(name, task, sample)
        for sample in range(1, terms.repeat + 1)
        for task in asked
        for name in agents
    ]

    async def answer() -> Researched:
        async with AsyncExitStack() as stack:
            corpus = None
            if terms.sandbox is not None:
                corpus = await stack.enter_async_context(open_corpus(terms.sandbox))
            run = stack.enter_context(RunFile.create(settings.run))
            beside: dict[str, Json] = {"date": day.isoformat()}
            beside |= {"sandbox": dict(corpus.identity)} if corpus else {}
            run.answering.register({name: {**agents[name].identity, **beside} for name in agents})
            sandbox = None
            if corpus is not None:
                sandbox = await stack.enter_async_context(_served(corpus, run))
            work = _Research(agents, settings, terms, run, places, on_progress, sandbox)
            return await work.finish(tell_of_signal)

    return asyncio.run(answer())


@asynccontextmanager
async def _served(corpus: Corpus, run: RunFile) -> AsyncIterator[Callable[[str], str]]:
    """The address at which a session finds the pages of a corpus, by its name.

    Hits name addresses that lead back, so that agents that open pages themselves find them there.
    """
    from deepassay.agents.sandbox.server import serving

    sandbox = Sandbox(corpus, run.answering, prefix=True)
    async with serving(sandbox) as address:
        yield lambda session: f"{address}/s/{sandbox.token(session)}"


def _day(settings: Settings) -> date:
    """What the settings say, else what the agents of the run file were told, else today."""
    if settings.date:
        return date.fromisoformat(settings.date)
    if settings.run.exists():
        with RunFile.read(settings.run) as run:
            if days := day_of_agents(run):
                return days
    return date.today()


def day_of_agents(run: RunFile) -> date | None:
    """The day that the agents of a run file were told, if any answered."""
    days = [each["date"] for each in run.answering.agents().values() if "date" in each]
    return date.fromisoformat(days[0]) if days else None


def _check_output(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"{folder}: reports cannot be written there ({error.strerror}).",
            "Give another folder with -o.",
        ) from error


class _Research:
    """One command."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        settings: Settings,
        terms: Terms,
        run: RunFile,
        places: Sequence[Place],
        on_progress: Callable[[Progress, float], None],
        sandbox: Callable[[str], str] | None,
    ) -> None:
        self._agents = agents
        self._settings = settings
        self._terms = terms
        self._run = run
        self._places = places
        self._on_progress = on_progress
        self._sandbox = sandbox
        self._engine = Engine(self._do)
        self._progress = Progress(len(places))
        self._unknown = 0

    async def finish(self, tell_of_signal: Callable[[], None]) -> Researched:
        began = time.monotonic()
        settings = self._settings
        left = list(self._left())
        connecting = connected_models(settings, self._run, retry=self._terms.retry)
        async with connecting as (models, budget, pages), Searches() as searches:
            budget.spent += self._spent_outside()
            self._tools = Tools(self._run, models, budget, pages, os.environ, searches)

            def stop(why: str = "a signal") -> None:
                self._stop(why)
                tell_of_signal()

            with ExitStack() as stack:
                received = stack.enter_context(signals(stop, self._engine.stop_at_once))
                if settings.time_limit is not None:
                    timer = asyncio.get_running_loop().call_later(
                        settings.time_limit, self._stop, "the time limit"
                    )
                    stack.callback(timer.cancel)
                await self._engine.finish(left, self._terms.at_once)
            refused = budget.refused
            spent = budget.spent
        if not self._progress.left:
            self._progress.stopped = ""
        reports = self._write()
        return Researched(
            settings=settings,
            progress=self._progress,
            agents=tuple(self._agents),
            spent=spent,
            unknown_cost=self._unknown,
            seconds=time.monotonic() - began,
            reports=reports,
            output=self._terms.output,
            signal=received[0] if received else 0,
            refused=refused,
        )

    def _stop(self, why: str) -> None:
        self._progress.stopped = self._progress.stopped or why
        self._engine.stop()

    def _left(self) -> Iterator[Place]:
        """The runs that have not ended; those that have are counted."""
        stops = self._run.answering.stops()
        without = {
            (each.agent, each.task, each.sample)
            for each in self._run.answering.runs()
            if each.run.report is None
        }
        for place in self._places:
            stop = stops.get(place.key)
            again = place.key in without and (self._terms.retry or stop in _AGAIN)
            if stop is None or again:
                yield place
            else:
                self._progress.kept += 1
                self._progress.stops[stop] += 1

    def _spent_outside(self) -> float:
        """USD that earlier runs cost beside the calls that the run file counts itself."""
        return sum(_outside(each.run) or 0.0 for each in self._run.answering.runs())

    async def _do(self, place: Place) -> None:
        agent = self._agents[place.agent]
        budget = self._tools.budget
        if budget.cap is not None and budget.spent >= budget.cap:
            self._stop("the budget")
            return
        key = digest([dict(agent.identity), place.task.digest, place.sample])
        answering = self._run.answering
        name = "/".join(map(str, place.key))
        before = sum(1 for _ in answering.served(name))
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="deepassay-agent-") as folder:
            session = Session(
                sample=place.sample,
                folder=Path(folder),
                tools=self._tools,
                keep=lambda handle: answering.keep_job(key, handle),
                handle=answering.job(key),
                sandbox=self._sandbox(name) if self._sandbox else "",
            )
            run = await agent.answer(place.task, session)
        run = replace(run, seconds=run.seconds or time.monotonic() - began)
        run = watched(run, islice(answering.served(name), before, None))
        await answering.keep(StoredRun(*place.key, run))
        budget.spent += _outside(run) or 0.0
        self._unknown += run.cost is None
        if run.report is None and run.stop == Stop.BUDGET:
            self._stop("the budget")
            return
        self._progress.done += 1
        self._progress.stops[run.stop] += 1
        self._on_progress(self._progress, budget.spent)

    def _write(self) -> int:
        """Write the reports of these agents as files, if that is asked for; how many there are."""
        wanted = {place.key for place in self._places}
        count = 0
        for each in self._run.answering.runs():
            if each.run.report is None or (each.agent, each.task, each.sample) not in wanted:
                continue
            count += 1
            if self._terms.output is not None:
                write_whole(_file_of(self._terms.output, each), each.run.report)
        return count


def _outside(run: AgentRun) -> float | None:
    """USD that a run cost beside calls that the run file counts by their attempts."""
    return None if run.record.get("counted") else run.cost


def _file_of(folder: Path, run: StoredRun) -> Path:
    agent, task = (_as_name(each) for each in (run.agent, run.task))
    if run.sample == 1:
        return folder / agent / f"{task}.md"
    return folder / agent / task / f"answer_{run.sample}.md"


def _as_name(text: str) -> str:
    return "".join(each if each.isalnum() or each in "-_.+ " else "_" for each in text).strip(". ")
