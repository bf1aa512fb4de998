"""A page, or the right kind of reason why there is none, within its time and its size."""

from __future__ import annotations

import asyncio
import errno
import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.network import retry_after
from deepassay.sources import fetch as sources_fetch
from deepassay.sources import guard
from deepassay.sources.fetch import Fetched, Fetcher, Politeness
from deepassay.sources.page import Failure, NoPage
from tests.proxy import Authority
from tests.site import CHINESE, PAGE, Reply, Site, anybody_at_home, at_home, first, pdf


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as found:
        yield found


def fetcher(**changes: Any) -> Fetcher:
    """A fetcher for this machine that loses no time."""
    plain = {"allow": anybody_at_home, "resolver": at_home, "spacing": 0.0, "backoff": 0.01}
    return Fetcher(**{**plain, "deadline": 5.0, **changes})


async def fetch(url: str, **changes: Any) -> Fetched | NoPage:
    async with fetcher(**changes) as ours:
        return await ours.fetch(url)


# ------------------------------------------------------------------ pages


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "body", "media", "end"),
    [
        ("/ok", PAGE, "text/html; charset=utf-8", "/ok"),
        ("/ok?a=1&b=%20#part", PAGE, "text/html; charset=utf-8", "/ok?a=1&b=%20#part"),
        ("/slow", PAGE, "text/html; charset=utf-8", "/slow"),
        ("/redirect/5", PAGE, "text/html; charset=utf-8", "/ok"),
        ("/gzip", PAGE, "text/html; charset=utf-8", "/gzip"),
        ("/gzip-twice", PAGE, "text/html; charset=utf-8", "/gzip-twice"),
        ("/gzip-padded", PAGE, "text/html; charset=utf-8", "/gzip-padded"),
        ("/pdf", pdf(), "application/pdf", "/pdf"),
        ("/chinese/gb18030", CHINESE.encode("gb18030"), "text/html; charset=gb18030", None),
        ("/unavailable-once", PAGE, "text/html; charset=utf-8", None),
        ("/reset-once", PAGE, "text/html; charset=utf-8", None),
        ("/torn-once", PAGE, "text/html; charset=utf-8", None),
        ("/wait-once", PAGE, "text/html; charset=utf-8", None),
    ],
)
async def test_a_page_comes_as_it_was_served(
    path: str, body: bytes, media: str, end: str | None, site: Site
) -> None:
    expected = Fetched(site.url(end or path), 200, media, body)
    assert await fetch(site.url(path)) == expected


@pytest.mark.asyncio
async def test_a_redirect_may_be_relative_and_lead_to_another_host(site: Site) -> None:
    site.pages["/a/b"] = (301, {"Location": "../c?x=潮".encode().decode("latin-1")}, b"")
    site.pages["/c"] = (308, {"Location": f"//other.test:{site.port}/ok"}, b"")
    found = await fetch(site.url("/a/b"))
    assert isinstance(found, Fetched)
    assert found.final_url == site.url("/ok", "other.test")


# ------------------------------------------------------------------ failures


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "failure", "status", "tries"),
    [
        ("/status/404", Failure.GONE, 404, 1),
        ("/status/410", Failure.GONE, 410, 1),
        ("/status/400", Failure.GONE, 400, 1),
        ("/status/304", Failure.GONE, 304, 1),
        ("/nowhere", Failure.GONE, 302, 1),
        ("/status/500", Failure.GONE, 500, 3),
        ("/status/503", Failure.GONE, 503, 3),
        ("/status/522", Failure.GONE, 522, 3),
        ("/status/401", Failure.BLOCKED, 401, 1),
        ("/status/402", Failure.PAYWALLED, 402, 1),
        ("/status/403", Failure.BLOCKED, 403, 1),
        ("/status/429", Failure.BLOCKED, 429, 1),
        ("/status/451", Failure.BLOCKED, 451, 1),
        ("/status/999", Failure.BLOCKED, 999, 1),
        ("/status/408", Failure.TIMEOUT, 408, 1),
        ("/wait-an-hour", Failure.BLOCKED, 429, 1),
        ("/gate", Failure.BLOCKED, 200, 1),
        ("/gate-503", Failure.BLOCKED, 503, 1),
        ("/circle", Failure.GONE, None, 1),
        ("/endless-redirect", Failure.GONE, None, 1),
        ("/cookie-circle", Failure.BLOCKED, None, 1),
        ("/cookie-first", Failure.BLOCKED, None, 1),
        ("/reset", Failure.GONE, None, 3),
        ("/torn", Failure.GONE, None, 3),
        ("/gzip-torn", Failure.GONE, None, 3),
        ("/gzip-wrong", Failure.GONE, None, 3),
        ("/long-head", Failure.GONE, None, 3),
        ("/brotli", Failure.NOT_TEXT, None, 1),
        ("/bomb", Failure.TOO_LARGE, None, 1),
        ("/boast", Failure.TOO_LARGE, None, 1),
        ("/endless", Failure.TOO_LARGE, None, 1),
        ("/to?file:///etc/passwd", Failure.REFUSED, None, 1),
        ("/to?http://me@example.org/", Failure.REFUSED, None, 1),
        ("/to?http://[::1/", Failure.GONE, None, 1),
    ],
)
async def test_a_failure_has_its_kind(
    path: str, failure: Failure, status: int | None, tries: int, site: Site
) -> None:
    found = await fetch(site.url(path))
    assert isinstance(found, NoPage)
    assert (found.url, found.failure, found.status) == (site.url(path), failure, status)
    assert re.fullmatch(r"[A-Z].*\.", found.detail), found.detail
    assert site.hits[path.partition("?")[0]] == tries


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/drip", "/silence"])
async def test_what_never_ends_is_ended(path: str, site: Site) -> None:
    async with asyncio.timeout(60):
        found = await fetch(site.url(path), deadline=0.6, wire_cap=10**9)
    assert isinstance(found, NoPage)
    assert (found.failure, site.hits[path]) == (Failure.TIMEOUT, 1)


@pytest.mark.asyncio
async def test_what_would_not_begin_before_the_deadline_is_not_tried_again(site: Site) -> None:
    async with asyncio.timeout(60):
        found = await fetch(site.url("/down"), deadline=100.0, backoff=200.0)
    assert isinstance(found, NoPage)
    assert (found.failure, site.hits["/down"]) == (Failure.GONE, 1)


@pytest.mark.asyncio
async def test_a_page_that_never_ends_may_also_run_out_of_time(site: Site) -> None:
    found = await fetch(site.url("/endless"), deadline=0.5, wire_cap=10**12, decoded_cap=10**12)
    assert isinstance(found, NoPage)
    assert found.failure is Failure.TIMEOUT


@pytest.mark.asyncio
async def test_an_endless_redirect_is_followed_five_times(site: Site) -> None:
    found = await fetch(site.url("/endless-redirect"))
    assert isinstance(found, NoPage)
    assert "more than 5 redirects" in found.detail
    assert len(site.visits) == 6


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (socket.gaierror(socket.EAI_NONAME, "unknown"), Failure.GONE),
        (socket.gaierror(socket.EAI_AGAIN, "temporary"), Failure.TIMEOUT),
        (UnicodeError("label too long"), Failure.GONE),
        (OSError(errno.ENETUNREACH, "unreachable"), Failure.TIMEOUT),
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), Failure.GONE),
    ],
)
async def test_a_name_that_is_not_found_is_not_a_network_that_is_down(
    error: Exception, failure: Failure
) -> None:
    async def resolver(host: str, port: int) -> list[str]:
        if host == "other.test":
            return ["93.184.215.14"]
        raise error

    others = ["http://some.test/", "http://other.test/"]
    found = await fetch("http://some.test/", resolver=resolver, to_read=lambda: others)
    assert isinstance(found, NoPage)
    assert found.failure is failure


@pytest.mark.asyncio
async def test_a_closed_port_is_dead_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        found = await fetch(f"http://some.test:{taken.getsockname()[1]}/", backoff=60.0)
    assert isinstance(found, NoPage)
    assert (found.failure, found.detail) == (Failure.GONE, "The host refuses connections.")


@pytest.mark.asyncio
async def test_where_no_tls_is_spoken_a_secure_page_is_dead(site: Site) -> None:
    found = await fetch(site.url("/ok").replace("http:", "https:"), backoff=60.0)
    assert isinstance(found, NoPage)
    assert found.failure is Failure.GONE
    assert found.detail.startswith("No secure connection")


@pytest.mark.asyncio
async def test_a_certificate_is_checked_against_the_name_though_the_address_is_pinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    with Site(tls=authority.server("named.test")) as site:
        unknown = await fetch(site.url("/ok", "named.test"))
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        named = await fetch(site.url("/ok", "named.test"))
        other = await fetch(site.url("/ok", "other.test"))
    assert isinstance(named, Fetched)
    for found in (other, unknown):
        assert isinstance(found, NoPage)
        assert (found.failure, "CERTIFICATE_VERIFY_FAILED" in found.detail) == (Failure.GONE, True)


@pytest.mark.asyncio
async def test_a_connection_that_is_never_made_is_tried_again_and_times_out(site: Site) -> None:
    """The queue of this listener is full, so that the system drops what comes."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        with socket.create_connection(deaf.getsockname()), socket.socket() as second:
            second.setblocking(False)
            second.connect_ex(deaf.getsockname())
            found = await fetch(f"http://some.test:{deaf.getsockname()[1]}/", deadline=0.5)
    assert isinstance(found, NoPage)
    assert found.failure is Failure.TIMEOUT


@given(st.one_of(st.text(), st.from_regex(r"https?:[/\\\\]{0,3}[^\x00]{0,40}")))
@settings(deadline=None, max_examples=30)
def test_no_address_raises(url: str) -> None:
    async def resolver(host: str, port: int) -> list[str]:
        return ["10.0.0.1"]

    found = asyncio.run(fetch(url, resolver=resolver, allow=guard.public))
    assert isinstance(found, NoPage)
    assert found.failure in (Failure.REFUSED, Failure.GONE)
    found.detail.encode()


# ------------------------------------------------------------------ what is not sent


@pytest.mark.asyncio
async def test_no_cookie_is_kept_and_no_proxy_asked(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    async with fetcher() as ours:
        for _ in range(2):
            found = await ours.fetch(site.url("/cookie"))
            assert isinstance(found, Fetched)
            sent = json.loads(found.body)
            assert set(sent) == {"host", "accept", "accept-encoding", "user-agent"}
            assert sent["accept-encoding"] == "gzip"


@pytest.mark.asyncio
async def test_a_key_does_not_follow_to_another_origin(site: Site) -> None:
    key = {"Authorization": "Bearer secret"}
    async with fetcher() as ours:
        same = await ours.fetch(site.url("/to?/told"), key)
        other = await ours.fetch(site.url(f"/to?{site.url('/told', 'other.test')}"), key)
        back = await ours.fetch(
            site.url(f"/to?{site.url('/to', 'other.test')}?{site.url('/told')}"), key
        )
    assert isinstance(same, Fetched)
    assert isinstance(other, Fetched)
    assert isinstance(back, Fetched)
    assert b"Bearer secret" in same.body
    assert b"secret" not in other.body
    assert b"secret" not in back.body


# ------------------------------------------------------------------ politeness


@pytest.mark.asyncio
async def test_one_host_is_asked_for_two_pages_at_a_time(site: Site) -> None:
    async with fetcher(per_host=2) as ours:
        await asyncio.gather(*(ours.fetch(site.url(f"/slow?{n}")) for n in range(6)))
    assert site.peak == 2


@pytest.mark.asyncio
async def test_waiting_for_others_does_not_use_up_the_time_of_a_page(site: Site) -> None:
    async with fetcher(per_host=1, deadline=1.0) as ours:
        found = await asyncio.gather(*(ours.fetch(site.url(f"/slow?{n}")) for n in range(6)))
    assert all(isinstance(each, Fetched) for each in found)


@pytest.mark.asyncio
async def test_all_hosts_together_get_so_many_connections() -> None:
    with Site(latency=0.1) as site:
        urls = [site.url("/ok", f"host{n}.test") for n in range(12)]
        async with fetcher(connections=4) as ours:
            found = await asyncio.gather(*map(ours.fetch, urls))
        assert all(isinstance(each, Fetched) for each in found)
        assert site.peak == 4


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[], float]:
    """Time that passes only while somebody waits for a turn."""
    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        until = now + seconds
        await asyncio.sleep(0)
        now = max(now, until)

    monkeypatch.setattr(
        sources_fetch, "asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": sleep})
    )
    monkeypatch.setattr(sources_fetch, "time", SimpleNamespace(monotonic=lambda: now))
    return lambda: now


async def turns(politeness: Politeness, clock: Callable[[], float], *hosts: str) -> list[float]:
    """When each host was asked."""

    async def ask(host: str) -> float:
        async with politeness.slot(host):
            return clock()

    return await asyncio.gather(*map(ask, hosts))


@pytest.mark.asyncio
async def test_a_host_that_asks_to_wait_is_left_alone_by_all(clock: Callable[[], float]) -> None:
    politeness = Politeness(connections=9, per_host=1, spacing=0.0)
    politeness.pause("busy.test", 7.0)
    politeness.pause("busy.test", 3.0)
    found = await turns(politeness, clock, "busy.test", "busy.test", "other.test")
    assert found == [7.0, 7.0, 0.0]


@pytest.mark.asyncio
async def test_a_host_may_ask_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float]] = []
    pause = Politeness.pause

    def noted(politeness: Politeness, host: str, seconds: float) -> None:
        asked.append((host, seconds))
        pause(politeness, host, seconds)

    monkeypatch.setattr(Politeness, "pause", noted)
    with Site({"busy": first(1, Reply(429, {"Retry-After": "0.4"}))}) as site:
        assert isinstance(await fetch(site.url("/busy")), Fetched)
        assert isinstance(await fetch(site.url("/unavailable-once")), Fetched)
    assert asked == [("127.0.0.1", 0.4)]


@pytest.mark.asyncio
async def test_requests_to_a_host_are_spaced(clock: Callable[[], float]) -> None:
    politeness = Politeness(connections=9, per_host=9, spacing=0.25)
    assert sorted(await turns(politeness, clock, *["a.test"] * 4)) == [0.0, 0.25, 0.5, 0.75]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("2.5", 2.5),
        ("-3", 0.0),
        ("", None),
        (None, None),
        ("soon", None),
        ("inf", None),
        ("nan", None),
        ("Mon, 99 Foo", None),
        ("1" * 400, None),
    ],
)
def test_retry_after_is_read(header: str | None, seconds: float | None) -> None:
    assert retry_after(header) == seconds


def test_retry_after_may_be_a_date() -> None:
    seconds = retry_after(format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True))
    assert seconds is not None
    assert 86_000 < seconds <= 86_400


# ------------------------------------------------------------------ memory

MEASURE = """
import asyncio, resource, sys
from deepassay.sources import guard
from deepassay.sources.fetch import Fetcher

async def main(address, spec):
    async with Fetcher(allow=guard.allowing([spec])) as fetcher:
        await fetcher.fetch(address + "/ok")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = await fetcher.fetch(address + "/bomb")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(found.failure, (after - before) / 1024)

asyncio.run(main(*sys.argv[1:]))
"""


def test_a_gzip_bomb_is_stopped_with_little_memory(site: Site) -> None:
    """200 kB that unfold to 200 MB: the process grows by less than 100 MB."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, site.url(""), site.spec],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    failure, megabytes = done.stdout.split()
    assert failure == "too_large"
    assert float(megabytes) < 100
