"""Whether names are found here at all: no host says nothing where no other is found either.

A machine without a way out says of every name that there is no such host, as one with a way out
says of a dead one. What tells them apart is another host that is found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from yarl import URL

from deepassay.sources.guard import Resolver, is_public_literal

AT_ONCE: Final = 16
"""How many other names are looked up at the same time."""

_PORT: Final = 443  # which a lookup has to name, and nothing connects to


class Lookups:
    """Looks up the names of hosts, and knows whether any was found.

    resolver: the addresses of a host. to_read: the addresses of all pages of this round. Their
    hosts are looked up where one is not found before any was, so that it does not matter which
    page comes first; nothing is asked of them. Each is so once, and only until one is found.
    """

    def __init__(self, resolver: Resolver, to_read: Callable[[], Iterable[str]]) -> None:
        self._resolver = resolver
        self._to_read = to_read
        self._others: Iterator[str] | None = None
        self._found = False
        self._turn = asyncio.Lock()

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """The addresses of a host. Raises what the resolver raises."""
        addresses = await self._resolver(host, port)
        # This machine and its neighbours may have names where those of the web are not found.
        self._found = self._found or any(map(is_public_literal, addresses))
        return addresses

    async def find_any(self) -> bool:
        """Whether a host of the public internet was found, or another of this round is."""
        async with self._turn:
            if self._others is None:
                self._others = _hosts(self._to_read())
            while not self._found and (some := list(islice(self._others, AT_ONCE))):
                await asyncio.gather(*map(self._look, some))
        return self._found

    async def _look(self, host: str) -> None:
        with suppress(OSError, UnicodeError):  # this one is not found either
            await self.resolve(host, _PORT)


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
