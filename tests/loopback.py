"""A judge on loopback that speaks the wire format of chat completions and fails on command.

The model's name is the scenario: `openai:retry-after` meets a server that says 429 once. A
scenario is a function of the request and its number among the requests for that model.

    with FakeJudge() as judge:
        ... judge.base_url ...; judge.requests; judge.peak

As a program, `python -m tests.loopback --latency 0.2` prints its address and serves until its
standard input ends; benchmarks use it so, in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import ssl
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from tests.listening import Listening

Answerer = Callable[[dict[str, Any]], str]
"""The text of the answer to a request body."""


@dataclass
class Reply:
    """What the server does: wait, send these bytes, perhaps cut the connection, then this."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    wait: float = 0.0
    cut_at: int | None = None
    then: Callable[[], None] = lambda: None


@dataclass
class Request:
    """One request that came in. number: from 1, among those for the same model."""

    body: dict[str, Any]
    number: int
    headers: dict[str, str]
    path: str
    raw: bytes = b""

    @property
    def text(self) -> str:
        """Everything that was said to the model in the last turn."""
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else "".join(part["text"] for part in content)


def completion(text: str, finish: str = "stop", **message: Any) -> Reply:
    """An ordinary answer."""
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    }
    return Reply(body=json.dumps(body).encode())


def error(
    status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any
) -> Reply:
    """An HTTP error as providers write it."""
    body = {"error": {"message": message, "type": "error", "code": None, **more}}
    return Reply(status, headers or {}, json.dumps(body).encode())


def once(trouble: Reply) -> Callable[[Request, str], Reply]:
    """Trouble at the first request, an ordinary answer after that."""
    return lambda request, text: trouble if request.number == 1 else completion(text)


def always(trouble: Reply) -> Callable[[Request, str], Reply]:
    """The same trouble at every request."""
    return lambda request, text: trouble


def retry_date(request: Request, text: str) -> Reply:
    """429 with the time of day from which on one may ask again."""
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
    return once(error(429, "slow down", {"Retry-After": soon}))(request, text)


def slow(request: Request, text: str) -> Reply:
    """Ten times as slow as the others."""
    reply = completion(text)
    reply.wait = 0.2
    return reply


def wrong_once(request: Request, text: str) -> Reply:
    """An answer of the wrong form, and the right one when asked again."""
    return completion('{"nothing": "of this"}' if len(request.body["messages"]) == 2 else text)


SILENCE = 3600.0
SCENARIOS: Mapping[str, Callable[[Request, str], Reply]] = {
    "good": lambda request, text: completion(text),
    "slow": slow,
    "silence": always(Reply(wait=SILENCE)),
    "unauthorized": always(error(401, "Incorrect API key provided")),
    "forbidden": always(error(403, "Not for you")),
    "unknown-model": always(error(404, "The model does not exist", code="model_not_found")),
    "quota": always(error(429, "You exceeded your current quota", code="insufficient_quota")),
    "retry-after": once(error(429, "slow down", {"Retry-After": "1"})),
    "retry-fraction": once(error(429, "slow down", {"Retry-After": "0.4"})),
    "retry-ms": once(error(429, "slow down", {"retry-after-ms": "300"})),
    "retry-date": retry_date,
    "limited": always(error(429, "slow down")),
    "conflict": once(error(409, "try again")),
    "request-timeout": once(error(408, "too slow")),
    "error-500": once(error(500, "oops")),
    "error-502": once(Reply(502, {"Content-Type": "text/html"}, b"<html>Bad Gateway</html>")),
    "error-503": once(error(503, "overloaded")),
    "error-529": once(error(529, "overloaded")),
    "down": always(error(503, "down for the night")),
    "bad-request": always(error(400, "Unsupported parameter")),
    "filtered": always(error(400, "The prompt was filtered", code="content_filter")),
    "overflow": always(
        error(400, "maximum context length is 8 tokens", code="context_length_exceeded")
    ),
    "too-large": always(error(413, "Request Entity Too Large")),
    "reset": lambda request, text: (
        Reply(body=completion(text).body, cut_at=40) if request.number == 1 else completion(text)
    ),
    "resets": lambda request, text: Reply(body=completion(text).body, cut_at=40),
    "empty": once(Reply()),
    "empties": always(Reply()),
    "truncated-json": lambda request, text: (
        Reply(body=completion(text).body[:60]) if request.number == 1 else completion(text)
    ),
    "no-choices": once(Reply(body=b'{"id":"1","object":"chat.completion","choices":[]}')),
    "html": once(Reply(200, {"Content-Type": "text/html"}, b"<html>hello</html>")),
    "null": once(Reply(body=b"null")),
    "fenced": lambda request, text: completion(f"Here it is:\n```json\n{text}\n```\nDone."),
    "thinking": lambda request, text: completion(f"<think>let me {{see}}</think>{text}"),
    "trailing-comma": lambda request, text: completion(text.rstrip()[:-1] + ",}"),
    "wrong-once": wrong_once,
    "wrong": always(completion('{"nothing": "of this"}')),
    "prose": always(completion("I would say it is quite good.")),
    "blank": always(completion("")),
    "refusal": lambda request, text: completion("", refusal="I cannot judge this."),
    "content-filter": lambda request, text: completion("", "content_filter"),
    "length": lambda request, text: completion(text[: len(text) // 2], "length"),
    "no-usage": lambda request, text: without_usage(completion(text)),
}


def without_usage(reply: Reply) -> Reply:
    """An answer of a server that counts nothing."""
    body = json.loads(reply.body)
    del body["usage"]
    return Reply(body=json.dumps(body).encode())


class FakeJudge(Listening):
    """The server, in a thread with a loop of its own, so that anything may ask it.

    answer: text of the right answer to a request body. latency: seconds before every reply.
    scenarios: by the name of the model; others may be added. paths: go before them. tls: speak it.
    requests: what came in. peak: the most requests that were open at once.
    """

    def __init__(
        self,
        answer: Answerer | str = "{}",
        latency: float = 0.0,
        scenarios: Mapping[str, Callable[[Request, str], Reply]] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(tls)
        self._answer: Answerer = (lambda body: answer) if isinstance(answer, str) else answer
        self._latency = latency
        self.scenarios = {**SCENARIOS, **(scenarios or {})}
        self.paths: dict[str, Callable[[Request, str], Reply]] = {}
        self._counts: Counter[str] = Counter()
        self.requests: list[Request] = []
        self.busy = 0
        self.peak = 0
        self._gate = asyncio.Event()
        self._gate.set()

    def hold(self) -> None:
        """Answer nobody from now on, until `release`."""
        self._loop.call_soon_threadsafe(self._gate.clear)

    def release(self) -> None:
        """Answer all who wait, and whoever comes."""
        self._loop.call_soon_threadsafe(self._gate.set)

    @property
    def base_url(self) -> str:
        """What `--base-url` takes."""
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}/v1"

    def count(self, model: str) -> int:
        """How many requests came for one model."""
        return self._counts[model]

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its reply; whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        body = json.loads(raw or b"{}")
        model = str(body.get("model", ""))
        self._counts[model] += 1
        request = Request(body, self._counts[model], headers, head[0].split(" ")[1], raw)
        self.requests.append(request)
        self.busy += 1
        self.peak = max(self.peak, self.busy)
        try:
            reply = self.reply(request)
            await asyncio.sleep(self._latency + reply.wait)
            await self._gate.wait()
        finally:
            self.busy -= 1
        return await self._send(writer, reply)

    def reply(self, request: Request) -> Reply:
        """What comes of a request."""
        scenario = self.scenarios.get(str(request.body.get("model", "")), self.scenarios["good"])
        scenario = self.paths.get(request.path.partition("?")[0], scenario)
        return scenario(request, self._answer(request.body))

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply) -> bool:
        headers = {"Content-Type": "application/json", **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} X", f"Content-Length: {len(reply.body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        body = reply.body[: reply.cut_at]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
        await writer.drain()
        reply.then()
        if reply.cut_at is not None:
            writer.transport.abort()
        return reply.cut_at is None


def main() -> None:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--answer", default="{}")
    options = parser.parse_args()
    with FakeJudge(options.answer, options.latency) as judge:
        print(judge.base_url, flush=True)
        sys.stdin.read()
        print(json.dumps({"requests": len(judge.requests), "peak": judge.peak}), flush=True)


if __name__ == "__main__":
    main()
