"""A provider's queue that is full: questions wait for their turn, and none is given up."""

import asyncio

import pytest
from aiohttp import web

from deepassay.errors import Notice
from deepassay.models.ask import Answer
from deepassay.models.batches.interface import Pacing
from deepassay.runfile import RunFile
from tests.batching import NEVER, FakeBatches

from ..conftest import GOOD
from ..judged import question
from .asked import CHAT, CLAUDE, OPENAI, batching, left
from .gemini import FakeGemini
from .test_google import GEMINI

pytestmark = [
    pytest.mark.usefixtures("one_authority"),
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("ignore:Questions in batches"),
    pytest.mark.filterwarnings("ignore:.*takes no more questions"),
]
SHAPES = [OPENAI, CHAT, CLAUDE, GEMINI]


def serving(model):
    return (FakeGemini if model == GEMINI else FakeBatches)(lambda asked: GOOD)


def asking(ask, operation, count):
    return asyncio.gather(*(ask(operation, question(f"Report {n}.")) for n in range(count)))


@pytest.mark.parametrize("model", SHAPES)
async def test_what_the_queue_has_no_room_for_goes_in_by_smaller_batches(operation, run, model):
    with serving(model) as service:
        service.room = 2
        with pytest.warns(Notice, match=r"takes no more questions at present: .*--batch-size"):
            async with batching(service, run, model) as (ask, _):
                answers = await asking(ask, operation, 5)
    assert [type(each) for each in answers] == [Answer] * 5
    assert service.paid.total() == 5
    carried_out = [each for each in run.batching.batches() if each.state == "collected"]
    assert all(each.requests <= 2 for each in carried_out)
    assert sum(each.requests for each in carried_out) == 5
    gone = next(each for each in run.batching.batches() if each.state == "gone")
    assert gone.requests == 5 and gone.detail
    assert not run.batching.requests
    assert run.attempts() == {"answered": 5}


class Occupied(FakeBatches):
    """Ends no batch before it has said of another that there is no room beside it."""

    async def _look(self, request):
        if self.batches[request.match_info["id"]].shown["status"] == "failed":
            self.polls = 1
        return await super()._look(request)


@pytest.mark.parametrize("model", [OPENAI, CHAT])
async def test_what_has_no_room_beside_another_batch_goes_in_whole_when_that_has_ended(
    operation, run, model
):
    with Occupied(lambda asked: GOOD, polls=NEVER) as service:
        service.room = 3
        async with batching(service, run, model, most=3) as (ask, _):
            answers = await asking(ask, operation, 6)
    assert [type(each) for each in answers] == [Answer] * 6 and service.paid.total() == 6
    ends = [(each.state, each.requests) for each in run.batching.batches()]
    assert ends == [("collected", 3), ("gone", 3), ("collected", 3)]


@pytest.mark.parametrize("model", [CHAT, CLAUDE])
async def test_questions_for_which_there_is_no_room_are_left_for_the_same_command(
    operation, tmp_path, model
):
    """Others use the account; whoever does not wait finds the questions where they were."""
    path = tmp_path / "run.assay"
    with serving(model) as service:
        service.room = 0
        for _ in range(2):
            with RunFile.create(path) as run:
                async with batching(service, run, model, wait=0.3) as (ask, batchers):
                    assert await left(asking(ask, operation, 3), batchers)
                assert not run.attempts()
        service.room = NEVER
        with RunFile.create(path) as run:
            async with batching(service, run, model) as (ask, _):
                answers = await asking(ask, operation, 3)
    assert [type(each) for each in answers] == [Answer] * 3 and service.paid.total() == 3


async def test_a_provider_that_asks_to_wait_does_not_keep_who_does_not_wait(operation, run):
    """The first batch is not made for now, and 10 days are no time of this command's."""
    with FakeBatches(lambda asked: GOOD) as service:
        service.trouble["POST /v1/batches"] = [429] * 9
        pacing = Pacing(idle=0.05, first=10**6, longest=10**6)
        async with (
            asyncio.timeout(60),
            batching(service, run, CHAT, wait=0.0, pacing=pacing) as (ask, batchers),
        ):
            assert await left(asking(ask, operation, 1), batchers)
        assert [each.state for each in run.batching.batches()] == ["planned"]
        async with batching(service, run, CHAT) as (ask, _):
            (answer,) = await asking(ask, operation, 1)
    assert isinstance(answer, Answer) and service.paid.total() == 1


@pytest.mark.parametrize("failures", [3, 7])
async def test_a_provider_that_is_asked_too_often_is_asked_again(operation, run, failures):
    with FakeBatches(lambda asked: GOOD) as service:
        service.trouble["POST /v1/batches"] = [429] * failures
        async with batching(service, run, CHAT) as (ask, _):
            (answer,) = await asking(ask, operation, 1)
    assert isinstance(answer, Answer) and service.paid.total() == 1
    gone = [batch.state for batch in run.batching.batches()].count("gone")
    assert gone == (1 if failures > 5 else 0)


async def test_money_that_was_set_aside_for_what_has_no_room_is_set_aside_once(operation, run):
    """The worst cases of five requests fit into the budget once, and not twice."""
    with FakeBatches(lambda asked: GOOD) as service:
        service.room = 2
        async with batching(service, run, OPENAI, budget=0.4) as (ask, _):
            answers = await asking(ask, operation, 5)
            assert ask._service.budget.reserved == 0.0
    assert [type(each) for each in answers] == [Answer] * 5
    assert run.spent() == pytest.approx(5 * 0.0075)


@pytest.mark.parametrize("refused", ["when it is looked through", "when it is made"])
async def test_the_file_of_a_batch_that_is_refused_does_not_stay(operation, run, refused):
    with FakeBatches(lambda asked: GOOD) as service:
        if refused == "when it is made":
            service.trouble["POST /v1/batches"] = [429] * 3
        else:
            service.room = 2
        async with batching(service, run, CHAT) as (ask, _):
            await asking(ask, operation, 5)
    uploaded = {name for name in service.files if name.startswith("file-") and name[5:].isdigit()}
    done = [each.shown for each in service.batches.values() if each.shown["status"] == "completed"]
    assert uploaded == {each["input_file_id"] for each in done}


class Late(FakeBatches):
    """Makes the first batch, and says that it took too long."""

    async def _create(self, request):
        made = await super()._create(request)
        return made if len(self.batches) > 1 else web.Response(status=408)


async def test_the_file_of_a_batch_that_may_have_been_made_stays(operation, run):
    with Late(lambda asked: GOOD) as service:
        async with batching(service, run, CHAT) as (ask, _):
            await asking(ask, operation, 5)
    (batch,) = service.batches.values()
    assert batch.shown["input_file_id"] in service.files
