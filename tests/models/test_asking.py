"""What is asked, what is sent, what is kept, and what is never asked again."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json

import pytest

from deepassay.errors import BadRunFile
from deepassay.models.ask import Answer, OfflineAsker, ReplayAsker
from deepassay.models.client import ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.service import RetryPolicy
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from tests.loopback import completion, error

from .conftest import GOOD, Verdict
from .judged import Op, judged, question


@pytest.mark.asyncio
async def test_what_is_there_is_not_asked_again(operation: Op, run: RunFile) -> None:
    async with judged(run) as judge:
        for _ in range(2):
            again = await (await judge.asker("good"))(operation, question())
        assert judge.server.count("good") == 1
        assert isinstance(again, Answer)


@pytest.mark.asyncio
async def test_what_failed_stays_so_unless_it_is_to_be_asked_again(
    operation: Op, run: RunFile
) -> None:
    """An outcome may rest on the failure, and replay must find it as it was."""
    wanted = {"once-bad": lambda request, text: completion(text, "length" if bad else "stop")}
    async with judged(run, scenarios=wanted) as judge:
        bad = True
        first = await judge.asker("once-bad")
        failure = await first(operation, question())
        assert isinstance(failure, Unscored)
        bad = False
        for ask in (first, await judge.asker("once-bad"), ReplayAsker(run, first.identity)):
            assert await ask(operation, question()) == failure
        assert judge.server.count("once-bad") == 1
        retrying = await judge.asker("once-bad", retry=True)
        assert isinstance(await retrying(operation, question()), Answer)


@pytest.mark.asyncio
async def test_what_is_asked_again_and_fails_is_asked_once_for_all_who_ask_it(
    operation: Op, run: RunFile
) -> None:
    async with judged(run) as judge:
        await (await judge.asker("length"))(operation, question())
        retrying = await judge.asker("length", retry=True)
        outcomes = [await retrying(operation, question()) for _ in range(3)]
        assert judge.server.count("length") == 2
        replayed = await ReplayAsker(run, retrying.identity)(operation, question())
        assert outcomes == [replayed] * 3


@pytest.mark.asyncio
async def test_a_number_in_quotes_is_taken_at_once_and_noted_with_the_answer(
    operation: Op, run: RunFile
) -> None:
    quoted = {"quoted": lambda *_: completion('{"verdict": "supported", "score": "7"}')}
    async with judged(run, scenarios=quoted) as judge:
        answer = await (await judge.asker("quoted"))(operation, question())
        assert isinstance(answer, Answer) and answer.value.score == 7
        assert judge.server.count("quoted") == 1
        kept = run.answer(answer.key)
        assert kept is not None and (kept.cause, kept.detail) == (None, "numbers in quotes: 1")


@pytest.mark.asyncio
async def test_repeats_are_separate_answers(operation: Op, run: RunFile) -> None:
    async with judged(run) as judge:
        ask = await judge.asker("good")
        counts = []
        for repeat in (0, 1, 2, 1):
            await ask(operation, question(), repeat=repeat)
            counts.append(judge.server.count("good"))
        assert counts == [1, 2, 3, 3]


@pytest.mark.asyncio
async def test_the_same_question_is_asked_once_at_a_time(operation: Op, run: RunFile) -> None:
    async with judged(run, latency=0.1) as judge:
        ask = await judge.asker("good")
        answers = await asyncio.gather(*(ask(operation, question()) for _ in range(20)))
        assert judge.server.count("good") == 1
        assert len({answer.key for answer in answers if isinstance(answer, Answer)}) == 1


@pytest.mark.asyncio
async def test_who_waited_for_a_cancelled_question_asks_it_itself(
    operation: Op, run: RunFile
) -> None:
    async with judged(run, latency=0.1) as judge:
        ask = await judge.asker("good")
        first = asyncio.create_task(ask(operation, question()))
        second = asyncio.create_task(ask(operation, question()))
        await asyncio.sleep(0.05)
        first.cancel()
        assert isinstance(await second, Answer)
        assert judge.server.count("good") == 2


@pytest.mark.asyncio
async def test_an_unusable_answer_goes_back_with_the_reason(operation: Op, run: RunFile) -> None:
    async with judged(run) as judge:
        await (await judge.asker("wrong-once"))(operation, question())
        first, second = judge.server.requests
        assert [each["role"] for each in first.body["messages"]] == ["system", "user"]
        assert [each["role"] for each in second.body["messages"][2:]] == ["assistant", "user"]
        assert second.body["messages"][:2] == first.body["messages"]
        assert second.body["messages"][2]["content"] == '{"nothing": "of this"}'
        assert "verdict: Field required" in second.text
        kinds = [(kind, detail) for kind, _, detail, *_ in judge.attempts()]
        assert kinds[0][0] == "unreadable" and "Field required" in kinds[0][1]


@pytest.mark.asyncio
async def test_what_was_sent_is_what_is_recorded(operation: Op, run: RunFile) -> None:
    async with judged(run) as judge:
        ask = await judge.asker("good", ModelSettings(temperature=0.5, max_output=321))
        await ask(operation, question())
        (request,) = judge.server.requests
        body = request.body
        assert (body["temperature"], body["max_completion_tokens"]) == (0.5, 321)
        assert ask.identity == {
            "model": "openai:good",
            "endpoint": f"127.0.0.1:{judge.server.port}/v1",
            "settings": {"max_completion_tokens": 321, "temperature": 0.5},
        }
        assert request.headers["accept-encoding"] == "identity"
        assert "openai-organization" not in request.headers
        ((_, _, _, usage, _, digest),) = judge.attempts()
        assert json.loads(usage) == {"input": 1000, "output": 100}
        sent = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        assert digest == hashlib.sha256(sent).hexdigest()
        material = body["messages"][1]["content"]
        assert material.startswith("<<<BEGIN report ")


@pytest.mark.asyncio
async def test_no_temperature_is_sent_unless_it_is_given(operation: Op, run: RunFile) -> None:
    async with judged(run) as judge:
        for settings in (None, ModelSettings(), ModelSettings(temperature=0.0)):
            ask = await judge.asker("good", settings)
            await ask(operation, question(), repeat=settings is not None)
        plain, given = judge.server.requests[0].body, judge.server.requests[-1].body
        assert "temperature" not in plain
        assert given["temperature"] == 0.0


@pytest.mark.asyncio
async def test_another_server_on_the_same_host_is_asked_anew(operation: Op, run: RunFile) -> None:
    async with judged(run) as one, judged(run) as other:
        for judge in (one, other):
            answer = await (await judge.asker("good"))(operation, question())
            assert isinstance(answer, Answer)
        assert one.server.count("good") == other.server.count("good") == 1


@pytest.mark.asyncio
async def test_a_setting_that_the_model_does_not_take_is_not_in_the_identity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    async with Clients() as clients:
        reasoning = await clients.connect(
            "openai:gpt-5", ModelSettings(temperature=0.0, effort="low")
        )
        plain = await clients.connect(
            "openai:gpt-4.1", ModelSettings(temperature=0.0, effort="low")
        )
    assert reasoning.identity["settings"] == {
        "max_completion_tokens": 16384,
        "reasoning_effort": "low",
    }
    assert plain.identity["settings"] == {"max_completion_tokens": 16384, "temperature": 0.0}


@pytest.mark.asyncio
async def test_a_context_that_is_given_holds_enters_the_identity_and_is_not_sent(
    operation: Op, run: RunFile
) -> None:
    async with judged(run) as judge:
        plain = await judge.asker("good")
        short = await judge.asker("good", ModelSettings(context_window=5))
        assert dict(short.identity) == {**plain.identity, "context_window": 5}
        outcome = await short(operation, question())
        assert isinstance(outcome, Unscored) and outcome.cause is Cause.CONTEXT_OVERFLOW
        assert not judge.server.requests


@pytest.mark.asyncio
async def test_the_answer_type_is_sent_as_a_schema_only_if_that_is_wanted(
    operation: Op, run: RunFile
) -> None:
    async with judged(run) as judge:
        for structured in (False, True):
            ask = await judge.asker("good", ModelSettings(structured=structured))
            assert isinstance(await ask(operation, question()), Answer)
        plain, strict = (request.body for request in judge.server.requests)
        assert "response_format" not in plain
        assert set(strict["response_format"]["json_schema"]["schema"]["properties"]) == {
            "verdict",
            "score",
        }


@pytest.mark.asyncio
async def test_no_key_reaches_the_run_file(
    operation: Op, run: RunFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    blabs = {"blabs": lambda *_: error(401, "Incorrect key: sk-very-secret")}
    async with judged(run, scenarios=blabs) as judge:
        for model in ("good", "unauthorized", "resets", "empties", "bad-request", "blabs"):
            await (await judge.asker(model))(operation, question())
        assert judge.server.requests[0].headers["authorization"] == "Bearer sk-very-secret"
    rows = [run.answer(key) for key in judge.kept()]
    assert "very-secret" not in repr(rows)
    assert b"very-secret" not in run.path.read_bytes()


@pytest.mark.asyncio
async def test_an_answer_larger_than_any_answer_is_not_read(operation: Op, run: RunFile) -> None:
    huge = {"good": lambda *_: completion("x" * (17 * 1024 * 1024))}
    async with judged(run, scenarios=huge) as judge:
        ask = await judge.asker("m", retries=RetryPolicy(request_seconds=60.0, attempts=1))
        outcome = await ask(operation, question())
        assert isinstance(outcome, Unscored)
        assert outcome.cause is Cause.JUDGE_UNREACHABLE


@pytest.mark.asyncio
async def test_an_answer_that_comes_compressed_is_not_unpacked(operation: Op, run: RunFile) -> None:
    reply = completion(GOOD)
    reply.headers = {"Content-Encoding": "gzip"}
    reply.body = gzip.compress(reply.body)
    async with judged(run, scenarios={"good": lambda *_: reply}) as judge:
        outcome = await (await judge.asker("m"))(operation, question())
        assert isinstance(outcome, Unscored)
        assert outcome.cause is Cause.JUDGE_UNREACHABLE


@pytest.mark.asyncio
async def test_as_many_calls_at_once_as_there_are_connections_and_no_more(
    operation: Op, run: RunFile
) -> None:
    async with judged(run, connections=10, latency=0.05) as judge:
        ask = await judge.asker("good")
        await asyncio.gather(*(ask(operation, question(str(n))) for n in range(60)))
        assert judge.server.peak == 10


@pytest.mark.asyncio
async def test_a_prompt_beyond_the_context_window_is_not_sent(operation: Op, run: RunFile) -> None:
    async with judged(run) as judge:
        ask = await judge.asker("gpt-4o")  # known for a window of 128,000 tokens
        outcome = await ask(operation, question("word " * 200_000))
        assert isinstance(outcome, Unscored)
        assert outcome.cause is Cause.CONTEXT_OVERFLOW
        assert judge.server.requests == []


@pytest.mark.asyncio
async def test_offline_answers_by_rule_and_keeps_the_answer(operation: Op, run: RunFile) -> None:
    ask = OfflineAsker(run)
    first = await ask(operation, question("12345"))
    again = await ask(operation, question("12345"))
    assert isinstance(first, Answer) and isinstance(again, Answer)
    assert first.value == again.value == Verdict(verdict="supported", score=5)
    assert first.key == again.key
    assert run.answer(first.key) is not None
    assert ask.identity == {"model": "offline"}
    assert run.spent() == 0.0


@pytest.mark.asyncio
async def test_replay_gives_what_was_answered_without_asking(operation: Op, run: RunFile) -> None:
    async with judged(run) as judge:
        ask = await judge.asker("trailing-comma")
        live = await ask(operation, question())
        replayed = await ReplayAsker(run, ask.identity)(operation, question())
        assert isinstance(live, Answer) and isinstance(replayed, Answer)
        assert (live.value, live.key, live.model, live.repaired) == (
            replayed.value, replayed.key, replayed.model, replayed.repaired,
        )  # fmt: skip
        assert judge.server.count("trailing-comma") == 1
        with pytest.raises(BadRunFile, match="holds no answer"):
            await ReplayAsker(run, ask.identity)(operation, question("Another."))
