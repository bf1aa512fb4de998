"""Ten errands, each as a reader would go about it, and how many clicks it takes.

The reader knows what stands on the screen, and nothing of how it is made: links are found by their
words. Choosing from a menu is one click, and so is sending a form; typing is none.
"""

from __future__ import annotations

import csv
import io
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.browser import Browser, needs_chromium
from tests.wings.view.rooms import served

pytestmark = [needs_chromium, pytest.mark.slow]


class Reader:
    """Somebody with a mouse. clicks: how many there were since the errand began."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        self.address = address
        self.clicks = 0

    def begin(self, path: str = "/") -> None:
        self.browser.open(self.address + path)
        until = time.monotonic() + 60
        while self.browser.run("document.readyState + location.pathname") != (
            "complete" + path.partition("?")[0]
        ):
            assert time.monotonic() < until
            self.browser.settle(0.05)
        self.clicks = 0

    def _arrive(self, act: str) -> None:
        self.browser.run("window.before = location.href; 0")
        self.browser.run(f"{act}; 0")
        until = time.monotonic() + 60
        while True:
            self.browser.settle(0.05)
            try:
                if self.browser.run("!window.before && document.readyState == 'complete'"):
                    return
                if self.browser.run("window.before && location.href != window.before"):
                    return
            except AssertionError:
                pass
            assert time.monotonic() < until, act

    def click(self, words: str, within: str = "body", place: int = 0) -> None:
        """Click the link or button whose text has these words."""
        self.clicks += 1
        found = (
            f"[...document.querySelectorAll('{within} a, {within} button')].filter(each => "
            f"each.textContent.includes({words!r}) && each.checkVisibility())"
        )
        assert self.browser.run(f"{found}.length") > place, (words, within, self.text()[:500])
        self._arrive(f"{found}[{place}].click()")

    def choose(self, label: str, value: str) -> None:
        self.clicks += 1
        found = f"each.textContent.trim().startsWith({label!r})"
        menu = f"[...document.querySelectorAll('label')].find(each => {found}).control"
        self.browser.run(f"{menu}.value = {value!r}; 0")
        self._arrive(f"{menu}.dispatchEvent(new Event('change', {{bubbles: true}}))")

    def type(self, place: str, words: str) -> None:
        self.browser.run(f"document.querySelector({place!r}).value = {words!r}; 0")

    def send(self, place: str) -> None:
        self._arrive(f"document.querySelector({place!r}).form.requestSubmit()")

    def text(self) -> str:
        return str(self.browser.run("document.body.innerText"))

    def where(self) -> str:
        return str(self.browser.run("location.href"))


@pytest.fixture(scope="module")
def reader(demo: Path, later: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    folder = tmp_path_factory.mktemp("errands")
    runs = [folder / "before.assay", folder / "after.assay"]
    for source, path in zip((demo, later), runs, strict=True):
        shutil.copy(source, path)
    with served(*runs) as address, Browser() as browser:
        browser.screen(1440, 900)
        yield Reader(browser, address)


def test_the_worst_report_of_an_agent(reader: Reader) -> None:
    reader.begin()
    reader.choose("Agent", "heron")
    first = str(reader.browser.run("document.querySelector('.reports tbody a').textContent"))
    reader.click(first, ".reports tbody")
    assert "heron on " in reader.text()
    assert reader.clicks <= 2


def test_why_it_lost(reader: Reader) -> None:
    reader.begin("/report?agent=magpie&task=terrace-heat")
    assert "What cost it most" in reader.text()
    assert "absent: yearly, running, worked" in reader.text()
    assert reader.clicks <= 2


def test_the_page_behind_a_claim(reader: Reader) -> None:
    reader.begin("/report?agent=magpie&task=terrace-heat")
    reader.click("landlords-survey.example", ".margin")
    assert reader.browser.run("document.querySelector('mark.quote').textContent.length") > 20
    assert reader.clicks <= 3


def test_the_false_citation_that_cost_most(reader: Reader) -> None:
    reader.begin("/report?agent=magpie&task=terrace-heat")
    reader.click("fact", ".lost")
    assert "unsupported" in reader.text()
    reader.click("ardle-trial.example", ".card.bad")
    assert "The report says" in reader.text()
    assert reader.clicks <= 3


def test_what_changed_between_two_runs(reader: Reader) -> None:
    reader.begin()
    reader.click("What changed")
    assert "Verdicts that turned" in reader.text()
    assert "magpie on compost-yard" in reader.text()
    assert reader.clicks <= 2


def test_where_two_judges_differ(reader: Reader) -> None:
    reader.begin()
    reader.click("Judges", "header")
    assert "Where judges differ" in reader.text()
    assert reader.clicks <= 2


def test_all_reports_that_fail_a_criterion(reader: Reader) -> None:
    reader.begin()
    reader.click("every citation has its reference", ".criteria")
    assert "Reports that fail “every citation has its reference”" in reader.text()
    assert reader.clicks <= 2


def test_a_word_of_a_report_is_found(reader: Reader) -> None:
    reader.begin()
    reader.type(".find input", "borehole")
    reader.send(".find input")
    reader.click("on terrace-heat", ".hits")
    assert "borehole" in reader.text()
    assert reader.clicks <= 1


def test_a_comment_is_given_and_exported(reader: Reader) -> None:
    reader.begin("/report?agent=cuckoo&task=terrace-heat")
    reader.click("☆", ".list .finding")
    reader.type("textarea", "This is worth a talk.")
    reader.click("Save")
    address = reader.browser.run(
        "[...document.querySelectorAll('a')].find(a => a.textContent.includes('export')).href"
    )
    reader.clicks += 1
    with urlopen(address) as found:
        rows = [*csv.DictReader(io.StringIO(found.read().decode()))]
    assert [row["note"] for row in rows] == ["This is worth a talk."]
    assert reader.clicks <= 3


def test_the_link_that_a_colleague_gets_opens_the_same(reader: Reader) -> None:
    for path in ("/?agent=magpie&sort=fact&turned=1", "/report?agent=magpie&task=terrace-heat",
                 "/changes?old=1&new=2", "/search?q=boreholes"):  # fmt: skip
        reader.begin(path)
        seen, where = reader.text(), reader.where()
        with Browser() as colleague:
            colleague.screen(1440, 900)
            colleague.open(where)
            assert colleague.run("document.body.innerText") == seen
        assert reader.clicks == 0
