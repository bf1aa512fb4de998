"""axe finds nothing serious on any page of a study, of raters and of whoever leads it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from deepassay.runfile.questions import Item, Opinion, Passage, Question, write_items
from deepassay.wings.people.annotate.book import LEADER
from deepassay.wings.people.annotate.setting_up import StudyTerms
from tests.axe import found_on_screens, needs_axe
from tests.browser import needs_chromium
from tests.wings.people.annotate.studies import checklist_of, served
from tests.wings.people.annotate.test_marking import AGENTS, PAIRS, QUESTIONS, Marker, study_of

pytestmark = [needs_chromium, needs_axe, pytest.mark.slow, pytest.mark.asyncio]

WIDE = (1400, 900)


class Looker(Marker):
    """Somebody who has axe look at each page. found: by the name of the page, what it finds."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {}
        self.screen(*WIDE)

    def look(self, name: str) -> None:
        self.found[name] = found_on_screens(self)
        self.screen(*WIDE)


async def looked(work: Callable[[Looker], None]) -> dict[str, list[str]]:
    def look() -> dict[str, list[str]]:
        with Looker() as browser:
            work(browser)
            assert not browser.of("Runtime.exceptionThrown")
            return browser.found

    return await asyncio.to_thread(look)


async def test_pages_on_which_spans_are_marked_and_those_around_them(tmp_path: Path) -> None:
    async with study_of(tmp_path, QUESTIONS) as (book, addresses):
        host = addresses["ana"].partition("/enter")[0]

        def work(ana: Looker) -> None:
            ana.open(f"{host}/enter")
            ana.look("enter")
            ana.open("about:blank")
            ana.open(f"{host}/enter#no-key")
            ana.until("!!document.querySelector('.problem')")
            ana.look("expired")
            ana.open(f"{host}/lead")
            ana.look("refused")
            ana.open("about:blank")
            ana.go(addresses["ana"])
            for _ in range(2):
                if ana.item(book) == "rain":
                    ana.drag("rises", "cools")
                    ana.press("1", "m")
                    ana.arrows("ArrowDown", "ArrowDown")
                    ana.press("Enter")
                    ana.look("marking")
                    ana.press("Escape")
                ana.press("j", "1")
                ana.leave("Enter")
            ana.look("done")
            ana.go(addresses[LEADER])
            ana.look("lead")

        found = await looked(work)
    assert set(found) == {"enter", "expired", "refused", "marking", "done", "lead"}
    assert not {name: each for name, each in found.items() if each}


async def test_a_pair_in_chinese_and_a_form_that_came_back(tmp_path: Path) -> None:
    async with study_of(tmp_path, PAIRS, AGENTS) as (_, addresses):

        def work(bo: Looker) -> None:
            bo.send("Network.setExtraHTTPHeaders", headers={"Accept-Language": "zh"})
            bo.go(addresses["bo"])
            bo.press("1")
            bo.look("pair")
            bo.run("document.getElementById('rating').submit()")
            bo.until("!!document.querySelector('fieldset .problem')")
            bo.look("came back")

        found = await looked(work)
    assert found == {"pair": [], "came back": []}


async def test_a_checklist_a_cited_page_and_the_second_look(tmp_path: Path) -> None:
    said = [Opinion(judge=f"openai:j{n}", verdict=word) for n, word in enumerate(("yes", "no"))]
    cited = Passage(url="https://a.example/1", title="Met", text="It is said at length. " * 200)
    asked = Question(
        protocol="fact",
        item="s1",
        text="Does the page support it?",
        quote="Vapour rises.",
        passage=cited,
        menu=("yes", "no"),
        opinions=said,
    )
    item = Item(task="snow", prompt="Why?", report="# Why\n\nVapour rises.\n", questions=(asked,))
    write_items(tmp_path / "items.jsonl", [item, checklist_of("rain")])
    terms = StudyTerms((), ("ana",), second_look=True, seed=0)
    async with served(tmp_path / "items.jsonl", tmp_path / "s", terms) as (book, keys, address):

        def work(ana: Looker) -> None:
            ana.go(f"{address}/enter#{keys['ana']}")
            while "second" not in ana.found or "checklist" not in ana.found:
                if ana.item(book) == "rain":
                    ana.press("3")
                    ana.look("checklist")
                    ana.press(*"So, ", "Escape", "j", "j", "e", *"Draft", "Escape")
                else:
                    ana.look("cited page")
                    ana.press("1")
                ana.leave("Enter")
                if ana.run("!!document.querySelector('form[action=\"/look\"]')"):
                    ana.look("second")
                    ana.leave("Enter")

        found = await looked(work)
    assert found == {"checklist": [], "cited page": [], "second": []}
