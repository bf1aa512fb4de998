"""Hostile texts everywhere: none of them becomes an element, an attribute or a link."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.browser import Browser, needs_chromium

from .hostile import hostile_page
from .snippets import SNIPPETS

# The only ones that the templates use.
WORDS = re.compile(r"\S+")
ELEMENTS = {
    *WORDS.findall(
        "html head meta title style body header nav main section footer h1 h2 h3 h4 h5 h6"
    ),
    *WORDS.findall("p code em dl div dt dd a details summary pre mark span b ul ol li blockquote"),
    *WORDS.findall("table caption thead tbody tr th td figure figcaption picture source img"),
    *WORDS.findall("svg line circle"),
}
ATTRIBUTES = {
    *WORDS.findall("lang charset http-equiv content name class id href rel title tabindex"),
    *WORDS.findall("aria-label aria-labelledby role scope media srcset src alt width height"),
    *WORDS.findall("viewbox aria-hidden x1 x2 y1 y2 cx cy r"),
}


class Seen(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name == "href"}

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def html() -> str:
    return hostile_page(SNIPPETS)


@pytest.fixture(scope="module")
def seen(html: str) -> Seen:
    seen = Seen()
    seen.feed(html)
    return seen


def test_there_are_enough_snippets() -> None:
    assert len(set(SNIPPETS)) >= 200


def test_no_snippet_becomes_markup(html: str, seen: Seen) -> None:
    assert seen.elements <= ELEMENTS
    assert seen.attributes <= ATTRIBUTES
    assert {link for link in seen.links if not link.startswith("#")} == set()
    assert html.count("<script") == 0


def test_no_snippet_is_a_template(html: str) -> None:
    assert "{{ 7 * 191 }}" in html
    assert "1337" not in html


def test_no_control_reaches_the_page(html: str) -> None:
    chars = set(html)
    assert not {char for char in chars if ord(char) < 32} - {"\n", "\r", "\t"}
    assert not {"\x7f", "\u202e", "\u2066", "\x9b", "\ud800"} & chars


def test_what_snippets_say_can_be_read(seen: Seen) -> None:
    assert "<img src=x onerror=alert('ran')>" in "".join(seen.text)


@pytest.fixture(scope="module")
def browser():
    with Browser() as tab:
        yield tab


def alarms(browser: Browser) -> list[object]:
    """What ran or complained."""
    kinds = ("Page.javascriptDialogOpening", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    return [each for kind in kinds for each in browser.of(kind)]


@needs_chromium
def test_in_a_browser_nothing_runs_and_nothing_is_asked_for(
    browser: Browser, html: str, tmp_path: Path
) -> None:
    file = tmp_path / "hostile.html"
    file.write_text(html, encoding="utf-8")
    browser.open(file)
    browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
    browser.run("[...document.querySelectorAll('a')].slice(0, 40).forEach(each => each.click())")
    browser.settle()
    assert alarms(browser) == []
    asked = {url for url in browser.requests() if not url.startswith("data:image/svg+xml;base64,")}
    assert asked == {file.as_uri()}
    assert browser.of("Log.entryAdded") == []  # not even something that the policy had to stop
    assert browser.run("document.querySelectorAll('details.report').length") == len(SNIPPETS)
    assert browser.run("document.querySelector('main') instanceof HTMLElement")


@needs_chromium
def test_the_policy_stops_what_would_have_come_through(
    browser: Browser, html: str, tmp_path: Path
) -> None:
    file = tmp_path / "unescaped.html"
    raw = "".join(SNIPPETS[:33]).replace("<meta http-equiv=refresh", "<x").replace("<form", "<x")
    safe = raw.encode("utf-8", "replace").decode()
    file.write_text(html.replace("</footer>", f"</footer>{safe}"), encoding="utf-8")
    browser.open(file)
    browser.settle()
    assert alarms(browser) == []
    assert not [url for url in browser.requests() if "elsewhere" in url and _sent(browser, url)]
    assert browser.of("Log.entryAdded"), "the policy had nothing to stop"


def _sent(browser: Browser, url: str) -> bool:
    """Whether a request left; what the policy stops is reported as blocked."""
    asked = {
        each["requestId"]
        for each in browser.of("Network.requestWillBeSent")
        if each["request"]["url"] == url
    }
    stopped = {
        each["requestId"] for each in browser.of("Network.loadingFailed") if each["blockedReason"]
    }
    return bool(asked - stopped)
