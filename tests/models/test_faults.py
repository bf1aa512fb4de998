"""Asking over real sockets: a judge on loopback that fails in every way that providers fail."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.ask import Answer, ReplayAsker
from deepassay.models.clients import Clients
from deepassay.models.faults import HttpError, fault_of
from deepassay.models.live import LiveAsker
from deepassay.models.service import RetryPolicy
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from tests.loopback import SILENCE, Reply, Request, completion, error

from .conftest import Verdict
from .judged import QUICK, WAITS, Op, judged, question

SCORED = {
    # scenario: requests that it takes
    "good": 1, "slow": 1, "fenced": 1, "thinking": 1, "trailing-comma": 1, "no-usage": 1,
    "wrong-once": 2, "retry-fraction": 2, "retry-ms": 2, "retry-after": 2, "retry-date": 2,
    "conflict": 2, "request-timeout": 2, "error-500": 2, "error-502": 2, "error-503": 2,
    "error-529": 2, "reset": 2, "empty": 2, "truncated-json": 2, "no-choices": 2, "html": 2,
    "null": 2,
}  # fmt: skip
FAILED = {
    # scenario: requests until it is given up, and the cause
    "silence": (3, Cause.TIMEOUT),
    "unauthorized": (1, Cause.JUDGE_UNREACHABLE),
    "forbidden": (1, Cause.JUDGE_UNREACHABLE),
    "unknown-model": (1, Cause.JUDGE_UNREACHABLE),
    "quota": (1, Cause.JUDGE_UNREACHABLE),
    "down": (3, Cause.JUDGE_UNREACHABLE),
    "resets": (3, Cause.JUDGE_UNREACHABLE),
    "bad-request": (1, Cause.JUDGE_UNREACHABLE),
    "empties": (3, Cause.JUDGE_UNREACHABLE),
    "blank": (3, Cause.ANSWER_UNREADABLE),
    "wrong": (3, Cause.ANSWER_UNREADABLE),
    "prose": (3, Cause.ANSWER_UNREADABLE),
    "filtered": (1, Cause.JUDGE_REFUSED),
    "refusal": (1, Cause.JUDGE_REFUSED),
    "content-filter": (1, Cause.JUDGE_REFUSED),
    "length": (1, Cause.ANSWER_TRUNCATED),
    "overflow": (1, Cause.CONTEXT_OVERFLOW),
    "too-large": (1, Cause.CONTEXT_OVERFLOW),
}


WAITED = {"retry-after": 1.0, "retry-fraction": 0.4, "retry-ms": 0.3}
"""Seconds that a provider asks to wait, which are neither fewer nor more."""


@pytest.mark.asyncio
@pytest.mark.parametrize("scenario", SCORED)
async def test_what_passes_ends_with_an_answer(operation: Op, run: RunFile, scenario: str) -> None:
    async with judged(run) as judge:
        ask = await judge.asker(scenario)
        answer = await ask(operation, question())
        assert isinstance(answer, Answer), answer
        assert answer.value == Verdict(verdict="supported", score=7)
        assert answer.repaired is (scenario == "trailing-comma")
        attempts = [(kind, status, detail) for kind, status, detail, *_ in judge.attempts()]
        assert judge.server.count(scenario) == SCORED[scenario] == len(attempts)
        assert attempts[-1] == ("answered", 200, "")
        if (least := WAITED.get(scenario)) is not None:
            said = f"status 429: slow down; waited {least:.2f} s"
            assert attempts[0] == ("rate_limit", 429, said)


@pytest.mark.asyncio
@pytest.mark.parametrize("scenario", FAILED)
async def test_what_stays_ends_unscored_with_its_cause(
    operation: Op, run: RunFile, scenario: str
) -> None:
    requests, cause = FAILED[scenario]
    for attempt in WAITS if scenario == "silence" else (60.0,):
        asked = question(f"{attempt}")
        retries = RetryPolicy(attempt, 900.0, attempts=3, first_wait=0.02)
        async with judged(run) as judge:
            before = len(judge.attempts())
            ask = await judge.asker(scenario, retries=retries)
            outcome = await ask(operation, asked)
        assert isinstance(outcome, Unscored), outcome
        assert outcome.cause is cause
        assert outcome.detail
        assert len(judge.attempts()) - before == requests
        assert await ReplayAsker(run, ask.identity)(operation, asked) == outcome
        if judge.server.count(scenario) == requests:
            break
    assert judge.server.count(scenario) == requests


@pytest.mark.asyncio
async def test_all_scenarios_at_once_end_scored_or_unscored(operation: Op, run: RunFile) -> None:
    scenarios = [name for name in (*SCORED, *FAILED) if name != "silence"]
    async with judged(run, connections=16) as judge:
        askers = {name: await judge.asker(name) for name in scenarios}
        questions = [(name, question(f"Report {n}.")) for name in scenarios for n in range(4)]
        outcomes = await asyncio.gather(*(askers[name](operation, q) for name, q in questions))
    for (name, _), outcome in zip(questions, outcomes, strict=True):
        if name in SCORED:
            assert isinstance(outcome, Answer), name
        else:
            assert isinstance(outcome, Unscored), name
            assert outcome.cause is FAILED[name][1]


@pytest.mark.asyncio
async def test_a_rate_limit_is_waited_out_until_the_deadline(operation: Op, run: RunFile) -> None:
    def busy(request: Request, text: str) -> Reply:
        return completion(text) if request.number > 5 else error(429, "slow down")

    enough = RetryPolicy(request_seconds=30.0, attempts=2, first_wait=0.01)
    short = RetryPolicy(question_seconds=1.0, attempts=2, first_wait=0.01)
    async with judged(run, scenarios={"busy": busy}) as judge:
        answer = await (await judge.asker("busy", retries=enough))(operation, question())
        assert isinstance(answer, Answer)
        outcome = await (await judge.asker("limited", retries=short))(operation, question())
        assert isinstance(outcome, Unscored)
        assert outcome.cause is Cause.JUDGE_UNREACHABLE
        assert judge.server.count("limited") > 2


REFUSED_THEN_SILENT = [
    # title, seconds of a request, of the question, cause, detail
    ("the question's deadline cuts it off", 60.0, 1.5, Cause.JUDGE_UNREACHABLE, "429: slow down"),
    ("its own deadline cuts it off", 1.5, 60.0, Cause.TIMEOUT, "no answer within 1.5 seconds"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("request_seconds", "question_seconds", "cause", "detail"),
    [case[1:] for case in REFUSED_THEN_SILENT],
    ids=[case[0] for case in REFUSED_THEN_SILENT],
)
async def test_a_request_after_a_rate_limit_that_is_never_answered(
    operation: Op,
    run: RunFile,
    request_seconds: float,
    question_seconds: float,
    cause: Cause,
    detail: str,
) -> None:
    """Where the question has no time left, the rate limit is why; else the request is."""

    def refusing(request: Request, text: str) -> Reply:
        return error(429, "slow down") if request.number == 1 else Reply(wait=SILENCE)

    retries = RetryPolicy(request_seconds, question_seconds, attempts=1, first_wait=0.01)
    async with judged(run, scenarios={"m": refusing}) as judge:
        ask = await judge.asker("m", retries=retries)
        outcome = await ask(operation, question())
        assert [kind for kind, *_ in judge.attempts()] == ["rate_limit", "timeout"]
    assert isinstance(outcome, Unscored)
    assert outcome.cause is cause
    assert detail in outcome.detail


@pytest.mark.asyncio
async def test_a_server_that_takes_four_at_once_answers_everything_at_its_own_rate(
    operation: Op, run: RunFile
) -> None:
    async with judged(run, connections=24, latency=0.02) as judge:
        server = judge.server

        def crowded(request: Request, text: str) -> Reply:
            return completion(text) if server.busy <= 4 else error(429, "too many at once")

        server.scenarios["crowded"] = crowded
        ask = await judge.asker(
            "crowded", retries=RetryPolicy(request_seconds=60.0, first_wait=0.05)
        )
        outcomes = await asyncio.gather(*(ask(operation, question(str(n))) for n in range(80)))
        assert all(isinstance(outcome, Answer) for outcome in outcomes)
        assert server.count("crowded") < 20 * 80, "refusals slow the others down"


@pytest.mark.asyncio
async def test_an_endpoint_that_only_says_too_many_is_given_up(operation: Op, run: RunFile) -> None:
    retries = RetryPolicy(question_seconds=1.0, attempts=2, first_wait=0.05)
    async with judged(run, connections=4) as judge:
        ask = await judge.asker("limited", retries=retries)
        outcomes = await asyncio.gather(*(ask(operation, question(str(n))) for n in range(60)))
    assert {outcome.cause for outcome in outcomes} == {Cause.JUDGE_UNREACHABLE}
    assert any(outcome.detail.startswith("not asked any more") for outcome in outcomes)


@pytest.mark.asyncio
async def test_no_wait_is_longer_than_the_deadline_of_the_item(operation: Op, run: RunFile) -> None:
    scenarios = {"good": lambda *_: error(429, "slow down", {"Retry-After": "86400"})}
    async with judged(run, scenarios=scenarios) as judge:
        ask = await judge.asker("m", retries=RetryPolicy(request_seconds=1.0, question_seconds=3.0))
        outcome = await ask(operation, question())
        assert len(judge.server.requests) == 1
    assert isinstance(outcome, Unscored)
    assert (outcome.cause, outcome.detail) == (
        Cause.JUDGE_UNREACHABLE,
        "status 429: slow down; the provider asks to wait 86400 s",
    )


def test_a_provider_that_asks_for_more_than_a_minute_is_given_it() -> None:
    assert RetryPolicy().wait(1, 300.0, 0.5) == 300.0
    assert RetryPolicy().wait(20, None, 1.0) == 60.0
    assert RetryPolicy().wait(1, 0.1, 0.5) == 1.0


ABSURD = (
    "Mon, 01 Jan 0001 00:00:00 +2359",
    "Fri, 31 Dec 9999 23:59:59 -2359",
    "Mon, 01 Jan 2024 00:00:00 +99999999",
    "Mon, 01 Jan 2024 00:00:00 +9999999999999999",
    "1e400",
    "nan",
    "-5",
    "soon",
    "9" * 5000,
)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["Retry-After", "retry-after-ms"])
@pytest.mark.parametrize("value", ABSURD)
async def test_an_absurd_wait_is_none(operation: Op, run: RunFile, name: str, value: str) -> None:
    scenarios = {
        "m": lambda request, text: (
            error(429, "later", {name: value}) if request.number == 1 else completion(text)
        )
    }
    async with judged(run, scenarios=scenarios) as judge:
        ask = await judge.asker("m")
        outcome = await ask(operation, question())
    if isinstance(outcome, Unscored):  # a wait of centuries is one all the same
        assert "asks to wait" in outcome.detail
        assert value.startswith("Fri")
    else:
        assert outcome.value == Verdict(verdict="supported", score=7)


@given(
    st.dictionaries(
        st.sampled_from(["retry-after", "retry-after-ms"]),
        st.one_of(
            st.text(max_size=40),
            st.floats().map(str),
            st.datetimes().map(lambda when: f"{when:%a, %d %b %Y %H:%M:%S} +9959"),
            st.integers().map(lambda offset: f"Mon, 01 Jan 2024 00:00:00 {offset:+}"),
        ),
    ),
    st.integers(min_value=300, max_value=999),
    st.one_of(st.none(), st.text(), st.dictionaries(st.just("error"), st.text() | st.integers())),
)
@settings(deadline=None)
def test_whatever_a_server_says_is_a_fault(headers: dict[str, str], status: int, body: Any) -> None:
    fault = fault_of(HttpError(status, headers, body), "sk-a-secret")
    assert fault.status == status
    assert fault.retry_after is None or 0 <= fault.retry_after < float("inf")


MODERATED = [
    error(
        403,
        "Your chosen model requires moderation and your input was flagged",
        metadata={"reasons": ["violence"], "flagged_input": "A report"},
    ),
    error(403, "Not for this one", metadata={"reasons": ["x"], "flagged_input": "y"}),
    error(403, "The input was flagged"),
    error(403, "Blocked by our content policy"),
    error(403, "No", code="content_policy_violation"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize("reply", MODERATED)
async def test_a_prompt_that_is_moderated_fails_alone(
    operation: Op, run: RunFile, reply: Reply
) -> None:
    def strict(request: Request, text: str) -> Reply:
        return reply if "massacre" in request.text else completion(text)

    async with judged(run, scenarios={"strict": strict}) as judge:
        ask = await judge.asker("strict")
        outcome = await ask(operation, question("On a massacre."))
        assert isinstance(outcome, Unscored)
        assert outcome.cause is Cause.JUDGE_REFUSED
        assert isinstance(await ask(operation, question("On a harvest.")), Answer)


@pytest.mark.asyncio
async def test_an_account_that_was_flagged_is_a_locked_door(operation: Op, run: RunFile) -> None:
    locked = {"locked": lambda *_: error(403, "Your account was flagged")}
    async with judged(run, scenarios=locked) as judge:
        ask = await judge.asker("locked")
        for n in range(3):
            outcome = await ask(operation, question(str(n)))
            assert isinstance(outcome, Unscored)
            assert outcome.cause is Cause.JUDGE_UNREACHABLE
        assert judge.server.count("locked") == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("message", "kind", "cause"),
    [
        ("too much", "exceed_context_size_error", Cause.CONTEXT_OVERFLOW),
        ("the request exceeds the available context size", "", Cause.CONTEXT_OVERFLOW),
        ("prompt is too long: 215000 tokens > 200000 maximum", "", Cause.CONTEXT_OVERFLOW),
        ("The input token count (9) exceeds the maximum", "", Cause.CONTEXT_OVERFLOW),
        ("Too many tokens in the request", "", Cause.CONTEXT_OVERFLOW),
        ("max_tokens is too large: at most 8192 are possible", "", Cause.JUDGE_UNREACHABLE),
    ],
)
async def test_a_prompt_that_is_too_long_is_known_by_its_words(
    operation: Op, run: RunFile, message: str, kind: str, cause: Cause
) -> None:
    async with judged(run, scenarios={"m": lambda *_: error(400, message, type=kind)}) as judge:
        outcome = await (await judge.asker("m"))(operation, question())
        assert isinstance(outcome, Unscored)
        assert outcome.cause is cause


@pytest.mark.asyncio
@pytest.mark.parametrize("scenario", ["unauthorized", "forbidden", "unknown-model", "quota"])
async def test_after_a_locked_door_nobody_knocks_again(
    operation: Op, run: RunFile, scenario: str
) -> None:
    async with judged(run, connections=2) as judge:
        ask = await judge.asker(scenario)
        outcomes = await asyncio.gather(*(ask(operation, question(str(n))) for n in range(40)))
        assert {outcome.cause for outcome in outcomes} == {Cause.JUDGE_UNREACHABLE}
        assert judge.server.count(scenario) <= 2


@pytest.mark.asyncio
async def test_a_silent_server_ends_within_deadline_times_attempts(
    operation: Op, run: RunFile
) -> None:
    retries = RetryPolicy(request_seconds=0.5, attempts=3, first_wait=0.02)
    async with judged(run, connections=4) as judge:
        ask = await judge.asker("silence", retries=retries)
        outcomes = await asyncio.gather(*(ask(operation, question(str(n))) for n in range(60)))
        assert judge.server.count("silence") <= 4 * 3, "nobody finds out anew"
    assert {outcome.cause for outcome in outcomes} == {Cause.TIMEOUT}
    assert len(judge.kept()) == 60


@pytest.mark.asyncio
async def test_a_server_that_is_not_there_is_given_up_by_all(operation: Op, run: RunFile) -> None:
    async with Clients(4) as clients:
        client = await clients.connect("openai:m", None, "http://127.0.0.1:9/v1")
        ask = LiveAsker(client, run, chance=np.random.default_rng(1), retries=QUICK)
        outcomes = await asyncio.gather(*(ask(operation, question(str(n))) for n in range(20)))
    assert {outcome.cause for outcome in outcomes} == {Cause.JUDGE_UNREACHABLE}


@pytest.mark.asyncio
async def test_one_hiccup_does_not_close_the_line(operation: Op, run: RunFile) -> None:
    """A single question that gets no answer, among others that do, is a single failure."""

    def moody(request: Any, text: str) -> Any:
        reply = completion(text)
        reply.wait = 60.0 if "hard case" in request.text else 0.0
        return reply

    retries = RetryPolicy(request_seconds=1.5, attempts=1)
    async with judged(run, scenarios={"good": moody}) as judge:
        ask = await judge.asker("m", retries=retries)
        assert isinstance(await ask(operation, question("easy")), Answer)
        assert isinstance(await ask(operation, question("hard case")), Unscored)
        assert isinstance(await ask(operation, question("easy too")), Answer)
