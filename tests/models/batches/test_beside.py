"""Questions that are asked live beside those in batches, and of the same run file."""

import asyncio

import numpy as np
import pytest
import pytest_asyncio

from deepassay.models.ask import Answer, key_of
from deepassay.models.client import ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.live import LiveAsker
from deepassay.models.service import RetryPolicy
from deepassay.runfile import Attempt, Request
from tests.batching import NEVER, FakeBatches

from ..conftest import GOOD
from ..judged import question
from .asked import CHAT, CLAUDE, OPENAI, PRICES, address, batching

pytestmark = pytest.mark.asyncio
QUICK = RetryPolicy(first_wait=0.01)


async def live(clients, service, run, model=CHAT):
    client = await clients.connect(model, ModelSettings(), address(service, model))
    return LiveAsker(client, run, chance=np.random.default_rng(7), retries=QUICK)


@pytest_asyncio.fixture
async def clients():
    async with Clients(seconds=60.0, prices=PRICES) as clients:
        yield clients


class Slow(FakeBatches):
    """Answers live when its batches have been looked at twice, so that they could be left."""

    async def _answered(self, request):
        while self.requests.count("GET /v1/batches/{id}") < 2:
            await asyncio.sleep(0.01)
        return await super()._answered(request)


async def test_nobody_leaves_while_somebody_is_asked_live(operation, run, clients):
    """A panel of two: one answers in a batch that does not end, the other later."""
    ends = []
    with Slow(lambda asked: GOOD, polls=NEVER) as service:
        async with batching(service, run, OPENAI, wait=0.0) as (ask, batchers):
            other = batchers.beside(await live(clients, service, run))
            waiting = asyncio.ensure_future(ask(operation, question()))
            batchers.on_leaving = lambda: (ends.append("left"), waiting.cancel())
            answer = asyncio.ensure_future(other(operation, question()))
            answer.add_done_callback(lambda _: ends.append("answered"))
            await asyncio.wait({waiting, answer})
    assert ends == ["answered", "left"] and isinstance(answer.result(), Answer)


async def test_a_request_between_two_batches_is_forgotten_once_it_was_answered_live(
    operation, run, clients
):
    with FakeBatches(lambda asked: GOOD) as service:
        asker = await live(clients, service, run)
        key = key_of(operation, question(), asker.identity, 0)
        await run.batching.again(Request("first", key), Attempt(key, 1, "expired"))
        await run.batching.again(Request("other", "of another question"), Attempt("k", 1, "x"))
        assert isinstance(await asker(operation, question()), Answer)
    assert [*run.batching.requests] == ["other"]
    assert run.verify().rows["waiting"] == 1


@pytest.mark.parametrize("model", [OPENAI, CHAT, CLAUDE])
async def test_the_service_of_these_tests_fails_live_as_it_does_in_batches(
    operation, run, clients, model
):
    with FakeBatches(lambda asked: GOOD) as service:
        asker = await live(clients, service, run, model)
        ends = [await asker(operation, question(word)) for word in ("FLAKY", "EXPIRE", "BAD")]
    assert [isinstance(end, Answer) for end in ends] == [True, True, False]
    assert run.attempts() == {"answered": 2, "rate_limit": 1, "rejected": 1, "server": 1}
