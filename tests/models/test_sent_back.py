"""Answers that were sent back are paid for once, wherever the asking was broken off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from deepassay.models.ask import Answer, ReplayAsker, key_of
from deepassay.models.budget import Budget
from deepassay.models.client import ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.live import LiveAsker
from deepassay.models.prices import OwnPrice
from deepassay.runfile import RunFile
from deepassay.runfile.rows import Body
from deepassay.score import Cause, Unscored
from tests.batching import FakeBatches
from tests.loopback import Reply, Request, completion, error

from .batches.asked import CHAT, PRICES, address, batching
from .conftest import GOOD
from .judged import Judge, Op, judged, question

pytestmark = pytest.mark.asyncio
BAD = "I would say it is quite good."
SILENT = Reply(wait=3600.0)


def said_so_far(request: Request) -> list[str]:
    return [each["content"] for each in request.body["messages"] if each["role"] == "assistant"]


def in_turn(*replies: Callable[[], Reply]) -> Callable[[Request, str], Reply]:
    """What is answered to a question: by its turn in the conversation, whoever asks."""
    return lambda request, text: replies[len(said_so_far(request))]()


async def broken_off(judge: Judge, operation: Op, sent: int) -> None:
    """A question whose asking ends when so many requests are there, with nobody told."""
    ask = await judge.asker("m")
    asking = asyncio.ensure_future(ask(operation, question()))
    while judge.server.count("m") < sent:
        await asyncio.sleep(0.01)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


@pytest.mark.parametrize("turns", [1, 2])
async def test_a_question_goes_on_from_the_turn_where_it_was_broken_off(
    operation: Op, run: RunFile, turns: int
) -> None:
    hangs = True
    replies = [lambda: completion(BAD + " 1"), lambda: completion(BAD + " 2")][:turns]
    last = in_turn(*replies, lambda: SILENT if hangs else completion(GOOD))
    async with judged(run, scenarios={"m": last}) as judge:
        await broken_off(judge, operation, turns + 1)
        hangs = False
        ask = await judge.asker("m")
        answer = await ask(operation, question())
        requests = [each.body["messages"] for each in judge.server.requests]
    assert isinstance(answer, Answer)
    assert len(requests) == turns + 2, "one call was in flight"
    assert requests[-1] == requests[-2], "the same conversation goes on"
    stored = run.answer(answer.key)
    assert stored is not None and stored.attempts == turns + 1
    assert stored.usage == {"input": 1000 * (turns + 1), "output": 100 * (turns + 1)}
    assert run.attempts() == {"unreadable": turns, "answered": 1, "stopped": 1}
    assert await run.sent_back(answer.key) == [], "forgotten with the answer"
    assert isinstance(await ReplayAsker(run, ask.identity)(operation, question()), Answer)


ENDS = [
    ("the money", {"budget": Budget(16.45)}, Cause.BUDGET),
    ("the server", {}, Cause.JUDGE_UNREACHABLE),
]


@pytest.mark.parametrize(("what", "given", "cause"), ENDS, ids=[each[0] for each in ENDS])
async def test_what_was_cut_off_goes_on_when_it_is_asked_again(
    operation: Op, run: RunFile, what: str, given: dict[str, Any], cause: Cause
) -> None:
    ends = True
    second = in_turn(
        lambda: completion(BAD),
        lambda: error(503, "down") if ends else completion(GOOD),
    )
    prices = {"m": OwnPrice(input=10, output=1000)}
    async with judged(run, scenarios={"m": second}, prices=prices) as judge:
        first = await judge.asker("m", **given)
        end = await first(operation, question())
        assert isinstance(end, Unscored) and end.cause is cause
        before, ends = judge.server.count("m"), False
        again = await judge.asker("m", retry=cause is not Cause.BUDGET)
        answer = await again(operation, question())
        assert isinstance(answer, Answer) and judge.server.count("m") == before + 1
        assert len(said_so_far(judge.server.requests[-1])) == 1
    assert await run.sent_back(answer.key) == []


async def test_what_a_judge_never_answered_readably_is_asked_anew_from_the_beginning(
    operation: Op, run: RunFile
) -> None:
    good = False
    scenarios = {"m": lambda *_: completion(GOOD if good else BAD)}
    async with judged(run, scenarios=scenarios) as judge:
        assert isinstance(await (await judge.asker("m"))(operation, question()), Unscored)
        good = True
        again = await judge.asker("m", retry=True)
        answer = await again(operation, question())
        assert isinstance(answer, Answer) and judge.server.count("m") == 4
        assert not said_so_far(judge.server.requests[-1])


ATTEMPT = {"key": "k", "number": 1, "kind": "unreadable"}
KEPT = {"text": BAD, "finish": "stop", "served_model": "m", "attempts": [ATTEMPT]}
ODD: list[Any] = [
    b"no body",
    {"text": BAD},
    [KEPT | {"attempts": []}],
    [KEPT | {"attempts": [ATTEMPT | {"cost": 1e99}]}],
    [KEPT | {"attempts": [ATTEMPT | {"usage": {"input": -5}}]}],
    [KEPT | {"finish": "soon"}],
]


@pytest.mark.parametrize("odd", ODD, ids=lambda each: repr(each)[-40:])
async def test_what_no_run_writes_there_is_asked_anew(
    operation: Op, run: RunFile, odd: Any
) -> None:
    hangs = True
    last = in_turn(lambda: completion(BAD), lambda: SILENT if hangs else completion(GOOD))
    async with judged(run, scenarios={"m": last}) as judge:
        await broken_off(judge, operation, 2)
        if isinstance(odd, bytes):
            run._store.write([("UPDATE sent_back SET body=?", [odd])])
        else:
            row = "UPDATE sent_back SET (body, sha256) = (?, ?)"
            run._store.write([(row, [Body(odd)])])
        hangs = False
        assert isinstance(await (await judge.asker("m"))(operation, question()), Answer)
        assert judge.server.count("m") == 4 and run.forgotten == 1
    assert not run.verify().damage


async def test_what_a_batch_was_answered_first_goes_on_live(operation: Op, run: RunFile) -> None:
    """A question of which the first answer is unusable, in a batch that is left, then live."""

    def answer(asked: dict[str, Any]) -> str:
        return GOOD if any(each["role"] == "assistant" for each in asked["messages"]) else BAD

    with FakeBatches(answer) as service:
        async with batching(service, run, CHAT) as (ask, _):
            asking = asyncio.ensure_future(ask(operation, question()))
            key = key_of(operation, question(), ask.identity, 0)
            while not await run.sent_back(key):
                await asyncio.sleep(0.005)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        assert not run.batching.requests and not run.batching.unpaid()
        async with Clients(seconds=60.0, prices=PRICES) as clients:
            client = await clients.connect(
                CHAT, ModelSettings(max_output=1000), address(service, CHAT)
            )
            live = LiveAsker(client, run, chance=np.random.default_rng(7))
            assert isinstance(await live(operation, question()), Answer)
        assert service.paid.total() == 2
    (kept,) = run.exchanges()
    assert kept.attempts == 2 and kept.cost == pytest.approx(run.spent())
