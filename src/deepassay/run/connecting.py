"""The models of a plan, connected to and ready to be asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from deepassay.errors import BadSetting
from deepassay.models import client as models
from deepassay.models.ask import Asker, OfflineAsker
from deepassay.models.client import Client
from deepassay.models.clients import Clients
from deepassay.models.live import LiveAsker
from deepassay.models.service import Budget, RetryPolicy
from deepassay.models.usage import read_prices
from deepassay.models.verifier import Classifier, VerifyingAsker
from deepassay.protocols.protocol import Roles
from deepassay.run.plan import AskedModel, Plan
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile

Panels = Mapping[str, Sequence[Roles]]
"""Who plays which role in a protocol, once for each judge of its panel; by its name."""


@dataclass(frozen=True)
class Connected:
    """The panels of a plan and the budget that all their calls share."""

    panels: Panels
    budget: Budget


@asynccontextmanager
async def clients_of(
    plan: Plan, settings: Settings, *, to_ask: bool = True
) -> AsyncIterator[Mapping[AskedModel, Client | Classifier | None]]:
    """A client or a classifier for every model of the plan, None for `offline`. Nothing is sent.

    to_ask: False where nothing ever will be, so that no keys are needed.
    """
    async with _clients(settings, to_ask) as clients:
        yield {model: await _client(clients, model) for model in plan.models}


@asynccontextmanager
async def connected(plan: Plan, settings: Settings, run: RunFile) -> AsyncIterator[Connected]:
    """All that a plan asks. Raises BadSetting where a model cannot be asked as wanted.

    The budget holds for the run file: what earlier calls cost counts.
    """
    async with clients_of(plan, settings) as clients:
        budget = Budget(settings.budget, run.spent())
        askers = {
            model: _asker(client, run, budget, settings, retry=settings.retry_unscored)
            for model, client in clients.items()
        }
        panels = {str(protocol): plan.roles(protocol, askers) for protocol in plan.protocols}
        for protocol, panel in panels.items():
            _refuse_twins(protocol, panel)
        yield Connected(panels, budget)


@asynccontextmanager
async def one_model(name: str, settings: Settings, run: RunFile) -> AsyncIterator[Asker]:
    """One model, ready to be asked; what failed before is asked again. Raises BadSetting."""
    async with _clients(settings) as clients:
        client = await _client(clients, AskedModel.with_settings(name, settings))
        yield _asker(client, run, Budget(settings.budget, run.spent()), settings, retry=True)


def _clients(settings: Settings, to_ask: bool = True) -> Clients:
    prices = read_prices(settings.prices) if settings.prices else None
    return Clients(settings.max_connections, seconds=settings.deadline, prices=prices, keys=to_ask)


def _asker(
    client: Client | Classifier | None,
    run: RunFile,
    budget: Budget,
    settings: Settings,
    *,
    retry: bool,
) -> Asker:
    if client is None:
        return OfflineAsker(run)
    if isinstance(client, Classifier):
        return VerifyingAsker(client, run)
    return LiveAsker(
        client,
        run,
        # Spreading the waits between attempts decides no score, so any seed will do.
        chance=np.random.default_rng(),
        budget=budget,
        retries=RetryPolicy(request_seconds=settings.deadline),
        allow_unpriced=settings.allow_unpriced,
        retry=retry,
    )


async def _client(clients: Clients, model: AskedModel) -> Client | Classifier | None:
    if model.client is not None or model.model == "offline":
        return model.client
    if model.is_local:
        return Classifier(Path(model.model.removeprefix("local:")))
    settings = models.Settings(
        effort=model.effort, structured=model.structured, context_window=model.context_window
    )
    if model.temperature is not None:
        settings = replace(settings, temperature=model.temperature)
    if model.max_output is not None:
        settings = replace(settings, max_output=model.max_output)
    return await clients.connect(model.model, settings, model.base_url)


def _refuse_twins(protocol: str, panel: Sequence[Roles]) -> None:
    names = [str(roles.judge.identity["model"]) for roles in panel]
    if len(set(names)) < len(names):
        raise BadSetting(
            f"The panel of {protocol} has the same judge twice: {', '.join(names)}.",
            "For several judgements by one judge, use --repeat.",
        )
