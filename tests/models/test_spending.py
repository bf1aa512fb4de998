"""What calls cost, and the cap on it, over real sockets."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from deepassay.errors import BadSetting
from deepassay.models.ask import Answer
from deepassay.models.budget import Budget
from deepassay.models.client import ModelSettings
from deepassay.models.prices import OwnPrice
from deepassay.models.service import RetryPolicy
from deepassay.runfile import Attempt, RunFile
from deepassay.score import Cause, Unscored
from tests.loopback import SILENCE, Reply, Request, always, completion, error, without_usage

from .judged import Op, judged, question

LONG = "A report of many words. " * 150  # so that a thousand tokens are no surprise
PRICES = {"good": OwnPrice(input=1.0, output=10.0)}  # 1000 in and 100 out: $0.002


@pytest.mark.asyncio
async def test_what_a_call_cost_is_kept(operation: Op, run: RunFile) -> None:
    async with judged(run, prices=PRICES) as judge:
        ask = await judge.asker("good")
        answer = await ask(operation, question())
        assert isinstance(answer, Answer)
        stored = run.answer(answer.key)
        assert stored is not None
        assert stored.cost == pytest.approx(0.002)
        assert stored.usage == {"input": 1000, "output": 100}
        assert run.spent() == pytest.approx(0.002)


@pytest.mark.asyncio
async def test_the_budget_is_never_passed_and_holds_across_runs(
    operation: Op, run: RunFile
) -> None:
    settings = ModelSettings(max_output=100)
    async with judged(run, prices=PRICES, connections=8) as judge:
        for cap in (0.02, 0.05):
            budget = Budget(cap, run.spent())
            ask = await judge.asker("good", settings, budget=budget)
            outcomes = await asyncio.gather(
                *(ask(operation, question(f"{n} " + LONG)) for n in range(40))
            )
            assert 0.85 * cap <= run.spent() <= cap + 1e-9
            causes = {each.cause for each in outcomes if isinstance(each, Unscored)}
            assert causes == {Cause.BUDGET}
        assert len(judge.server.requests) == round(run.spent() / 0.002)


@pytest.mark.asyncio
async def test_a_provider_that_counts_more_than_we_do_is_believed(
    operation: Op, run: RunFile
) -> None:
    """A thousand tokens for a prompt of a few hundred: from the second call on, that is known."""
    async with judged(run, prices=PRICES, connections=1) as judge:
        ask = await judge.asker("good", ModelSettings(max_output=100), budget=Budget(0.009))
        for n in range(10):
            await ask(operation, question(f"Short {n}."))
        assert run.spent() == pytest.approx(0.008)


@pytest.mark.asyncio
async def test_under_a_budget_a_call_that_may_have_been_billed_counts_in_full(
    operation: Op, run: RunFile
) -> None:
    prices = {"silence": OwnPrice(input=1.0, output=10.0)}
    retries = RetryPolicy(request_seconds=0.1, attempts=3, first_wait=0.01, question_seconds=5.0)
    async with judged(run, prices=prices) as judge:
        settings = ModelSettings(max_output=1000)  # a cent for the longest answer
        ask = await judge.asker("silence", settings, budget=Budget(1.0), retries=retries)
        await ask(operation, question())
        assert 0.03 < run.spent() < 0.035
        free = await judge.asker("silence", settings, retries=retries)
        await free(operation, question("Another."))
        assert run.spent() < 0.035


def killed(run: RunFile, folder: Path) -> RunFile:
    """The run file as a kill at this moment would leave it: what is on the disk, and no more."""
    copy = folder / "killed.assay"
    for ending in ("", "-wal"):
        source = run.path.with_name(run.path.name + ending)
        if source.exists():
            shutil.copy(source, copy.with_name(copy.name + ending))
    return RunFile.create(copy)


@pytest.mark.asyncio
async def test_under_a_budget_a_kill_leaves_no_call_uncounted(
    operation: Op, run: RunFile, tmp_path: Path
) -> None:
    prices = {"slow": OwnPrice(input=1.0, output=10.0)}
    async with judged(run, prices=prices) as judge:
        ask = await judge.asker("slow", ModelSettings(max_output=100), budget=Budget(1.0))
        asking = [asyncio.create_task(ask(operation, question(f"{n} {LONG}"))) for n in range(5)]
        while len(judge.server.requests) < 5:
            await asyncio.sleep(0.005)
        with killed(run, tmp_path) as left:
            assert left.attempts() == {"unfinished": 5}
            assert left.spent() >= 5 * 0.002  # what the judge bills
        await asyncio.gather(*asking)
        assert run.attempts() == {"answered": 5}
        assert run.spent() == pytest.approx(5 * 0.002)


@pytest.mark.asyncio
@pytest.mark.parametrize("trouble", ["unreadable", "rate_limit"])
async def test_a_kill_loses_no_attempt_before_the_one_in_flight(
    operation: Op, run: RunFile, tmp_path: Path, trouble: str
) -> None:
    """Without a budget too: what was answered and must be asked again is paid for."""

    def bad(request: Request, text: str) -> Reply:
        if request.number > 2:
            return Reply(wait=SILENCE)
        if trouble == "rate_limit":
            return error(429, f"slow down {request.number}")
        return completion(("so-so", '{"verdict": "supported", "score": 11}')[request.number - 1])

    cost = 0.002 if trouble == "unreadable" else 0.0
    async with judged(run, prices=PRICES, scenarios={"good": bad}) as judge:
        asking = asyncio.create_task((await judge.asker("good"))(operation, question()))
        while len(judge.server.requests) < 3:
            await asyncio.sleep(0.005)
        with killed(run, tmp_path) as left:
            assert left.attempts() == {trouble: 2}
            assert left.spent() == pytest.approx(2 * cost)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        told = [(kind, detail, usd) for kind, _, detail, _, usd, _ in judge.attempts()]
    assert [(kind, usd) for kind, _, usd in told] == [
        (trouble, pytest.approx(cost)),
        (trouble, pytest.approx(cost)),
        ("stopped", None),
    ]
    told_of = {
        "unreadable": ("no JSON object", "from 0 to 10, not 11"),
        "rate_limit": ("slow down 1", "slow down 2"),
    }
    for words, (_, detail, _) in zip(told_of[trouble], told, strict=False):
        assert words in detail


@pytest.mark.asyncio
async def test_what_was_stopped_before_it_was_sent_costs_nothing(
    operation: Op, run: RunFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with judged(run, prices=PRICES) as judge:
        budget = Budget(1.0)
        ask = await judge.asker("good", budget=budget)
        keep = run.keep_attempt

        async def keep_slowly(attempt: Attempt) -> None:
            await keep(attempt)
            await asyncio.sleep(60)

        monkeypatch.setattr(run, "keep_attempt", keep_slowly)
        asking = asyncio.create_task(ask(operation, question()))
        while not run.spent():
            await asyncio.sleep(0.005)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert (run.spent(), budget.spent) == (0.0, 0.0)
        assert judge.server.requests == []


@pytest.mark.asyncio
async def test_without_a_budget_nothing_is_written_before_a_request_is_sent(
    operation: Op, run: RunFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(attempt: Attempt) -> None:
        raise AssertionError(attempt)

    monkeypatch.setattr(run, "keep_attempt", never)
    async with judged(run, prices=PRICES) as judge:
        assert isinstance(await (await judge.asker("good"))(operation, question()), Answer)


@pytest.mark.asyncio
async def test_a_budget_needs_a_price(run: RunFile) -> None:
    async with judged(run) as judge:
        with pytest.raises(BadSetting, match="no price is known for openai:gpt-4o"):
            await judge.asker("gpt-4o", budget=Budget(1.0))
        await judge.asker("gpt-4o", budget=Budget(1.0), allow_unpriced=True)


def thought_alone(request: Request, text: str) -> Reply:
    return completion("", "length", reasoning_content="Let me think.")


def unanswered(request: Request, text: str) -> Reply:
    return completion("", "tool_calls")


EMPTY = {"thought-alone": thought_alone, "tool-calls": unanswered}


@pytest.mark.asyncio
@pytest.mark.parametrize("cap", [None, 1.0])
@pytest.mark.parametrize(
    ("model", "kind", "requests"),
    [
        ("blank", "empty", 3),
        ("tool-calls", "garbled", 3),
        ("thought-alone", "truncated", 1),
        ("refusal", "refusal", 1),
        ("content-filter", "refusal", 1),
        ("wrong", "unreadable", 3),
    ],
)
async def test_no_usable_answer_costs_what_the_server_counts(
    operation: Op, run: RunFile, cap: float | None, model: str, kind: str, requests: int
) -> None:
    """Of two questions, each asked as often as it is."""
    budget = Budget(cap)
    prices = {model: OwnPrice(input=1.0, output=10.0)}
    async with judged(run, prices=prices, scenarios=EMPTY) as judge:
        ask = await judge.asker(model, budget=budget)
        for n in range(2):
            assert isinstance(await ask(operation, question(f"{n} {LONG}")), Unscored)
    assert run.attempts() == {kind: 2 * requests}
    assert run.spent() == pytest.approx(2 * requests * 0.002)
    assert budget.spent == pytest.approx(run.spent())
    assert run.usage() == {"input": 2 * requests * 1000, "output": 2 * requests * 100}


@pytest.mark.asyncio
async def test_what_empty_answers_are_counted_to_take_in_is_believed_of_the_next_calls(
    operation: Op, run: RunFile
) -> None:
    """A thousand tokens for a prompt of a few hundred, as of answers that are none."""
    async with judged(run, prices={"blank": PRICES["good"]}, connections=1) as judge:
        ask = await judge.asker("blank", ModelSettings(max_output=100), budget=Budget(0.009))
        for n in range(4):
            await ask(operation, question(f"Short {n}."))
        assert run.spent() == pytest.approx(0.008)


@pytest.mark.asyncio
@pytest.mark.parametrize("model", ["good", "no-usage", "blank", "blank-no-usage", "refusal"])
async def test_work_at_an_unknown_price_is_told_from_work_for_nothing(
    operation: Op, run: RunFile, model: str
) -> None:
    bare = {"blank-no-usage": always(without_usage(completion("")))}
    async with judged(run, scenarios=bare) as judge:
        assert not run.unpriced()
        end = await (await judge.asker(model))(operation, question())
        assert isinstance(end, Answer) == (model in ("good", "no-usage"))
    assert run.unpriced()


@pytest.mark.asyncio
@pytest.mark.parametrize("model", ["down", "html-page", "limited", "unauthorized"])
async def test_what_no_model_worked_on_has_no_unknown_price(
    operation: Op, run: RunFile, model: str
) -> None:
    page = {"html-page": always(Reply(200, {}, b"<html>hello</html>"))}
    retries = RetryPolicy(attempts=2, first_wait=0.01, question_seconds=0.3)
    async with judged(run, scenarios=page) as judge:
        ask = await judge.asker(model, retries=retries)
        assert isinstance(await ask(operation, question()), Unscored)
    assert run.attempts()
    assert not run.unpriced()
