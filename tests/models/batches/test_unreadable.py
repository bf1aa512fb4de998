"""A judge in batches of whose answers none can be read is stopped before it is asked to correct."""

import asyncio
from dataclasses import replace

import pytest

from deepassay.errors import Notice
from deepassay.models.ask import Answer
from deepassay.models.batches.interface import Pacing
from deepassay.models.service import MOST_UNREAD
from deepassay.score import Cause
from tests.batching import FakeBatches

from ..conftest import GOOD
from ..judged import question
from .asked import CLAUDE, OPENAI, batching

pytestmark = [pytest.mark.asyncio, pytest.mark.filterwarnings("ignore:Questions in batches")]
PROSE = "It is a fine report."
PATIENT = Pacing(idle=0.2, first=0.01, longest=0.02)


def reading(*words):
    """A judge that answers readably where one of these stands in the question, if any."""
    return lambda asked: GOOD if any(word in str(asked["messages"]) for word in words) else PROSE


async def asked(ask, operation, count):
    questions = [question(f"It is number {number}.") for number in range(count)]
    return await asyncio.gather(*(ask(operation, each) for each in questions))


@pytest.mark.parametrize("model", [OPENAI, CLAUDE])
@pytest.mark.parametrize("most", [10_000, 12])
async def test_its_first_answers_are_all_that_is_paid(operation, run, model, most):
    with FakeBatches(reading()) as service:
        with pytest.warns(Notice, match="no readable answer to .* “It is a fine report.”") as told:
            async with batching(service, run, model, most=most, pacing=PATIENT) as (ask, _):
                ends = await asked(ask, operation, 36)
        assert service.paid.total() == 36, "and no correction"
        assert {each.cause for each in ends} == {Cause.ANSWER_UNREADABLE}
        assert all("not asked any more" in each.detail for each in ends)
        (said,) = [str(each.message) for each in told if "readable" in str(each.message)]
        assert "--structured" in said and "--max-output" in said
        assert not run.batching.requests and run.attempts() == {"unreadable": 36}
        async with batching(service, run, model, pacing=PATIENT) as (ask, _):
            assert await asked(ask, operation, 36) == ends, "a resume asks nobody"
        assert service.paid.total() == 36


@pytest.mark.parametrize("readable", ["number 0.", "number 35."])
async def test_one_readable_answer_wherever_it_comes_is_enough(operation, run, readable):
    with FakeBatches(reading(readable)) as service:
        async with batching(service, run, pacing=PATIENT) as (ask, _):
            ends = await asked(ask, operation, 36)
        assert service.paid.total() == 1 + 35 * 3
    assert sum(isinstance(each, Answer) for each in ends) == 1


async def test_below_ten_questions_each_is_asked_to_correct(operation, run):
    with FakeBatches(reading()) as service:
        async with batching(service, run, pacing=PATIENT) as (ask, _):
            await asked(ask, operation, MOST_UNREAD - 1)
    assert service.paid.total() == (MOST_UNREAD - 1) * 3


async def test_one_kind_of_question_is_given_up_alone(operation, run):
    hard = replace(operation, name="test/hard")
    vars(hard)["files"] = operation.files
    with (
        FakeBatches(reading("number 1000")) as service,
        pytest.warns(Notice, match="20 questions of test/hard"),
    ):
        async with batching(service, run, pacing=PATIENT) as (ask, _):
            assert isinstance(await ask(operation, question("number 1000")), Answer)
            await asked(ask, hard, 20)
            assert isinstance(await ask(operation, question("number 10001")), Answer)
    assert service.paid.total() == 22


async def test_what_a_resume_finds_counts_too(operation, run):
    """The first answers came back, and the command ended before the next batch was made."""
    with FakeBatches(reading()) as service:
        async with batching(service, run, pacing=Pacing(10.0, 0.01, 0.02), most=20) as (ask, _):
            asking = asyncio.ensure_future(asked(ask, operation, 20))
            while run.attempts().get("unreadable", 0) < 20 or run.batching.requests:
                await asyncio.sleep(0.01)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        with pytest.warns(Notice, match="no readable answer to 20 questions"):
            async with batching(service, run, pacing=PATIENT) as (ask, _):
                await asked(ask, operation, 20)
        assert service.paid.total() == 20
