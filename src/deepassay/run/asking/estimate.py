"""What a run would ask and cost, before anything is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Final

from deepassay.models.ask import OFFLINE, Asker
from deepassay.models.client import Client
from deepassay.models.estimating import EVERY, EstimatingAsker, Reckoning, Scenario
from deepassay.models.usage import Usage
from deepassay.models.verifier import Classifier
from deepassay.protocols.protocol import Case, Protocol, Sources
from deepassay.reports.loaders import GivenReports
from deepassay.run.asking.assumed import GONE, LONG, SHORT, ExpectedPages, FoundVerdicts, PagesIn
from deepassay.run.asking.connecting import clients_of, kept_pages
from deepassay.run.asking.plan import AskedModel, Plan
from deepassay.run.asking.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.tasks.loaders import GivenTasks

OnProgress = Callable[[int, int], None]
"""Called with the judgements gone through, and how many there are."""


@dataclass(frozen=True)
class Reckoned:
    """What one model would be asked, at the least, most likely and at the most.

    deciding: what of the answers decides how many questions there are.
    """

    low: Reckoning
    typical: Reckoning
    high: Reckoning
    deciding: frozenset[str] = frozenset()

    def of(self, count: Callable[[Reckoning], float]) -> tuple[float, float, float]:
        """A count: most likely, then its least and its greatest."""
        low, typical, high = map(count, (self.low, self.typical, self.high))
        return typical, min(low, typical, high), max(low, typical, high)


@dataclass(frozen=True)
class Estimate:
    """What each model would be asked.

    size: how much there is to be judged, in words. assumed: cited pages that are not there yet,
    will be fetched, and were taken to be of typical length. told: lines on what became of the
    reports.
    """

    size: str
    assumed: int
    models: Mapping[AskedModel, Reckoned]
    told: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The estimate for a person."""
        yield from self.told
        yield self.size
        if self.assumed:
            yield (
                f"{self.assumed:,} cited pages are not fetched yet: taken to be as long as "
                f"published ones, one in {GONE.typical} gone (least: {SHORT:,} characters, one in "
                f"{GONE.low} gone; most: {LONG:,}, none gone); `deepassay sources fetch` asks no "
                "model, and what it brings is counted as it is"
            )
        for model, reckoned in self.models.items():
            yield from _told(str(model), reckoned)


def _told(model: str, reckoned: Reckoned) -> Iterator[str]:
    typical = reckoned.typical
    calls, fewest, most = reckoned.of(lambda each: each.calls)
    span = f" ({fewest:,} to {most:,})" if fewest < most else ""
    kept = f" ({typical.kept:,} more are answered already)" if typical.kept else ""
    yield f"{model}: {calls:,} questions{span}{kept}; {_cost(reckoned)}"
    if not most:
        return
    asked = _tokens(reckoned.of(lambda each: each.usage.input))
    cached = typical.usage.cached
    told = f", of which about {_about(cached)} cached" if cached else ""
    answered = _tokens(reckoned.of(lambda each: each.usage.output))
    yield f"  tokens in: about {asked}{told}; out: about {answered}"
    if again := typical.again:
        yield (
            f"  for quotes: up to {again:,} of these are asked a second time, {again / calls:.0%} "
            "more calls (counted in the greatest figures alone)"
        )
    if fewest < most and reckoned.deciding:
        yield f"  how many questions, answers decide: {', '.join(sorted(reckoned.deciding))}"
    if typical.too_long:
        yield (
            f"  longer than the model's window and not to be sent: {typical.too_long} more; if a "
            "protocol then reads the report in parts, the questions about these are counted above"
        )


def _tokens(values: tuple[float, float, float]) -> str:
    typical, low, high = map(_about, values)
    return f"{typical} ({low} to {high})"


def _about(number: float) -> str:
    """A number with three digits that are not zero."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _cost(reckoned: Reckoned) -> str:
    costs = [each.cost for each in (reckoned.typical, reckoned.low, reckoned.high)]
    worst = reckoned.high.worst
    typical, low, high = costs
    if typical is None or low is None or high is None or worst is None:
        return "its price is not known: give one with --prices FILE"
    if not high:
        return "free of charge"
    return (
        f"about ${typical:.2f} (${low:.2f} to ${high:.2f}) without thinking, "
        f"${worst:.2f} if every answer had the longest length allowed"
    )


def estimate(
    tasks: GivenTasks,
    reports: GivenReports,
    settings: Settings,
    on_progress: OnProgress = lambda done, total: None,
    *,
    judges: Sequence[AskedModel] | None = None,
) -> Estimate:
    """Go through a plan without asking anything. Raises BadInput as `evaluate` does."""
    return estimate_of(plan_of(tasks, reports, settings, judges=judges), settings, on_progress)


def estimate_of(
    plan: Plan, settings: Settings, on_progress: OnProgress = lambda done, total: None
) -> Estimate:
    """What a plan would ask: questions, tokens, USD and time. Nothing is asked."""
    found = asyncio.run(_estimate(plan, settings, on_progress))
    return replace(found, told=tuple(plan.told()))


FEWEST: Final = 5
"""Tasks of which these reports are."""

SAMPLE: Final = 60
"""Reports at least for which the least and the most are gone through, where answers decide.

Of more, those of every so many-th task, since reports of one task share pages; what comes of the
others is in the same proportion.
"""


async def _estimate(plan: Plan, settings: Settings, on_progress: OnProgress) -> Estimate:
    async with AsyncExitStack() as stack:
        clients = await stack.enter_async_context(clients_of(plan.models, settings))
        run = stack.enter_context(RunFile.read(settings.run)) if settings.run.exists() else None
        pages = ExpectedPages(kept_pages(settings, run, stack), settings)
        alike, typical, sample = (
            CaseCounter(plan, clients, run, pages, settings) for _ in range(3)
        )
        total, places = plan.size, {task: place for place, task in enumerate(plan.tasks)}
        step = max(1, min(len(plan.reports) // SAMPLE, len(places) // FEWEST))
        in_sample = EVERY if step > 1 else (Scenario.LOW, Scenario.HIGH)
        settled = 0
        for done, (protocol, case) in enumerate(plan.cases()):
            on_progress(done, total)
            settled += protocol.is_settled(case)
            if not _branches(protocol):
                await alike.count(protocol, case, EVERY)
                continue
            await typical.count(protocol, case, [Scenario.TYPICAL])
            if places[case.report.task] % step == 0:
                for scenario in in_sample:
                    await sample.count(protocol, case, [scenario])
    counted = zip(*(each.askers.items() for each in (alike, typical, sample)), strict=True)
    models = {model: _reckoned(a, b, c, step == 1) for (model, a), (_, b), (_, c) in counted}
    return Estimate(f"{total - settled:,} judgements of reports", len(pages.assumed), models)


Work = Callable[[Asker, Sources], Awaitable[object]]
"""What is asked of one model about pages, whatever it answers."""


def estimate_work(size: str, names: Iterable[str], settings: Settings, work: Work) -> Estimate:
    """What each of these models would be asked by work that fetches nothing.

    size: how much there is to be judged, in words.
    """
    return asyncio.run(_estimate_work(size, names, settings, work))


async def _estimate_work(
    size: str, names: Iterable[str], settings: Settings, work: Work
) -> Estimate:
    known = settings.model_copy(update={"offline_sources": True, "retry_unscored": True})
    found: dict[AskedModel, Reckoned] = {}
    async with AsyncExitStack() as stack:
        models = [AskedModel.with_settings(name, settings) for name in names]
        clients = await stack.enter_async_context(clients_of(models, settings))
        run = stack.enter_context(RunFile.read(settings.run)) if settings.run.exists() else None
        pages = ExpectedPages(kept_pages(settings, run, stack), known)
        for model, client in clients.items():
            asker = _asker(client, run, known)
            for scenario, sources in _sources(pages, run).items():
                asker.scenarios = [scenario]
                await work(asker, sources)
            low, typical, high = asker.reckonings
            found[model] = Reckoned(low, typical, high, frozenset(asker.deciding))
    return Estimate(size, 0, found)


def _sources(pages: ExpectedPages, run: RunFile | None) -> Mapping[Scenario, Sources]:
    """Pages as they are in each scenario; what is supposed of statements in one, none other has."""
    kept = None if run is None else run.verdicts
    return {each: Sources(PagesIn(pages, each), FoundVerdicts(kept)) for each in EVERY}


def _branches(protocol: Protocol) -> bool:
    """Whether answers or pages decide what else is asked."""
    return protocol.reads_pages or any(each.expected.decides for each in protocol.operations())


class CaseCounter:
    """Goes through cases with models that only count."""

    def __init__(
        self,
        plan: Plan,
        clients: Mapping[AskedModel, Client | Classifier | None],
        run: RunFile | None,
        pages: ExpectedPages,
        settings: Settings,
    ) -> None:
        self._plan = plan
        self.askers = {model: _asker(client, run, settings) for model, client in clients.items()}
        self._sources = _sources(pages, run)

    async def count(self, protocol: Protocol, case: Case, scenarios: Sequence[Scenario]) -> None:
        """Count what a case asks, in these scenarios alike."""
        if not case.report.text.strip():
            return  # nobody is asked about an empty report
        for asker in self.askers.values():
            asker.scenarios = scenarios
        sources = self._sources[scenarios[len(scenarios) // 2]]
        for roles in self._plan.roles(protocol, self.askers):
            await protocol.score(case, roles, sources)


def _reckoned(
    alike: EstimatingAsker, typical: EstimatingAsker, sample: EstimatingAsker, is_all: bool
) -> Reckoned:
    """What was counted for all cases, or in the sample and is taken for all in proportion.

    is_all: whether the sample is all of them; then what is typical was counted once, outside.
    """
    whole, parts = typical.reckonings[Scenario.TYPICAL], [*sample.reckonings]
    if is_all:
        parts[Scenario.TYPICAL] = whole
    some = parts[Scenario.TYPICAL]
    low, likely, high = (_sum(alike.reckonings[each], whole, parts[each], some) for each in EVERY)
    return Reckoned(low, likely, high, frozenset(typical.deciding))


def _sum(alike: Reckoning, whole: Reckoning, part: Reckoning, some: Reckoning) -> Reckoning:
    """Alike and whole, the latter in the proportion in which `part` stands to `some`."""

    def scaled(count: Callable[[Reckoning], float]) -> float:
        share = count(part) / count(some) if count(some) else 1.0
        return count(alike) + count(whole) * share

    unpriced = alike.cost is None or whole.cost is None
    return Reckoning(
        calls=round(scaled(lambda each: each.calls)),
        kept=round(scaled(lambda each: each.kept)),
        too_long=round(scaled(lambda each: each.too_long)),
        again=round(scaled(lambda each: each.again)),
        usage=Usage(
            **{
                name: round(scaled(lambda each, name=name: getattr(each.usage, name)))  # type: ignore[misc]
                for name in vars(alike.usage)
            }
        ),
        cost=None if unpriced else scaled(lambda each: each.cost or 0.0),
        worst=None if unpriced else scaled(lambda each: each.worst or 0.0),
    )


def _asker(
    client: Client | Classifier | None, run: RunFile | None, settings: Settings
) -> EstimatingAsker:
    identity = OFFLINE if client is None else client.identity
    if client is None or isinstance(client, Classifier):
        return EstimatingAsker(identity, run, price=lambda usage: 0.0, max_output=10**6)
    return EstimatingAsker(
        identity,
        run,
        price=client.price,
        max_output=client.max_output,
        context_window=client.context_window,
        retry=settings.retry_unscored,
        batched=settings.in_batches,
    )
