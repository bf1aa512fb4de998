"""The ways to read an address: itself, through Jina Reader, or as the Internet Archive kept it.

Services are asked only when a person chose them. What a service says of itself (no key, no
credit, out of order) is told as such, and never as the death of the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlencode

from deepassay.files import without_surrogates
from deepassay.runfile.rows import Capture
from deepassay.score import Json
from deepassay.sources.classes import classed
from deepassay.sources.faults import address_refusal, failure_of
from deepassay.sources.page import EXTRACTION, ExtractedPage, Failure, NoPage, NoText
from deepassay.text import unkeyed_bytes

if TYPE_CHECKING:
    from deepassay.sources.fetch import Fetched, Fetcher

_COPY: Final = re.compile(r"^https?://[^/]+/web/[0-9]{4,14}id_/(?=https?://)")
"""What the Internet Archive puts before the address of a page that it kept."""

Clock = Callable[[], str]
"""The time, UTC, ISO 8601."""


def utc_now() -> str:
    """The time in seconds: 2025-06-01T12:00:00Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class PageReader(Protocol):
    """Whoever reads an address once and says what came of it."""

    async def read(self, url: str) -> Capture:
        """What a canonical address leads to. Never raises for what the web does."""
        ...


class Extracts(Protocol):
    """Whoever makes text of bodies: `extract.Extractor`."""

    async def extract(self, body: bytes, media: str, url: str) -> ExtractedPage | NoText:
        """The text of a body, or why there is none."""
        ...


@dataclass(frozen=True)
class DirectReader:
    """Reads the address itself."""

    fetcher: Fetcher
    extractor: Extracts
    clock: Clock = utc_now

    async def read(self, url: str) -> Capture:
        """What a canonical address leads to. Never raises for what the web does."""
        fetched = await self.fetcher.fetch(url)
        blank = Capture(url, self.clock(), "direct", reading=EXTRACTION)
        if isinstance(fetched, NoPage):
            return _failed(blank, fetched)
        return await _extracted(blank, fetched, self.extractor)


@dataclass(frozen=True)
class JinaReader:
    """Reads through Jina Reader, which runs a browser and gives Markdown.

    key: of the person's account; sent to the endpoint only. The text is title, description and
    content, as in the released program of DeepResearch Bench (there, a missing part is `None`).
    """

    fetcher: Fetcher
    key: str = field(repr=False)
    endpoint: str = "https://r.jina.ai/"
    clock: Clock = utc_now

    async def read(self, url: str) -> Capture:
        """What a canonical address leads to. Never raises for what the web does."""
        blank = Capture(url, "", "jina", reading=EXTRACTION)
        if refused := address_refusal(url):
            return _failed(replace(blank, fetched=self.clock()), refused)
        headers = {"Accept": "application/json", "Authorization": f"Bearer {self.key}"}
        fetched = await self.fetcher.fetch(self.endpoint + url, headers)
        blank = replace(blank, fetched=self.clock())
        if isinstance(fetched, NoPage):
            return _failed(blank, _by_jina(fetched))
        body = unkeyed_bytes(fetched.body, self.key)
        data = _data(body)
        if data is None:
            return _failed(blank, NoPage(url, Failure.TIMEOUT, "Jina Reader's answer is no page."))
        capture = replace(
            blank,
            final_url=_string(data, "url") or url,
            status=fetched.status,
            media=fetched.media,
            title=_string(data, "title"),
            body=body,
        )
        parts = [_string(data, name) for name in ("title", "description", "content")]
        text = "\n\n".join(part for part in parts if part)
        if failure := _behind_jina(data):
            return _failed(capture, replace(failure, url=url))
        return classed(replace(capture, text=text))


@dataclass(frozen=True)
class ArchiveReader:
    """Reads the copy that the Internet Archive made nearest to a day, as it was captured."""

    fetcher: Fetcher
    extractor: Extracts
    day: date
    index: str = "https://archive.org/wayback/available"
    copies: str = "https://web.archive.org/web"
    clock: Clock = utc_now

    async def read(self, url: str) -> Capture:
        """What was under a canonical address. Never raises for what the web does.

        `final_url` is the address of the copy, which names the time when it was made.
        """
        found = address_refusal(url) or await self._find(url)
        if isinstance(found, str):
            fetched = await self.fetcher.fetch(found)
        else:
            fetched = found
        blank = Capture(url, self.clock(), "archive", reading=EXTRACTION)
        if isinstance(fetched, NoPage):
            return _failed(blank, fetched)
        return await _extracted(blank, fetched, self.extractor)

    async def _find(self, url: str) -> str | NoPage:
        """The address of the copy, without the Archive's own frame and rewritten links."""
        query = urlencode({"url": url, "timestamp": self.day.strftime("%Y%m%d")})
        answer = await self.fetcher.fetch(f"{self.index}?{query}")
        if isinstance(answer, NoPage):
            return _out_of_order("The Internet Archive", answer)
        found = _json(answer.body)
        for name in ("archived_snapshots", "closest"):
            found = found.get(name) if isinstance(found, dict) else None
        if not isinstance(found, dict) or found.get("available") is not True:
            return NoPage(url, Failure.NOT_ARCHIVED, "The Internet Archive has no copy of it.")
        time = _string(found, "timestamp")
        if re.fullmatch(r"[0-9]{4,14}", time) is None:
            return NoPage(url, Failure.TIMEOUT, "The Internet Archive's answer names no time.")
        return f"{self.copies}/{time}id_/{url}"


async def _extracted(blank: Capture, fetched: Fetched, extractor: Extracts) -> Capture:
    capture = replace(
        blank,
        final_url=fetched.final_url,
        status=fetched.status,
        media=fetched.media,
        body=fetched.body,
    )
    found_at = _COPY.sub("", fetched.final_url)
    read = await extractor.extract(fetched.body, fetched.media, found_at)
    if isinstance(read, NoText):
        return replace(capture, failure=read.failure.value, detail=read.detail)
    told = replace(capture, title=read.title, text=read.text, final_url=found_at)
    told = classed(told, read.said)
    return replace(told, final_url=capture.final_url)


def _failed(blank: Capture, page: NoPage) -> Capture:
    status = blank.status if page.status is None else page.status
    return replace(blank, status=status, failure=page.failure.value, detail=page.detail)


def _out_of_order(service: str, page: NoPage) -> NoPage:
    """A service that cannot be had says nothing about the page, whatever its own failure."""
    if page.failure in (Failure.REFUSED, Failure.TOO_LARGE):
        return page
    return NoPage(page.url, Failure.TIMEOUT, f"{service} cannot be had: {page.detail}")


def _by_jina(page: NoPage) -> NoPage:
    """The failure behind a status of Jina Reader's own, which is not the status of the page."""
    match page.status:
        case 401 | 403:
            failure, detail = Failure.BLOCKED, "does not accept the key in JINA_API_KEY"
        case 402:
            failure, detail = Failure.BLOCKED, "gives no more credit to the key in JINA_API_KEY"
        case 429:
            failure, detail = Failure.BLOCKED, "allows no more requests for now"
        case 451:
            failure, detail = Failure.BLOCKED, "does not read this site"
        case 400 | 404 | 422:
            failure, detail = Failure.GONE, "could not open the page"
        case _:
            return _out_of_order("Jina Reader", page)
    return NoPage(page.url, failure, f"Jina Reader {detail} (its status {page.status}).")


def _behind_jina(data: dict[str, Json]) -> NoPage | None:
    """The page's own failure, which Jina Reader wraps in a success."""
    if warned := re.search(r"Target URL returned error ([0-9]{3})", _string(data, "warning")):
        status = int(warned[1])
        return NoPage("", failure_of(status), f"The server answered with status {status}.", status)
    if not _string(data, "content").strip():
        return NoPage("", Failure.NOT_TEXT, "Jina Reader found no text on the page.")
    return None


def _data(body: bytes) -> dict[str, Json] | None:
    found = _json(body)
    data = found.get("data") if isinstance(found, dict) else None
    return data if isinstance(data, dict) else None


def _json(body: bytes) -> Json:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _string(data: dict[str, Json], name: str) -> str:
    """A text of a service's answer without what no store can hold, or nothing."""
    value = data.get(name)
    if not isinstance(value, str):
        return ""
    return without_surrogates(value.replace("\0", "")).strip()
