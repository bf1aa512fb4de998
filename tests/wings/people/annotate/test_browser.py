"""Two raters and a leader in Chromium, by keyboard alone; the server is killed and comes back."""

import asyncio
import csv
import io
import os
import signal
import subprocess

import pytest
import pytest_asyncio

from deepassay.runfile import RunFile
from deepassay.runfile.questions import Item, Opinion, Question, write_items
from deepassay.wings.people.annotate.setting_up import StudyTerms
from tests.browser import needs_chromium
from tests.wings.people.annotate.keyboard import Rater, serving
from tests.wings.people.annotate.studies import AGENTS, checklist_of, scored, served

pytestmark = [needs_chromium, pytest.mark.slow]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return scored(tmp_path_factory.mktemp("run"))


def test_a_study_by_keyboard_with_a_reload_a_kill_and_an_answer_taken_back(run, tmp_path):
    study = tmp_path / "study.assay"
    with Rater() as ana:
        with serving(run, study) as (addresses, process):
            port = addresses["ana"].split(":")[2].split("/")[0]
            ana.go(addresses["ana"])
            assert "#" not in ana.run("location.href")
            ana.press("3", "x", "k", "2", "n")
            ana.press(*"1 j")
            # A key that an input method is composing with is no answer.
            ana.run(
                "document.querySelector('textarea').dispatchEvent("
                "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
            )
            ana.press("Escape")
            assert ana.chosen() == "3,2"
            ana.press("Enter")
            assert ana.run("!!document.getElementById('problem').textContent")
            ana.send("Page.reload")
            ana.until(
                "document.readyState == 'complete' && !!document.querySelector('fieldset.here')"
            )
            assert ana.chosen() == "3,2"
            assert ana.run("document.querySelector('textarea').value") == "1 j"
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        with serving(run, study, port=port) as (addresses, _):
            assert not addresses  # those of before hold
            ana.go(f"http://127.0.0.1:{port}/")
            assert ana.chosen() == "3,2"
            ana.press("4", "5", "1")
            ana.leave("Enter")
            assert ana.header() == "1 of 4"
            ana.leave("z")
            assert ana.header() == "0 of 4" and ana.chosen() == "3,2,4,5,0"
            ana.leave("Enter")
            while "Thank you" not in ana.run("document.body.textContent"):
                ana.press("9", "8", "7", "6", "1")
                ana.leave("Enter")
            assert not ana.of("Runtime.exceptionThrown")
            assert {each.split("/")[2] for each in ana.requests()} == {f"127.0.0.1:{port}"}
        with serving(run, study, "--new-keys", port=port) as (addresses, _):
            ana.go(addresses["bo"])
            seen = ana.run("document.documentElement.outerHTML")
            assert not [name for name in AGENTS if name in seen]
            while "Thank you" not in ana.run("document.body.textContent"):
                ana.press("9", "8", "7", "6", "2")
                ana.leave("Enter")
            ana.go(addresses["leader"])
            assert "4 of 4" in ana.run("document.body.textContent")
            assert not ana.of("Page.javascriptDialogOpening")
    printed = subprocess.run(
        ["deepassay", "annotate", "export", "--study", str(study)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert len(rows) == 2 * 4 * 5
    assert {row["score"] for row in rows if row["rater"] == "bo"} == {"9", "8", "7", "6", ""}
    with RunFile.read(study) as file:
        assert not file.verify().damage


def test_a_right_address_after_a_wrong_one_opens_the_study(run, tmp_path):
    """In the same tab nothing but the key behind the # differs, so that no page is loaded."""
    with serving(run, tmp_path / "study") as (addresses, _), Rater() as ana:
        ana.send("Page.navigate", url=addresses["ana"] + "x")
        ana.until("!!document.querySelector('.problem')")
        ana.go(addresses["ana"])
        assert ana.header() == "0 of 4"


def test_the_page_fits_narrow_dark_and_enlarged(run, tmp_path):
    with serving(run, tmp_path / "study") as (addresses, _), Rater() as ana:
        ana.go(addresses["ana"])
        for width, zoom, dark in [(1400, 1, False), (500, 1, True), (1400, 2, False)]:
            ana.screen(width // zoom, 900 // zoom, dark=dark)
            assert ana.run("document.documentElement.scrollWidth <= innerWidth")
            ground = ana.run("getComputedStyle(document.body).backgroundColor")
            assert (sum(map(int, ground[4:-1].split(", "))) < 384) is dark


@pytest_asyncio.fixture
async def checklist(tmp_path):
    """A study of checklists, of which one is in Chinese: the book, and the address of Ana."""
    items = [checklist_of("rain"), checklist_of("feng", "zh")]
    write_items(tmp_path / "items.jsonl", items)
    terms = StudyTerms((), ("ana",), seed=2)
    async with served(tmp_path / "items.jsonl", tmp_path / "s", terms) as (book, keys, address):
        yield book, f"{address}/enter#{keys['ana']}"


@pytest.mark.asyncio
async def test_a_checklist_is_verified_by_keyboard_with_versions_and_lines(checklist):
    book, address = checklist

    def work():
        with Rater() as ana:
            ana.go(address)
            ana.press("3")  # it needs a version: the cursor is in its box
            ana.press(*"So, ")
            ana.press("Escape", "j", "e", *"Depth?", "Tab", *"2", "Escape", "a", *"Form?", "Tab")
            ana.press(*"-1", "Escape", "Enter")
            assert ana.run("document.activeElement.name") == "q2.0.text"  # the draft is missing
            ana.press(*"Why does ")
            ana.run(  # as if he had been at it for long
                "for (const each of Object.keys(localStorage)) localStorage.setItem(each,"
                "JSON.stringify({...JSON.parse(localStorage[each]), seconds: '500'}))"
            )
            ana.send("Page.reload")
            ana.until("!!document.querySelector('fieldset.here')")
            typed = "[...document.querySelectorAll('.line textarea')].map(each => each.value)"
            assert ana.run(typed) == [f"So, {given}", "Depth?", "Form?", "Why does "]
            ana.press("j", "j", "e", *"it rain?", "Escape")
            ana.leave("Enter")
            assert ana.header() == "1 of 2"
            assert not ana.of("Runtime.exceptionThrown")

    number = book.place("ana").number
    given = book.items[number].questions[0].original["text"]
    await asyncio.to_thread(work)
    (kept,) = book.ratings
    assert kept.answers == {"check/c1": "to change"} and kept.seconds >= 500
    assert kept.lines == {
        "check/c1": [{"text": f"So, {given}"}],
        "add": [
            {"text": "Depth?", "weight": "2", "axis": ""},
            {"text": "Form?", "weight": "-1", "axis": ""},
        ],
        "draft": [{"text": "Why does it rain?"}],
    }


@pytest.mark.asyncio
async def test_the_second_look_is_by_keyboard_with_the_report_beside_it(tmp_path):
    said = (("openai:goshawk", "met"), ("openai:harrier", "not met"))
    opinions = [Opinion(judge=name, verdict=word, reason="So it is.") for name, word in said]
    asked = [
        Question(protocol="p", item=key, text=f"Is {key}?", menu=("yes", "no"), opinions=opinions)
        for key in ("c1", "c2")
    ]
    item = Item(task="rain", prompt="Why?", report="Vapour rises.", questions=asked)
    write_items(tmp_path / "items.jsonl", [item])
    terms = StudyTerms((), ("ana",), second_look=True, seed=0)

    def work():
        with Rater() as ana:
            ana.go(f"{address}/enter#{keys['ana']}")
            assert "So it is" not in ana.run("document.body.textContent")
            ana.press("1", "2")
            ana.leave("Enter")
            shown = ana.run("document.body.innerText")
            assert "Vapour rises" in shown and "So it is" in shown and "hawk" not in shown
            ana.press("1", "2", "1", "j", "1", "2")  # a second time takes a choice back
            ana.leave("Enter")
            assert "Thank you" in ana.run("document.body.textContent")
            assert not ana.of("Runtime.exceptionThrown")

    async with served(tmp_path / "items.jsonl", tmp_path / "s", terms) as (book, keys, address):
        second = book.opinions(0)[0][1]["B"].judge
        await asyncio.to_thread(work)
        own, shown, look = book.ratings
        assert shown.second and shown.answers is None
    assert own.answers == {"p/c1": "yes", "p/c2": "no"} and not own.saw_judge
    assert look.second and look.answers["p/c1"] == second
    assert set(look.answers["p/c2"].split()) == {name for name, _ in said}


NAMED = {"radio", "textbox", "combobox", "button", "group", "progressbar", "form", "main"}


@pytest.mark.asyncio
async def test_a_screen_reader_has_a_name_for_everything_in_the_order_of_the_page(checklist):
    def work():
        with Rater() as ana:
            ana.go(checklist[1])
            ana.press("3")
            ana.send("Accessibility.enable")
            found = [
                (node["role"]["value"], node.get("name", {}).get("value", ""))
                for node in ana.send("Accessibility.getFullAXTree")["nodes"]
                if not node["ignored"]
            ]
            ana.run("document.activeElement.blur(), getSelection().removeAllRanges()")
            ana.run("document.body.tabIndex = -1, document.body.focus()")
            order = []
            for _ in range(12):
                ana.press("Tab")
                order.append(ana.run("(each => each.name || each.id)(document.activeElement)"))
            return found, order

    found, order = await asyncio.to_thread(work)
    assert not [role for role, name in found if role in NAMED and not name.strip()]
    names = {(role, name) for role, name in found}
    assert {role for role, _ in found} >= NAMED
    chinese = checklist[0].items[checklist[0].place("ana").number].language == "zh"
    asked, box = ("清楚吗？", "权重") if chinese else ("Is it clear?", "Weight")
    version = "Modified version (required)"  # the page is in the language of the rater
    assert {("group", asked), ("textbox", version), ("textbox", box)} <= names
    assert order[:4] == ["texts", "q0", "q0.0.text", "q1.0.text"]
    assert order[4:9] == ["q1.0.weight", "q1.0.axis", "", "q2.0.text", "note"]
