"""A server that floods costs its own page, and nobody else one."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from deepassay.sources import guard
from deepassay.sources.fetch import Fetched, Fetcher
from deepassay.sources.meter import HEAD_CAP, SIP, Lateness, Meter, MeteredSocket
from deepassay.sources.page import Failure, NoPage
from tests.site import PAGE, Reply, Site, anybody_at_home, at_home, first

HINTS = b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 500
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = b"1\r\nx\r\n" * 2000


@asynccontextmanager
async def flooding(head: bytes, flood: bytes) -> AsyncIterator[tuple[int, list[int]]]:
    """The port of a server that sends without end, and how much it could send to each visitor."""
    sent: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        sent.append(0)
        place = len(sent) - 1
        writer.write(head)
        try:
            while True:
                writer.write(flood)
                await writer.drain()
                sent[place] += len(flood)
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], sent
    finally:
        server.close()


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as found:
        yield found


def fetcher(**changes: object) -> Fetcher:
    plain: dict[str, object] = {"allow": anybody_at_home, "resolver": at_home, "spacing": 0.0}
    return Fetcher(**{**plain, "deadline": 20.0, **changes})  # type: ignore[arg-type]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("head", "flood", "cap", "says"),
    [
        (b"", HINTS, HEAD_CAP, "before its page"),
        (HEAD, CHUNKS, 1_250_000, "for one page"),
    ],
)
async def test_a_flood_ends_at_a_cap_and_others_are_read_meanwhile(
    site: Site, head: bytes, flood: bytes, cap: int, says: str
) -> None:
    async with flooding(head, flood) as (port, sent), fetcher(wire_cap=1_000_000) as ours:
        bad = [f"http://bad{number}.test:{port}/" for number in range(3)]
        good = [site.url(f"/ok/{number}", f"good{number}.test") for number in range(6)]
        found = await asyncio.gather(*map(ours.fetch, [*bad, *good]))
    for ended in found[:3]:
        assert isinstance(ended, NoPage)
        assert ended.failure is Failure.TOO_LARGE
        assert f"more than {cap:,} bytes were sent {says}" in ended.detail
    assert [each.body for each in found[3:] if isinstance(each, Fetched)] == [PAGE] * 6
    assert len(sent) == 3, "a flood is not asked for again"


@pytest.mark.asyncio
async def test_large_pages_over_one_connection_pass(site: Site) -> None:
    large = b"<p>" + b"x" * (2 * HEAD_CAP)
    site.pages["/large"] = (200, {"Content-Type": "text/html"}, large)
    async with fetcher(per_host=1) as ours:
        found = [await ours.fetch(site.url("/large")) for _ in range(3)]
    assert [each.body for each in found if isinstance(each, Fetched)] == [large] * 3
    assert site.connections == 1


def test_little_is_read_at_a_time() -> None:
    here, there = socket.socketpair()
    with there, MeteredSocket(here.family, here.type, here.proto, here.detach()) as ours:
        there.sendall(bytes(3 * SIP))
        assert len(ours.recv(1 << 18)) == SIP
        assert ours.recv_into(bytearray(1 << 18)) == SIP


class Late(Lateness):
    """A loop that is later at every look, by so many seconds."""

    def __init__(self, by: float) -> None:
        self.by = by
        self.so_far = 0.0

    @property
    def seconds(self) -> float:  # type: ignore[override]
        self.so_far += self.by
        return self.so_far

    async def __aenter__(self) -> Lateness:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


@pytest.mark.asyncio
@pytest.mark.parametrize(("late", "visits"), [(0.3, 2), (0.0, 1)])
async def test_a_timeout_is_tried_again_only_where_the_loop_was_late(
    late: float, visits: int
) -> None:
    with Site({"silent": first(1, Reply(wait=3600))}) as site:
        ours = fetcher(deadline=2.0)
        ours._lateness = Late(late)
        async with ours:
            found = await ours.fetch(site.url("/silent"))
        assert site.hits["/silent"] == visits
    assert isinstance(found, Fetched) == (visits == 2)


@pytest.mark.asyncio
async def test_a_loop_that_is_kept_busy_is_late() -> None:
    async with Lateness() as lateness:
        await asyncio.sleep(0)  # it begins to watch
        time.sleep(0.5)
        async with asyncio.timeout(60):
            while not lateness.seconds:
                await asyncio.sleep(0.01)
    assert lateness.seconds >= 0.3


def test_the_guard_makes_metered_sockets() -> None:
    ours = guard.AddressGuard(anybody_at_home, at_home, Meter(1))
    info = (socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 80))
    with ours.socket(info) as made:
        assert isinstance(made, MeteredSocket)
