"""What a reader of untrusted links may reach: public addresses on the ports of web pages.

A name is resolved once, every address that it has is vetted, and the connection is made to
one of those very addresses, so that a second lookup cannot lead elsewhere. One bad address
among good ones refuses them all. Each redirect is a request of its own, and vetted like the first.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from aiohttp import AddrInfoType
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from deepassay.errors import BadSetting
from deepassay.sources.meter import Meter

Address = IPv4Address | IPv6Address
Rule = Callable[[str, Address, int], bool]
"""Whether a request for this host (as asked, lower case) may connect to this address and port."""
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host. Raises socket.gaierror or UnicodeError when it has none."""


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(each) for each in text.split())


# The library's own `is_global` is wrong on Python 3.11 for multicast, 6to4, NAT64, several
# relay networks and the addresses of cloud metadata: so the registries are written out here.
_SPECIAL = _networks(
    """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16
    172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24
    192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
    224.0.0.0/4 240.0.0.0/4
    2001::/23 2001:db8::/32 2002::/16 3fff::/20 2620:4f:8000::/48
    """
)
# Of IPv6 only this is public at all, which refuses IPv4 in all its disguises whole.
_PUBLIC_6 = IPv6Network("2000::/3")
# What a person may open with `--allow-host`: networks of their own ...
_PRIVATE = _networks(
    "10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7"
)
# ... but for the places within them where clouds hand out credentials.
_METADATA = _networks("100.100.100.200/32 fd00:ec2::/32 fd20:ce::/64")

_WEB_PORTS = frozenset({80, 443})
_FIRST_FREE_PORT = 1024
# Ports above 1023 where no web page is but a service that a request could harm: those that
# browsers refuse (WHATWG Fetch, "port blocking"), databases, caches, desktops, containers.
_SERVICE_PORTS = frozenset(
    {1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6679, 6697, 10080}
    | set(range(6665, 6670))
    | {1433, 1521, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 5985, 5986}
    | {6379, 6443, 9042, 9092, 9200, 9300, 10250, 10255, 11211, 27017}
)

_HERE = IPv4Address("127.0.0.1")
_SOMEWHERE = IPv4Address("1.1.1.1")  # for a rule on ports; the proxy finds the true one

ASKED: ContextVar[str] = ContextVar("ASKED", default="")
"""The host that is asked for in this task, as the address has it."""

# The loop's own threads are few, and a dead name server would keep all of them for long.
_LOOKUPS = ThreadPoolExecutor(max_workers=32, thread_name_prefix="lookup")


class Refused(Exception):
    """The guard did not connect. The message names host, port and address, for a person."""


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, and to no network with a special role."""
    if isinstance(address, IPv6Address) and (address.scope_id or address not in _PUBLIC_6):
        return False
    return not any(address in net for net in _SPECIAL)


def is_public_literal(address: str) -> bool:
    """Whether this is written as an address, and is one of the public internet."""
    try:
        return is_public(ip_address(address))
    except ValueError:
        return False


def is_web_port(port: int) -> bool:
    """80, 443 and every port from 1024 on where no well-known internal service listens."""
    return port in _WEB_PORTS or (_FIRST_FREE_PORT <= port <= 65535 and port not in _SERVICE_PORTS)


def public(host: str, address: Address, port: int) -> bool:
    """The ordinary rule: any host, at a public address and a port of web pages."""
    return is_web_port(port) and is_public(address)


def allowing(hosts: Collection[str]) -> Rule:
    """The ordinary rule, but for hosts that the person named: `HOST` or `HOST:PORT`.

    Those may also be at a private address, on the named port (80 and 443 if none is named).
    A host is a name or a literal address, compared with what the request asks for: another
    name that resolves to the same private address stays refused. Metadata services, link-local,
    multicast, unspecified and disguised addresses are refused all the same.
    """
    allowed = {place for spec in hosts for place in _places(spec)}

    def rule(host: str, address: Address, port: int) -> bool:
        if (_plain(host), port) in allowed and (is_public(address) or _is_private(address)):
            return True
        return public(host, address, port)

    return rule


def _places(spec: str) -> Iterable[tuple[str, int]]:
    try:
        url = URL(f"http://{spec.strip()}/")
    except ValueError as error:
        raise _not_a_host(spec) from error
    ports = _WEB_PORTS if url.explicit_port is None else {url.explicit_port}
    host = _plain(url.raw_host or "")
    more = url.raw_user or url.raw_password or url.raw_path_qs != "/" or url.raw_fragment
    if not host or "%" in host or " " in host or more or max(ports) > 65535:
        raise _not_a_host(spec)
    return [(host, port) for port in ports]


def _not_a_host(spec: str) -> BadSetting:
    return BadSetting(
        f"Not a host that could be allowed: {spec!r}",
        "Write a name or an address, and a port if it is not 80 or 443: wiki.example.com:8080",
    )


def _plain(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _is_private(address: Address) -> bool:
    if isinstance(address, IPv6Address) and address.scope_id:
        return False
    return any(address in net for net in _PRIVATE) and not any(address in net for net in _METADATA)


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """The addresses of a host, by the system's resolver."""
    ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    found = await asyncio.get_running_loop().run_in_executor(_LOOKUPS, ask)
    return [str(where[0]) for *_, where in found]


class AddressGuard(AbstractResolver):
    """Resolves names for aiohttp, to vetted addresses only, and vets each socket once more."""

    def __init__(self, rule: Rule, resolver: Resolver, meter: Meter) -> None:
        self._rule = rule
        self._resolver = resolver
        self._meter = meter

    def check(self, host: str, port: int, *, proxied: bool = False) -> None:
        """Vet what a request asks for, before it is sent. Raises Refused.

        An address in place of a name is never resolved, and this machine needs no lookup. Where
        a proxy is asked for all the rest (proxied), of names the port is vetted, and no more.
        """
        ASKED.set(host)
        plain = _plain(host)
        if ":" in plain or plain.replace(".", "").isdigit():
            self._vet(host, _address(host, plain), port)
        elif plain == "localhost" or plain.endswith(".localhost"):
            self._vet(host, _HERE, port)
        elif proxied:
            self._vet(host, _SOMEWHERE, port)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a name, all of them vetted. Raises Refused."""
        found = dict.fromkeys(await self._resolver(host, port))
        addresses = [_address(host, each) for each in found]
        for address in addresses:
            self._vet(host, address, port)
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, f"{host} has no address")
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """Do nothing: the resolver keeps no connection open."""

    def socket(self, info: AddrInfoType) -> socket.socket:
        """A socket for an address, if it may be connected to. Raises Refused.

        The last look: whatever else the library may take for an address, it comes by here.
        """
        _, _, _, _, (there, port, *_) = info
        host = ASKED.get()
        self._vet(host, _address(host, str(there)), int(port))
        return self._meter.socket(info)

    def _vet(self, host: str, address: Address, port: int) -> None:
        if not self._rule(host, address, port):
            raise Refused(f"{host} port {port} is at {address}, which may not be reached")


def _address(host: str, literal: str) -> Address:
    try:
        return ip_address(literal)
    except ValueError:
        raise Refused(f"{host} is an address in disguise, which may not be reached") from None
