"""Nothing of this machine or its networks is reached, however an address is dressed up."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from deepassay.errors import BadSetting
from deepassay.sources import guard
from deepassay.sources.fetch import Fetched, Fetcher
from deepassay.sources.page import Failure, NoPage
from tests.proxy import Authority, Proxy
from tests.site import Site, anybody_at_home, at_home

# ------------------------------------------------------------------ addresses


def listed(text: str) -> list[str]:
    return text.split()


PUBLIC = listed("""
1.1.1.1 8.8.8.8 9.9.9.9 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.1 192.167.255.255
198.17.255.255 198.20.0.0 223.255.255.255
2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4001::1 2400:cb00::1 2620:0:2d0:200::7
2620:fe::fe
""")
SPECIAL = listed("""
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1
127.255.255.254 168.63.129.16 169.254.169.254 169.254.0.1 172.16.0.1 172.31.255.255 192.0.0.1
192.0.0.8 192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1
192.88.99.1 192.168.0.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
239.255.255.250 240.0.0.1 255.255.255.255
:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1
64:ff9b:1::a00:1 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1
2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 2620:4f:8000::1 3fff::1 5f00::1 fc00::1
fd00:ec2::254 fd20:ce::254 fe80::1 fe80::1%1 2606:4700:4700::1111%1 fec0::1 ff02::1 ff05::2 1::1
4000::1 8000::1 a000::1 e000::1
""")


def test_public_addresses_pass_and_special_ones_do_not() -> None:
    passing = [
        each for each in PUBLIC + SPECIAL if guard.public("a.example", ip_address(each), 443)
    ]
    assert passing == PUBLIC


def test_ports_of_web_pages_pass_and_those_of_other_services_do_not() -> None:
    web = listed("80 443 1024 3000 8000 8080 8443 65535")
    others = listed("""
    0 1 21 22 23 25 53 110 143 445 1023 2375 3306 3389 5432 5900 6000 6379 6667 9200 10250 11211
    27017 65536
    """)
    public = ip_address("8.8.8.8")
    passing = [each for each in web + others if guard.public("a.example", public, int(each))]
    assert passing == web


SERVICES = """
    1433 1521 1719 1720 1723 2049 2181 2375 2376 2379 2380 3306 3389 3659 4045 4190 5060 5061 5432
    5672 5900 5985 5986 6000 6379 6443 6566 6665 6666 6667 6668 6669 6679 6697 9042 9092 9200 9300
    10080 10250 10255 11211 27017
"""


def test_every_single_port_is_the_one_that_is_meant() -> None:
    closed = [port for port in range(1024, 65536) if not guard.is_web_port(port)]
    assert closed == [int(port) for port in listed(SERVICES)]
    assert [port for port in range(1024) if guard.is_web_port(port)] == [80, 443]


# ------------------------------------------------------------------ hosts that a person allows


@pytest.mark.parametrize(
    ("spec", "host", "address", "port"),
    [
        ("wiki.corp", "wiki.corp", "10.1.2.3", 80),
        ("wiki.corp", "wiki.corp", "10.1.2.3", 443),
        ("Wiki.Corp", "wiki.corp.", "192.168.1.1", 443),
        ("wiki.corp:8090", "wiki.corp", "100.64.0.7", 8090),
        ("wiki.corp:80", "wiki.corp", "172.16.0.7", 80),
        ("wiki.corp:5432", "wiki.corp", "8.8.8.8", 5432),
        ("127.0.0.1:8000", "127.0.0.1", "127.0.0.1", 8000),
        ("[::1]:8000", "::1", "::1", 8000),
        ("bücher.corp", "xn--bcher-kva.corp", "fd00::1", 443),
    ],
)
def test_an_allowed_host_may_be_private(spec: str, host: str, address: str, port: int) -> None:
    assert guard.allowing([spec])(host, ip_address(address), port)


@pytest.mark.parametrize(
    ("spec", "host", "address", "port"),
    [
        ("wiki.corp", "wiki.corp", "10.1.2.3", 8080),
        ("wiki.corp", "wiki.corp", "10.1.2.3", 22),
        ("wiki.corp:8090", "wiki.corp", "10.1.2.3", 443),
        ("wiki.corp:80", "wiki.corp", "10.1.2.3", 443),
        ("wiki.corp", "evil.example", "10.1.2.3", 443),
        ("wiki.corp", "a.wiki.corp", "10.1.2.3", 443),
        ("wiki.corp", "10.1.2.3", "10.1.2.3", 443),
        ("10.1.2.3", "evil.example", "10.1.2.3", 443),
        ("meta", "meta", "169.254.169.254", 80),
        ("169.254.169.254", "169.254.169.254", "169.254.169.254", 80),
        ("meta", "meta", "168.63.129.16", 80),
        ("meta", "meta", "100.100.100.200", 80),
        ("meta", "meta", "192.0.0.192", 80),
        ("meta", "meta", "fd00:ec2::254", 80),
        ("meta", "meta", "fd20:ce::254", 80),
        ("near", "near", "169.254.7.7", 80),
        ("near", "near", "fe80::1%1", 80),
        ("near", "near", "fd00::1%1", 80),
        ("many", "many", "224.0.0.1", 80),
        ("many", "many", "ff02::1", 80),
        ("none", "none", "0.0.0.0", 80),
        ("none", "none", "::", 80),
        ("none", "none", "255.255.255.255", 80),
        ("guise", "guise", "::ffff:10.0.0.1", 80),
    ],
)
def test_but_nothing_else_may(spec: str, host: str, address: str, port: int) -> None:
    assert not guard.allowing([spec])(host, ip_address(address), port)


@pytest.mark.parametrize(
    "spec", ["", ":80", "http://wiki.corp", "a/b", "me@wiki", "wiki:99999", "::1", "a b", "w?x"]
)
def test_what_is_no_host_cannot_be_allowed(spec: str) -> None:
    with pytest.raises(BadSetting, match="Not a host"):
        guard.allowing([spec])


# ------------------------------------------------------------------ tricks, checked at the socket

CONNECTS: list[Any] = []


@pytest.fixture(scope="module", autouse=True)
def watch() -> None:
    """A hook cannot be taken away, so that it is not there for tests that come before."""

    def look(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            CONNECTS.append(arguments[1])

    sys.addaudithook(look)


NAMES = {
    "mixed.test": ["8.8.8.8", "127.0.0.1"],
    "mixed6.test": ["2606:4700:4700::1111", "::1"],
    "metadata.google.internal": ["169.254.169.254"],
    "instance-data": ["169.254.169.254"],
    "azure.test": ["168.63.129.16"],
    "aws6.test": ["fd00:ec2::254"],
    "oracle.test": ["192.0.0.192"],
    "alibaba.test": ["100.100.100.200"],
    "nothing.test": [],
    "nat64.test": ["64:ff9b::7f00:1"],
    "teredo.test": ["2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    "zone.test": ["fe80::1%1"],
    "any.test": ["0.0.0.0"],
    "public.test": ["93.184.215.14"],
}


async def resolver(host: str, port: int) -> Sequence[str]:
    """Literals as the C library reads them, some names of ours, and all others are this machine."""
    try:
        found = socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST)
        return [str(where[0]) for *_, where in found]
    except (OSError, UnicodeError):
        return NAMES.get(host.rstrip("."), ["127.0.0.1"])


# PORT is where a site on this machine listens, and where nobody may come.
TRICKS = listed(r"""
http://127.0.0.1:PORT/  http://127.0.0.1.:PORT/  http://127.1:PORT/  http://127.0.1:PORT/
http://2130706433:PORT/  http://2130706433.:PORT/  http://0x7f000001:PORT/  http://0x7f.1:PORT/
http://0x7f.0x0.0x0.0x1:PORT/  http://017700000001:PORT/  http://0177.0.0.1:PORT/
http://0177.0.0.01:PORT/  http://127.000.000.001:PORT/  http://0x7F.0.0.01:PORT/
http://00000177.1:PORT/  http://127.2.3.4:PORT/  http://0:PORT/  http://0.0.0.0:PORT/
http://000:PORT/  http://localhost:PORT/  http://LOCALHOST:PORT/  http://localhost.:PORT/
http://localhost.localdomain:PORT/  http://anything.localhost:PORT/  http://127.0.0.1.nip.io:PORT/
http://[::1]:PORT/  http://[0:0:0:0:0:0:0:1]:PORT/  http://[0000::0001]:PORT/  http://[::]:PORT/
http://[::127.0.0.1]:PORT/  http://[::ffff:127.0.0.1]:PORT/  http://[::ffff:7f00:1]:PORT/
http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/  http://[::ffff:0:127.0.0.1]:PORT/
http://[64:ff9b::127.0.0.1]:PORT/  http://[64:ff9b:1::7f00:1]:PORT/  http://[2002:7f00:1::]:PORT/
http://[2001:0:4136:e378:8000:63bf:80ff:fffe]:PORT/  http://[fe80::1%251]:PORT/
http://[fe80::1%1]:PORT/  http://[::1%251]:PORT/  http://[::1%25lo]:PORT/  http://[fc00::1]:PORT/
http://[ff02::1]:PORT/  http://[fec0::1]:PORT/  http://[127.0.0.1]:PORT/  http://[::1:PORT/
http://1.1.1.1@127.0.0.1:PORT/  http://user:word@127.0.0.1:PORT/  http://good.example@localhost:PORT/
http://127.0.0.1:PORT@good.example:PORT/  http://good.example#@127.0.0.1:PORT/
http://good.example?@127.0.0.1:PORT/  http://good.example\@127.0.0.1:PORT/
http://127.0.0.1\@good.example:PORT/  http:\\127.0.0.1:PORT/  http:/127.0.0.1:PORT/
http:127.0.0.1:PORT/  http:///127.0.0.1:PORT/  //127.0.0.1:PORT/  http://127.0.0.1%00.good.example:PORT/
http://127.0.0.1%2f@good.example:PORT/  http://%31%32%37.0.0.1:PORT/  http://127%2e0%2e0%2e1:PORT/
http://127.0.0.1:PORT:80/  http://127.0.0.1:0/  http://127.0.0.1:22/  http://127.0.0.1:00PORT/
http://127.0.0.1:99999/  http://127.0.0.1:-1/  http://127.0.0.1:+PORT/  http://127.0.0.1:６３７９/
http://①②⑦.⓪.⓪.①:PORT/  http://１２７.０.０.１:PORT/  http://127。0。0。1:PORT/  http://127．0．0．1:PORT/
http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/  http://ｌｏｃａｌｈｏｓｔ:PORT/  http://loc%E2%80%8Balhost:PORT/  http://xn--lcalhost-0ta:PORT/
http://ᵐetadata.google.internal:PORT/  http://169.254.169.254/latest/  http://169.254.169.254:PORT/
http://2852039166/latest/  http://0xA9FEA9FE/latest/  http://0251.0376.0251.0376/  http://169.254.43518/
http://[::ffff:169.254.169.254]/  http://[fd00:ec2::254]/latest/  http://168.63.129.16/metadata/
http://metadata.google.internal/  http://metadata.google.internal./  http://instance-data/latest/
http://azure.test/  http://aws6.test/  http://oracle.test/  http://alibaba.test/
http://mixed.test:PORT/  http://mixed6.test:PORT/  http://nothing.test:PORT/  http://nat64.test:PORT/
http://teredo.test:PORT/  http://zone.test:PORT/  http://any.test:PORT/
http://10.0.0.1/  http://192.168.1.1/  http://172.16.0.1/  http://100.64.0.1/  http://224.0.0.1/
http://255.255.255.255/  http://240.0.0.1/  https://127.0.0.1:PORT/  https://localhost:PORT/
HTTP://LOCALHOST:PORT/  http://8.8.8.8:22/  http://8.8.8.8:6379/  http://1.1.1.1:25/
file:///etc/passwd  file://localhost/etc/passwd  gopher://127.0.0.1:PORT/_x  ftp://127.0.0.1:PORT/
dict://127.0.0.1:PORT/  data:text/html,hello  javascript:alert(1)  ws://127.0.0.1:PORT/
unix:///var/run/docker.sock  http+unix://%2Fvar%2Frun%2Fdocker.sock/  jar:http://127.0.0.1:PORT/!/
http://  http:  :PORT/  about:blank
""")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as found:
        yield found


def test_there_are_enough_tricks() -> None:
    assert len(set(TRICKS)) >= 60


def test_the_watch_at_the_socket_sees_connections(site: Site) -> None:
    before, accepted = len(CONNECTS), site.connections
    with socket.create_connection(("127.0.0.1", site.port)):
        assert CONNECTS[before:] == [("127.0.0.1", site.port)]
        until = time.monotonic() + 10
        while site.connections == accepted and time.monotonic() < until:
            time.sleep(
                0.01
            )  # the server's count comes a moment later, and is not for the next test
    assert site.connections == accepted + 1


@pytest.mark.asyncio
@pytest.mark.parametrize("trick", TRICKS)
async def test_a_trick_makes_not_one_connection(trick: str, site: Site) -> None:
    connects, accepted, visits = len(CONNECTS), site.connections, len(site.visits)
    others = ["http://public.test/"]  # of which no more than the address is asked for
    async with Fetcher(resolver=resolver, deadline=60.0, to_read=lambda: others) as fetcher:
        found = await fetcher.fetch(trick.replace("PORT", str(site.port)))
    assert isinstance(found, NoPage)
    assert found.failure in (Failure.REFUSED, Failure.GONE)
    assert CONNECTS[connects:] == []
    assert (site.connections, len(site.visits)) == (accepted, visits)


@pytest.mark.asyncio
async def test_a_redirect_to_a_trick_reaches_nothing_but_where_it_began(site: Site) -> None:
    """The way in is allowed by its name; the same machine by any other name is not."""
    start = f"start.test:{site.port}"
    allow = guard.allowing([start])
    async with Fetcher(allow=allow, resolver=resolver, deadline=60.0, spacing=0.0) as fetcher:
        for number, trick in enumerate(TRICKS):
            location = trick.replace("PORT", str(site.port)).encode().decode("latin-1")
            site.pages[f"/start/{number}"] = (302, {"Location": location}, b"")
            connects, visits = len(CONNECTS), len(site.visits)
            found = await fetcher.fetch(f"http://{start}/start/{number}")
            assert isinstance(found, NoPage), trick
            assert found.failure in (Failure.REFUSED, Failure.GONE), trick
            hosts = [each.headers["host"] for each in site.visits[visits:]]
            assert set(hosts) == {start}, trick
            assert set(CONNECTS[connects:]) <= {("127.0.0.1", site.port)}, trick


@pytest.mark.asyncio
async def test_a_name_is_looked_up_once_and_its_address_pinned(site: Site) -> None:
    """A second lookup would lead elsewhere; a later one does, and is refused."""
    answers = iter([["127.0.0.1"], ["127.0.0.2"]])

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return next(answers)

    def here_only(host: str, address: guard.Address, port: int) -> bool:
        return str(address) == "127.0.0.1"

    connects = len(CONNECTS)
    for expected in (Fetched, NoPage):
        async with Fetcher(allow=here_only, resolver=rebinding) as fetcher:
            found = await fetcher.fetch(f"http://moving.test:{site.port}/ok")
        assert isinstance(found, expected), found
    assert isinstance(found, NoPage)
    assert f"moving.test port {site.port} is at 127.0.0.2" in found.detail
    assert CONNECTS[connects:] == [("127.0.0.1", site.port)]


@pytest.mark.asyncio
async def test_the_socket_itself_goes_to_vetted_addresses_only(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the library took for an address without asking the guard is stopped here."""
    monkeypatch.setattr(guard.AddressGuard, "check", lambda *_, **__: None)
    connects = len(CONNECTS)
    async with Fetcher(resolver=resolver, deadline=60.0) as fetcher:
        for host in ("127.0.0.1", "127.1", "2130706433", "[::1]", "10.0.0.1"):
            found = await fetcher.fetch(f"http://{host}:{site.port}/ok")
            assert isinstance(found, NoPage)
            assert found.failure in (Failure.REFUSED, Failure.GONE), host
    assert CONNECTS[connects:] == []


@pytest.mark.asyncio
async def test_a_name_that_moves_between_two_hops_is_refused(site: Site) -> None:
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return next(answers)

    def here_only(host: str, address: guard.Address, port: int) -> bool:
        return str(address) == "127.0.0.1"

    connects = len(CONNECTS)
    async with Fetcher(allow=here_only, resolver=rebinding) as fetcher:
        found = await fetcher.fetch(
            f"http://moving.test:{site.port}/to?http://moving2.test:{site.port}/ok"
        )
    assert isinstance(found, NoPage)
    assert found.failure is Failure.REFUSED
    assert CONNECTS[connects:] == [("127.0.0.1", site.port)]


PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.mark.asyncio
async def test_no_proxy_of_the_environment_is_asked(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Proxy({}) as proxy:
        for name in PROXIES:
            monkeypatch.setenv(name, proxy.url)
        connects = len(CONNECTS)
        async with Fetcher(resolver=resolver, deadline=60.0, spacing=0.0) as fetcher:
            for trick in TRICKS:
                found = await fetcher.fetch(trick.replace("PORT", str(site.port)))
                assert isinstance(found, NoPage), trick
        async with Fetcher(allow=anybody_at_home, resolver=at_home) as fetcher:
            assert isinstance(await fetcher.fetch(site.url("/ok", "name.test")), Fetched)
        assert CONNECTS[connects:] == [("127.0.0.1", site.port)]
        assert not proxy.connections


@pytest.mark.asyncio
async def test_a_proxy_that_a_person_names_is_asked_for_names_and_not_for_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It resolves names itself; what is private by the address alone it is never asked for."""
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with Site(tls=authority.server("page.test")) as site, Proxy({"page.test": site.port}) as proxy:
        async with Fetcher(proxy=proxy.url, resolver=resolver, spacing=0.0, attempts=1) as fetcher:
            found = await fetcher.fetch("https://page.test/ok")
            assert isinstance(found, Fetched), found
            assert proxy.asked == ["page.test:443"]
            connects, asked = len(CONNECTS), proxy.connections
            for url in ADDRESSES:
                refused = await fetcher.fetch(url)
                assert isinstance(refused, NoPage)
                assert refused.failure is Failure.REFUSED, url
            moved = await fetcher.fetch(f"https://page.test/to?{ADDRESSES[0]}")
            assert isinstance(moved, NoPage)
            assert moved.failure is Failure.REFUSED
            assert CONNECTS[connects:] == []
            assert (proxy.connections, proxy.other) == (asked, [])


ADDRESSES = listed("""
http://127.0.0.1/ http://127.1/ http://2130706433/ http://[::1]/ http://localhost/ http://10.0.0.1/
http://a.localhost/ http://169.254.169.254/latest/ http://[fd00:ec2::254]/ http://page.test:22/
http://[::ffff:127.0.0.1]/ http://①②⑦.⓪.⓪.①/ https://192.168.0.1/ http://page.test:6379/
""")


@pytest.mark.asyncio
async def test_the_name_stays_in_the_request_though_the_address_is_pinned(site: Site) -> None:
    async with Fetcher(allow=anybody_at_home, resolver=at_home) as fetcher:
        found = await fetcher.fetch(site.url("/told", "name.test"))
    assert isinstance(found, Fetched)
    assert f'"host": "name.test:{site.port}"'.encode() in found.body


@pytest.mark.asyncio
async def test_the_systems_resolver_knows_this_machine() -> None:
    assert set(await guard.resolve_host("localhost", 80)) <= {"127.0.0.1", "::1"}
