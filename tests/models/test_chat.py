"""What servers answer in the chat-completions interface, and what becomes of each answer."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from deepassay.models.chat import ChatClient
from deepassay.models.client import AdaptivePace, Call, Completion, Fault, FaultKind
from deepassay.models.prompt import Prompt
from deepassay.models.usage import Usage
from deepassay.models.wire import Post, Posted
from deepassay.score import Cause

KEY = "sk-a-secret-of-somebody"


class Canned:
    """A server that has one answer."""

    def __init__(self, status: int, body: bytes) -> None:
        self.posted = Posted(status, {}, body)

    async def send(self, content: bytes) -> Posted:
        return self.posted


class Mirror:
    """A server that sends back what it was sent, and so badly that it is no answer at all."""

    async def send(self, content: bytes) -> Posted:
        line = "x" * (300 - 40) + f"Authorization Bearer {KEY}"
        raise Fault(FaultKind.CONNECTION, f"RemoteProtocolError: illegal header line: {line}")


async def asked(body: Any, status: int = 200, *, own: bool = False) -> Completion:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await completed(Canned(status, raw), own=own)


async def completed(server: Canned | Mirror, *, own: bool = False) -> Completion:
    client = ChatClient(
        post=cast(Post, server),
        composed={"messages": [{"role": "system"}, {"role": "user"}]},
        identity={},
        pace=AdaptivePace(1),
        price=None,
        max_output=100,
        context_window=None,
        key=KEY,
        finish_may_be_unknown=not own,
    )
    return await client.complete(Call(Prompt("system", "material", "question")))


def completion(content: Any = "yes", finish: Any = "stop", **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"model": "m", "choices": [{"message": message, "finish_reason": finish}], **fields}


async def fault_of(body: Any, status: int = 200, *, own: bool = False) -> Fault:
    with pytest.raises(Fault) as raised:
        await asked(body, status, own=own)
    return raised.value


@pytest.mark.asyncio
async def test_the_parts_of_a_message_are_its_text_without_the_thinking() -> None:
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "y"}]
    assert (await asked(completion([*parts, {"type": "text", "text": "es"}]))).text == "yes"


@pytest.mark.asyncio
@pytest.mark.parametrize("content", [{"a": 1}, 5, ["yes"], [{"type": "text"}], [{"text": "yes"}]])
async def test_a_message_of_another_kind_is_no_answer(content: Any) -> None:
    assert (await fault_of(completion(content))).kind in (FaultKind.GARBLED, FaultKind.EMPTY)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<!DOCTYPE html><title>Log in</title>", "a web page, perhaps to log in"),
        (b"It works!", "answered with no JSON"),
        ({"error": "model overloaded"}, "model overloaded"),
        ({"error": {"message": "no such model", "code": 404}}, "no such model"),
        ({"detail": "nothing here"}, "this is no completion"),
    ],
)
async def test_what_a_server_says_in_place_of_an_answer_does_not_blame_the_model(
    body: Any, said: str
) -> None:
    fault = await fault_of(body)
    assert fault.kind.cause is Cause.JUDGE_UNREACHABLE
    assert said in fault.detail


@pytest.mark.asyncio
async def test_a_refused_request_does_not_blame_the_model() -> None:
    fault = await fault_of({"error": {"message": "unknown field response_format"}}, 400)
    assert (fault.kind, fault.kind.cause) == (FaultKind.REJECTED, Cause.JUDGE_UNREACHABLE)
    assert "unknown field response_format" in fault.detail


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_an_answer_that_was_only_thought_says_so(name: str) -> None:
    answer = completion("")
    answer["choices"][0]["message"][name] = "Let me think."
    fault = await fault_of(answer)
    assert (fault.kind, fault.kind.cause) == (FaultKind.EMPTY, Cause.ANSWER_UNREADABLE)
    assert fault.detail == "the model thought (13 characters) and gave no answer"
    answer["choices"][0]["finish_reason"] = "length"
    assert (await asked(answer)).thought == 13


@pytest.mark.asyncio
@pytest.mark.parametrize("finish", [None, "STOP", "eos", "end_turn"])
async def test_why_an_answer_ended_is_only_asked_of_the_vendors_own_server(finish: Any) -> None:
    assert (await asked(completion(finish=finish))).finish == "stop"
    assert (await fault_of(completion(finish=finish), own=True)).kind is FaultKind.GARBLED


@pytest.mark.asyncio
@pytest.mark.parametrize("finish", ["error", "tool_calls", "function_call"])
async def test_what_ended_without_an_answer_is_none(finish: str) -> None:
    assert (await fault_of(completion(finish=finish))).kind is FaultKind.GARBLED


@pytest.mark.asyncio
@pytest.mark.parametrize("count", ["5", 5.5, True, None, [5], float("nan"), float("inf")])
async def test_a_count_that_is_none_costs_nothing_and_spoils_no_answer(count: Any) -> None:
    details = {"cached_tokens": count}
    usage = {"prompt_tokens": count, "completion_tokens": 2, "prompt_tokens_details": details}
    assert (await asked(completion(usage=usage))).usage == Usage(output=2)
    assert (await asked(completion(usage=[usage]))).usage is None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"prompt_tokens": -5}, "a negative number of tokens"),
        ({"prompt_tokens": 90_000_000}, "90,000,000 tokens for a question of "),
        ({"prompt_tokens": 10**400}, "tokens for a question of "),
        ({"completion_tokens": 90_000_000}, "an answer of 90,000,000 tokens"),
        (
            {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 6}},
            "6 cached tokens of 5",
        ),
        (
            {"completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 6}},
            "5 tokens, 6 of them thought",
        ),
    ],
)
async def test_counts_that_cannot_be_are_not_believed_and_that_is_said(
    counts: dict[str, Any], said: str
) -> None:
    found = await asked(completion(usage={"prompt_tokens": 7, "completion_tokens": 2} | counts))
    assert found.usage is None
    assert said in found.note


@pytest.mark.asyncio
async def test_every_status_of_success_brings_an_answer() -> None:
    assert (await asked(completion(), 201)).text == "yes"
    assert (await fault_of(b"", 204)).kind is FaultKind.GARBLED


@pytest.mark.asyncio
@pytest.mark.parametrize(("code", "status"), [(503, 503), (True, 500), (200, 500), ("x", 500)])
async def test_an_error_under_status_200_has_its_own_status(code: Any, status: int) -> None:
    fault = await fault_of({"error": {"message": "later", "code": code}})
    assert (fault.kind, fault.status) == (FaultKind.SERVER, status)


@pytest.mark.asyncio
@pytest.mark.parametrize("status", [200, 400, 401, 500])
@pytest.mark.parametrize(
    "body",
    [
        {"error": f"{KEY} is loading"},
        {"error": {"message": f"no account has {KEY}"}},
        {"error": {"message": "x" * (300 - 20) + KEY}},
        {"you sent": f"Bearer {KEY}"},
        f"<html>{KEY}</html>".encode(),
        b"x" * (300 - 20) + KEY.encode(),
        completion(finish=KEY, content=""),
    ],
)
async def test_a_key_that_a_server_sends_back_is_not_told(body: Any, status: int) -> None:
    assert KEY[:10] not in (await fault_of(body, status)).detail


@pytest.mark.asyncio
async def test_a_key_that_comes_back_in_no_answer_is_not_told_either() -> None:
    with pytest.raises(Fault, match="illegal header line") as raised:
        await completed(Mirror())
    assert raised.value.kind is FaultKind.CONNECTION
    assert KEY[:10] not in raised.value.detail


@pytest.mark.asyncio
@pytest.mark.parametrize("said", [KEY, KEY[3:15], f"x{KEY}{KEY}"])
async def test_a_key_in_an_accepted_answer_is_not_handed_on(said: str) -> None:
    done = await asked(completion(f'{{"reason": "{said}"}}') | {"model": f"m-{said}"})
    refused = completion(f"{said} is refused")
    refused["choices"][0]["message"]["refusal"] = f"not with {said}"
    ends = [done, await asked(refused)]
    assert [end.finish for end in ends] == ["stop", "refusal"]
    assert all("(the key)" in end.text and said[:12] not in repr(end) for end in ends)
