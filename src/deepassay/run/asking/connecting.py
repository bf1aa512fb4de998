"""The models and the cited pages of a plan, connected to and ready to be asked."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from deepassay.errors import BadSetting, Notice
from deepassay.models.ask import Answers, Asker, OfflineAsker
from deepassay.models.budget import Budget
from deepassay.models.client import Client, ModelSettings
from deepassay.models.clients import Clients
from deepassay.protocols.protocol import RoleAskers, Sources
from deepassay.run.asking.page_readers import open_reader
from deepassay.run.asking.plan import AskedModel, Plan
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.runfile.captures import Captures
from deepassay.sources.page import Pages
from deepassay.sources.snapshots import Snapshots

if TYPE_CHECKING:
    from deepassay.agents import Models
    from deepassay.models.batches.batchers import Batchers
    from deepassay.models.cascade import Cascade
    from deepassay.models.verifier import Classifier
    from deepassay.sources.readers import PageReader

Panels = Mapping[str, Sequence[RoleAskers]]
"""Who plays which role in a protocol, once for each judge of its panel; by its name."""


@dataclass(frozen=True)
class Connected:
    """The panels of a plan, and the budget and the batches that all their calls share."""

    panels: Panels
    budget: Budget
    batchers: Batchers | None


@asynccontextmanager
async def clients_of(
    models: Iterable[AskedModel], settings: Settings
) -> AsyncIterator[Mapping[AskedModel, Client | Classifier | None]]:
    """A client or a classifier for every model, None for `offline`. Nothing is sent."""
    async with _clients(settings, to_ask=False) as clients:
        found = {model: await _client(clients, model) for model in models}
        _tell_of_missing_prices(settings.prices, found)
        yield found


def _tell_of_missing_prices(
    file: Path | None, clients: Mapping[AskedModel, Client | Classifier | None]
) -> None:
    """Say which models have no price although a file of prices was given."""
    if file is None:
        return
    from deepassay.models.prices import read_prices
    from deepassay.models.verifier import Classifier

    asked = [each for each in clients.values() if each and not isinstance(each, Classifier)]
    unpriced = sorted({str(each.identity["model"]) for each in asked if each.price is None})
    if unpriced:
        named = ", ".join(sorted(read_prices(file))[:5])
        warnings.warn(
            Notice(f"{file}: no price for {', '.join(unpriced)}; it has prices for {named}."),
            stacklevel=2,
        )


def budget_of(settings: Settings, run: RunFile) -> Budget:
    """What may be spent, and how fast: of both what falls to one shard.

    It holds for the run file: what earlier calls cost, or may yet cost, counts.
    """
    shards = settings.part[1] if settings.part else 1
    return Budget(settings.cap, run.spent(), settings.rate and settings.rate / shards)


@asynccontextmanager
async def connected(
    plan: Plan, settings: Settings, run: Answers, budget: Budget, *, to_ask: bool = True
) -> AsyncIterator[Connected]:
    """All that a plan asks. Raises BadSetting where a model cannot be asked as wanted.

    to_ask: False where others do the asking, so that no keys are needed.
    """
    retry = settings.retry_unscored
    async with _asking(settings, run, budget, retry=retry, to_ask=to_ask) as asking:
        clients = {model: await _client(asking.clients, model) for model in plan.models}
        _tell_of_missing_prices(settings.prices, clients)
        askers = {model: asking.of(model, client) for model, client in clients.items()}
        first = await asking.cascade(plan.cascade) if plan.cascade else None
        panels = {str(protocol): plan.roles(protocol, askers, first) for protocol in plan.protocols}
        for protocol, panel in panels.items():
            refuse_twins(protocol, panel)
        yield Connected(panels, asking.budget, asking.batchers)


@asynccontextmanager
async def one_model(
    name: str, settings: Settings, run: RunFile
) -> AsyncIterator[tuple[Asker, Batchers | None]]:
    """One model, ready to be asked, with its batches; what failed before is asked again.

    Raises BadSetting.
    """
    async with _asking(settings, run, budget_of(settings, run), retry=True) as asking:
        model = AskedModel.with_settings(name, settings)
        yield asking.of(model, await _client(asking.clients, model)), asking.batchers


@dataclass(frozen=True)
class Asking:
    """What the askers of one command share. retry: ask again what failed before.

    file: the run, where this process writes it, with what waits in batches.
    """

    clients: Clients
    settings: Settings
    run: Answers
    budget: Budget
    retry: bool
    batchers: Batchers | None
    file: RunFile | None

    def of(self, model: AskedModel, client: Client | Classifier | None) -> Asker:
        """Who asks this client. Raises BadSetting where it cannot be asked as wanted."""
        if client is None:
            return OfflineAsker(self.run)
        from deepassay.models.verifier import Classifier, VerifyingAsker

        if isinstance(client, Classifier):
            return VerifyingAsker(client, self.run)
        from deepassay.models.live import LiveAsker
        from deepassay.models.service import RetryPolicy

        settings = self.settings
        given: dict[str, Any] = {
            # Spreading the waits between attempts decides no score, so any seed will do.
            "chance": np.random.default_rng(),
            "budget": self.budget,
            "retries": RetryPolicy(request_seconds=settings.deadline),
            "allow_unpriced": settings.allow_unpriced,
            "retry": self.retry,
        }
        if self.batchers is None or self.file is None or model.client is not None:
            if self.file is not None and self.file.batching.requests:
                from deepassay.models.batches.batchers import refuse_waiting

                refuse_waiting(self.file.batching, client.identity)
            asker = LiveAsker(client, self.run, **given)
            return asker if self.batchers is None else self.batchers.beside(asker)
        from deepassay.models.batches.asker import BatchAsker

        interface = self.clients.interface(model.model, client, model.base_url, settings.batch_file)
        return BatchAsker(self.batchers.of(interface, client.identity), client, self.file, **given)

    async def cascade(self, model: AskedModel) -> Cascade:
        """The cascade of a file, with who is asked at each stage. Raises BadSetting."""
        from deepassay.models.cascade import Cascade, CascadeRule

        rule = CascadeRule.named(model.model)
        asked = [AskedModel.named(e.model, model.settings, model.base_url) for e in rule.stages]
        return Cascade(rule, [self.of(e, await _client(self.clients, e)) for e in asked], self.run)


@asynccontextmanager
async def _asking(
    settings: Settings, run: Answers, budget: Budget, *, retry: bool, to_ask: bool = True
) -> AsyncIterator[Asking]:
    """The budget, clients and retries that askers of all roles share, until the context ends."""
    async with AsyncExitStack() as stack:
        clients = await stack.enter_async_context(_clients(settings, to_ask))
        file = run if isinstance(run, RunFile) else None
        batchers = None
        if settings.in_batches and file is not None:
            from deepassay.models.batches.batchers import MOST, Batchers

            # Somebody has to carry files out first.
            wait = 0.0 if settings.batch_file and not settings.batch_wait else settings.batch_wait
            batchers = Batchers(file, budget, most=settings.batch_size or MOST, wait=wait)
            await stack.enter_async_context(batchers)
        yield Asking(clients, settings, run, budget, retry, batchers, file)


class _AgentModels:
    """The models of agents: each is connected to once."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._known: dict[AskedModel, Client | Classifier | None] = {}

    async def asker(self, name: str, settings: ModelSettings, base_url: str | None) -> Asker:
        model = AskedModel.named(name, settings, base_url)
        return self._asking.of(model, await self._connected(model))

    async def client(self, name: str, settings: ModelSettings, base_url: str | None) -> Client:
        model = AskedModel.named(name, settings, base_url)
        from deepassay.models.verifier import Classifier

        client = await self._connected(model)
        if client is None or isinstance(client, Classifier):
            raise BadSetting(
                f"{name} is no model that writes reports.", "Give PROVIDER:NAME or module:name."
            )
        return client

    async def _connected(self, model: AskedModel) -> Client | Classifier | None:
        if model not in self._known:
            self._known[model] = await _client(self._asking.clients, model)
        return self._known[model]


@asynccontextmanager
async def connected_models(
    settings: Settings, run: RunFile, *, retry: bool = False
) -> AsyncIterator[tuple[Models, Asking, Pages]]:
    """Models by name, the budget and batches that their calls share, and the reader of pages.

    retry: ask again what failed before; otherwise an agent that goes on finds its failures too.
    """
    async with AsyncExitStack() as stack:
        opened = _asking(settings, run, budget_of(settings, run), retry=retry)
        asking = await stack.enter_async_context(opened)
        reader = await stack.enter_async_context(reader_of(settings))
        pages = Snapshots(run.captures, shared_captures(settings, stack), reader)
        yield _AgentModels(asking), asking, pages


def _clients(settings: Settings, to_ask: bool = True) -> Clients:
    prices = None
    if settings.prices:
        from deepassay.models.prices import read_prices

        prices = read_prices(settings.prices)
    return Clients(
        settings.max_connections,
        seconds=settings.deadline,
        prices=prices,
        keys=to_ask and settings.batch_file is None,  # files go nowhere by themselves
        batches=settings.in_batches,
    )


async def _client(clients: Clients, model: AskedModel) -> Client | Classifier | None:
    if model.client is not None or model.model == "offline":
        return model.client
    if model.is_local:
        from deepassay.models.verifier import Classifier

        return Classifier(Path(model.model.removeprefix("local:")))
    return await clients.connect(model.model, model.settings, model.base_url)


def refuse_twins(protocol: str, panel: Sequence[RoleAskers]) -> None:
    """Raise BadSetting for a panel in which two judges have one name."""
    names = [str(roles.judge.identity["model"]) for roles in panel]
    if len(set(names)) < len(names):
        raise BadSetting(
            f"The panel of {protocol} has the same judge twice: {', '.join(names)}.",
            "For several judgements by one judge, use --repeat.",
        )


@asynccontextmanager
async def open_sources(plan: Plan, settings: Settings, run: RunFile) -> AsyncIterator[Sources]:
    """Pages and verdicts for a plan. Nothing is opened or fetched if no protocol reads pages."""
    async with AsyncExitStack() as stack:
        pages = Snapshots(run.captures)
        if plan.reads_pages:
            from deepassay.run.asking.sources import addresses_to_read

            opened = reader_of(settings, lambda: addresses_to_read(plan))
            reader = await stack.enter_async_context(opened)
            shared = shared_captures(settings, stack)
            pages = Snapshots(run.captures, shared, reader, retry=settings.retry_unscored)
        yield Sources(pages, run.verdicts)


@asynccontextmanager
async def reader_of(
    settings: Settings, to_read: Callable[[], Iterable[str]] = tuple
) -> AsyncIterator[PageReader | None]:
    """Who reads pages that are not kept, or None where nothing may be fetched.

    to_read: see `open_reader`.
    """
    if settings.offline_sources:
        yield None
        return
    hosts, proxy = settings.allow_host, settings.page_proxy
    name = settings.reader
    async with open_reader(name, allow_hosts=hosts, proxy=proxy, to_read=to_read) as reader:
        yield reader


def kept_pages(settings: Settings, run: RunFile | None, stack: AsyncExitStack) -> Sequence[Pages]:
    """Pages that are there already: those of the run, and those of the shared file."""
    kept = [] if run is None else [run.captures]
    if settings.snapshots is not None and settings.snapshots.exists():
        shared = shared_captures(settings, stack)
        kept += [] if shared is None else [shared]
    return [Snapshots(each) for each in kept]


def shared_captures(settings: Settings, stack: ExitStack | AsyncExitStack) -> Captures | None:
    """The captures of the file that several runs share, if there is one, as long as the stack."""
    path = settings.snapshots
    if path is None or path.resolve() == settings.run.resolve():
        return None
    return stack.enter_context(RunFile.share(path)).captures
