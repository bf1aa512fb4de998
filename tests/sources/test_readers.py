"""What each reader keeps of a page, and of a service that is out of order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from deepassay.runfile.rows import Capture
from deepassay.sources.extract import Extractor
from deepassay.sources.fetch import Fetcher
from deepassay.sources.page import EXTRACTION, ExtractedPage, Failure, NoText
from deepassay.sources.readers import ArchiveReader, DirectReader, JinaReader, utc_now
from tests.site import PAGE, Reply, Site, Visit, anybody_at_home, at_home

pytestmark = pytest.mark.usefixtures("read_here")

NOW = "2025-06-01T12:00:00Z"
JSON = {"Content-Type": "application/json"}


class Words:
    """An extractor that hands back the body in capitals, and finds nothing in what is no HTML."""

    async def extract(
        self, body: bytes, media: str, url: str, asked: str = ""
    ) -> ExtractedPage | NoText:
        if not media.startswith("text/html"):
            return NoText(Failure.NOT_TEXT, f"Nothing to read in {media}.")
        return ExtractedPage(body.decode().upper(), title=url.rpartition("/")[2])


def clock() -> str:
    return NOW


def fetcher() -> Fetcher:
    return Fetcher(
        allow=anybody_at_home, resolver=at_home, spacing=0.0, backoff=0.01, deadline=60.0
    )


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as found:
        yield found


def test_the_time_is_utc() -> None:
    assert len(utc_now()) == len(NOW)
    assert utc_now().endswith("Z")


# ------------------------------------------------------------------ itself


async def direct(url: str) -> Capture:
    async with fetcher() as ours:
        return await DirectReader(ours, Words(), clock).read(url)


@pytest.mark.asyncio
async def test_a_page_is_kept_with_its_text_and_its_body(site: Site) -> None:
    url = site.url("/redirect/2")
    assert await direct(url) == Capture(
        url=url,
        fetched=NOW,
        reader="direct",
        final_url=site.url("/ok"),
        status=200,
        media="text/html; charset=utf-8",
        title="ok",
        text=PAGE.decode().upper(),
        body=PAGE,
        reading=EXTRACTION,
    )


@pytest.mark.asyncio
async def test_a_body_without_text_is_kept_with_the_reason(site: Site) -> None:
    found = await direct(site.url("/pdf"))
    assert (found.failure, found.text, found.media) == ("not_text", None, "application/pdf")
    assert found.detail == "Nothing to read in application/pdf."
    assert found.body is not None


@pytest.mark.asyncio
async def test_a_failure_is_kept_with_its_status(site: Site) -> None:
    url = site.url("/status/404")
    detail = "The server answered with status 404."
    assert await direct(url) == Capture(
        url, NOW, "direct", status=404, failure="gone", detail=detail, reading=EXTRACTION
    )


@pytest.mark.asyncio
async def test_the_real_extractor_fits_in(site: Site) -> None:
    paths = ("/ok", "/pdf", "/chinese/gbk", "/chinese/big5/silent", "/gzip")
    async with fetcher() as ours, Extractor() as extractor:
        reader = DirectReader(ours, extractor)
        found = [await reader.read(site.url(path)) for path in paths]
    assert [each.failure for each in found] == [None] * 5
    said = [each.text or "" for each in found]
    assert all("twelve metres" in text for text in (said[0], said[1], said[4]))
    assert "钱塘江大潮" in said[2]
    assert "錢塘江大潮" in said[3]


# ------------------------------------------------------------------ Jina Reader


SECRET = "jina_0123456789"


async def jina(site: Site, reply: Reply | Any, url: str = "https://a.test/x?y=1") -> Capture:
    """What comes of a page when the service on loopback says this."""
    if not isinstance(reply, Reply):
        reply = Reply(200, JSON, json.dumps(reply).encode())
    site.scenarios["https:"] = lambda visit: reply
    async with fetcher() as ours:
        return await JinaReader(ours, SECRET, endpoint=site.url("/"), clock=clock).read(url)


@pytest.mark.asyncio
async def test_jina_is_asked_with_the_key_for_the_address(site: Site) -> None:
    await jina(site, {"data": {"content": "x"}})
    visit = site.visits[0]
    assert (visit.path, visit.query) == ("/https://a.test/x", "y=1")
    assert visit.headers["authorization"] == "Bearer jina_0123456789"
    assert visit.headers["accept"] == "application/json"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"title": "T", "description": "D", "content": "C"}, "T\n\nD\n\nC"),
        ({"title": "T", "description": None, "content": "C"}, "T\n\nC"),
        ({"title": "", "content": " C\n"}, "C"),
        ({"title": 3, "content": "潮\ud800\0汐"}, "潮\ufffd汐"),
    ],
)
async def test_jinas_text_is_what_it_gives_of_title_description_and_content(
    data: dict[str, Any], text: str, site: Site
) -> None:
    found = await jina(site, {"code": 200, "data": {**data, "url": "https://a.test/end"}})
    assert found.text == text
    assert (found.reader, found.final_url, found.fetched) == ("jina", "https://a.test/end", NOW)
    assert found.failure is None
    assert found.body is not None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "failure", "told"),
    [
        (401, "blocked", "does not accept the key"),
        (402, "blocked", "credit"),
        (429, "blocked", "no more requests"),
        (451, "blocked", "does not read this site"),
        (422, "gone", "could not open the page"),
        (500, "timeout", "cannot be had"),
        (503, "timeout", "cannot be had"),
    ],
)
async def test_jinas_own_trouble_is_told_as_such(
    status: int, failure: str, told: str, site: Site
) -> None:
    found = await jina(site, Reply(status))
    assert (found.failure, found.status, found.text) == (failure, None, None)
    assert "Jina Reader" in found.detail
    assert f"status {status}" in found.detail
    assert told in found.detail
    assert "secret" not in repr(found)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("data", "failure"),
    [
        ({"content": "Gone", "warning": "Target URL returned error 404: Not Found"}, "gone"),
        ({"content": "No", "warning": "Target URL returned error 403: Forbidden"}, "blocked"),
        ({"title": "T", "content": ""}, "not_text"),
        ({"title": "T", "content": None}, "not_text"),
        (None, "timeout"),
        ("text", "timeout"),
    ],
)
async def test_the_pages_own_failure_is_seen_behind_jina(
    data: Any, failure: str, site: Site
) -> None:
    found = await jina(site, {"data": data})
    assert (found.failure, found.text) == (failure, None)
    assert found.detail


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"<html>", b"[" * 100_000])
async def test_an_answer_of_jina_that_is_none_says_nothing_of_the_page(
    body: bytes, site: Site
) -> None:
    found = await jina(site, Reply(200, JSON, body))
    assert (found.failure, found.text) == ("timeout", None)


@pytest.mark.asyncio
@pytest.mark.parametrize("url", ["file:///etc/passwd", "https://me:word@a.test/"])
async def test_jina_is_not_told_of_what_is_no_public_address(url: str, site: Site) -> None:
    found = await jina(site, {"data": {"content": "x"}}, url)
    assert found.failure == "refused"
    assert site.visits == []


@pytest.mark.asyncio
async def test_the_key_does_not_follow_jina_elsewhere(site: Site) -> None:
    await jina(site, Reply(302, {"Location": site.url("/told", "thief.test")}))
    assert [visit.headers.get("authorization") for visit in site.visits] == [
        "Bearer jina_0123456789",
        None,
    ]


# ------------------------------------------------------------------ the Internet Archive


async def archive(site: Site, closest: Any, url: str = "https://a.test/x?y=1&z=潮") -> Capture:
    def index(visit: Visit) -> Reply:
        return Reply(200, JSON, json.dumps({"archived_snapshots": closest}).encode())

    site.scenarios["available"] = index
    site.scenarios["web"] = lambda visit: Reply(body=PAGE)
    async with fetcher() as ours:
        reader = ArchiveReader(
            ours,
            Words(),
            date(2024, 3, 9),
            index=site.url("/available"),
            copies=site.url("/web"),
            clock=clock,
        )
        return await reader.read(url)


@pytest.mark.asyncio
@pytest.mark.parametrize("url", ["file:///etc/passwd", "https://me:word@a.test/"])
async def test_the_archive_is_not_told_of_passwords_and_files(url: str, site: Site) -> None:
    found = await archive(site, {"closest": {"available": True, "timestamp": "2024"}}, url)
    assert found.failure == "refused"
    assert site.visits == []


@pytest.mark.asyncio
async def test_the_copy_nearest_to_the_day_is_read_as_it_was_captured(site: Site) -> None:
    copy = {"available": True, "url": "http://elsewhere.test/", "timestamp": "20240301120000"}
    found = await archive(site, {"closest": copy}, "https://a.test/x?y=1&z=2")
    assert site.visits[0].query == "url=https%3A%2F%2Fa.test%2Fx%3Fy%3D1%26z%3D2&timestamp=20240309"
    assert found.final_url == site.url("/web/20240301120000id_/https://a.test/x?y=1&z=2")
    assert (found.reader, found.fetched, found.body) == ("archive", NOW, PAGE)
    assert found.text == PAGE.decode().upper()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("closest", "failure"),
    [
        ({}, "not_archived"),
        ({"closest": None}, "not_archived"),
        ({"closest": {"available": False, "timestamp": "20240301120000"}}, "not_archived"),
        ({"closest": {"available": True, "timestamp": "../../etc"}}, "timeout"),
        ([], "not_archived"),
    ],
)
async def test_where_there_is_no_copy_none_is_read(closest: Any, failure: str, site: Site) -> None:
    found = await archive(site, closest)
    assert (found.failure, found.text) == (failure, None)
    assert set(site.hits) == {"/available"}


@pytest.mark.asyncio
async def test_an_archive_out_of_order_is_not_a_dead_page(site: Site) -> None:
    async with fetcher() as ours:
        reader = ArchiveReader(ours, Words(), date(2024, 3, 9), index=site.url("/down"))
        found = await reader.read("https://a.test/")
    assert found.failure == "timeout"
    assert found.detail.startswith("The Internet Archive cannot be had")


@pytest.mark.asyncio
async def test_a_key_that_jina_sends_back_is_not_kept(site: Site) -> None:
    found = await jina(site, {"data": {"content": f"Bearer {SECRET}", "title": SECRET}})
    assert found.text == "(the key)\n\nBearer (the key)"
    assert SECRET not in repr(found)
