"""That no host is found says nothing of a page where no other host is found either."""

import asyncio
import socket
from collections.abc import Callable

import pytest

from deepassay.sources import guard
from deepassay.sources.fetch import Fetcher
from deepassay.sources.page import NAMES_LATER, NO_HOST, NO_NAMES, Failure, NoPage

DEAD = ["https://dead.test/a", "https://lost.test/b", "http://away.test/c"]
FOUND = "http://found.test:6379/d"
"""Its host is found, and nobody connects to it: no web page is on this port."""

PUBLIC = "93.184.215.14"
NONAME = socket.EAI_NONAME


def knowing(hosts: dict[str, str], code: int = NONAME) -> tuple[list[str], guard.Resolver]:
    """What is looked up, and a resolver of these hosts that fails for all others."""
    asked: list[str] = []

    async def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        await asyncio.sleep(0)
        if host in hosts:
            return [hosts[host]]
        raise socket.gaierror(code, "no")

    return asked, resolver


async def ends(
    urls: list[str], resolver: guard.Resolver, to_read: list[str], proxy: str | None = None
) -> dict[str, tuple[Failure, str]]:
    """What comes of addresses that are read one after the other."""
    ended = {}
    given: dict[str, Callable[[], list[str]]] = {"to_read": lambda: to_read}
    async with Fetcher(resolver=resolver, attempts=1, proxy=proxy, **given) as fetcher:
        for url in urls:
            page = await fetcher.fetch(url)
            assert isinstance(page, NoPage)
            ended[url] = (page.failure, page.detail)
    return ended


@pytest.mark.asyncio
@pytest.mark.parametrize("code", [NONAME, socket.EAI_AGAIN, socket.EAI_FAIL])
@pytest.mark.parametrize("urls", [DEAD, DEAD[:2], DEAD[:1]], ids=len)
async def test_where_no_host_is_found_nothing_is_known_of_any_page(
    urls: list[str], code: int
) -> None:
    asked, resolver = knowing({}, code)
    ended = await ends(urls, resolver, [*urls, "https://127.0.0.1/", "https://[::1]/", "none"])
    assert set(ended.values()) == {(Failure.TIMEOUT, NO_NAMES)}
    assert max(map(asked.count, asked)) <= 2, "for its page, and for the others once"


@pytest.mark.asyncio
@pytest.mark.parametrize("at", range(len(DEAD) + 1))
async def test_which_page_comes_first_decides_nothing(at: int) -> None:
    urls = [*DEAD[:at], FOUND, *DEAD[at:]]
    _, resolver = knowing({"found.test": PUBLIC})
    ended = await ends(urls, resolver, urls)
    assert {ended[url] for url in DEAD} == {(Failure.GONE, NO_HOST)}
    assert ended[FOUND][0] is Failure.REFUSED
    _, later = knowing({"found.test": PUBLIC}, socket.EAI_AGAIN)
    again = await ends(urls, later, urls)
    assert {again[url] for url in DEAD} == {(Failure.TIMEOUT, NAMES_LATER)}


@pytest.mark.asyncio
async def test_a_host_that_is_kept_already_tells_of_one_that_is_read_alone() -> None:
    _, resolver = knowing({"found.test": PUBLIC})
    assert await ends(DEAD[:1], resolver, [*DEAD, FOUND]) == {DEAD[0]: (Failure.GONE, NO_HOST)}


@pytest.mark.asyncio
@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "::1", "fd00::1"])
async def test_neighbours_that_are_found_tell_nothing_of_the_web(address: str) -> None:
    _, resolver = knowing({"found.test": address})
    ended = await ends([FOUND, *DEAD], resolver, [FOUND, *DEAD])
    assert {ended[url] for url in DEAD} == {(Failure.TIMEOUT, NO_NAMES)}


@pytest.mark.asyncio
async def test_others_are_looked_up_only_until_one_is_found() -> None:
    many = [f"https://n{number}.test/" for number in range(200)]
    asked, resolver = knowing({f"n{number}.test": PUBLIC for number in range(200)})
    ended = await ends(DEAD, resolver, many)
    assert set(ended.values()) == {(Failure.GONE, NO_HOST)}
    assert len(asked) < 30
    asked.clear()
    await ends([FOUND, *DEAD], knowing({"found.test": PUBLIC})[1], many)
    assert not asked


@pytest.mark.asyncio
@pytest.mark.parametrize("code", [NONAME, socket.EAI_AGAIN])
async def test_where_names_are_lost_on_the_way_nothing_is_known_from_then_on(code: int) -> None:
    hosts = {"found.test": PUBLIC, "other.test": PUBLIC}
    gone = {NONAME: (Failure.GONE, NO_HOST)}.get(code, (Failure.TIMEOUT, NAMES_LATER))
    urls = [FOUND, *DEAD, "http://other.test:6379/"]
    _, resolver = knowing(hosts, code)
    async with Fetcher(resolver=resolver, attempts=1, to_read=lambda: urls) as fetcher:

        async def ended() -> list[tuple[Failure, str]]:
            pages = [await fetcher.fetch(url) for url in DEAD]
            assert all(isinstance(page, NoPage) for page in pages)
            return [(page.failure, page.detail) for page in pages if isinstance(page, NoPage)]

        await fetcher.fetch(FOUND)
        assert await ended() == [gone] * 3
        hosts.clear()
        assert await ended() == [(Failure.TIMEOUT, NO_NAMES)] * 3
        hosts["found.test"] = PUBLIC  # the network is there again
        assert await ended() == [gone] * 3
        del hosts["found.test"]  # this host alone is gone, and another one is found
        hosts["other.test"] = PUBLIC
        await fetcher.fetch(urls[-1])
        assert await ended() == [gone] * 3


@pytest.mark.asyncio
async def test_a_host_that_is_found_again_a_moment_later_is_not_gone() -> None:
    hosts = {"found.test": PUBLIC}
    _, resolver = knowing(hosts)

    async def coming_back(host: str, port: int) -> list[str]:
        if host == "found.test":  # which is looked up to know whether there is a network
            hosts["dead.test"] = PUBLIC
        return list(await resolver(host, port))

    back = "http://dead.test:6379/a"
    ended = await ends([back], coming_back, [FOUND, back])
    assert ended[back][0] is Failure.REFUSED, "its port, and so nothing of its host"


@pytest.mark.asyncio
async def test_pages_read_at_once_are_told_the_same() -> None:
    urls = [f"https://dead{number}.test/" for number in range(40)] + [FOUND]
    for known in ({}, {"found.test": PUBLIC}):
        _, resolver = knowing(known)
        async with Fetcher(resolver=resolver, attempts=1, to_read=lambda: urls) as fetcher:
            pages = await asyncio.gather(*map(fetcher.fetch, urls[:-1]))
        assert len({page.detail for page in pages if isinstance(page, NoPage)}) == 1


@pytest.mark.asyncio
async def test_behind_a_proxy_no_host_is_looked_up_here() -> None:
    asked, resolver = knowing({"found.test": PUBLIC})
    # Longer than any name can be, so that the proxy is not looked up either.
    ended = await ends(DEAD, resolver, [*DEAD, FOUND], f"http://{'p' * 70}.test:3128")
    assert set(ended) == set(DEAD) and not asked
