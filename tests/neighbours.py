"""A loopback site at several addresses, so that a polite visitor need not queue for one host.

As a program it prints its port and serves until its input ends: `python -m tests.neighbours HOSTS
LATENCY`, in seconds.
"""

from __future__ import annotations

import asyncio
import sys

from tests.site import HTML, PAGE, Site


class Neighbours(Site):
    """The same site at 127.0.0.1 and the addresses after it, on one port."""

    def __init__(self, count: int = 10, latency: float = 0.0) -> None:
        super().__init__(latency=latency)
        self.hosts = [f"127.0.0.{number}" for number in range(1, count + 1)]
        self._others: list[asyncio.Server] = []

    def urls(self, paths: list[str]) -> list[str]:
        """The addresses of paths, which lie with the hosts in turn."""
        return [
            self.url(path, self.hosts[number % len(self.hosts)])
            for number, path in enumerate(paths)
        ]

    @property
    def options(self) -> list[str]:
        """The options of the command line that open the guard to all of them."""
        return [part for host in self.hosts for part in ("--allow-host", f"{host}:{self.port}")]

    async def _listen(self) -> None:
        await super()._listen()
        for host in self.hosts[1:]:
            self._others.append(await asyncio.start_server(self._serve, host, self.port))

    async def _hang_up(self) -> None:
        for server in self._others:
            server.close()
        await super()._hang_up()


def long_article(paragraphs: int = 100) -> bytes:
    """A page of about 60 kB, as articles are."""
    said = b"The gauge was read at the full hour, and the mean of the day went into a book. " * 7
    more = b"".join(b"<p>Day %d. %s</p>\n" % (day, said) for day in range(paragraphs))
    return PAGE.replace(b"</article>", more + b"</article>")


def main() -> None:
    with Neighbours(int(sys.argv[1]), float(sys.argv[2])) as site:
        site.pages["/article"] = (200, HTML, long_article())
        print(site.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
