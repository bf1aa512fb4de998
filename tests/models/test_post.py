"""Posting over real sockets: connections are used again, and never one that is spoilt."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from deepassay.models import post as posting
from deepassay.models.client import Fault, FaultKind
from deepassay.models.post import Post

Answering = Callable[[int, asyncio.StreamWriter], Awaitable[None]]


def answer(body: bytes, *headers: bytes) -> bytes:
    lines = [b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


async def plainly(number: int, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(b"%d" % number))


@asynccontextmanager
async def site(answering: Answering) -> AsyncIterator[tuple[str, list[int]]]:
    """An address, and how many requests each connection to it brought."""
    connections: list[int] = []
    asked = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        mine = len(connections)
        connections.append(0)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                connections[mine] += 1
                asked += 1
                await answering(asked, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/v1/chat/completions", connections


@asynccontextmanager
async def posting_to(answering: Answering) -> AsyncIterator[tuple[Post, list[int]]]:
    async with site(answering) as (url, connections):
        post = Post(url, {"Authorization": "Bearer none"}, seconds=5.0, connect=1.0)
        try:
            yield post, connections
        finally:
            await post.aclose()


@pytest.mark.asyncio
async def test_one_after_the_other_goes_over_one_connection() -> None:
    async with posting_to(plainly) as (post, connections):
        assert [(await post.send(b"{}")).body for _ in range(3)] == [b"1", b"2", b"3"]
        assert connections == [3]


@pytest.mark.asyncio
async def test_at_the_same_time_there_is_a_connection_each() -> None:
    async def slowly(number: int, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        await plainly(number, writer)

    async with posting_to(slowly) as (post, connections):
        await asyncio.gather(*(post.send(b"{}") for _ in range(4)))
        assert connections == [1, 1, 1, 1]


@pytest.mark.asyncio
async def test_a_connection_that_the_server_closed_is_not_used_again() -> None:
    async def once(number: int, writer: asyncio.StreamWriter) -> None:
        await plainly(number, writer)
        await writer.drain()
        writer.close()

    async with posting_to(once) as (post, connections):
        assert (await post.send(b"{}")).body == b"1"
        await asyncio.sleep(0.05)
        assert (await post.send(b"{}")).body == b"2"
        assert connections == [1, 1]


@pytest.mark.asyncio
async def test_a_request_that_was_given_up_leaves_no_connection_behind() -> None:
    async def late(number: int, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2 if number == 1 else 0.0)
        await plainly(number, writer)

    async with posting_to(late) as (post, connections):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await post.send(b"{}")
        assert (await post.send(b"{}")).body == b"2", "the answer to another question"
        assert connections == [1, 1]


@pytest.mark.asyncio
async def test_what_is_compressed_unasked_is_refused() -> None:
    async def compressed(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"xx", b"Content-Encoding: gzip"))

    async with posting_to(compressed) as (post, _):
        with pytest.raises(Fault, match="compressed") as raised:
            await post.send(b"{}")
        assert raised.value.kind is FaultKind.GARBLED


@pytest.mark.asyncio
async def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "LARGEST_ANSWER", 100_000)

    async def endless(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
            await writer.drain()

    async with posting_to(endless) as (post, _):
        with pytest.raises(Fault, match="larger than"):
            await post.send(b"{}")


@pytest.mark.asyncio
async def test_nobody_there_is_a_fault_of_the_connection() -> None:
    post = Post("http://127.0.0.1:9/v1/chat/completions", {}, seconds=1.0, connect=1.0)
    with pytest.raises(Fault) as raised:
        await post.send(b"{}")
    assert raised.value.kind is FaultKind.CONNECTION


@pytest.mark.asyncio
async def test_an_address_in_any_script_is_written_as_http_has_it() -> None:
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer(b"1"))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        post = Post(f"http://127.0.0.1:{port}/模型 1?a=b", {}, seconds=5.0, connect=1.0)
        assert (await post.send(b"{}")).body == b"1"
        await post.aclose()
    assert heads[0].startswith(b"POST /%E6%A8%A1%E5%9E%8B%201?a=b HTTP/1.1\r\n")
    assert b"User-Agent: deepassay\r\n" in heads[0]
