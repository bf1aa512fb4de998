"""What came is told by certain rules: a page, none, or a text in doubt; words decide nothing."""

from __future__ import annotations

import asyncio
from functools import cache

import pytest
from benchmarks.page_classes import Scripted, Seen, judged

from deepassay.runfile import Capture
from deepassay.sources.classes import classed, no_page
from deepassay.sources.page import DOUBTFUL, ENOUGH, OK, Failure
from deepassay.text import weight
from tests.growth import assert_linear
from tests.sources.served import FILES, Served, outcomes, pages_of

pytestmark = pytest.mark.usefixtures("read_here")

URL = "https://a.example/news/1"


@cache
def seen_of(file: str) -> list[tuple[Served, Capture, str]]:
    """What came of the pages of a file, each in one language."""
    return list(outcomes(list({page.name: page for page in pages_of(file)}.values())))


@pytest.mark.parametrize("file", FILES)
def test_no_page_is_lost_by_rule_and_what_is_no_page_is_never_taken_for_one(file: str) -> None:
    seen = seen_of(file)
    wrong = {
        page.name: (page.wanted, got, capture.detail)
        for page, capture, got in seen
        if got not in (page.wanted, DOUBTFUL)
    }
    assert not wrong


@pytest.mark.parametrize("file", ["third_held_out.yaml", "fourth_held_out.yaml"])
def test_with_a_judge_that_reads_every_page_is_what_it_is(file: str) -> None:
    seen = [Seen(*each) for each in seen_of(file)]
    found = asyncio.run(judged(seen, Scripted(0)))
    assert found == [each.page.wanted for each in seen]
    # One that errs is believed: nothing else tells.
    assert found != asyncio.run(judged(seen, Scripted(3)))


def test_eight_languages_and_every_class_are_there() -> None:
    pages = [page for file in FILES for page in pages_of(file)]
    assert len(pages) >= 400
    assert len({page.language for page in pages}) == 8
    assert {page.wanted for page in pages} == {OK, *(each.page_class for each in Failure)}


def said(page: Served) -> str:
    return page.body.decode("utf-8", "replace")


@pytest.mark.parametrize("part", ["/premium/", "/plus/", "/vip/", "/login/", "/404/", "/errors/"])
def test_no_word_of_an_address_changes_what_a_text_is(part: str) -> None:
    for page in pages_of("fourth_held_out.yaml"):
        for text in (said(page), said(page) * 20):
            plain, worded = (f"https://a.example{each}x/1" for each in ("/", part))
            assert classed(Capture(worded, "", "import", worded, text=text)).failure is None
            assert no_page(text, plain, plain) == no_page(text, worded, worded)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("404 Not Found", Failure.GONE),
        ("# 404: Not Found", Failure.GONE),
        ("HTTP Error 410 - Gone", Failure.GONE),
        ("403 Forbidden", Failure.BLOCKED),
        ("**Access Denied**", Failure.BLOCKED),
        ("Too Many Requests", Failure.BLOCKED),
        ("Payment Required", Failure.PAYWALLED),
        ("Just a moment...", Failure.BLOCKED),
        ("Page not found", Failure.GONE),
        ("Page not found\n\nThe tide rose.", None),
        ("Not Found: a novel", None),
        ("Gone with the wind", None),
        ("404", None),
        ("Forbidden planets", None),
        ("页面不存在", None),  # a judge reads it
        (". " * 150, None),
    ],
)
def test_one_standard_line_is_all_that_words_tell(text: str, found: Failure | None) -> None:
    other = no_page(text, URL, URL)
    assert (other and other.failure) == found


@pytest.mark.parametrize(
    ("text", "said", "amount"),
    [
        ("tides " * 8, None, 40),
        ("tides " * (ENOUGH // 5), None, None),
        ("潮" * 100, None, 300),
        ("潮" * (ENOUGH // 3 + 1), None, None),
        ("… " * ENOUGH, None, 0),
        ("menu " * ENOUGH, 82, 82),  # a long menu around a short notice
        ("tides " * 8, ENOUGH, 40),  # said again and again, of which the text keeps one
        ("tides " * ENOUGH, ENOUGH, None),
    ],
)
def test_what_says_little_is_in_doubt_whatever_it_says(
    text: str, said: int | None, amount: int | None
) -> None:
    told = classed(Capture(URL, "", "direct", URL, text=text), said)
    assert (told.failure, told.text, told.is_doubtful) == (None, text, amount is not None)
    assert amount is None or f"It says little: {amount} letters" in told.detail


@pytest.mark.parametrize(
    ("asked", "final", "home"),
    [
        ("https://a.example/news/1", "https://a.example/", True),
        ("https://a.example/news/1", "https://www.a.example/index.html", True),
        ("https://a.example/?p=7", "https://a.example/en/", True),
        ("https://a.example/news/1", "https://a.example/?utm_source=redirect", True),
        ("https://blog.a.example/2019/1", "https://a.example/", True),  # the site that took it over
        ("https://a.example/news/1", "https://b.a.example.org/", False),
        ("https://a.example/", "https://a.example/en/home", False),
        ("https://a.example/news/1", "https://a.example/news/2", False),
        ("https://short.example/x7", "https://a.example/", False),  # that is where it leads
        ("https://a.example/news/1", "https://a.example/?p=7", False),
        ("https://a.example/news/1", "http://[", False),
    ],
)
def test_a_deep_link_that_leads_to_the_front_page(asked: str, final: str, home: bool) -> None:
    other = no_page("The news of the coast. " * 40, asked, final)
    assert (other is not None and other.failure is Failure.REDIRECTED_HOME) == home


def test_letters_are_counted_and_ideographs_say_as_much_as_three() -> None:
    assert (weight("Tides, 12 m.", 99), weight("潮汐。", 99), weight(" …", 99)) == (8, 6, 0)
    assert weight("x" * 99, 7) == 7


@pytest.mark.parametrize("piece", ["404 ", "Not Found ", "# ", "…", "http error "])
def test_hostile_texts_cost_linear_time(piece: str) -> None:
    assert_linear(
        lambda text: classed(Capture(URL, "", "direct", URL, text=text)),
        lambda size: piece * (size // len(piece)),
        size=40_000,
    )
