"""Each provider's own wire format, spoken by the judge on loopback."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deepassay.models import clients, wire
from deepassay.models.ask import Answer
from deepassay.models.client import Call, ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.live import LiveAsker
from deepassay.models.operation import Operation
from deepassay.models.prompt import Prompt
from deepassay.models.service import RetryPolicy
from deepassay.runfile import RunFile
from deepassay.score import Cause, Unscored
from tests.loopback import FakeJudge, Reply, Request, completion, error

from .conftest import GOOD, Question, Verdict
from .judged import WAITS

Op = Operation[Question, Verdict]


def as_claude(text: str, stop: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude-served",
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop,
        "usage": {
            "input_tokens": 36,
            "output_tokens": 9,
            "cache_read_input_tokens": 64,
            "cache_creation_input_tokens": 5,
        },
    }


def as_gemini(text: str, finish: str = "STOP") -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [{"content": content, "finishReason": finish}],
        "modelVersion": "gemini-served",
        "usageMetadata": {
            "promptTokenCount": 105,
            "cachedContentTokenCount": 64,
            "candidatesTokenCount": 9,
            "thoughtsTokenCount": 3,
            "totalTokenCount": 117,
        },
    }


def as_response(text: str, status: str = "completed") -> dict[str, Any]:
    message = {
        "id": "o1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    return {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "responses-served",
        "status": status,
        "incomplete_details": {"reason": "max_output_tokens"} if status != "completed" else None,
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 105,
            "input_tokens_details": {"cached_tokens": 64},
            "output_tokens": 9,
            "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 114,
        },
    }


def as_router(text: str, finish: str = "stop") -> dict[str, Any]:
    body: dict[str, Any] = json.loads(completion(text, finish).body)
    return body | {"provider": "somebody"}


PROVIDERS = {
    "openai:m": (as_router, "stop", "length"),
    "openai-responses:m": (as_response, "completed", "incomplete"),
    "anthropic:m": (as_claude, "end_turn", "max_tokens"),
    "google:m": (as_gemini, "STOP", "MAX_TOKENS"),
    "openrouter:v/m": (as_router, "stop", "length"),
    "ollama:m": (as_router, "stop", "length"),
}
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY")


pytestmark = pytest.mark.usefixtures("one_authority")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in KEYS:
        monkeypatch.setenv(name, "the-key")
    yield


@asynccontextmanager
async def asking(
    run: RunFile, name: str, server: FakeJudge, attempt: float = 60.0
) -> AsyncIterator[LiveAsker]:
    url = server.base_url
    if name.startswith(("anthropic", "google")):
        url = url.removesuffix("/v1")
    async with Clients(4, seconds=60.0) as clients:
        client = await clients.connect(name, ModelSettings(temperature=0.5), url)
        retries = RetryPolicy(
            request_seconds=attempt, attempts=2, first_wait=0.01, question_seconds=300.0
        )
        yield LiveAsker(client, run, chance=np.random.default_rng(3), retries=retries)


QUESTION = Question(language="zh", report="一份报告。")


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_an_answer_is_read_and_its_usage_kept(operation: Op, run: RunFile, name: str) -> None:
    shape, good, _ = PROVIDERS[name]
    reply = Reply(body=json.dumps(shape(GOOD, good)).encode())
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        async with asking(run, name, server) as ask:
            answer = await ask(operation, QUESTION)
            assert isinstance(answer, Answer), answer
            assert answer.value == Verdict(verdict="supported", score=7)
            assert answer.model.endswith(("served", "served-model-1"))
            stored = run.answer(answer.key)
            assert stored is not None
            assert stored.usage["input"] in (105, 1000)
            assert stored.usage["output"] in (9, 12, 100)
            (request,) = server.requests
            sent = json.dumps(request.body, ensure_ascii=False)
            assert sent.index("一份报告") < sent.index("是否有依据")
            settings = ask.identity["settings"]
            assert isinstance(settings, dict)
            assert 0.5 in (settings.get("temperature"), *_inner(settings))


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_the_usage_of_empty_answers_is_kept(operation: Op, run: RunFile, name: str) -> None:
    shape, good, _ = PROVIDERS[name]
    reply = Reply(body=json.dumps(shape("", good)).encode())
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        async with asking(run, name, server) as ask:
            outcome = await ask(operation, QUESTION)
    assert isinstance(outcome, Unscored), outcome
    assert run.attempts() == {"empty": 2}
    usage = run.usage()
    assert usage["input"] in (2 * 105, 2 * 1000)
    assert usage["output"] in (2 * 9, 2 * 12, 2 * 100)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_question_about_nothing_is_answered(name: str) -> None:
    """As that of `doctor --ask`, which shows no report."""
    shape, good, _ = PROVIDERS[name]
    reply = Reply(body=json.dumps(shape("Yes.", good)).encode())
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        url = server.base_url
        if name.startswith(("anthropic", "google")):
            url = url.removesuffix("/v1")
        async with Clients(4, seconds=20.0) as clients:
            client = await clients.connect(name, None, url)
            completion = await client.complete(Call(Prompt("One word.", "", "Say yes.")))
    assert completion.text == "Yes."


@pytest.mark.asyncio
@pytest.mark.parametrize("name", [name for name in PROVIDERS if name != "ollama:m"])
async def test_a_key_that_comes_back_in_an_accepted_answer_is_not_kept(
    operation: Op, run: RunFile, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    secret = "sk-0123456789abcdef"
    for variable in KEYS:
        monkeypatch.setenv(variable, secret)
    shape, good, _ = PROVIDERS[name]
    body = json.dumps(shape(f"To {secret}, also {secret[5:17]}: {GOOD}", good))
    reply = Reply(body=body.replace("served", f"served-{secret}").encode())
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        async with asking(run, name, server) as ask:
            answer = await ask(operation, QUESTION)
    assert isinstance(answer, Answer), answer
    stored = run.answer(answer.key)
    assert stored is not None and stored.raw.startswith("To (the key), also (the key): ")
    assert secret[5:17] not in repr((answer, stored))
    assert secret[5:17].encode() not in run.path.read_bytes()


def _inner(settings: dict[str, Any]) -> list[Any]:
    return [each.get("temperature") for each in settings.values() if isinstance(each, dict)]


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_cut_answer_is_told_apart(operation: Op, run: RunFile, name: str) -> None:
    shape, _, cut = PROVIDERS[name]
    reply = Reply(body=json.dumps(shape(GOOD, cut)).encode())
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        async with asking(run, name, server) as ask:
            outcome = await ask(operation, QUESTION)
    assert isinstance(outcome, Unscored)
    assert outcome.cause is Cause.ANSWER_TRUNCATED


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("reply", "cause", "requests"),
    [
        (error(401, "no such key"), Cause.JUDGE_UNREACHABLE, 1),
        (error(503, "overloaded"), Cause.JUDGE_UNREACHABLE, 2),
        (Reply(), Cause.JUDGE_UNREACHABLE, 2),
        (Reply(body=b'{"id": "x", '), Cause.JUDGE_UNREACHABLE, 2),
        (Reply(body=b'{"id": "xxxxxxxxxxxx"}', cut_at=9), Cause.JUDGE_UNREACHABLE, 2),
        (Reply(wait=3600.0), Cause.TIMEOUT, 2),
    ],
    ids=["401", "503", "empty", "truncated", "reset", "silence"],
)
async def test_faults_are_told_apart(
    operation: Op, run: RunFile, name: str, reply: Reply, cause: Cause, requests: int
) -> None:
    for attempt in WAITS if reply.wait else (60.0,):
        with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
            async with asking(run, name, server, attempt) as ask:
                outcome = await ask(operation, Question(language="en", report=f"{attempt}"))
        assert isinstance(outcome, Unscored), outcome
        assert outcome.cause is cause
        if len(server.requests) == requests:
            break
    assert len(server.requests) == requests


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_rate_limit_is_waited_out(operation: Op, run: RunFile, name: str) -> None:
    shape, good, _ = PROVIDERS[name]
    answer = Reply(body=json.dumps(shape(GOOD, good)).encode())
    limit = error(429, "slow down", {"Retry-After": "0.3"})
    first_limited = {"good": lambda request, _: limit if request.number == 1 else answer}
    with FakeJudge(scenarios=first_limited) as server:
        async with asking(run, name, server) as ask:
            assert isinstance(await ask(operation, QUESTION), Answer)
    details = [
        detail for (detail,) in run._store.rows("SELECT detail FROM attempts ORDER BY rowid")
    ]
    assert details == ["status 429: slow down; waited 0.30 s", ""]


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(("encoding", "scored"), [("Identity", True), ("gzip", False)])
async def test_only_what_is_plain_is_taken(
    operation: Op, run: RunFile, name: str, encoding: str, scored: bool
) -> None:
    shape, good, _ = PROVIDERS[name]
    body = json.dumps(shape(GOOD, good)).encode()
    reply = Reply(headers={"Content-Encoding": encoding}, body=body)
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        async with asking(run, name, server) as ask:
            outcome = await ask(operation, QUESTION)
    assert isinstance(outcome, Answer if scored else Unscored), outcome


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_an_answer_that_is_too_large_is_cut_off(
    operation: Op, run: RunFile, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "LARGEST_ANSWER", 10_000)
    monkeypatch.setattr(wire, "LARGEST_ANSWER", 10_000)
    shape, good, _ = PROVIDERS[name]
    reply = Reply(body=json.dumps(shape(GOOD, good)).encode() + b" " * 20_000)
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        async with asking(run, name, server) as ask:
            outcome = await ask(operation, QUESTION)
    assert isinstance(outcome, Unscored), outcome


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_no_cookie_is_kept(operation: Op, run: RunFile, name: str) -> None:
    shape, good, _ = PROVIDERS[name]
    body = json.dumps(shape(GOOD, good)).encode()
    reply = Reply(headers={"Set-Cookie": "who=me; Path=/"}, body=body)
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        async with asking(run, name, server) as ask:
            for number in range(2):
                await ask(operation, Question(language="en", report=f"Report {number}."))
        assert len(server.requests) == 2
        assert not any("cookie" in request.headers for request in server.requests)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", PROVIDERS)
async def test_the_digest_of_a_request_is_that_of_what_was_sent(
    operation: Op, run: RunFile, name: str
) -> None:
    shape, good, _ = PROVIDERS[name]
    reply = Reply(body=json.dumps(shape(GOOD, good)).encode())
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        async with asking(run, name, server) as ask:
            await ask(operation, QUESTION)
        sent = hashlib.sha256(server.requests[0].raw).hexdigest()
    with closing(sqlite3.connect(run.path)) as db, db:
        assert db.execute("SELECT body_digest FROM attempts").fetchall() == [(sent,)]
    db.close()


@pytest.mark.asyncio
async def test_claude_is_told_where_the_material_ends(operation: Op, run: RunFile) -> None:
    """The cache marker stands on the report, so that other questions about it cost less."""
    reply = Reply(body=json.dumps(as_claude(GOOD)).encode())
    with FakeJudge(scenarios={"good": lambda *_: reply}) as server:
        async with asking(run, "anthropic:m", server) as ask:
            await ask(operation, QUESTION)
        material, asked = server.requests[0].body["messages"][0]["content"]
        assert material["cache_control"]["type"] == "ephemeral"
        assert "一份报告" in material["text"]
        assert "cache_control" not in asked
        assert not server.requests[0].body.get("stream")


@pytest.mark.asyncio
async def test_no_library_retries_behind_our_back(operation: Op, run: RunFile) -> None:
    failing = dict.fromkeys(("good", "m", "v/m"), lambda *_: error(500, "oops"))
    with FakeJudge(scenarios=failing) as server:
        for number, name in enumerate(PROVIDERS, 1):
            async with asking(run, name, server) as ask:
                await ask(operation, QUESTION)
            assert len(server.requests) == 2 * number, name


@pytest.mark.asyncio
async def test_the_account_that_pays_is_told_as_the_library_tells_it(
    operation: Op, run: RunFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    with FakeJudge(GOOD) as server:
        async with asking(run, "openai:m", server) as ask:
            await ask(operation, QUESTION)
        headers = server.requests[0].headers
    assert (headers["openai-organization"], headers["openai-project"]) == ("org-1", "proj-1")


def test_the_judge_on_loopback_serves_as_a_program() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.loopback", "--answer", "hello"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin and server.stdout
        url = server.stdout.readline().strip()
        body = json.dumps({"model": "m", "messages": []}).encode()
        with urllib.request.urlopen(f"{url}/chat/completions", body) as answer:
            assert json.load(answer)["choices"][0]["message"]["content"] == "hello"
        server.stdin.close()
        assert json.loads(server.stdout.read()) == {"requests": 1, "peak": 1}


def test_a_request_knows_what_was_said_last() -> None:
    request = Request({"messages": [{"content": [{"text": "a"}, {"text": "b"}]}]}, 1, {}, "/")
    assert request.text == "ab"
