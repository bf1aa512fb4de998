"""Who plays whom: the models of a plan, connected to and ready to be asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import numpy as np

from deepassay.errors import BadSetting
from deepassay.models.ask import Asker, OfflineAsker
from deepassay.models.client import Client, Settings
from deepassay.models.clients import Clients
from deepassay.models.live import LiveAsker
from deepassay.models.prices import read_prices
from deepassay.models.service import Budget, RetryPolicy
from deepassay.protocols.protocol import Roles
from deepassay.run.plan import Plan, Player
from deepassay.run.request import Request
from deepassay.run.terms import Terms
from deepassay.runfile import RunFile

Panels = Mapping[str, Sequence[Roles]]
"""The cast of each protocol, once for each judge of its panel, by the name of the protocol."""


@dataclass(frozen=True)
class Cast:
    """The panels of a plan and the budget that all their calls share."""

    panels: Panels
    budget: Budget


@asynccontextmanager
async def connected(
    plan: Plan, request: Request, *, to_ask: bool = True
) -> AsyncIterator[Mapping[Player, Client | None]]:
    """A client for every player of the plan (None for `offline`). Nothing is sent yet.

    to_ask: False where nothing ever will be, so that no keys are needed.
    """
    prices = read_prices(request.prices) if request.prices else None
    async with Clients(
        request.max_connections, seconds=request.deadline, prices=prices, keys=to_ask
    ) as clients:
        yield {player: await _client(clients, player) for player in plan.everyone}


@asynccontextmanager
async def cast(plan: Plan, request: Request, run: RunFile) -> AsyncIterator[Cast]:
    """The askers of a plan. Raises BadSetting where a model cannot be asked as wanted.

    The budget holds for the run file: what earlier calls cost counts.
    """
    async with connected(plan, request) as clients:
        budget = Budget(request.budget, run.spent())
        askers = {
            player: _asker(client, run, budget, request, retry=request.retry_unscored)
            for player, client in clients.items()
        }
        panels = {str(protocol): plan.roles(protocol, askers) for protocol in plan.protocols}
        for protocol, panel in panels.items():
            _refuse_twins(protocol, panel)
        yield Cast(panels, budget)


@asynccontextmanager
async def solo(player: Player, terms: Terms, run: RunFile) -> AsyncIterator[Asker]:
    """One model, ready to be asked; what failed before is asked again. Raises BadSetting."""
    prices = read_prices(terms.prices) if terms.prices else None
    async with Clients(terms.max_connections, seconds=terms.deadline, prices=prices) as clients:
        client = await _client(clients, player)
        yield _asker(client, run, Budget(terms.budget, run.spent()), terms, retry=True)


def _asker(
    client: Client | None, run: RunFile, budget: Budget, terms: Terms, *, retry: bool
) -> Asker:
    if client is None:
        return OfflineAsker(run)
    return LiveAsker(
        client,
        run,
        # Spreading the waits between attempts decides no score, so any seed will do.
        chance=np.random.default_rng(),
        budget=budget,
        retries=RetryPolicy(request_seconds=terms.deadline),
        allow_unpriced=terms.allow_unpriced,
        retry=retry,
    )


async def _client(clients: Clients, player: Player) -> Client | None:
    if player.model == "offline":
        return None
    settings = Settings(
        effort=player.effort, structured=player.structured, context_window=player.context_window
    )
    if player.temperature is not None:
        settings = replace(settings, temperature=player.temperature)
    if player.max_output is not None:
        settings = replace(settings, max_output=player.max_output)
    return await clients.connect(player.model, settings, player.base_url)


def _refuse_twins(protocol: str, panel: Sequence[Roles]) -> None:
    names = [str(roles.judge.identity["model"]) for roles in panel]
    if len(set(names)) < len(names):
        raise BadSetting(
            f"The panel of {protocol} has the same judge twice: {', '.join(names)}.",
            "For several judgements by one judge, use --repeat.",
        )
