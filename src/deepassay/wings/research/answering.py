"""Having agents answer tasks: every run kept, no agent paid twice, safe to stop at any moment."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from textwrap import shorten

from deepassay.agents import Agent, Session, Stop, Tools
from deepassay.files import write_whole
from deepassay.models.batches.batchers import Batchers
from deepassay.results.tables import several
from deepassay.run.asking.agent_runs import (
    NO_QUESTIONS,
    RequestedRun,
    ResearchTerms,
    after,
    asks_back,
    check_report_folder,
    cost_elsewhere,
    is_asked_again,
    kept_runs,
    places_of,
    question_digest,
    report_file_of,
)
from deepassay.run.asking.connecting import connected_models
from deepassay.run.asking.waiting import told_waiting
from deepassay.run.settings import Settings
from deepassay.runfile import AgentRun, Batch, RunFile, StoredRun
from deepassay.score import Json, digest, report_key
from deepassay.stopping import WAIT_ENDED, ConcurrentQueue, signals
from deepassay.tasks.loaders import GivenTasks
from deepassay.wings.research.sandbox.sandbox import Sandbox, watched
from deepassay.wings.research.scratch import remove_abandoned, scratch
from deepassay.wings.research.search.corpus import Corpus, open_corpus
from deepassay.wings.research.search.opening import OpenSearches


@dataclass
class ResearchProgress:
    """How far it has come.

    stops: how runs ended, those that were there already too; why: the first of each in words.
    """

    total: int
    kept: int = 0
    done: int = 0
    stops: Counter[str] = field(default_factory=Counter)
    why: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        """Runs that have not ended."""
        return self.total - self.kept - self.done

    def count(self, place: RequestedRun, run: AgentRun) -> None:
        """Add a run that ended to the count of its kind of end."""
        self.stops[run.stop] += 1
        self.why.setdefault(run.stop, f"{place.agent} on {place.task.id}: {run.detail}")


@dataclass(frozen=True)
class Researched:
    """What came of it. signal: the number of the one that stopped it, or 0.

    waiting: batches that go on at providers. unlike: files below `output` that hold something else
    than the report, and were left as they are.
    """

    settings: Settings
    progress: ResearchProgress
    agents: tuple[str, ...]
    spent: float
    unknown_cost: int
    seconds: float
    reports: int
    output: Path | None
    signal: int = 0
    refused: str = ""
    waiting: Sequence[Batch] = ()
    unlike: Sequence[Path] = ()

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
        yield from self.settings.lines_of_shard()
        if self.output is not None and self.reports:
            yield f"  reports: {self.output}"
        if self.unlike:
            yield (
                f"  not written: {several(len(self.unlike), 'report')}, whose files hold something "
                f"else already, the first: {self.unlike[0]}. Move them away to have them written"
            )
        for stop, count in sorted(progress.stops.items()):
            if stop != Stop.DONE:
                yield f"  {stop}: {count}, the first: {shorten(progress.why[stop], 300)}"
        if progress.left:
            yield f"  not yet asked: {progress.left}"
        costs = [f"${self.spent:.4f}"] if self.spent or not self.unknown_cost else []
        if self.unknown_cost:
            costs.append(f"unknown for {self.unknown_cost} runs")
        yield f"  cost: {', '.join(costs)}"
        yield from told_waiting(self.waiting, self.settings.run)
        if progress.stopped:
            yield (
                f"Stopped by {progress.stopped}. "
                + (f"{self.refused} " if self.refused else "")
                + "What is done is kept: the same command goes on from here"
                + (" with a larger --budget." if self.out_of_budget else ".")
            )


def research(
    tasks: GivenTasks,
    agents: Mapping[str, Agent],
    settings: Settings,
    terms: ResearchTerms,
    on_progress: Callable[[ResearchProgress, float], None] = lambda progress, spent: None,
    tell_of_signal: Callable[[], None] = lambda: None,
) -> Researched:
    """Have each agent answer each task, and keep everything in the run file.

    The same command goes on where it was stopped. Raises BadInput, before anything is paid for.
    SIGINT and SIGTERM end it in good order when it runs in the main thread.
    """
    return asyncio.run(aresearch(tasks, agents, settings, terms, on_progress, tell_of_signal))


async def aresearch(
    tasks: GivenTasks,
    agents: Mapping[str, Agent],
    settings: Settings,
    terms: ResearchTerms,
    on_progress: Callable[[ResearchProgress, float], None] = lambda progress, spent: None,
    tell_of_signal: Callable[[], None] | None = None,
) -> Researched:
    """Have agents answer as `research` does, in an event loop that runs.

    tell_of_signal: None leaves signals to the caller.
    """
    day, places, part = places_of(tasks, agents, settings, terms)
    for agent in agents.values():
        agent.check(os.environ)
    if terms.output is not None:
        check_report_folder(terms.output, places)
    remove_abandoned()
    async with AsyncExitStack() as stack:
        corpus = None
        if terms.sandbox is not None:
            corpus = await stack.enter_async_context(open_corpus(terms.sandbox))
        run = stack.enter_context(RunFile.create(settings.run))
        beside: dict[str, Json] = {"date": day.isoformat()}
        beside |= {"sandbox": dict(corpus.identity)} if corpus else {}
        run.answering.register({name: {**agents[name].identity, **beside} for name in agents})
        run.add_part("research", part)
        sandbox = None
        if corpus is not None:
            sandbox = await stack.enter_async_context(_served(corpus, run))
        work = _Research(agents, settings, terms, run, places, on_progress, sandbox)
        return await work.finish(tell_of_signal)


@asynccontextmanager
async def _served(corpus: Corpus, run: RunFile) -> AsyncIterator[Callable[[str], str]]:
    """The address at which a session finds the pages of a corpus, by its name.

    Hits name addresses that lead back, so that agents that open pages themselves find them there.
    """
    from deepassay.wings.research.sandbox.server import serving

    sandbox = Sandbox(corpus, run.answering, prefix=True, by_token=True)
    async with serving(sandbox) as address:
        yield lambda session: f"{address}/s/{sandbox.token(session)}"


class _Research:
    """The runs of agents that one command carries out."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        settings: Settings,
        terms: ResearchTerms,
        run: RunFile,
        places: Sequence[RequestedRun],
        on_progress: Callable[[ResearchProgress, float], None],
        sandbox: Callable[[str], str] | None,
    ) -> None:
        self._agents = agents
        self._settings = settings
        self._terms = terms
        self._run = run
        self._places = places
        self._on_progress = on_progress
        self._sandbox = sandbox
        self._engine = ConcurrentQueue(self._do)
        self._progress = ResearchProgress(len(places))
        self._kept = kept_runs(run, places)
        self._unknown = sum(each.cost is None for each in self._kept.values())

    async def finish(self, tell_of_signal: Callable[[], None] | None) -> Researched:
        began = time.monotonic()
        settings = self._settings
        left = list(self._left())
        connecting = connected_models(settings, self._run, retry=self._terms.retry)
        async with connecting as (models, asking, pages), OpenSearches() as searches:
            budget, batchers = asking.budget, asking.batchers
            # Besides the calls that the run file counts itself.
            budget.spent += sum(cost_elsewhere(each.run) for each in self._run.answering.runs())
            patient = batchers is not None
            self._tools = Tools(self._run, models, budget, pages, os.environ, searches, patient)

            with ExitStack() as stack:
                received = self._stopped_by(batchers, tell_of_signal, stack)
                if settings.time_limit is not None:
                    timer = asyncio.get_running_loop().call_later(
                        settings.time_limit, self._stop, "the time limit"
                    )
                    stack.callback(timer.cancel)
                number = self._settings.at_once if batchers else self._terms.at_once
                await self._engine.finish(left, number)
            refused = budget.refused
            spent = budget.spent
        if not self._progress.left:
            self._progress.stopped = ""
        reports, unlike = self._write()
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
            waiting=self._run.batching.open(),
            unlike=unlike,
        )

    def _stopped_by(
        self, batchers: Batchers | None, tell: Callable[[], None] | None, stack: ExitStack
    ) -> list[int]:
        """Have signals stop the command, and batchers that leave; the signals that came."""

        def stop() -> None:
            self._stop("a signal")
            if batchers is not None:
                batchers.leave()
            if tell is not None:
                tell()

        def leave() -> None:
            self._stop(WAIT_ENDED)
            self._engine.stop_at_once()

        if batchers is not None:
            batchers.on_leaving = leave
        if tell is None:
            return []
        return stack.enter_context(signals(stop, self._engine.stop_at_once))

    def _stop(self, why: str) -> None:
        self._progress.stopped = self._progress.stopped or why
        self._engine.stop()

    def _left(self) -> Iterator[RequestedRun]:
        """The runs that have not ended; those that have are counted."""
        for place in self._places:
            run = self._kept.get(place.key)
            if run is None or is_asked_again(self._agents[place.agent], run, self._terms.retry):
                yield place
            else:
                self._progress.kept += 1
                self._progress.count(place, run)

    async def _do(self, place: RequestedRun) -> None:
        """Have one run done; where the agent asks back, once more and without questions."""
        agent = self._agents[place.agent]
        earlier = self._kept.get(place.key)
        budget = self._tools.budget
        while True:
            if budget.cap is not None and budget.spent >= budget.cap:
                self._stop("the budget")
                return
            run = await self._answered(place, earlier)
            if run is None:
                return
            if not asks_back(agent, run):
                break
            if self._progress.stopped:  # the same command goes on with it
                return
            earlier = run
        self._unknown += run.cost is None
        self._progress.done += 1
        self._progress.count(place, run)
        self._on_progress(self._progress, budget.spent)

    async def _answered(self, place: RequestedRun, earlier: AgentRun | None) -> AgentRun | None:
        """What came of asking once, kept; None where the budget of the command ended it.

        earlier: what came of it before, without a report.
        """
        agent, task, told = self._agents[place.agent], place.task, None
        if earlier is not None and earlier.stop == Stop.ASKED_BACK and agent.writes:
            told = NO_QUESTIONS[task.language]
            task = task.model_copy(update={"prompt": f"{task.prompt}\n\n{told}"})
        key = digest([dict(agent.identity), task.digest, place.sample])
        answering, budget = self._run.answering, self._tools.budget
        name = "/".join(map(str, place.key))
        before = sum(1 for _ in answering.served(name))
        over = False

        async def keep(handle: Json) -> None:
            nonlocal over
            over = handle is None  # forgotten once what came of it is kept
            if not over:
                await answering.keep_job(key, handle)

        began = time.monotonic()
        async with scratch() as folder:
            session = Session(
                sample=place.sample,
                folder=folder,
                tools=self._tools,
                keep=keep,
                handle=answering.job(key),
                sandbox=self._sandbox(name) if self._sandbox else "",
            )
            run = await agent.answer(task, session)
        if run.report is None and run.stop == Stop.BUDGET and budget.refused:
            self._stop("the budget")
            return None
        budget.spent += cost_elsewhere(run)
        run = replace(run, seconds=run.seconds or time.monotonic() - began)
        run = watched(run, islice(answering.served(name), before, None))
        run = after(
            earlier, run, {"prompt": question_digest(place)} | ({"told": told} if told else {})
        )
        run = await answering.keep(StoredRun(*place.key, run))
        if over:
            await answering.keep_job(key, None)
        return run

    def _write(self) -> tuple[int, list[Path]]:
        """Write the reports of these agents as files, if that is asked for.

        How many there are, and files that hold something else: somebody may have worked on them.
        """
        wanted = {place.key for place in self._places}
        count = 0
        unlike: list[Path] = []
        for each in self._run.answering.runs():
            key = report_key(each)
            if each.run.report is None or key not in wanted:
                continue
            count += 1
            if self._terms.output is None:
                continue
            file = report_file_of(self._terms.output, key)
            if not file.is_file():
                write_whole(file, each.run.report)
            elif file.read_bytes() != each.run.report.encode():
                unlike.append(file)
        return count, unlike
