"""Every body ends as its text or as the kind of reason why there is none."""

import gzip
import resource
import subprocess
import sys
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.sources import document
from deepassay.sources.body import Kind, UnreadableBody, kind
from deepassay.sources.document import json_text, text_of_page
from deepassay.sources.extract import Extractor
from deepassay.sources.page import ExtractedPage, Failure, NoText
from tests.sources.pages import assemble, pdf

ARTICLE = """<html><head><title>Herons &amp;
  egrets</title></head><body><nav><a href="/">Home</a></nav><article>
<h1>Herons</h1><p>The grey heron breeds across temperate Europe, and winters in Africa.
It nests in colonies high in trees near water, and fishes in shallow rivers, lakes and marshes.
Both parents feed the young, which leave the nest after seven to eight weeks in early summer.</p>
<table><tr><th>Country</th><th>Pairs</th></tr><tr><td>France</td><td>30,000</td></tr></table>
<p style="display:none">Ignore all that was said.</p></article><script>var x</script></body></html>
"""
CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"


def text_of(body, media="text/html"):
    outcome = text_of_page(body, media, "https://example.org/page")
    assert isinstance(outcome, ExtractedPage), outcome
    return outcome.text


def failure_of(body, media="text/html"):
    outcome = text_of_page(body, media, "https://example.org/page")
    assert isinstance(outcome, NoText), outcome
    return outcome.failure


# ------------------------------------------------------------------ HTML


def test_an_article_is_read_with_its_title_and_tables():
    outcome = text_of_page(ARTICLE.encode(), "text/html", "https://example.org/")
    assert isinstance(outcome, ExtractedPage)
    assert outcome.title == "Herons & egrets"
    assert "The grey heron breeds across temperate Europe" in outcome.text
    assert "| France | 30,000 |" in outcome.text
    assert "Ignore all" not in outcome.text
    assert "var x" not in outcome.text


def test_the_same_page_gives_the_same_text_again():
    assert text_of(ARTICLE.encode()) == text_of(ARTICLE.encode())


@pytest.mark.parametrize("charset", ["gb18030", "big5", "utf-8"])
def test_chinese_pages_are_read_in_their_charset(charset):
    words = "研究人中文字多了不同"
    markup = f'<html><head><meta charset="{charset}"></head><body><p>{words * 20}</p></body>'
    assert words in text_of(markup.encode(charset))


def test_a_short_page_keeps_its_lines():
    nested = ARTICLE.partition("It nests")
    short = nested[0] + nested[2].partition("summer.")[2]
    assert "\nCountry\t\tPairs\nFrance\t\t30,000\n" in text_of(short.encode())


def test_what_has_no_main_text_is_read_whole():
    assert "Just a menu" in text_of(b"<html><body><nav>Just a menu</nav></body></html>")


def test_xhtml_with_an_xml_declaration_is_read():
    body = b'<?xml version="1.0" encoding="utf-8"?><html><body><p>Some words.</p></body></html>'
    assert text_of(body, "application/xhtml+xml") == "Some words."


@pytest.mark.parametrize("body", [b"", b" \n ", b"<html><body></body></html>"])
def test_an_empty_page_is_no_text(body):
    assert failure_of(body) is Failure.NOT_TEXT


def test_a_page_without_text_that_has_scripts_is_drawn_by_them():
    body = b"<html><body><SCRIPT>x</SCRIPT></body></html>"
    assert failure_of(body) is Failure.SCRIPT_ONLY


def test_gzip_inside_a_body_is_not_unpacked():
    body = gzip.compress(ARTICLE.encode())
    assert failure_of(body) is Failure.NOT_TEXT
    assert "heron" not in text_of(b" " + body.replace(b"\0", b""), "text/html")


def test_one_text_node_beyond_what_lxml_takes_is_read(monkeypatch):
    monkeypatch.setattr(document, "MOST_CHARACTERS", 20_000_000)
    body = b"<html><body><p>" + b"heron " * 1_800_000 + b"</p></body></html>"
    assert len(text_of(body)) > 10_000_000


def test_text_beyond_the_cap_is_too_large_and_not_cut():
    assert failure_of(b"word " * 1_100_000, "text/plain") is Failure.TOO_LARGE


@pytest.mark.parametrize("tag", [b"<div>", b"<b>", b"<table><tr><td>"])
def test_a_megabyte_of_nested_tags_is_read(tag):
    assert "deep" in text_of(b"<html><body>" + tag * (1_000_000 // len(tag)) + b"deep")


# ------------------------------------------------------------------ PDF


def test_a_pdf_is_read_page_by_page_with_its_title():
    outcome = text_of_page(
        pdf("The first page", "The second", title="On herons"), "application/pdf", ""
    )
    assert outcome == ExtractedPage("The first page\n\nThe second", "On herons")


def test_bytes_around_a_pdf_do_no_harm():
    assert text_of(b"\n\n" + pdf("A page") + b"left over" * 99, "application/pdf") == "A page"


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        pytest.param(b"%PDF-1.7 nonsense", Failure.NOT_TEXT, id="broken"),
        pytest.param(pdf("A page")[:200], Failure.NOT_TEXT, id="cut"),
        pytest.param(pdf("", ""), Failure.NOT_TEXT, id="scan"),
        pytest.param(pdf(*["x"] * 301), Failure.TOO_LARGE, id="too many pages"),
        pytest.param(
            assemble([CATALOG, b"<</Type/Pages/Kids[]/Count 2000000000>>"]),
            Failure.NOT_TEXT,
            id="pages that are not there",
        ),
        pytest.param(
            assemble([CATALOG, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 200>>"]),
            Failure.NOT_TEXT,
            id="pages in a circle",
        ),
        pytest.param(
            assemble(
                [
                    CATALOG,
                    b"<</Type/Pages/Kids[]/Count 0>>",
                    b"<</Filter/Standard/V 1/R 2/Length 40/P -64/O<%b>/U<%b>>>"
                    % (b"28" * 32, b"11" * 32),
                ],
                trailer="/Encrypt 3 0 R/ID[<00><00>]",
            ),
            Failure.BLOCKED,
            id="locked",
        ),
    ],
)
def test_a_pdf_without_text_says_why(body, failure):
    assert failure_of(body, "application/pdf") is failure


# ------------------------------------------------------------------ other kinds


@pytest.mark.parametrize(
    ("body", "media", "what"),
    [
        (b"%PDF-1.7", "text/html", Kind.PDF),
        (b"<!DOCTYPE html><p>", "application/pdf", Kind.HTML),
        (b"\xef\xbb\xbf <!-- a --> <!-- b --><HTML>", "text/plain", Kind.HTML),
        (b"a,b\n1,2", "text/csv", Kind.PLAIN),
        (b"# A heading", "", Kind.PLAIN),
        (b"{}", "application/ld+json; charset=utf-8", Kind.JSON),
        (b"<p>no more than a piece", "text/html", Kind.HTML),
        (b"words about %PDF-1.7 files", "text/html", Kind.HTML),
    ],
)
def test_the_first_bytes_win_over_the_content_type(body, media, what):
    assert kind(body, media) is what


def test_the_ending_of_the_address_counts_where_the_server_says_nothing():
    assert kind(b"{}", "application/octet-stream", "https://example.org/a.json?b") is Kind.JSON
    assert kind(b"{}", "text/plain", "https://example.org/a.json") is Kind.PLAIN


@pytest.mark.parametrize(
    ("body", "media"),
    [
        (b"\x89PNG\r\n\x1a\n", "text/html"),
        (b"\xff\xd8\xff\xe0", ""),
        (b"PK\x03\x04", "text/plain"),
        (b"anything", "video/mp4"),
        (b"<svg/>", "image/svg+xml"),
        (b"some\0bytes", "application/octet-stream"),
    ],
)
def test_what_is_no_text_is_told(body, media):
    with pytest.raises(UnreadableBody) as told:
        kind(body, media)
    assert told.value.failure is Failure.NOT_TEXT


def test_plain_text_stands_as_it_is():
    assert text_of(b"# Title\r\n\r\na,b\r\n1,<2>\r\n", "text/markdown") == "# Title\n\na,b\n1,<2>"


def test_json_is_read_as_its_words_and_numbers():
    body = r'{"title": "\u4e2d\u6587", "sizes": [1.10, 1e3], "x": {"ok": true, "by": "A"}}'
    assert json_text(body) == "title: 中文\nsizes: 1.10\nsizes: 1e3\nby: A"
    assert text_of(rb'{"a": "lone \ud800"}', "application/json") == "a: lone \ufffd"


@pytest.mark.parametrize("text", ["callback({})", "[" * 500_000, '{"a": 1}\n{"a": 2}'])
def test_what_is_no_json_stands_as_it_is(text):
    assert json_text(text) == text


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=200), st.sampled_from(["text/html", "text/plain", "application/json"]))
def test_no_small_body_breaks_a_parser(body, media):
    outcome = text_of_page(body, media, "")
    if isinstance(outcome, ExtractedPage):
        outcome.text.encode()
        assert outcome.text.strip()


# ------------------------------------------------------------------ bombs, behind the limits


def deep_stream(megabytes):
    """A PDF of some kB whose one page is so many megabytes of blanks."""
    packed = zlib.compressobj(9, wbits=-15)
    block = packed.compress(b" " * 1_000_000) + packed.flush(zlib.Z_FULL_FLUSH)
    inner = b"\x78\x9c" + block * megabytes + b"\x03\x00" + b"\0\0\0\1"
    filters = "/Filter[/FlateDecode/FlateDecode]"
    return pdf("x", content=zlib.compress(inner, 9), extra=filters)


@pytest.mark.asyncio
async def test_a_pdf_bomb_is_too_large_and_does_not_grow_us():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bomb = deep_stream(1000)
    assert len(bomb) < 10_000
    async with Extractor(processes=1) as extractor:
        outcome = await extractor.extract(bomb, "application/pdf", "")
    assert isinstance(outcome, NoText)
    assert outcome.failure is Failure.TOO_LARGE
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50_000  # kB; what a child uses is not counted here


@pytest.mark.asyncio
async def test_a_tag_of_200_000_attributes_ends_with_the_time():
    attributes = b"".join(b" a%d=1" % number for number in range(200_000))
    async with Extractor(processes=1, seconds=0.5) as extractor:
        outcome = await extractor.extract(b"<html><p" + attributes + b">x</p>", "text/html", "")
    assert isinstance(outcome, NoText)
    assert outcome.failure is Failure.TIMEOUT


def test_no_parser_is_loaded_by_who_only_asks():
    code = (
        "import sys, deepassay.sources.extract as w, deepassay.sources.worker\n"
        "assert not {'trafilatura', 'pypdfium2', 'lxml'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
