"""The main job, from files to scores: read, ask, keep, and say what came of it."""

from __future__ import annotations

import asyncio
import re
import shlex
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from typing import Protocol as Shape

from deepassay.plugins import of_wing
from deepassay.reports.files import HERE, Converter
from deepassay.reports.loaders import GivenReports
from deepassay.results.evidence import JudgeOutcome
from deepassay.results.joined import Joined
from deepassay.run.asking.connecting import Connected, budget_of, connected, open_sources
from deepassay.run.asking.execute import Execution, Hands, LocalRunner, RunProgress
from deepassay.run.asking.plan import AskedModel, Plan
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.run.showing.contents import Covered, coverage_of
from deepassay.runfile import Batch, RunFile
from deepassay.score import Cause, Json
from deepassay.stopping import WAIT_ENDED, signals
from deepassay.tasks.loaders import GivenTasks

if TYPE_CHECKING:
    from deepassay.models.batches.batchers import Batchers

TIME_LIMIT: Final = "the time limit"
"""Why a run stopped that had a time limit."""

OnProgress = Callable[[RunProgress, float], None]
"""Called with the tally and the USD spent so far, after every outcome."""


@dataclass(frozen=True)
class Summary:
    """What came of a run.

    tally: outcomes. expected: those that the plan asks for, with a report missing or not.
    spent: USD of the run file in all. calls: requests by how they ended. seconds: of this
    part of the run. reasons: for each cause, the commonest. coverage: the lowest share of
    judgements that were scored, and of whom. signal: the number of the one that stopped it, or 0.
    forgotten: damaged records of the run file that were dropped. nowhere: pages, if it is said of
    every one that its host was not found. pages: what became of addresses, where they are read.
    refused: what the first call would have set aside that the budget did not allow.
    waiting: batches that go on at providers. cascaded: how far statements went in a cascade.
    """

    settings: Settings
    tally: RunProgress
    expected: int
    spent: float
    calls: dict[str, int]
    tokens: dict[str, int]
    unpriced: bool
    seconds: float
    reasons: dict[Cause, str]
    coverage: Sequence[Covered]
    signal: int = 0
    forgotten: int = 0
    nowhere: int = 0
    pages: Joined | None = None
    refused: str = ""
    waiting: Sequence[Batch] = ()
    cascaded: Sequence[str] = ()

    @property
    def out_of_budget(self) -> bool:
        """Whether the run ended because the next call might have passed the budget."""
        return self.tally.stopped == "budget"

    @property
    def out_of_time(self) -> bool:
        """Whether the run ended at its time limit, or waits for batches no more."""
        return self.tally.stopped in (TIME_LIMIT, WAIT_ENDED)

    @property
    def problem(self) -> str:
        """What is wrong where of most cited addresses nothing is kept, and what to do."""
        file = shlex.quote(str(self._file_of_pages))
        then = f"score into another --run with --snapshots {file}"
        if self._may_be_asked_again:
            then = "score again with --retry-unscored"
        remedy = f"Fetch or import them: {self._fetching}; then {then}."
        return self.pages.problem(remedy) if self.pages else ""

    @property
    def _file_of_pages(self) -> Path:
        return self.settings.snapshots or self.settings.run

    @property
    def _fetching(self) -> str:
        """The command that fetches what the reports of the run cite, and is no page as yet."""
        words = ("sources", "fetch", self.settings.run, "--retry")
        return shlex.join(map(str, ("deepassay", *words, "--snapshots", self._file_of_pages)))

    @property
    def _may_be_asked_again(self) -> bool:
        return bool(self.tally.partly or set(self.tally.causes) - {Cause.MISSING_INPUT})

    @property
    def exit_status(self) -> int | None:
        """That of a command whose run was stopped; None where it came to its end."""
        if self.signal:
            return 128 + self.signal
        return 3 if self.out_of_budget else 4 if self.out_of_time else None

    def lines(self) -> Iterator[str]:
        """The summary for a person."""
        tally = self.tally
        yield (
            f"Scored {tally.scored} of {self.expected - tally.settled} in {self.seconds:.1f} s"
            + (f" ({tally.kept} were there already)" if tally.kept else "")
            + f"; everything is in {self.settings.run}"
        )
        if tally.settled:
            yield f"  references, whose scores nobody judges: {tally.settled}"
        yield from self.settings.lines_of_shard()
        for cause, count in sorted(tally.causes.items()):
            yield f"  unscored: {count} {cause}, mostly: {self.reasons[cause]}"
        yield from self._open()
        if self.calls:
            ends = ", ".join(f"{count} {kind}" for kind, count in self.calls.items())
            tokens = ", ".join(self._tokens())
            cost = "at an unknown price" if self.unpriced else f"${self.spent:.4f}"
            yield f"Calls: {ends}. Tokens: {tokens or 'not reported'}. Cost: {cost}."
            yield from self._again()
        yield from self.cascaded
        if self.waiting:
            from deepassay.run.asking.waiting import told_waiting

            yield from told_waiting(self.waiting, self.settings.run)
        if tally.stopped:
            yield (
                f"Stopped by {'the budget' if self.out_of_budget else tally.stopped}. "
                + (f"{self.refused} " if self.out_of_budget and self.refused else "")
                + "What is done is kept: the same command goes on from here"
                + (" with a larger --budget." if self.out_of_budget else ".")
            )

    def _again(self) -> Iterator[str]:
        """How much of the calls went into answers that stood as they were."""
        from deepassay.models.exchange import SENT_BACK, UNQUOTED

        for_quotes, sent_back = self.calls.get(UNQUOTED, 0), self.calls.get(SENT_BACK, 0)
        if self.settings.quotes or for_quotes or sent_back:
            share = (for_quotes + sent_back) / sum(self.calls.values())
            yield (
                f"  asked a second time: {for_quotes} for a quote (--quotes), {sent_back} because "
                f"all that they gave would be dropped: {share:.1%} of the calls"
            )

    def _open(self) -> Iterator[str]:
        """What has no outcome, or none that is whole, and what to do about it."""
        tally = self.tally
        if missing := self.expected - tally.total:
            yield f"  unscored: {missing} for which an agent has no report"
        if tally.left:
            yield f"  not yet asked: {tally.left}"
        if tally.partly:
            yield f"  scored in part, for want of a judge or of a page: {tally.partly}"
        if self.pages and self.pages.came:
            yield from (f"  {line}" for line in self.pages.lines())
        if tally.causes[Cause.NOT_ARCHIVED]:
            yield f"  pages that are not kept: `{self._fetching}` or `deepassay sources import`"
        if self.nowhere:
            yield (
                f"  no host of any of these pages was found ({self.nowhere} in all): is this "
                f"machine cut off from the network? `{self._fetching}` tries them again"
            )
        if tally.causes[Cause.ANSWER_TRUNCATED]:
            from deepassay.results.unscored import LONGER  # who needs it has boards made as well

            yield f"  {LONGER}"
        if tally.partly or set(tally.causes) - {Cause.MISSING_INPUT, Cause.ANSWER_TRUNCATED}:
            yield "  --retry-unscored asks again for what failed"
        if self.forgotten:
            yield (
                f"  damaged and asked or scored anew: {self.forgotten} records of the run file; "
                "`deepassay replay` says whether it is whole now"
            )

    def _tokens(self) -> Iterator[str]:
        """The tokens of each kind; of the cached ones also their share in all that went in."""
        whole = self.tokens.get("input")
        for kind, count in self.tokens.items():
            share = f" ({count / whole:.1%} of input)" if kind == "cached" and whole else ""
            yield f"{count:,} {kind}{share}"


def evaluate(
    tasks: GivenTasks,
    reports: GivenReports,
    settings: Settings,
    on_progress: OnProgress = lambda tally, spent: None,
    tell_of_signal: Callable[[], None] = lambda: None,
    *,
    judges: Sequence[AskedModel] | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Summary:
    """Score reports and keep everything in the run file; resume if it has something already.

    judges: the panel, in place of the models that the settings name. tell: takes lines on what
    became of the reports, before anything is asked.

    Raises BadInput, MissingExtra. SIGINT and SIGTERM end it in good order when it runs in the
    main thread: what is under way has ten seconds to end, a second signal does not wait for it.
    """
    with engine_of(settings) as engine:
        plan = plan_of(tasks, reports, settings, judges=judges, converter=engine.converter)
        for line in plan.told():
            tell(line)
        with RunFile.create(settings.run) as run:
            return asyncio.run(carry_out(plan, settings, run, engine, on_progress, tell_of_signal))


async def aevaluate(
    tasks: GivenTasks,
    reports: GivenReports,
    settings: Settings,
    on_progress: OnProgress = lambda tally, spent: None,
    *,
    judges: Sequence[AskedModel] | None = None,
) -> Summary:
    """Score as `evaluate` does, in an event loop that runs; who cancels it keeps what is done."""
    with engine_of(settings) as engine:
        plan = plan_of(tasks, reports, settings, judges=judges, converter=engine.converter)
        with RunFile.create(settings.run) as run:
            return await carry_out(plan, settings, run, engine, on_progress)


async def carry_out(
    plan: Plan,
    settings: Settings,
    run: RunFile,
    engine: Engine,
    on_progress: OnProgress,
    tell_of_signal: Callable[[], None] | None = None,
) -> Summary:
    """Carry out a plan. tell_of_signal: called at the first signal; None to leave signals alone."""
    began, here = time.monotonic(), settings.engine == "local"
    async with (
        connected(plan, settings, run, budget_of(settings, run), to_ask=here) as asked,
        engine.engaged(plan, settings, run, asked) as hands,
    ):
        execution = Execution(
            plan,
            run,
            asked.panels,
            hands,
            retry_unscored=settings.retry_unscored,
            on_progress=lambda tally: on_progress(tally, asked.budget.spent),
        )
        with ExitStack() as stack:
            received = _stopped_by(execution, asked.batchers, tell_of_signal, stack)
            if settings.time_limit is not None:
                _stop_at(began + settings.time_limit, execution, stack)
            tally = await execution.finish(settings.at_once)
    pages, cascaded, nowhere = None, tuple[str, ...](), 0
    if plan.reads_pages:
        from deepassay.run.asking import sources  # which fetches them as well

        pages, cascaded = await sources.pages_joined(run), sources.cascades_told(run)
        nowhere = sources.pages_of_no_host(run)
    return Summary(
        settings=settings,
        tally=tally,
        expected=tally.total + plan.missing,
        spent=run.spent(),
        refused=asked.budget.refused,
        calls=run.attempts(),
        tokens=run.usage(),
        unpriced=run.unpriced(),
        seconds=time.monotonic() - began,
        reasons=_reasons(run),
        coverage=coverage_of(run) if plan.size else (),
        signal=received[0] if received else 0,
        forgotten=run.forgotten,
        nowhere=nowhere,
        pages=pages,
        waiting=run.batching.open(),
        cascaded=cascaded,
    )


class Engine(Shape):
    """Where a run is carried out. converter: who converts reports that are documents."""

    @property
    def converter(self) -> Converter: ...  # noqa: D102 - see above

    def engaged(
        self, plan: Plan, settings: Settings, run: RunFile, asked: Connected
    ) -> AbstractAsyncContextManager[Hands]:
        """Whoever carries out the cases of a plan."""
        ...


class _Local:
    """Everything is done in this process."""

    converter: Converter = HERE

    @asynccontextmanager
    async def engaged(
        self, plan: Plan, settings: Settings, run: RunFile, asked: Connected
    ) -> AsyncIterator[Hands]:
        async with open_sources(plan, settings, run) as sources:
            yield LocalRunner(run, asked.panels, sources)


@contextmanager
def engine_of(settings: Settings) -> Iterator[Engine]:
    """The engine that the settings name."""
    if settings.engine == "local":
        yield _Local()
    else:  # loaded for nobody else
        make = of_wing(f"bridges.{settings.engine}.engine", "engine")
        with make(settings) as engine:
            yield engine


def _stop_at(end: float, execution: Execution, stack: ExitStack) -> None:
    """Stop the execution at this time of the monotonic clock, unless the context ends before."""
    timer = asyncio.get_running_loop().call_later(
        max(0.0, end - time.monotonic()), execution.stop, TIME_LIMIT
    )
    stack.callback(timer.cancel)


def _stopped_by(
    execution: Execution,
    batchers: Batchers | None,
    tell: Callable[[], None] | None,
    stack: ExitStack,
) -> list[int]:
    """Have signals stop the execution, and batchers that leave; the signals that came.

    tell: called at the first signal; None to leave signals alone.
    """

    def stop() -> None:
        execution.stop("a signal")
        if batchers is not None:
            batchers.leave()
        if tell is not None:
            tell()

    if batchers is not None:
        execution.tally.is_steady = False
        batchers.on_leaving = lambda: execution.stop_at_once(WAIT_ENDED)
    if tell is None:
        return []
    return stack.enter_context(signals(stop, execution.stop_at_once))


def _reasons(run: RunFile) -> dict[Cause, str]:
    """For each cause what was said most often, as one of its tasks has it; of several the two."""
    reasons: dict[Cause, dict[str, Counter[str]]] = {}
    for task, outcome in run.unscored():
        given = " ".join(_detail_of(outcome).split())[:200] or "no reason was given"
        # The number of a status tells reasons apart, one of how many there were does not.
        alike = re.sub(rf"(?<!\w){re.escape(task)}(?!\w)|(?<!status )\b\d+", "", given)
        of_cause = reasons.setdefault(Cause(outcome["cause"]), {})
        of_cause.setdefault(alike, Counter())[given] += 1
    return {cause: _two_of([*alike.values()]) for cause, alike in reasons.items()}


def _two_of(reasons: Sequence[Counter[str]]) -> str:
    """The reason that was given most often, and the next one, with how often each was.

    reasons: the words of each, which may differ in a number, and how often they came.
    """
    first = sorted(reasons, key=Counter.total, reverse=True)[:2]
    told = [each.most_common(1)[0][0] for each in first]
    counted = [f"{words} ({each.total()})" for words, each in zip(told, first, strict=True)]
    return "; ".join(counted) if len(told) > 1 else told[0]


def _detail_of(outcome: Mapping[str, Json]) -> str:
    """Why there is no score; of a panel what all of its judges said, if that is one and the same.

    outcome: as `score.to_json` wrote it. What is kept stays as it is: `replay` compares its bytes.
    """
    whole = JudgeOutcome.of(outcome)
    said = {(each.cause, each.detail) for each in whole.evidence.judges.values()}
    (_, common) = said.pop() if len(said) == 1 else (None, "")
    return common or whole.detail
