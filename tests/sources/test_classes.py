"""What came back is told by its class: pages of `page_classes`, read over loopback."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.files import read_yaml
from deepassay.sources.classes import class_of, class_of_text
from deepassay.sources.look import look_at, weight
from deepassay.sources.page import OK, Failure
from tests.growth import assert_linear
from tests.sources.served import FILES, PAGES, outcomes, pages_of

UNTOLD = {
    "third_held_out.yaml": {"newspaper's apology with today's stories", "объявление снято"},
}
"""What is not told: an apology without a word for what is missing, among other stories; and a
notice below the heading of what was there."""


@pytest.mark.parametrize("file", FILES)
def test_a_page_of_each_kind_is_taken_for_what_it_is(file: str) -> None:
    """One language of each template; `python -m benchmarks.page_classes` reads all of them."""
    kinds = {page.name: page for page in pages_of(file)}
    wrong = {
        page.name: (got, capture.detail)
        for page, capture, got in outcomes(list(kinds.values()))
        if got != page.wanted
    }
    assert wrong.keys() == UNTOLD.get(file, set()), wrong


def test_eight_languages_and_every_class_are_there() -> None:
    pages = [page for file in FILES for page in pages_of(file)]
    assert len(pages) >= 200
    assert len({page.language for page in pages}) == 8
    assert {page.wanted for page in pages} == {OK, *(each.page_class for each in Failure)}


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Page not found | Courier", "# Page not found\n\nTry the search.", Failure.GONE),
        ("海港日报", "页面不存在\n\n返回首页", Failure.GONE),
        ("Courier", "# Tides\n\nThe tide rose. Page not found is a phrase.", None),
        ("Page not found: a history", "# How the phrase began\n\n" + "It did. " * 80, None),
    ],
)
def test_a_text_without_its_page_is_told_too(title: str, text: str, found: Failure | None) -> None:
    url = "https://a.example/1"
    other = class_of_text(title, text, url, url)
    assert (other and other.failure) == found


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
    other = class_of_text("Courier", "The news of the coast. " * 40, asked, final)
    assert (other is not None and other.failure is Failure.REDIRECTED_HOME) == home


FRAME = "<title>%s</title><body><header><a href='/'>Courier</a></header>%s</body>"
SHORT = read_yaml((PAGES / "short.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", SHORT, ids=[each["title"] for each in SHORT])
def test_ideas_and_where_they_stand_decide(page: dict[str, str]) -> None:
    url = "https://a.example/news/1"
    other = class_of(FRAME % (page["title"], page["body"]), page["title"], 0, url, url)
    assert (other.failure if other else OK) == page["class"]


@pytest.mark.parametrize(
    ("led", "found"),
    [("/404.html", Failure.GONE), ("/page-not-found", Failure.GONE), ("/hotels/room-404", None)],
)
def test_a_page_for_what_is_missing_is_told_by_its_address(led: str, found: Failure | None) -> None:
    page = FRAME % ("Courier", "<p>The lock opens again in May, after divers checked it.</p>" * 40)
    other = class_of(page, "Courier", 0, "https://a.example/news/1", f"https://a.example{led}")
    assert (other and other.failure) == found


def test_letters_are_counted_and_ideographs_say_as_much_as_three() -> None:
    assert (weight("Tides, 12 m."), weight("潮汐。"), weight(" …")) == (8, 6, 0)


PIECES = (
    *(
        "<p>",
        "</p>",
        "<div hidden>",
        "<a href=/>",
        "<script>",
        "</script>",
        "<noscript>",
        "x ",
        "404",
    ),
    *('<script type="application/ld+json">', '{"@type": [1, {}]}', "[" * 50, "<meta name=robots>"),
)


@given(st.lists(st.sampled_from(PIECES)))
@settings(deadline=None, max_examples=100)
def test_any_markup_is_looked_at(pieces: list[str]) -> None:
    class_of("".join(pieces), "", 0, "https://a.example/1", "https://a.example/2")


@pytest.mark.parametrize(
    "piece", ["<div>", "<p>x", "<script>", "<a href=/>", "404 ", "<div id=app>", "<h2>Not. ", "…"]
)
def test_hostile_pages_cost_linear_time(piece: str) -> None:
    assert_linear(look_at, lambda size: piece * (size // len(piece)), size=40_000)
