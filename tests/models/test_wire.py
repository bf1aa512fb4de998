"""Posting over real sockets: what servers do to connections and answers always ends in a Fault."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import struct
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from deepassay.models import wire
from deepassay.models.client import Fault, FaultKind
from deepassay.models.wire import Post

Serving = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


async def heard(reader: asyncio.StreamReader) -> bytes:
    """The body of one request, or nothing where none comes."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        return await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split()[0]))
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def saying(*pieces: bytes) -> Serving:
    """A server that says this after each request, a moment apart, and then hangs up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await heard(reader)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.01)

    return serve


@asynccontextmanager
async def posting(
    serve: Serving,
    seconds: float = 60.0,
    context: ssl.SSLContext | None = None,
    host: str = "127.0.0.1",
) -> AsyncIterator[tuple[Post, list[int]]]:
    """A post to a server, and a list that grows with its connections."""
    connections: list[int] = []
    serving: list[asyncio.Task[None]] = []

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(len(connections))
        serving.append(asyncio.create_task(served(reader, writer)))

    server = await asyncio.start_server(counted, "127.0.0.1", 0, ssl=context)
    scheme = "https" if context else "http"
    async with server:
        port = server.sockets[0].getsockname()[1]
        post = Post(f"{scheme}://{host}:{port}/v1", {}, seconds=seconds, connect=2.0)
        try:
            yield post, connections
        finally:
            await post.aclose()
            await asyncio.wait_for(asyncio.gather(*serving), 60.0)


async def fault_of(serve: Serving, seconds: float = 5.0) -> Fault:
    async with posting(serve, seconds) as (post, _):
        with pytest.raises(Fault) as raised:
            await post.send(b"{}")
        return raised.value


@pytest.mark.asyncio
async def test_an_answer_may_come_in_any_pieces() -> None:
    async with posting(saying(*(WHOLE[at : at + 1] for at in range(len(WHOLE))))) as (post, _):
        assert (await post.send(b"{}")).body == b"{}"


@pytest.mark.asyncio
async def test_remarks_that_go_ahead_of_an_answer_are_passed_over() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    async with posting(saying(early, b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE)) as (post, _):
        assert await post.send(b"{}") == (200, {"content-length": "2"}, b"{}")


@pytest.mark.asyncio
async def test_a_body_of_unknown_length_ends_with_the_connection() -> None:
    untold = b"HTTP/1.0 200 OK\r\nServer: old\r\n\r\n"
    async with posting(saying(untold, b"{", b"}")) as (post, connections):
        assert [(await post.send(b"{}")).body for _ in range(2)] == [b"{}", b"{}"]
        assert len(connections) == 2


@pytest.mark.asyncio
async def test_a_refusal_is_heard_although_the_server_did_not_listen_to_the_end() -> None:
    async def full(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 4\r\n\r\nlong")
        await asyncio.sleep(0.1)

    async with posting(full) as (post, _):
        posted = await post.send(b"x" * 8_000_000)
        assert (posted.status, posted.body) == (413, b"long")


@pytest.mark.asyncio
async def test_a_connection_is_not_used_again_while_an_earlier_request_fills_it() -> None:
    first = True

    async def refusing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal first
        if not first:
            await twice(reader, writer)
            return
        first = False
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 429 Slow Down\r\nContent-Length: 0\r\n\r\n")
        await asyncio.sleep(0.5)  # and reads no further

    async with posting(refusing) as (post, connections):
        assert (await post.send(b"x" * 30_000_000)).status == 429
        assert (await post.send(b"{}")).status == 200
        assert len(connections) == 2


@pytest.mark.asyncio
async def test_what_comes_between_two_requests_is_not_kept() -> None:
    said = 0

    async def talkative(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal said
        await heard(reader)
        writer.write(WHOLE)
        await asyncio.sleep(0.05)
        with suppress(ConnectionError):
            while said < 100:
                writer.write(b"x" * 1_000_000)
                await writer.drain()
                said += 1

    async with posting(talkative) as (post, _):
        await post.send(b"{}")
        await asyncio.sleep(0.5)
    assert said < 20, "megabytes were taken that nobody asked for"


@pytest.mark.asyncio
async def test_whoever_gives_up_while_connecting_leaves_nothing_open() -> None:
    async with posting(twice) as (post, connections):
        for microseconds in range(0, 4000, 40):
            with suppress(TimeoutError):
                async with asyncio.timeout(microseconds / 1e6):
                    await post.send(b"{}")
        assert connections, "nobody came so far as to connect"
    # The server has seen the end of each of them, or it would be waited for in vain.


@pytest.mark.asyncio
async def test_where_the_first_address_of_a_host_is_dead_the_second_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with posting(twice, host="two.test") as (post, _):
        loop = asyncio.get_running_loop()

        async def both(host: str, port: int, **_: Any) -> list[Any]:
            assert host == "two.test"
            kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
            return [(*kind, (address, port)) for address in ("127.0.0.9", "127.0.0.1")]

        monkeypatch.setattr(loop, "getaddrinfo", both)
        assert (await post.send(b"{}")).status == 200


@pytest.mark.parametrize("host", ["a..b", "x" * 64])
@pytest.mark.asyncio
async def test_what_names_no_host_is_not_tried_again(host: str) -> None:
    post = Post(f"http://{host}:8000/v1", {}, seconds=1.0, connect=5.0)
    with pytest.raises(Fault) as raised:
        await post.send(b"{}")
    await post.aclose()
    assert raised.value.kind is FaultKind.ACCESS
    assert "HTTPS_PROXY" in raised.value.detail


@pytest.mark.asyncio
async def test_what_a_server_says_unasked_ends_a_connection() -> None:
    async def impatient(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await heard(reader)
        writer.write(WHOLE)
        await asyncio.sleep(0.02)
        writer.write(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
        await heard(reader)

    async with posting(impatient) as (post, connections):
        assert (await post.send(b"{}")).status == 200
        await asyncio.sleep(0.1)
        assert (await post.send(b"{}")).status == 200
        assert len(connections) == 2


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ((), "Server disconnected"),
        ((b"HTTP/1.1 200 OK\r\nContent-Le",), "ServerDisconnectedError"),
        ((b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",), "not completed"),
        ((b"220 mail.example ESMTP\r\n\r\n",), "Bad status line"),
        ((b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",), "Content-Length"),
        ((b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000,), "Got more than"),
    ],
)
@pytest.mark.asyncio
async def test_what_is_no_whole_answer_is_a_fault_of_the_connection(
    said: tuple[bytes, ...], why: str
) -> None:
    fault = await fault_of(saying(*said))
    assert fault.kind is FaultKind.CONNECTION
    assert why in fault.detail


@pytest.mark.asyncio
async def test_a_connection_that_is_reset_is_a_fault_of_the_connection() -> None:
    async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await heard(reader)
        at_once = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        writer.close()

    fault = await fault_of(reset)
    assert fault.kind is FaultKind.CONNECTION
    assert "reset by peer" in fault.detail


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
@pytest.mark.asyncio
async def test_silence_is_not_waited_out(said: bytes) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await heard(reader)
        writer.write(said)
        await heard(reader)

    fault = await fault_of(silent, seconds=0.1)
    assert (fault.kind, fault.detail) == (FaultKind.TIMEOUT, "nothing came back in time")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Certificate and key of 127.0.0.1, signed by itself."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the command openssl, to make a certificate")
    folder = tmp_path_factory.mktemp("certificate")
    made = folder / "certificate.pem", folder / "key.pem"
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=loopback"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", str(made[0])]
    subprocess.run([*command, "-keyout", str(made[1])], check=True, capture_output=True)
    return made


def server_side(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context


async def twice(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while await heard(reader):
        writer.write(WHOLE)


@pytest.mark.asyncio
async def test_an_encrypted_connection_serves_one_request_after_the_other(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    async with posting(twice, context=server_side(certificate)) as (post, connections):
        assert [(await post.send(b"x" * 300_000)).body for _ in range(2)] == [b"{}", b"{}"]
        assert len(connections) == 1


@pytest.mark.asyncio
async def test_a_server_that_nobody_vouches_for_is_not_talked_to(
    certificate: tuple[Path, Path],
) -> None:
    async with posting(twice, context=server_side(certificate)) as (post, _):
        with pytest.raises(Fault, match="SSL_CERT_FILE") as raised:
            await post.send(b"{}")
        assert raised.value.kind is FaultKind.ACCESS


# ------------------------------------------------------------------ many requests to one site

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
async def asking_at(answering: Answering) -> AsyncIterator[tuple[Post, list[int]]]:
    async with site(answering) as (url, connections):
        post = Post(url, {"Authorization": "Bearer none"}, seconds=60.0, connect=60.0)
        try:
            yield post, connections
        finally:
            await post.aclose()


@pytest.mark.asyncio
async def test_one_after_the_other_goes_over_one_connection() -> None:
    async with asking_at(plainly) as (post, connections):
        assert [(await post.send(b"{}")).body for _ in range(3)] == [b"1", b"2", b"3"]
        assert connections == [3]


@pytest.mark.asyncio
async def test_at_the_same_time_there_is_a_connection_each() -> None:
    async def slowly(number: int, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        await plainly(number, writer)

    async with asking_at(slowly) as (post, connections):
        await asyncio.gather(*(post.send(b"{}") for _ in range(4)))
        assert connections == [1, 1, 1, 1]


@pytest.mark.asyncio
async def test_a_connection_that_the_server_closed_is_not_used_again() -> None:
    async def once(number: int, writer: asyncio.StreamWriter) -> None:
        await plainly(number, writer)
        await writer.drain()
        writer.close()

    async with asking_at(once) as (post, connections):
        assert (await post.send(b"{}")).body == b"1"
        await asyncio.sleep(0.05)
        assert (await post.send(b"{}")).body == b"2"
        assert connections == [1, 1]


@pytest.mark.asyncio
async def test_a_request_that_was_given_up_leaves_no_connection_behind() -> None:
    asked, given_up = asyncio.Event(), asyncio.Event()

    async def late(number: int, writer: asyncio.StreamWriter) -> None:
        if number == 1:
            asked.set()
            await given_up.wait()
        await plainly(number, writer)

    async with asking_at(late) as (post, connections):
        first = asyncio.create_task(post.send(b"{}"))
        await asked.wait()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        given_up.set()
        assert (await post.send(b"{}")).body == b"2", "the answer to another question"
        assert connections == [1, 1]


@pytest.mark.asyncio
async def test_what_is_compressed_unasked_is_refused() -> None:
    async def compressed(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"xx", b"Content-Encoding: gzip"))

    async with asking_at(compressed) as (post, _):
        with pytest.raises(Fault, match="compressed") as raised:
            await post.send(b"{}")
        assert raised.value.kind is FaultKind.GARBLED


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", [b"Identity", b" identity ", b""])
async def test_what_is_said_not_to_be_compressed_is_taken(encoding: bytes) -> None:
    async def plain(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"xx", b"Content-Encoding: " + encoding))

    async with asking_at(plain) as (post, _):
        assert (await post.send(b"{}")).body == b"xx"


@pytest.mark.asyncio
async def test_no_redirect_is_followed_and_no_cookie_kept() -> None:
    heads: list[bytes] = []

    async def moving(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            await reader.readexactly(2)
            told = b"Location: /x\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
            writer.write(b"HTTP/1.1 307 Moved\r\n" + told)

    async with posting(moving) as (post, _):
        assert [(await post.send(b"{}")).status for _ in range(2)] == [307, 307]
    assert [head.split(b" ")[1] for head in heads] == [b"/v1", b"/v1"]
    assert b"cookie" not in heads[1].lower()


@pytest.mark.asyncio
async def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LARGEST_ANSWER", 100_000)

    async def endless(number: int, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
            await writer.drain()

    async with asking_at(endless) as (post, _):
        with pytest.raises(Fault, match="larger than"):
            await post.send(b"{}")


@pytest.mark.asyncio
async def test_nobody_there_is_a_fault_of_the_connection() -> None:
    post = Post("http://127.0.0.1:9/v1/chat/completions", {}, seconds=1.0, connect=1.0)
    with pytest.raises(Fault) as raised:
        await post.send(b"{}")
    await post.aclose()
    assert raised.value.kind is FaultKind.CONNECTION
    assert "refuses connections" in raised.value.detail


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
        post = Post(f"http://127.0.0.1:{port}/模型 1?a=b", {}, seconds=60.0, connect=60.0)
        assert (await post.send(b"{}")).body == b"1"
        await post.aclose()
    assert heads[0].startswith(b"POST /%E6%A8%A1%E5%9E%8B%201?a=b HTTP/1.1\r\n")
    assert b"User-Agent: deepassay\r\n" in heads[0]
