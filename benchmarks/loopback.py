"""A judge and a site on loopback that cost next to nothing: as programs, in processes of their own.

`python -m benchmarks.loopback judge SECONDS` answers the protocols' questions after so many
seconds. `python -m benchmarks.loopback site FILE` serves the pages of a JSON object, host -> HTML,
at all addresses of this machine, whatever the path; the file is read at the first visit. Both
print their port and serve until their input ends.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from benchmarks.material import ROOT

Reply = Callable[[bytes, bytes], bytes]
"""From the head and the body of a request to the body of the reply."""

_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)
_HOST = re.compile(rb"\r\nhost:\s*([^\s:]+)", re.IGNORECASE)
_PAGE = re.compile(r"<<<BEGIN page .*?\n(.*)\n<<<END page", re.DOTALL)
_STATEMENTS = re.compile(r"<<<BEGIN statements .*?\n(.*)\n<<<END statements", re.DOTALL)
_ITEM = re.compile(r"^\d+\. (.*(?:\n   .*)*)", re.MULTILINE)


class Connection(asyncio.Protocol):
    """One connection; a request is answered when it has come in whole and the latency is over."""

    def __init__(self, media: str, latency: float, reply: Reply) -> None:
        self._head = f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: ".encode()
        self._latency = latency
        self._reply = reply
        self._heard = bytearray()
        self._needed = 0
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep where to write."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Write no more."""
        self._transport = None

    def data_received(self, data: bytes) -> None:
        """Read on until a request is there whole."""
        self._heard += data
        if len(self._heard) < self._needed or (end := self._heard.find(b"\r\n\r\n")) < 0:
            return
        head = bytes(self._heard[: end + 2])
        length = _LENGTH.search(head)
        self._needed = end + 4 + (int(length[1]) if length else 0)
        if len(self._heard) < self._needed:
            return
        body = bytes(self._heard[end + 4 : self._needed])
        del self._heard[: self._needed]
        self._needed = 0
        # The answer is made at once, so that making it is a part of the latency.
        loop = asyncio.get_running_loop()
        due = loop.time() + self._latency
        loop.call_at(due, self._send, self._reply(head, body))

    def _send(self, body: bytes) -> None:
        if self._transport is not None:
            self._transport.write(b"%b%d\r\n\r\n%b" % (self._head, len(body), body))


def judged(head: bytes, body: bytes) -> bytes:
    """A completion: support where the statement stands on the page, else as the tests' judge."""
    from tests.judging import verdicts

    request = json.loads(body)
    prompt = next(each["content"] for each in request["messages"] if each["role"] == "user")
    page, statements = _PAGE.search(prompt), _STATEMENTS.search(prompt)
    if page and statements:
        answer = supports(page[1], statements[1])
    elif '"url"' in prompt:  # of a report whose citations lead nowhere
        answer = json.dumps({"statements": []})
    else:
        answer = verdicts(request)
    message = {"role": "assistant", "content": answer}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    completion = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "bench-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": usage,
    }
    return json.dumps(completion).encode()


def supports(page: str, statements: str) -> str:
    """Supported is what stands on the page word for word."""
    said = [" ".join(each.split()) for each in _ITEM.findall(statements)]
    verdicts = [
        {"statement": number, "verdict": "supported", "quote": each}
        if each in page
        else {"statement": number, "verdict": "unsupported", "quote": ""}
        for number, each in enumerate(said, start=1)
    ]
    return json.dumps({"verdicts": verdicts})


def site(file: Path) -> Reply:
    """The page of the host that is asked for."""

    @cache
    def pages() -> dict[bytes, bytes]:
        listed = json.loads(file.read_text(encoding="utf-8"))
        return {host.encode(): page.encode() for host, page in listed.items()}

    def reply(head: bytes, body: bytes) -> bytes:
        host = _HOST.search(head)
        return pages().get(host[1] if host else b"", b"")

    return reply


async def serve(make: Callable[[], Connection]) -> None:
    """Until standard input ends."""
    server = await asyncio.get_running_loop().create_server(make, "0.0.0.0", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextmanager
def running(*arguments: str) -> Iterator[int]:
    """The port of one of the two programs, as long as the context lasts."""
    command = [sys.executable, "-m", "benchmarks.loopback", *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.kill()


def main(role: str, option: str) -> None:
    if role == "judge":
        asyncio.run(serve(lambda: Connection("application/json", float(option), judged)))
    else:
        reply = site(Path(option))
        asyncio.run(serve(lambda: Connection("text/html; charset=utf-8", 0.02, reply)))


if __name__ == "__main__":
    main(*sys.argv[1:])
