"""Questions in batches: answered under the keys of live asking, paid once, resumed anywhere."""

import asyncio
import json

import pytest

from deepassay.errors import BadSetting, Notice
from deepassay.models.ask import Answer
from deepassay.models.batches.batcher import SEARCHES
from deepassay.models.batches.interface import Pacing
from deepassay.runfile import RunFile
from deepassay.score import Cause
from tests.batching import FakeBatches

from ..conftest import GOOD
from ..judged import question
from .asked import CHAT, CLAUDE, OPENAI, QUICK, batching, left

pytestmark = [pytest.mark.asyncio, pytest.mark.filterwarnings("ignore:Questions in batches")]
SHAPES = [OPENAI, CHAT, CLAUDE]


def where(model):
    """The path of batches."""
    return "/v1/messages/batches" if model == CLAUDE else "/v1/batches"


@pytest.mark.parametrize("model", SHAPES)
async def test_questions_are_answered_in_one_batch(operation, run, model):
    with FakeBatches(lambda asked: GOOD) as service:
        async with batching(service, run, model) as (ask, _):
            asked = [question(f"Report {number}.") for number in range(5)]
            answers = await asyncio.gather(*(ask(operation, each) for each in asked))
    assert [type(each) for each in answers] == [Answer] * 5
    assert all(each.value.score == 7 and each.batched for each in answers)
    assert len(service.batches) == 1 and service.paid.total() == 5
    (batch,) = run.batching.batches()
    assert (batch.state, batch.requests, batch.answered) == ("collected", 5, 5)
    assert batch.times.keys() == {"planned", "submitted", "collected", "deleted"}
    assert not run.batching.requests  # each was forgotten with its answer
    # 1,000 tokens in at $10 and 50 out at $100 a million, at half of the price
    assert run.spent() == pytest.approx(5 * 0.0075)


MIXED = ["plain", "FLAKY", "BAD", "EXPIRE", "LOST", "CUT", "ODD"]
ENDS = {
    "BAD": Cause.JUDGE_UNREACHABLE,
    "CUT": Cause.ANSWER_TRUNCATED,
    "ODD": Cause.ANSWER_UNREADABLE,
}


@pytest.mark.parametrize("model", SHAPES)
async def test_each_way_to_fail_is_told_as_when_asked_live_and_nothing_is_paid_again(
    operation, run, model
):
    with FakeBatches(lambda asked: GOOD) as service:
        async with batching(service, run, model) as (ask, _):
            asked = [question(f"Report {word}.") for word in MIXED]
            answers = await asyncio.gather(*(ask(operation, each) for each in asked))
    for word, end in zip(MIXED, answers, strict=True):
        cause = None if isinstance(end, Answer) else end.cause
        assert cause == ENDS.get(word), (word, end)
    assert max(service.paid.values()) == 1
    # An answer off the menu goes back twice, each time in a batch.
    assert sum("ODD" in said for said in service.paid) == 3
    kinds = run.attempts()
    assert kinds["unreadable"] == 3 and kinds["truncated"] == 1 and kinds["answered"] == 4
    assert not run.batching.requests


@pytest.mark.parametrize("model", SHAPES)
async def test_empty_answers_cost_what_the_service_counts(operation, run, model):
    with FakeBatches(lambda asked: "") as service:
        async with batching(service, run, model, budget=5.0) as (ask, _):
            asked = [question(f"Report {number}.") for number in range(3)]
            answers = await asyncio.gather(*(ask(operation, each) for each in asked))
    assert [each.cause for each in answers] == [Cause.ANSWER_UNREADABLE] * 3
    assert run.attempts() == {"empty": service.paid.total()}
    assert run.spent() == pytest.approx(service.paid.total() * 0.0075)


async def test_an_answer_that_can_be_corrected_is_corrected_in_the_next_batch(operation, run):
    def answer(asked):
        return GOOD if len(asked["messages"]) > 3 else '{"verdict": "supported", "score": 70}'

    with FakeBatches(answer) as service:
        async with batching(service, run) as (ask, _):
            found = await ask(operation, question())
    assert found.value.score == 7 and len(service.batches) == 2
    assert run.attempts() == {"answered": 1, "unreadable": 1}


SEPARATORS = "A line\u2028and another\u0085and one more\x0b\x1c."


@pytest.mark.parametrize("model", SHAPES)
async def test_separators_in_a_report_do_not_break_what_comes_back(operation, run, model):
    """The library's reader splits lines at all of them; a batch that expires quotes its input."""
    with FakeBatches(lambda asked: GOOD) as service:
        async with batching(service, run, model) as (ask, _):
            asked = [question(f"{SEPARATORS} {word}") for word in ("plain", "EXPIRE", "LOST")]
            answers = await asyncio.gather(*(ask(operation, each) for each in asked))
    assert [type(each) for each in answers] == [Answer] * 3
    said = [body for batch in service.batches.values() for body in batch.lines.values()]
    assert all(SEPARATORS[:16] in json.dumps(each, ensure_ascii=False) for each in said)


class Killed(Exception):
    """Stands for the end of the process: nothing is written after it."""


POINTS = ["before it is made", "after it is made", "after its handle is kept"]


def dying(batcher, point):
    """Have a batcher die at this point of submitting a batch."""
    create, keep = batcher.interface.create, batcher._run.keep

    async def creating(number, requests):
        if point == POINTS[0]:
            raise Killed
        handle = await create(number, requests)
        if point == POINTS[1]:
            raise Killed
        return handle

    async def keeping(batch):
        await keep(batch)
        raise Killed

    batcher.interface.create = creating
    if point == POINTS[2]:
        batcher._run.keep = keeping


@pytest.mark.parametrize("model", SHAPES)
@pytest.mark.parametrize("point", POINTS)
async def test_a_batch_goes_on_where_its_process_died(operation, tmp_path, model, point):
    path = tmp_path / "run.assay"
    asked = [question(f"Report {number}.") for number in range(4)]
    with FakeBatches(lambda asked: GOOD) as service:
        with RunFile.create(path) as run, pytest.raises(Killed):
            async with batching(service, run, model) as (ask, _):
                dying(ask._batcher, point)
                await asyncio.gather(*(ask(operation, each) for each in asked))
        made = len(service.batches)
        with RunFile.create(path) as run:
            async with batching(service, run, model) as (ask, _):
                answers = await asyncio.gather(*(ask(operation, each) for each in asked))
            states = [batch.state for batch in run.batching.batches()]
    assert [type(each) for each in answers] == [Answer] * 4
    assert service.paid.total() == 4
    if point == POINTS[0]:
        assert made == 0 and states == ["gone", "collected"]
    else:
        assert made == len(service.batches) == 1 and states == ["collected"]


@pytest.mark.parametrize("model", SHAPES)
@pytest.mark.parametrize("status", [0, 503])
async def test_a_batch_that_was_made_though_making_it_failed_is_not_made_again(
    operation, run, model, status
):
    with FakeBatches(lambda asked: GOOD) as service:
        making = f"POST {where(model)}"
        service.trouble[making] = [status]
        async with batching(service, run, model) as (ask, _):
            answer = await ask(operation, question())
    assert isinstance(answer, Answer)
    assert len(service.batches) == 1 and service.paid.total() == 1
    assert service.requests.count(making) == (1 if status == 0 else 2)


@pytest.mark.parametrize("model", SHAPES)
async def test_a_service_that_is_down_for_a_while_is_waited_for(operation, run, model, monkeypatch):
    # That of Claude asks again by itself, after half a second and more.
    monkeypatch.setattr("anthropic._base_client.INITIAL_RETRY_DELAY", 0.01)
    with FakeBatches(lambda asked: GOOD) as service:
        service.trouble[f"GET {where(model)}/{{id}}"] = [503] * 8
        async with batching(service, run, model) as (ask, _):
            answer = await ask(operation, question())
    assert isinstance(answer, Answer) and service.paid.total() == 1


@pytest.mark.parametrize("model", SHAPES)
async def test_a_batch_that_the_service_has_forgotten_is_asked_again(operation, run, model):
    with FakeBatches(lambda asked: GOOD) as service:
        service.forget |= {"batch_0", "msgbatch_0"}
        async with batching(service, run, model) as (ask, _):
            answer = await ask(operation, question())
    assert isinstance(answer, Answer) and service.paid.total() == 1
    assert [batch.state for batch in run.batching.batches()] == ["gone", "collected"]


async def test_who_waits_is_told_once_that_it_may_take_long(operation, run):
    says = r"Questions in batches: 2\. .* Stop when you like"
    with (
        FakeBatches(lambda asked: GOOD, polls=30) as service,
        pytest.warns(Notice, match=says) as told,
    ):
        async with batching(service, run, CHAT) as (ask, _):
            await asyncio.gather(*(ask(operation, question(each)) for each in ("1", "2")))
    assert len(told) == 1


async def lose_a_handle(operation, path, service, model):
    """Have a process die that has made a batch of one request."""
    with RunFile.create(path) as run, pytest.raises(Killed):
        async with batching(service, run, model) as (ask, _):
            dying(ask._batcher, POINTS[1])
            await ask(operation, question())


async def test_a_search_waits_for_a_batch_that_has_not_ended_however_long(operation, tmp_path):
    """Anthropic tells the requests of a batch once it has ended, which may take a day."""
    path = tmp_path / "run.assay"
    with FakeBatches(lambda asked: GOOD) as service:
        service.polls = SEARCHES + 4  # each search looks once
        await lose_a_handle(operation, path, service, CLAUDE)
        with RunFile.create(path) as run:
            async with batching(service, run, CLAUDE) as (ask, _):
                assert isinstance(await ask(operation, question()), Answer)
    assert len(service.batches) == 1 and service.paid.total() == 1


@pytest.mark.parametrize("model", [OPENAI, CHAT])  # Anthropic's library tries again by itself
async def test_a_search_that_meets_nothing_but_faults_ends_with_what_to_do(
    operation, tmp_path, model
):
    path = tmp_path / "run.assay"
    with FakeBatches(lambda asked: GOOD) as service:
        await lose_a_handle(operation, path, service, model)
        service.trouble[f"GET {where(model)}"] = [503] * SEARCHES
        with RunFile.create(path) as run:
            async with batching(service, run, model) as (ask, _):
                with pytest.raises(BadSetting, match="nobody there says whether it was made"):
                    await ask(operation, question())
        with RunFile.create(path) as run:
            async with batching(service, run, model) as (ask, _):
                assert isinstance(await ask(operation, question()), Answer)
    assert len(service.batches) == 1 and service.paid.total() == 1


async def test_a_server_that_is_not_there_is_told_of(operation, run):
    async with batching(None, run, CHAT) as (ask, _):
        with pytest.raises(BadSetting, match="nobody there says whether it was made"):
            await ask(operation, question())


async def test_who_does_not_wait_leaves_between_two_looks_for_a_batch(operation, run):
    """The next look is in 10 days."""
    pacing = Pacing(idle=QUICK.idle, first=10**6, longest=10**6)
    async with asyncio.timeout(60), batching(None, run, CHAT, wait=0.0, pacing=pacing) as (ask, b):
        assert await left(ask(operation, question()), b)
    (batch,) = run.batching.batches()
    assert batch.state == "planned" and "the server refuses connections" in batch.detail
