"""Pages of `page_classes/*.yaml`, served on loopback and read as any cited page is.

A file has `words` (by language, then by name) and `templates`: name, class, path, and html, in
which $words stand; also `to` (where a redirect leads), status, media, bytes (in hexadecimal), pdf
(its text), and `languages`, how many of those in `words` it is filled with, in turn, or `only`,
with which. Every page has a host of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from string import Template
from typing import Any

from deepassay.files import read_yaml
from deepassay.runfile import Capture
from deepassay.sources.extract import Extractor
from deepassay.sources.fetch import Fetcher
from deepassay.sources.page import Failure
from deepassay.sources.readers import DirectReader
from deepassay.sources.snapshots import state_of_capture
from tests.site import HTML, Reply, Site, Visit, anybody_at_home, at_home, moved, pdf

PAGES = Path(__file__).with_name("page_classes")
FILES = (
    *("built_with.yaml", "held_out.yaml", "last.yaml", "third_held_out.yaml"),
    "fourth_held_out.yaml",
)

LANGUAGES = 6
"""A template is filled with so many of the languages."""


@dataclass(frozen=True)
class Served:
    """A page. wanted: its class. to: where its address redirects to; empty for nowhere."""

    name: str
    language: str
    wanted: str
    path: str
    to: str
    status: int
    media: str
    body: bytes


@cache
def pages_of(file: str) -> Sequence[Served]:
    """All pages of a file."""
    content: Any = read_yaml((PAGES / file).read_text(encoding="utf-8"))
    words = content["words"]
    turn = cycle(words)
    return [
        _page(template, language, words[language])
        for template in content["templates"]
        for language in _languages(template, turn)
    ]


def _languages(template: Mapping[str, Any], turn: Iterator[str]) -> Iterator[str]:
    if "only" in template:
        return iter(template["only"])
    return islice(turn, template.get("languages", LANGUAGES))


def _page(template: Mapping[str, Any], language: str, words: Mapping[str, str]) -> Served:
    def filled(name: str) -> str:
        text = str(template.get(name, ""))
        return Template(text).substitute(words, lang=language)

    if "pdf" in template:
        body = pdf(template["pdf"])
    elif "bytes" in template:
        body = bytes.fromhex(template["bytes"])
    else:
        body = filled("html").encode()
    return Served(
        template["name"],
        language,
        template["class"],
        filled("path"),
        filled("to"),
        template.get("status", 200),
        template.get("media", HTML["Content-Type"]),
        body,
    )


class _Shelf(Site):
    """Serves each page under a name of its own: p0.example, p1.example, …"""

    def __init__(self, pages: Sequence[Served]) -> None:
        super().__init__()
        self._served = pages

    def _reply(self, visit: Visit) -> Reply:
        page = self._served[int(visit.headers["host"].partition(".")[0].removeprefix("p"))]
        asked = f"{visit.path}{visit.query and '?'}{visit.query}"
        if page.to and asked == page.path:
            return moved(page.to)
        return Reply(page.status, {"Content-Type": page.media}, page.body)


def read_all(pages: Sequence[Served]) -> list[Capture]:
    """What came of reading each, in order."""

    async def read(port: int) -> list[Capture]:
        fetcher = Fetcher(allow=anybody_at_home, resolver=at_home, spacing=0, attempts=1)
        async with fetcher, Extractor() as extractor:
            reader = DirectReader(fetcher, extractor)
            urls = [f"http://p{at}.example:{port}{page.path}" for at, page in enumerate(pages)]
            return list(await asyncio.gather(*map(reader.read, urls)))

    with _Shelf(pages) as shelf:
        return asyncio.run(read(shelf.port))


def outcomes(pages: Sequence[Served]) -> Iterator[tuple[Served, Capture, str]]:
    """Each page, what came of it, and the class that it was taken for."""
    for page, capture in zip(pages, read_all(pages), strict=True):
        failure = capture.failure and Failure(capture.failure).page_class
        yield page, capture, failure or state_of_capture(capture)
