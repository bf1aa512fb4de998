"""Batch interfaces on loopback, in the shapes of OpenAI (Responses, chat completions), Anthropic.

Questions are answered live as well.

State lives as long as the service, so that a client that was killed finds its batches again. A word
in the last message to the model decides what happens to a request:

FLAKY  the first time 429, then answered     BAD      400, always
EXPIRE the first time expired                LOST     the first time no line at all
CUT    an answer that ends at its limit      ODD      an answer off the menu, however often

    with FakeBatches(answer) as service:
        ... service.base_url ...; service.paid; service.batches
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from aiohttp import web

NEVER = 10**9
FULL = {
    "code": "token_limit_exceeded",
    "line": None,
    "param": None,
    "message": "Enqueued token limit reached for m in organization o. Limit: 90,000 enqueued "
    "tokens. Please try again once some in_progress batches have been completed.",
}
Body = dict[str, Any]
Handler = Callable[[web.Request], Any]


@dataclass
class Kept:
    """One batch. lines: its requests by identifier. shown: what the provider says of it."""

    lines: dict[str, Body]
    shown: Body
    polls: int = 0
    ended: bool = False
    results: list[Body] = field(default_factory=list)


class FakeBatches:
    """The service, in a thread of its own.

    answer: the text of the answer to a conversation, in the words of chat completions. polls: looks
    at a batch until it has ended, NEVER for later. paid: how often the model answered a
    conversation. trouble: by `METHOD /path/{id}`, statuses that are answered in place of what was
    asked; 0 carries it out first, then hangs up. forget: batches that are known no more. moments:
    what is done once `before METHOD /path` is carried out, or `after` it. room: for how many
    requests there is room in the account's queue; where more would wait, OpenAI's batch fails when
    it is looked through, the others' is not made.
    """

    def __init__(self, answer: Callable[[Body], str], polls: int = 1) -> None:
        self.answer = answer
        self.polls = polls
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Kept] = {}
        self.paid: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        self.requests: list[str] = []
        self.trouble: dict[str, list[int]] = {}
        self.forget: set[str] = set()
        self.moments: dict[str, Callable[[], None]] = {}
        self.room = NEVER
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        """What `--base-url` takes for models of OpenAI's kind."""
        return f"{self.address}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _listen(self) -> None:
        app = web.Application(client_max_size=2**30, middlewares=[self._troubled])
        app.add_routes(self._routes())
        self._runner = web.AppRunner(app, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def _close(self) -> None:
        await self._runner.cleanup()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:  # of clients that were killed
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _routes(self) -> list[web.RouteDef]:
        return [
            web.post("/v1/chat/completions", self._answered),
            web.post("/v1/responses", self._answered),
            web.post("/v1/messages", self._answered),
            web.post("/v1/files", self._upload),
            web.get("/v1/files/{id}", self._file),
            web.get("/v1/files/{id}/content", self._content),
            web.delete("/v1/files/{id}", self._delete),
            web.post("/v1/batches", self._create),
            web.get("/v1/batches", self._list),
            web.get("/v1/batches/{id}", self._look),
            web.post("/v1/messages/batches", self._create_messages),
            web.get("/v1/messages/batches", self._list),
            web.get("/v1/messages/batches/{id}", self._look),
            web.get("/v1/messages/batches/{id}/results", self._results),
        ]

    @web.middleware
    async def _troubled(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        kind = "/".join(
            "{id}" if re.search("[_-]", part) else part for part in request.path.split("/")
        )
        name = f"{request.method} {kind}"
        self.requests.append(name)
        self.moments.pop(f"before {name}", _nothing)()
        statuses = self.trouble.get(name, [])
        status = statuses.pop(0) if statuses else None
        if status:
            return web.json_response({"error": {"message": "trouble"}}, status=status)
        response: web.StreamResponse = await handler(request)
        self.moments.pop(f"after {name}", _nothing)()
        if status == 0:
            assert request.transport is not None
            request.transport.close()
        return response

    def has_room(self, lines: Sized) -> bool:
        """Whether so many requests more may wait."""
        waiting = sum(len(each.lines) for each in self.batches.values() if not each.ended)
        return waiting + len(lines) <= self.room

    # What becomes of a request

    def _end(self, body: Body) -> tuple[str, str]:
        """How a request ends, and the text of the answer."""
        said = json.dumps(_messages(body), ensure_ascii=False)
        self.seen[said] += 1
        first = self.seen[said] == 1
        last = _last(body)
        for word, end, always in (
            ("BAD", "bad", True),
            ("FLAKY", "flaky", False),
            ("EXPIRE", "expired", False),
            ("LOST", "lost", False),
        ):
            if word in last and (always or first):
                return end, ""
        self.paid[said] += 1
        if "CUT" in last:
            return "cut", '{"verdict": "supp'
        if "ODD" in said:
            return "fine", '{"verdict": "perhaps"}'
        return "fine", self.answer({"messages": _messages(body)})

    def carry_out(self, requests: Path, left_out: int = 0) -> None:
        """Write the file of results of a file of requests, as `vllm run-batch` does.

        left_out: of how many of the first requests it has no lines.
        """
        lines = [json.loads(line) for line in requests.read_bytes().split(b"\n") if line]
        assert {line["url"] for line in lines} == {"/v1/chat/completions"}
        results = []
        for line in lines[left_out:]:
            end, text = self._end(line["body"])
            if end != "lost":
                results.append({"custom_id": line["custom_id"], **_line(line["body"], end, text)})
        text = "".join(json.dumps(each) + "\n" for each in reversed(results))
        requests.with_suffix(".results.jsonl").write_text(text)

    def _finish(self, batch: Kept) -> None:
        ends = {name: self._end(body) for name, body in batch.lines.items()}
        if batch.shown.get("type") == "message_batch":
            batch.results = [
                {"custom_id": name, "result": _message(batch.lines[name], *end)}
                for name, end in reversed(ends.items())
                if end[0] != "lost"
            ]
            where = f"{self.address}/v1/messages/batches/{batch.shown['id']}/results"
            batch.shown.update(processing_status="ended", results_url=where)
            return
        files: dict[str, list[Body]] = {"output_file_id": [], "error_file_id": []}
        for name, (end, text) in reversed(ends.items()):  # results come in any order
            if end != "lost":
                kind = "output_file_id" if end in ("fine", "cut") else "error_file_id"
                line = _line(batch.lines[name], end, text)
                files[kind].append({"custom_id": name, **line})
        expired = any(end == "expired" for end, _ in ends.values())
        batch.shown["status"] = "expired" if expired else "completed"
        for kind, lines in files.items():
            if lines:
                name = f"file-{kind}-{batch.shown['id']}"
                text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
                self.files[name] = text.encode()
                batch.shown[kind] = name

    # OpenAI

    async def _answered(self, request: web.Request) -> web.Response:
        body = await request.json()
        end = self._end(body)
        if status := _LIVE.get(end[0]):
            return web.json_response({"error": {"message": "trouble"}}, status=status)
        if request.path.endswith("/messages"):
            return web.json_response(_message(body, *end)["message"])
        return web.json_response((_chat if "messages" in body else _response)(body, *end))

    async def _upload(self, request: web.Request) -> web.Response:
        # Read by parts: a whole form is spooled to a file, which nobody closes.
        content = b""
        async for part in await request.multipart():
            if part.name == "file":
                content = bytes(await part.read())
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return web.json_response(_file(name, content))

    async def _file(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        return web.json_response({**_file(name, self.files[name]), "expires_at": 1_900_000_000})

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["id"]])

    async def _delete(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        del self.files[name]
        return web.json_response({"id": name, "object": "file", "deleted": True})

    async def _create(self, request: web.Request) -> web.Response:
        asked = await request.json()
        content = self.files[asked["input_file_id"]]
        lines = [json.loads(line) for line in content.split(b"\n") if line]
        assert {line["url"] for line in lines} == {asked["endpoint"]}
        assert len({line["body"]["model"] for line in lines}) == 1
        shown = {
            "id": f"batch_{len(self.batches)}",
            "object": "batch",
            "endpoint": asked["endpoint"],
            "input_file_id": asked["input_file_id"],
            "completion_window": "24h",
            "status": "validating",
            "created_at": int(time.time()),
            "metadata": asked.get("metadata"),
        }
        batch = Kept({line["custom_id"]: line["body"] for line in lines}, shown)
        batch.ended = not self.has_room(batch.lines)
        response = self._new(batch)
        if batch.ended:
            shown.update(status="failed", errors={"object": "list", "data": [FULL]})
        return response

    def _new(self, batch: Kept) -> web.Response:
        assert all(len(name) <= 64 for name in batch.lines)
        self.batches[batch.shown["id"]] = batch
        return web.json_response(batch.shown)

    async def _list(self, request: web.Request) -> web.Response:
        kind = "message_batch" if "messages" in request.path else None
        shown = [each.shown for each in reversed(self.batches.values())]
        shown = [each for each in shown if each.get("type") == kind]
        return web.json_response({"object": "list", "data": shown, "has_more": False})

    async def _look(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        if name in self.forget or name not in self.batches:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)
        batch = self.batches[name]
        batch.polls += 1
        if batch.polls >= self.polls and not batch.ended:
            batch.ended = True
            self._finish(batch)
        return web.json_response(batch.shown)

    # Anthropic

    async def _create_messages(self, request: web.Request) -> web.Response:
        asked = await request.json()
        lines = {each["custom_id"]: each["params"] for each in asked["requests"]}
        if not self.has_room(lines):
            wrong = {"type": "rate_limit_error", "message": "too many requests in batches"}
            return web.json_response({"type": "error", "error": wrong}, status=429)
        counts = dict.fromkeys(("succeeded", "errored", "canceled", "expired"), 0)
        shown = {
            "id": f"msgbatch_{len(self.batches)}",
            "type": "message_batch",
            "processing_status": "in_progress",
            "request_counts": {"processing": len(lines), **counts},
            "created_at": _iso(time.time()),
            "expires_at": _iso(time.time() + 86400),
            "ended_at": None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": None,
        }
        return self._new(Kept(lines, shown))

    async def _results(self, request: web.Request) -> web.Response:
        results = self.batches[request.match_info["id"]].results
        text = "\n".join(json.dumps(each, ensure_ascii=False) for each in results)
        return web.Response(text=text, content_type="application/x-jsonl")


_LIVE = {"flaky": 429, "bad": 400, "expired": 503, "lost": 503}
"""How a question that is asked live fails where one in a batch ends so."""


def _nothing() -> None:
    """What is done at most moments."""


def _iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _file(name: str, content: bytes) -> Body:
    given = {"id": name, "object": "file", "bytes": len(content), "created_at": 1}
    return {**given, "filename": "batch.jsonl", "purpose": "batch", "status": "processed"}


def _messages(body: Body) -> list[Body]:
    """What was said, in the words of chat completions."""
    return [
        {
            "role": each.get("role"),
            "content": content if isinstance(content, str) else "".join(map(_text, content)),
        }
        for each in body.get("messages") or body.get("input") or body["contents"]
        for content in [each.get("content") or each["parts"]]
    ]


def _text(part: Body) -> str:
    return str(part["text"])


def _last(body: Body) -> str:
    """The last message to the model."""
    return str(_messages(body)[-1]["content"])


def _line(body: Body, end: str, text: str) -> Body:
    wrong = {
        "flaky": (429, {"message": "slow down", "code": "rate_limit_exceeded"}),
        "bad": (400, {"message": "bad request", "code": None}),
    }
    if end == "expired":
        return {"id": "br", "response": None, "error": {"code": "batch_expired", "message": "x"}}
    if end in wrong:
        status, error = wrong[end]
        answer: Body = {"error": error}
    else:
        status, answer = 200, (_chat if "messages" in body else _response)(body, end, text)
    response = {"status_code": status, "request_id": "r", "body": answer}
    return {"id": "br", "response": response, "error": None}


def _chat(body: Body, end: str, text: str) -> Body:
    finish = "length" if end == "cut" else "stop"
    message = {"role": "assistant", "content": text}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": f"{body['model']}-2026-09-01",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050},
    }


def _response(body: Body, end: str, text: str) -> Body:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    cut = end == "cut"
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": f"{body['model']}-2026-09-01",
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": [
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        ],
        "usage": {
            "input_tokens": 1000,
            "output_tokens": 50,
            "total_tokens": 1050,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _message(body: Body, end: str, text: str) -> Body:
    """The result of a request as Anthropic writes it."""
    wrong = {"flaky": "overloaded_error", "bad": "invalid_request_error"}
    if end == "expired":
        return {"type": "expired"}
    if end in wrong:
        error = {"type": wrong[end], "message": "trouble"}
        return {"type": "errored", "error": {"type": "error", "request_id": "r", "error": error}}
    message = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": f"{body['model']}-2026-09-01",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "max_tokens" if end == "cut" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 50},
    }
    return {"type": "succeeded", "message": message}
