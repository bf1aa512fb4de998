"""What a run would ask and cost, before anything is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

from deepassay.models.ask import OFFLINE, EstimatingAsker, Reckoning
from deepassay.models.client import Client
from deepassay.models.verifier import Classifier
from deepassay.protocols.protocol import Sources, Verdicts
from deepassay.reports.loaders import GivenReports
from deepassay.run.connecting import clients_of, kept_pages
from deepassay.run.plan import AskedModel, Plan
from deepassay.run.planning import plan_of
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile, StoredVerdict
from deepassay.sources.page import Failure, NoPage, Page, Pages
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


def _asker(client: Client | Classifier | None, run: RunFile, retry: bool) -> EstimatingAsker:
    if client is None:
        return EstimatingAsker(OFFLINE, run, price=lambda usage: 0.0, max_output=10**6)
    if isinstance(client, Classifier):
        return EstimatingAsker(client.identity, run, price=lambda usage: 0.0, max_output=10**6)
    return EstimatingAsker(
        client.identity,
        run,
        price=client.price,
        max_output=client.max_output,
        context_window=client.context_window,
        retry=retry,
    )


TYPICAL_PAGE: Final = 30_000
"""Characters of a page that nobody has seen yet: an article or a paper's first sections."""


TYPICAL_POINTS: Final = 8
"""Sentences of it that bear on the task for which it is cited."""

LONGEST_POINT: Final = 200
"""Characters of the task that such a sentence repeats."""


class AssumedPages:
    """Pages that are kept, and for each other address one of typical length.

    query: the task for which they are cited. assumed: the addresses of stand-ins, over all tasks,
    with the number of their first sentence: no two of them say the same.
    """

    def __init__(
        self, pages: Pages, query: str = "", assumed: dict[str, int] | None = None
    ) -> None:
        self._pages = pages
        self._query = " ".join(query[:LONGEST_POINT].split())
        self.assumed: dict[str, int] = {} if assumed is None else assumed

    def about(self, query: str) -> AssumedPages:
        """The same pages, as they are cited for this task."""
        return AssumedPages(self._pages, query, self.assumed)

    async def get(self, url: str) -> Page | NoPage:
        """The page, or a stand-in where it was not fetched."""
        page = await self._pages.get(url)
        if isinstance(page, NoPage) and page.failure is Failure.NOT_ARCHIVED:
            first = self.assumed.setdefault(url, TYPICAL_POINTS * len(self.assumed))
            numbers = range(first, first + TYPICAL_POINTS)
            about = self._query.strip(".?!。？！")
            points = "".join(f"{about}: {number}.\n\n" for number in numbers)
            filling = "lorem ipsum " * ((TYPICAL_PAGE - len(points)) // 12)
            return Page(url, f"{url}\n\n{points}{filling}")
        return page


class FoundVerdicts:
    """Verdicts that are kept, and those of this estimate, which nobody keeps."""

    def __init__(self, verdicts: Verdicts) -> None:
        self._verdicts = verdicts
        self._assumed: dict[str, StoredVerdict] = {}

    def find(self, key: str) -> StoredVerdict | None:
        """The verdict under this key."""
        return self._verdicts.find(key) or self._assumed.get(key)

    async def keep(self, verdicts: Sequence[StoredVerdict]) -> None:
        """Remember them while the estimate is made: who asks the same again need not pay."""
        self._assumed.update((each.key, each) for each in verdicts)
