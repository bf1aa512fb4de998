"""What a run would ask and cost, before anything is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from deepassay.models.ask import OFFLINE
from deepassay.models.client import Client
from deepassay.models.estimating import EstimatingAsker, Reckoning
from deepassay.protocols.protocol import Sources
from deepassay.reports.loaders import GivenReports
from deepassay.run.assumed import AssumedPages, FoundVerdicts
from deepassay.run.connecting import clients_of
from deepassay.run.plan import AskedModel, Plan
from deepassay.run.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.run.sourcing import kept_pages
from deepassay.runfile import RunFile
from deepassay.tasks.loaders import GivenTasks


@dataclass(frozen=True)
class Estimate:
    """Cases of the plan, and what each model would be asked.

    assumed: cited pages that are not there yet and were taken to be of typical length.
    """

    cases: int
    assumed: int
    models: Mapping[AskedModel, Reckoning]

    def lines(self) -> Iterator[str]:
        """The estimate for a person."""
        yield f"{self.cases} judgements of reports"
        if self.assumed:
            yield f"{self.assumed} cited pages are not fetched yet and taken for typical ones"
        for model, reckoning in self.models.items():
            kept = f" ({reckoning.kept} more are answered already)" if reckoning.kept else ""
            usage = reckoning.usage
            cached = f" (of which about {usage.cached:,} cached)" if usage.cached else ""
            yield (
                f"{model}: {reckoning.calls} questions{kept}, about {usage.input:,} tokens in"
                f"{cached} and {usage.output:,} out; {_cost(reckoning)}"
            )
            if reckoning.too_long:
                yield (
                    f"{model}: longer than the model's window and not to be sent: "
                    f"{reckoning.too_long} more; if a protocol then reads the report in parts, "
                    "the questions about these are counted above"
                )


def _cost(reckoning: Reckoning) -> str:
    if reckoning.cost is None or reckoning.worst is None:
        return "its price is not known: give one with --prices FILE"
    if not reckoning.cost:
        return "free of charge"
    return (
        f"about ${reckoning.cost:.2f} without thinking, "
        f"${reckoning.worst:.2f} if every answer had the longest length allowed"
    )


def estimate(
    tasks: GivenTasks,
    reports: GivenReports,
    settings: Settings,
    *,
    judges: Sequence[AskedModel] | None = None,
) -> Estimate:
    """Go through a plan without asking anything. Raises BadInput as `evaluate` does."""
    plan = plan_of(tasks, reports, settings, judges=judges)
    with RunFile.read(settings.run) if settings.run.exists() else RunFile.in_memory() as run:
        return asyncio.run(_estimate(plan, settings, run))


async def _estimate(plan: Plan, settings: Settings, run: RunFile) -> Estimate:
    async with AsyncExitStack() as stack:
        clients = await stack.enter_async_context(clients_of(plan, settings, to_ask=False))
        askers = {
            model: _asker(client, run, settings.retry_unscored) for model, client in clients.items()
        }
        pages = AssumedPages(kept_pages(settings, run, stack))
        verdicts = FoundVerdicts(run.verdicts)
        for protocol, case in plan.cases():
            sources = Sources(pages.about(case.task.prompt), verdicts)
            for roles in plan.roles(protocol, askers):
                await protocol.score(case, roles, sources)
    return Estimate(
        plan.size, len(pages.assumed), {model: asker.reckoning for model, asker in askers.items()}
    )


def _asker(client: Client | None, run: RunFile, retry: bool) -> EstimatingAsker:
    if client is None:
        return EstimatingAsker(OFFLINE, run, price=lambda usage: 0.0, max_output=10**6)
    return EstimatingAsker(
        client.identity,
        run,
        price=client.price,
        max_output=client.max_output,
        context_window=client.context_window,
        retry=retry,
    )
