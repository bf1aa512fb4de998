"""A judge of whose answers none can be read is stopped, before hundreds are paid for."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from deepassay.errors import Notice
from deepassay.models.ask import Answer
from deepassay.models.client import ModelSettings
from deepassay.models.service import MOST_UNREAD, OF_OTHER_KINDS
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from tests.loopback import completion

from .conftest import GOOD
from .judged import Op, judged, question

PROSE = "\x1b[2JIt is \u202ea fine report, " + "and long, " * 40
CONNECTIONS = 4


def prose(request: Any, text: str) -> Any:
    return completion(PROSE)


def readable_for_one(request: Any, text: str) -> Any:
    return completion(GOOD if "number 7." in request.text else PROSE)


async def asked(ask: Any, operation: Op, questions: range) -> list[Any]:
    return await asyncio.gather(
        *(ask(operation, question(f"It is number {n}.")) for n in questions)
    )


@pytest.mark.asyncio
@pytest.mark.parametrize("structured", [False, True])
async def test_a_judge_that_never_answers_readably_is_stopped_and_one_answer_shown(
    operation: Op, run: RunFile, structured: bool
) -> None:
    settings = ModelSettings(structured=structured)
    async with judged(run, scenarios={"prose": prose}, connections=CONNECTIONS) as judge:
        ask = await judge.asker("prose", settings)
        with pytest.warns(Notice, match="no readable answer to 10 questions") as told:
            outcomes = await asked(ask, operation, range(100))
        sent = judge.server.count("prose")
        assert 3 * MOST_UNREAD <= sent <= 3 * (MOST_UNREAD + CONNECTIONS)
        assert {each.cause for each in outcomes} == {Cause.ANSWER_UNREADABLE}
        assert sum("not asked any more" in each.detail for each in outcomes) >= 100 - sent
        assert run.attempts() == {"unreadable": sent}, "what was paid is recorded"
        (said,) = [str(each.message) for each in told]
        assert "“It is a fine report" in said and "\x1b" not in said and "\u202e" not in said
        assert len(said) < 500
        assert ("--structured" in said) is not structured
        assert "--max-output" in said and "another model" in said
        assert await asked(ask, operation, range(100)) == outcomes, "a resume asks nobody"
        assert judge.server.count("prose") == sent


@pytest.mark.asyncio
async def test_asked_again_it_is_stopped_again(operation: Op, run: RunFile) -> None:
    async with judged(run, scenarios={"prose": prose}, connections=CONNECTIONS) as judge:
        for retry in (False, True):
            ask = await judge.asker("prose", retry=retry)
            with pytest.warns(Notice, match="no readable answer"):
                await asked(ask, operation, range(60))
        assert judge.server.count("prose") <= 6 * (MOST_UNREAD + CONNECTIONS)


@pytest.mark.asyncio
async def test_one_readable_answer_is_enough_to_go_on(operation: Op, run: RunFile) -> None:
    scenarios = {"mostly": readable_for_one}
    async with judged(run, scenarios=scenarios, connections=CONNECTIONS) as judge:
        ask = await judge.asker("mostly")
        outcomes = await asked(ask, operation, range(40))
        again = await judge.asker("mostly", retry=True)
        assert isinstance(await again(operation, question("It is number 7.")), Answer)
        await asked(again, operation, range(40))
    assert sum(isinstance(each, Answer) for each in outcomes) == 1
    assert judge.server.count("mostly") == 2 * 39 * 3 + 1, "what was read before counts"


@pytest.mark.asyncio
async def test_one_kind_of_question_is_given_up_alone(operation: Op, run: RunFile) -> None:
    hard = replace(operation, name="test/hard")
    vars(hard)["files"] = operation.files

    def by_kind(request: Any, text: str) -> Any:
        return completion(GOOD if "number 1000" in request.text else PROSE)

    async with judged(run, scenarios={"some": by_kind}, connections=CONNECTIONS) as judge:
        ask = await judge.asker("some")
        assert isinstance(await ask(operation, question("It is number 1000.")), Answer)
        with pytest.warns(Notice, match="10 questions of test/hard"):
            outcomes = await asked(ask, hard, range(60))
        assert all(isinstance(each, Unscored) for each in outcomes)
        assert judge.server.count("some") <= 1 + 3 * (MOST_UNREAD + CONNECTIONS)
        assert isinstance(await ask(operation, question("It is number 10001.")), Answer)


def kinds(operation: Op, number: int) -> list[Op]:
    made = [replace(operation, name=f"test/kind{place}") for place in range(number)]
    for each in made:
        vars(each)["files"] = operation.files
    return made


@pytest.mark.asyncio
async def test_the_kind_that_comes_first_says_nothing_of_the_next(
    operation: Op, run: RunFile
) -> None:
    """Of three kinds the first cannot be answered, and is asked alone before the others."""
    hard, *others = kinds(operation, 3)

    def by_kind(request: Any, text: str) -> Any:
        return completion(GOOD if "number 1" in request.text else '{"score": 1, "why": []}')

    async with judged(run, scenarios={"some": by_kind}, connections=CONNECTIONS) as judge:
        ask = await judge.asker("some")
        with pytest.warns(Notice, match="10 questions of test/kind0") as told:
            await asked(ask, hard, range(20, 80))
        (said,) = [str(each.message) for each in told]
        assert "why" in said.partition("”")[2], "what was wrong with the answer"
        for each in others:
            ends = await asked(ask, each, range(100, 120))
            assert all(isinstance(end, Answer) for end in ends)


@pytest.mark.asyncio
async def test_nothing_more_is_asked_once_several_kinds_had_no_answer(
    operation: Op, run: RunFile
) -> None:
    async with judged(run, scenarios={"prose": prose}, connections=CONNECTIONS) as judge:
        ask = await judge.asker("prose")
        with pytest.warns(Notice, match="No more is asked"):
            for each in kinds(operation, 12):
                await asked(ask, each, range(1))
        assert judge.server.count("prose") == 3 * MOST_UNREAD
    async with judged(run, scenarios={"prose": prose}, connections=CONNECTIONS) as judge:
        ask = await judge.asker("prose", retry=True)
        first, *others = kinds(operation, 12)
        with pytest.warns(Notice, match="No more is asked"):
            await asked(ask, first, range(40))
            for each in others:
                await asked(ask, each, range(1))
        assert judge.server.count("prose") <= 3 * (MOST_UNREAD + OF_OTHER_KINDS + CONNECTIONS)


@pytest.mark.asyncio
async def test_two_judges_are_counted_apart(operation: Op, run: RunFile) -> None:
    scenarios = {"prose": prose, "fair": lambda *_: completion(GOOD)}
    async with judged(run, scenarios=scenarios, connections=CONNECTIONS) as judge:
        bad, fair = [await judge.asker(each) for each in scenarios]
        with pytest.warns(Notice, match="openai:prose gave"):
            await asked(bad, operation, range(40))
        assert all(isinstance(each, Answer) for each in await asked(fair, operation, range(40)))


@pytest.mark.asyncio
async def test_answers_that_are_cut_off_count_as_well(operation: Op, run: RunFile) -> None:
    scenarios = {"cut": lambda *_: completion("{", "length")}
    async with judged(run, scenarios=scenarios, connections=CONNECTIONS) as judge:
        ask = await judge.asker("cut")
        with pytest.warns(Notice, match="--max-output"):
            outcomes = await asked(ask, operation, range(60))
    assert judge.server.count("cut") <= MOST_UNREAD + CONNECTIONS
    assert {each.cause for each in outcomes} == {Cause.ANSWER_TRUNCATED, Cause.ANSWER_UNREADABLE}
