"""Saved pages come in with the address that reports cite, whatever program kept them."""

import asyncio
import json
import os
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.errors import BadSnapshots
from deepassay.sources import importing
from deepassay.sources.page import ExtractedPage, Failure, NoText
from deepassay.sources.snapshots import state_of_capture
from tests.growth import assert_linear

URL = "https://a.example/page?x=1"


class FakeExtractor:
    """Says what it was given."""

    async def extract(self, body, media, url, asked=""):
        if not body:
            return NoText(Failure.NOT_TEXT, "The page holds no text.")
        return ExtractedPage(f"{media} of {url}: {len(body)} bytes", "A title")


async def pages_of(path, url=None, aside=None):
    read = importing.read_pages(path, url, FakeExtractor(), aside or importing.Aside())
    return [page async for page in read]


def saved(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.utime(path, (1_760_000_000, 1_760_000_000))
    return path


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "markup",
    [
        f"<!-- saved from url=(0026){URL} --><html><p>Hello",
        f'<html><head><link rel="canonical" href="{URL}">',
        f"<html><head><LINK href='{URL}' rel=canonical />",
        f'<html><head><meta property="og:url" content="{URL}"/>',
        f'<meta property="og:url" content="https://b.example/"><link rel=canonical href={URL}>',
        f'<link rel="canonical" href="/relative"><meta property="og:url" content="{URL}">',
        '<link rel="canonical" href="https://a.example/page?x&#61;1&amp;utm_source=y#top">',
    ],
)
async def test_a_saved_page_says_where_it_is_from(tmp_path, markup):
    path = saved(tmp_path, "page.html", markup)
    (page,) = await pages_of(path)
    assert page.url == URL
    assert page.text.startswith("text/html of https://")
    assert page.body == markup.encode()
    assert (page.reader, page.title, page.failure) == ("import", "A title", None)
    assert page.fetched == datetime.fromtimestamp(1_760_000_000, UTC).strftime("%FT%TZ")


@pytest.mark.asyncio
async def test_the_address_that_is_typed_wins(tmp_path):
    path = saved(tmp_path, "page.htm", '<link rel="canonical" href="https://b.example/">')
    (page,) = await pages_of(path, "https://A.example/page?x=1#part")
    assert page.url == URL


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "content", "beside"),
    [
        ("a.md", f"---\nurl: {URL}\ndate: 2025-06-01\ntitle: Tides\n---\nBody", None),
        ("a.txt", f"\ufeff---\r\nurl: {URL}\r\ndate: 2025-06-01\r\ntitle: Tides\n---\nBody", None),
        ("a.html", f"<!--\nurl: {URL}\ndate: 2025-06-01\ntitle: Tides\n-->\nBody", None),
        ("a.pdf", "Body", f"url: {URL}\ndate: 2025-06-01\ntitle: Tides\n"),
    ],
)
async def test_front_matter_says_of_which_page_a_file_is(tmp_path, name, content, beside):
    if beside is not None:
        saved(tmp_path, f"{name}.yaml", beside)
    (page,) = await pages_of(saved(tmp_path, name, content))
    assert (page.url, page.title, page.fetched) == (URL, "Tides", "2025-06-01T00:00:00Z")
    assert page.body == b"Body"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", "---\nA paragraph between rules.\n---\nBody"),
        ("a.md", "---\ntags: [tide]\n---\nBody"),
        ("a.md", "---\nurl: never closed\nBody"),
        ("a.html", "<!--\nCopyright: [\n-->\nBody"),
    ],
)
async def test_what_is_no_front_matter_is_a_part_of_the_page(tmp_path, name, content):
    (page,) = await pages_of(saved(tmp_path, name, content), URL)
    assert page.body == content.encode()


@pytest.mark.asyncio
async def test_a_status_that_is_no_success_makes_a_failure(tmp_path):
    path = saved(tmp_path, "a.md", f"---\nurl: {URL}\nstatus: 404\n---\nWhat it said once.")
    (page,) = await pages_of(path)
    assert (page.failure, page.status, page.text) == ("gone", 404, None)
    assert page.body == b"What it said once."
    rows = [{"url": URL, "text": "one", "status": status} for status in (403, 200, "ok")]
    pages = await pages_of(saved(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows))))
    assert [(each.failure, each.status, each.body) for each in pages] == [
        ("blocked", 403, b"one"),
        (None, 200, None),
        (None, None, None),
    ]


@pytest.mark.asyncio
async def test_an_address_in_any_encoding_is_found(tmp_path):
    markup = f'<meta charset="gbk"><title>潮汐</title><link rel="canonical" href="{URL}">'
    (page,) = await pages_of(saved(tmp_path, "page.html", markup.encode("gbk")))
    assert page.url == URL


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "media"),
    [("a.pdf", "application/pdf"), ("a.txt", "text/plain"), ("A.MD", "text/markdown")],
)
async def test_other_files_are_one_page_of_the_address_typed(tmp_path, name, media):
    path = saved(tmp_path, name, "What it says.")
    (page,) = await pages_of(path, URL)
    assert page.text == f"{media} of {URL}: 13 bytes"
    with pytest.raises(BadSnapshots, match="does not say which address"):
        await pages_of(path)


@pytest.mark.asyncio
async def test_rows_of_texts_are_pages(tmp_path):
    rows = [
        {"url": URL, "text": "one", "title": "Eins"},
        {"url": "https://b.example", "url_content": "two"},
        {"url": "https://c.example/", "text": "scrape failed: 403"},
        {"url": "https://d.example/", "text": "scrape failed: no such host\nmore"},
        {"url": "https://e.example/", "text": "scrape failed: Reader failed for u: 422"},
        {"url": "https://f.example/", "text": " "},
    ]
    content = "\ufeff" + "\n\n".join(map(json.dumps, rows)) + "\n"
    pages = await pages_of(saved(tmp_path, "pages.jsonl", content))
    assert [(page.url, page.text, page.failure) for page in pages] == [
        (URL, "one", None),
        ("https://b.example/", "two", None),
        ("https://c.example/", None, "blocked"),
        ("https://d.example/", None, "gone"),
        ("https://e.example/", None, "gone"),
        ("https://f.example/", None, "not_text"),
    ]
    assert pages[0].title == "Eins"
    assert pages[3].detail == "scrape failed: no such host"


@pytest.mark.asyncio
async def test_what_the_released_program_scraped_is_pages(tmp_path):
    row = {
        "id": 1,
        "prompt": "Why?",
        "article": "…",
        "citations_deduped": {
            URL: {"facts": ["a"], "url_content": "What it says."},
            "https://b.example/": {"facts": ["b"], "url_content": None},
            "https://c.example/": {"facts": ["c"], "url_content": "scrape failed: 429"},
        },
    }
    pages = await pages_of(saved(tmp_path, "agent.scraped.jsonl", json.dumps(row)))
    assert [(page.url, page.text or page.failure) for page in pages] == [
        (URL, "What it says."),
        ("https://c.example/", "blocked"),
    ]


@pytest.mark.asyncio
async def test_every_published_page_comes_in(shared):
    path = shared / "data" / "bench" / "fact" / "dls.validated.jsonl"
    rows = map(json.loads, path.read_bytes().splitlines())
    wanted = sum(len(row["citations_deduped"]) for row in rows)
    pages = await pages_of(path)
    assert len(pages) == wanted > 40
    # One is a check for robots, of which the published judge could say nothing.
    (doubtful,) = [page for page in pages if page.is_doubtful]
    assert "Checking your browser" in (doubtful.text or "")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "content", "url", "says"),
    [
        ("a.html", "<p>No address", None, "does not say which address"),
        ("a.html", "<!-- saved from url=(0014)about:internet -->", None, "does not say which"),
        ("a.html", "", URL, "no text can be read"),
        ("a.txt", "x", "page.html", "is not an address"),
        ("a.docx", "x", URL, "not a kind of file"),
        ("a.jsonl", "{}", URL, "--url is for a file that is one page"),
        ("a.jsonl", '{"url": "", "text": "x"}\nnope', None, "line 1: field 'url' is no address"),
        ("a.jsonl", "[1]", None, "line 1: a JSON list, not an object"),
        ("a.jsonl", "[" * 100_000, None, "line 1: not JSON"),
        ("a.jsonl", '{"text": "x"}', None, "field 'url'"),
        ("a.jsonl", '{"url": "https://a.example/"}', None, "field 'text'"),
        ("a.jsonl", '{"citations_deduped": []}', None, "is no object"),
        ("a.jsonl", '{"citations_deduped": {"u": 1}}', None, "field 'text'"),
    ],
)
async def test_a_file_that_is_none_is_told(tmp_path, name, content, url, says):
    with pytest.raises(BadSnapshots, match=says) as error:
        await pages_of(saved(tmp_path, name, content), url)
    assert error.value.remedy


@pytest.mark.asyncio
async def test_a_bad_row_is_named_and_the_others_come_in(tmp_path):
    rows = ['{"url": "https://a.example/", "text": "x"}', '{"url": "", "text": "y"}', "nope"]
    rows += ['{"citations_deduped": {"https://b.example/": {"url_content": "z"}, "": 1}}']
    aside = importing.Aside()
    pages = await pages_of(saved(tmp_path, "a.jsonl", "\n".join(rows)), aside=aside)
    assert [page.text for page in pages] == ["x", "z"]
    assert [each.partition("a.jsonl, ")[2].partition(":")[0] for each in aside.bad] == [
        "line 2",
        "line 3",
        "line 4",
    ]


@pytest.mark.asyncio
async def test_a_row_that_is_no_page_is_kept_as_what_it_is(tmp_path):
    rows = [
        {"url": "https://a.example/1", "text": "# Page not found", "title": "A"},
        {"url": "https://a.example/2", "text": "Checking your browser before accessing a.example"},
        {"url": "https://a.example/3", "text": "The tide rose. " * 200},
    ]
    path = saved(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)))
    states = [state_of_capture(page) for page in await pages_of(path)]
    assert states == ["gone", "doubtful", "ok"]


PIECES = ["<link ", "rel=canonical ", "href=", "https://a.example/", ">", "<!-- saved from url=(3)"]
ROWS = ['{"url": ', '"https://a.example/"', ', "text": ', '""', "}", "\n", "null", "[", "\\ud800"]


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(["html", "jsonl"]),
    st.lists(st.sampled_from([*PIECES, *ROWS]) | st.text(max_size=3), max_size=20),
)
def test_whatever_a_file_holds_it_is_read_or_told(kind, pieces):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{kind}"
        path.write_text("".join(pieces), encoding="utf-8", errors="surrogatepass")
        with suppress(BadSnapshots):
            assert all(page.url for page in asyncio.run(pages_of(path)))


@pytest.mark.asyncio
async def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(BadSnapshots, match="No such file"):
        await pages_of(tmp_path / "a.html", URL)


@pytest.mark.parametrize("piece", ["<link ", "<!--", "<meta a=", "<link rel='", "saved from url=("])
def test_hostile_markup_takes_linear_time(tmp_path, piece):
    def made(size):
        return saved(tmp_path, f"{size}.html", piece * (size // len(piece)))

    def refused(path):
        with pytest.raises(BadSnapshots):
            asyncio.run(pages_of(path))

    assert_linear(refused, made)
