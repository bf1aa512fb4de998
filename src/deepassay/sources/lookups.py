"""Whether names are found here at all: no host says nothing where no other is found either.

A machine without a way out says of every name that there is no such host, as one with a way out
says of a dead one. What tells them apart is another host that is found, at that moment: a network
may be lost in the middle of a night.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from yarl import URL

from deepassay.sources.guard import Resolver, is_public_literal

AT_ONCE: Final = 16
"""How many other names are looked up at the same time."""

_PORT: Final = 443  # which a lookup has to name, and nothing connects to


class Lookups:
    """Looks up the names of hosts, and whether any is found now.

    resolver: the addresses of a host. to_read: the addresses of all pages of this round. Their
    hosts are looked up where the last that was found is not found any more, or none was yet, so
    that it does not matter which page comes first; nothing is asked of them. Each is so once, and
    only until one is found.
    """

    def __init__(self, resolver: Resolver, to_read: Callable[[], Iterable[str]]) -> None:
        self._resolver = resolver
        self._to_read = to_read
        self._others: Iterator[str] | None = None
        self._found = ""  # the host that was found last
        self._turn = asyncio.Lock()

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """The addresses of a host. Raises what the resolver raises."""
        addresses = await self._resolver(host, port)
        # This machine and its neighbours may have names where those of the web are not found.
        if any(map(is_public_literal, addresses)):
            self._found = host
        return addresses

    async def find_any(self) -> bool:
        """Whether a host of the public internet is found: the last that was, or another."""
        known = self._found
        if known and await self._is_found(known):
            return True
        async with self._turn:
            if self._found != known:  # while this one waited for its turn
                return True
            if self._others is None:
                self._others = _hosts(self._to_read())
            while some := list(islice(self._others, AT_ONCE)):
                if any(await asyncio.gather(*map(self._is_found, some))):
                    return True
        return False

    async def _is_found(self, host: str) -> bool:
        try:
            return any(map(is_public_literal, await self.resolve(host, _PORT)))
        except (OSError, UnicodeError):
            return False


def _hosts(urls: Iterable[str]) -> Iterator[str]:
    """The hosts of addresses, each once, but for those that are no names."""
    seen = set[str]()
    for url in urls:
        try:
            host = URL(url).raw_host or ""
        except ValueError:
            continue
        if host and host not in seen and ":" not in host and not host.replace(".", "").isdigit():
            seen.add(host)
            yield host
