"""Askers in batches of the loopback service, quick enough for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from deepassay.models.batches import batchers as batchers_of
from deepassay.models.batches.asker import BatchAsker
from deepassay.models.batches.batchers import Batchers
from deepassay.models.batches.interface import Pacing
from deepassay.models.budget import Budget
from deepassay.models.client import ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.prices import OwnPrice
from deepassay.runfile import RunFile
from tests.batching import FakeBatches

QUICK = Pacing(idle=0.05, first=0.01, longest=0.02)
PRICES = dict.fromkeys(("gpt-judge", "claude", "gemini-judge"), OwnPrice(input=10, output=100))
OPENAI = "openai-responses:gpt-judge"
CHAT = "openai:gpt-judge"
CLAUDE = "anthropic:claude"


def address(service: FakeBatches | None, model: str) -> str:
    if service is None:
        return "http://127.0.0.1:9/v1"
    return service.address if model.startswith(("anthropic", "google")) else service.base_url


@asynccontextmanager
async def batching(
    service: FakeBatches | None,
    run: RunFile,
    model: str = OPENAI,
    budget: float | None = None,
    **how: Any,
) -> AsyncIterator[tuple[BatchAsker, Batchers]]:
    """An asker, and the batchers that it belongs to."""
    money = Budget(budget, run.spent())
    retry, folder = how.pop("retry", False), how.pop("folder", None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batchers_of, "PACING", how.pop("pacing", QUICK))
        made = Batchers(run, money, **how)
    async with Clients(seconds=60.0, prices=PRICES, batches=True) as clients, made as batchers:
        where = address(service, model)
        client = await clients.connect(model, ModelSettings(max_output=1000), where)
        batcher = batchers.of(clients.interface(model, client, where, folder), client.identity)
        chance = np.random.default_rng(7)
        yield BatchAsker(batcher, client, run, chance=chance, budget=money, retry=retry), batchers


async def left(asking: Any, batchers: Batchers) -> bool:
    """Whether the batchers left what is asked before it was answered."""
    task = asyncio.ensure_future(asking)
    batchers.on_leaving = task.cancel
    try:
        await task
    except asyncio.CancelledError:
        return True
    return False
