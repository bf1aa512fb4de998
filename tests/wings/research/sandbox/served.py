"""A sandbox on loopback with four pages: two to be read, one that is gone, one that is barred."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from typing import Any

import aiohttp

from deepassay.runfile import Capture, RunFile
from deepassay.wings.research.sandbox.sandbox import Sandbox
from deepassay.wings.research.sandbox.server import serving
from deepassay.wings.research.search.corpus import Corpus, CorpusPage

MILL = "https://mills.example/tide?page=1"
GONE = "https://mills.example/gone"
BARRED = "https://weekly.example/mills"
MOVED = "https://mills.example/old"
PLAIN = "http://mills.example/水磨"


def _page(url: str, text: str, failure: str | None = None) -> CorpusPage:
    title = "Tide mills" if url == MILL else ""
    told = None if failure else text
    capture = Capture(url, "2025-06-01", "import", title=title, text=told, failure=failure)
    return CorpusPage(capture, text, "2025-06-01", "a test")


PAGES = [
    _page(MILL, "# Tide mills\n\nThe tide turns the mill at Ardle twice a day.\n"),
    _page(GONE, "The mill at Ardle was sold.\n", "gone"),
    _page(BARRED, "The mill at Ardle earns 40 crowns.\n", "blocked"),
    _page(PLAIN, "阿德尔的潮汐水磨每天转动两次。\n"),
]


@dataclass
class Served:
    """What tests ask, and see of it afterwards."""

    sandbox: Sandbox
    address: str
    run: RunFile
    client: aiohttp.ClientSession

    def rows(self, session: str = "") -> list[tuple[str, dict[str, Any]]]:
        """Kind and body of what was served in a session."""
        return [(row.kind, dict(row.body)) for row in self.run.answering.served(session)]

    async def get(self, path: str, **more: Any) -> tuple[int, str, str]:
        """Status, media type and text of an answer."""
        async with self.client.get(self.address + path, **more) as answer:
            return answer.status, answer.content_type, await answer.text()

    async def post(self, path: str, body: Any, **more: Any) -> tuple[int, Any]:
        """Status and JSON of an answer."""
        async with self.client.post(self.address + path, json=body, **more) as answer:
            return answer.status, await answer.json()


@asynccontextmanager
async def served(*, prefix: bool = False) -> AsyncIterator[Served]:
    """The sandbox, for as long as the context lasts."""
    moved = [replace(PAGES[0].capture, url=MOVED)]
    with closing(Corpus("a test", PAGES, moved)) as corpus, RunFile.in_memory() as run:
        sandbox = Sandbox(corpus, run.answering, prefix=prefix)
        async with serving(sandbox) as address, aiohttp.ClientSession() as client:
            yield Served(sandbox, address, run, client)
