from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from deepassay.models.ask import OFFLINE, Answer, OfflineAsker
from deepassay.models.estimating import EVERY, EstimatingAsker, Scenario
from deepassay.models.operation import Expected, Operation
from deepassay.models.prices import OwnPrice, price_of
from deepassay.models.usage import Range, estimate_tokens
from deepassay.runfile import RunFile, StoredAnswer
from deepassay.score import Cause, Unscored

from .conftest import GOOD, Question, Verdict

SCORED = Expected(
    lambda inputs: Range(1, 2, 3),
    lambda inputs, rate: {"verdict": "supported", "score": int(rate)},
    decides="how high the score is",
    rate=Range(1, 5, 9),
    most=lambda inputs: 2,  # as long as no answer has told more
    told=lambda answer: (answer.score, 1),
)


@pytest.mark.asyncio
async def test_questions_are_counted_and_priced_and_kept_ones_are_not(
    operation: Operation[Question, Verdict], run: RunFile
) -> None:
    price = OwnPrice(input=1.0, output=10.0)
    estimate = EstimatingAsker(OFFLINE, run, price=price, max_output=1000)
    asked = Question(language="en", report="word " * 4000)
    for repeat in range(3):
        answer = await estimate(operation, asked, repeat=repeat)
        assert isinstance(answer, Answer) and answer.value == operation.offline(asked)
    reckoning = estimate.reckonings[Scenario.TYPICAL]
    assert (reckoning.calls, reckoning.kept) == (3, 0)
    assert reckoning.usage.input >= 3 * estimate_tokens("word " * 4000)
    assert reckoning.cost is not None and reckoning.worst is not None
    assert 0.012 < reckoning.cost < reckoning.worst < 0.05

    await OfflineAsker(run)(operation, asked, repeat=1)
    again = EstimatingAsker(OFFLINE, run, price=price, max_output=1000)
    for repeat in range(3):
        await again(operation, asked, repeat=repeat)
    assert (again.reckonings[1].calls, again.reckonings[1].kept) == (2, 1)


@pytest.mark.asyncio
async def test_a_question_that_several_protocols_share_is_counted_once(
    operation: Operation[Question, Verdict], run: RunFile
) -> None:
    asked = Question(language="en", report="word")
    estimate = EstimatingAsker(OFFLINE, run, price=None, max_output=1000)
    first, second = [await estimate(operation, asked) for _ in range(2)]
    assert first == second
    assert estimate.reckonings[1].calls == 1
    await OfflineAsker(run)(operation, asked)
    again = EstimatingAsker(OFFLINE, run, price=None, max_output=1000)
    for _ in range(2):
        await again(operation, asked)
    assert (again.reckonings[1].calls, again.reckonings[1].kept) == (0, 1)


@pytest.mark.asyncio
async def test_a_question_that_would_not_be_sent_is_counted_apart(
    operation: Operation[Question, Verdict],
) -> None:
    short = EstimatingAsker(OFFLINE, None, price=None, max_output=1000, context_window=2000)
    for _ in range(2):
        outcome = await short(operation, Question(language="en", report="word " * 4000))
        assert isinstance(outcome, Unscored) and outcome.cause is Cause.CONTEXT_OVERFLOW
    assert (short.reckonings[1].calls, short.reckonings[1].too_long) == (0, 1)
    await short(operation, Question(language="en", report="word"))
    assert (short.reckonings[1].calls, short.reckonings[1].too_long) == (1, 1)


@pytest.mark.asyncio
async def test_without_a_price_there_is_no_cost(operation: Operation[Question, Verdict]) -> None:
    estimate = EstimatingAsker(OFFLINE, None, price=None, max_output=1000)
    await estimate(operation, Question(language="zh", report="报告"))
    assert (estimate.reckonings[1].cost, estimate.reckonings[1].worst) == (None, None)


@pytest.mark.asyncio
async def test_what_prompts_begin_with_alike_is_reckoned_as_cached_from_the_second_on(
    operation: Operation[Question, Verdict],
) -> None:
    price = OwnPrice(input=1.0, cached_input=0.1, output=0.0)
    estimate = EstimatingAsker(OFFLINE, None, price=price, max_output=1000)
    long = Question(language="en", report="word " * 4000)
    for repeat in range(3):
        await estimate(operation, long, repeat=repeat)
    about, shared = estimate.reckonings[1], estimate_tokens("word " * 4000)
    assert 2 * shared < about.usage.cached < about.usage.input - shared
    assert about.usage.cache_write == about.usage.cached / 2
    fresh = about.usage.input - about.usage.cached
    assert about.cost == pytest.approx((fresh + about.usage.cached / 10) / 1_000_000)
    assert about.worst == pytest.approx(about.usage.input / 1_000_000)


@pytest.mark.asyncio
async def test_in_batches_the_least_is_cached_and_the_most_is_written_to_a_cache(
    operation: Operation[Question, Verdict],
) -> None:
    """Claude's batch prices a million: $1.50 of input, $0.15 from a cache, $1.875 into one."""
    price = price_of("claude-sonnet-4-5", "https://api.anthropic.com", batch=True)
    given: dict[str, Any] = {"price": price, "max_output": 1, "batched": True}
    estimate = EstimatingAsker(OFFLINE, None, **given)
    for repeat in range(3):
        await estimate(operation, Question(language="en", report="word " * 4000), repeat=repeat)
    low, likely, high = (each.usage for each in estimate.reckonings)
    assert low.cached == 2 * low.cache_write > 0
    assert (likely.cached, likely.cache_write) == (0, 0)
    assert high.cached == 0 and high.input / 2 < high.cache_write < high.input
    output = 3 * 7.5 / 1_000_000
    likely_cost, high_cost = (each.cost - output for each in estimate.reckonings[1:])
    assert likely_cost == pytest.approx(1.5 * likely.input / 1_000_000)
    assert high_cost == pytest.approx((1.5 * high.input + 0.375 * high.cache_write) / 1_000_000)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("price", "words"),
    [
        (OwnPrice(input=1.0, cached_input=0.1, output=1.0), 500),
        (OwnPrice(input=1.0, output=1.0), 4000),
        (None, 4000),
    ],
    ids=["too short", "no price of cached input", "no price"],
)
async def test_otherwise_nothing_is_reckoned_as_cached(
    operation: Operation[Question, Verdict], price: OwnPrice | None, words: int
) -> None:
    estimate = EstimatingAsker(OFFLINE, None, price=price, max_output=1000)
    for repeat in range(3):
        await estimate(operation, Question(language="en", report="word " * words), repeat=repeat)
    assert (estimate.reckonings[1].calls, estimate.reckonings[1].usage.cached) == (3, 0)


@pytest.mark.asyncio
async def test_what_is_expected_of_an_answer_is_counted_by_scenario(
    operation: Operation[Question, Verdict],
) -> None:
    operation = replace(operation, expected=Expected(lambda inputs: Range(10, 50, 200)))
    estimate = EstimatingAsker(OFFLINE, None, price=None, max_output=100)
    outcome = await estimate(operation, Question(language="en", report="word " * 100))
    assert isinstance(outcome, Unscored)  # no question depends on it
    assert [each.usage.output for each in estimate.reckonings] == [10, 50, 100]
    low, typical, high = (each.usage.input for each in estimate.reckonings)
    assert low < typical < high


@pytest.mark.asyncio
async def test_a_scenario_decides_what_is_answered_and_counts_alone(
    operation: Operation[Question, Verdict],
) -> None:
    scores = {Scenario.LOW: 1, Scenario.HIGH: 9}
    operation = replace(operation, expected=SCORED)
    estimate = EstimatingAsker(OFFLINE, None, price=None, max_output=100)
    for scenario, score in scores.items():
        estimate.scenarios = [scenario]
        answer = await estimate(operation, Question(language="en", report="word"))
        assert isinstance(answer, Answer) and answer.value.score == score
    assert [estimate.reckonings[each].calls for each in EVERY] == [1, 0, 1]
    assert estimate.deciding == {"how high the score is"}


@pytest.mark.asyncio
async def test_answers_that_are_kept_tell_the_likely_rate_and_no_other(
    operation: Operation[Question, Verdict], run: RunFile
) -> None:
    for number, score in enumerate((8, 9, 9)):
        raw = f'<think>{{"score": ?}}</think>Well: {{"verdict": "supported", "score": {score}}}'
        await run.keep_answer(StoredAnswer(f"k{number}", operation.name, "offline", 0, "", raw), [])
    others = [("other", "offline", '{"verdict": "supported", "score": 1}', None),
              (operation.name, "other", '{"verdict": "supported", "score": 1}', None),
              (operation.name, "OFFLINE", '{"verdict": "supported", "score": 1}', None),
              (operation.name, "offline", "no JSON", None),
              (operation.name, "offline", "<think>no end", None),
              (operation.name, "offline", GOOD.replace("7", "11"), "answer_unreadable"),
              (operation.name, "offline", "", "timeout")]  # fmt: skip
    for number, (name, model, raw, cause) in enumerate(others):
        await run.keep_answer(StoredAnswer(f"o{number}", name, model, 0, "", raw, cause), [])
    operation = replace(operation, expected=SCORED)
    given = {"price": None, "max_output": 100}
    asked = Question(language="en", report="word")
    for kept, typical in ((None, 2), (run, 7)):  # (5 + 8 + 9 + 9) / 4
        estimate = EstimatingAsker(OFFLINE, kept, **given)
        for scenario, score in zip(EVERY, (1, typical, 9), strict=True):
            estimate.scenarios = [scenario]
            answer = await estimate(operation, asked)
            assert isinstance(answer, Answer) and answer.value.score == score
    assert estimate.deciding == {"how high the score is (likely as in 3 answers that are there)"}
