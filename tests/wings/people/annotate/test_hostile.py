"""Hostile reports in Chromium: nothing runs, nothing is loaded, and no byte tells a name."""

import asyncio
import html
import json
import re
import unicodedata
from urllib.parse import unquote

import pytest

from deepassay.runfile.questions import write_items
from deepassay.wings.people.annotate.book import LEADER
from deepassay.wings.people.annotate.setting_up import StudyTerms
from tests.browser import needs_chromium
from tests.wings.people.annotate.hostile import DISGUISES, NAMES, SECRET, TRIES, hostile_items
from tests.wings.people.annotate.keyboard import Rater
from tests.wings.people.annotate.studies import served

pytestmark = [needs_chromium, pytest.mark.slow]

COUNT = len(TRIES) // 2
ALLOWED = (
    'document.querySelectorAll(\'script:not([src="/keys.js"]):not([src="/spans.js"]), img, svg,'
    "math, iframe, object,"
    'embed, video, audio, style, base, meta[http-equiv], link:not([href="/style.css"]),'
    'form:not([action="/save"]):not([action="/back"])\').length'
)
HANDLERS = (
    "[...document.querySelectorAll('*')].filter(each => [...each.attributes]"
    ".some(one => one.name.startsWith('on') || one.name === 'style')).length"
)
LINKS = "[...document.querySelectorAll('a')].map(each => each.getAttribute('href'))"


def test_the_material_has_every_try_and_every_disguise_of_every_name():
    items = hostile_items()
    assert len(items) == COUNT
    whole = "".join(item.report + item.rival for item in items)
    assert not [each for each in TRIES if each not in whole]
    asked = "".join(item.prompt for item in items)
    assert not [each for each in TRIES[:-5] if each not in asked]
    assert not [name for name in NAMES for each in DISGUISES if each(name) not in whole]


@pytest.mark.asyncio
async def test_hostile_reports_do_nothing_and_tell_nothing(tmp_path):
    write_items(tmp_path / "items.jsonl", hostile_items())
    terms = StudyTerms((), ("ana",), masked=NAMES, second_look=False, seed=0)
    sent: list[bytes] = []
    async with served(tmp_path / "items.jsonl", tmp_path / "study", terms, sent) as (
        book,
        keys,
        address,
    ):
        await asyncio.to_thread(rate_all, f"{address}/enter#{keys['ana']}")
        assert book.place("ana").done == COUNT
        for (_, number), rating in book.latest().items():
            spans, texts = rating.spans["marked"], book.items[number].texts
            assert {each.text for each in spans} == {"first", "second"}
            assert all("Report" in texts[each.text][each.start : each.end] for each in spans)
        told = find_names(b"\0".join(sent).decode())
        assert not told
        await asyncio.to_thread(lead, f"{address}/enter#{keys[LEADER]}")


def rate_all(address):
    """Every item, by keyboard, with a hostile note."""
    with Rater() as ana:
        ana.go(address)
        for number in range(COUNT):
            check(ana)
            ana.press("1")
            for text, label in (("first", "1"), ("second", "2")):  # all of it, as it is
                ana.run(f"getSelection().selectAllChildren(document.getElementById('{text}'))")
                ana.press(label)
            assert len(ana.run("[...document.querySelectorAll('.span q')].map(e => 1)")) == 2
            check(ana)
            note = json.dumps("\n".join(TRIES[number::COUNT]))
            ana.run(f"document.querySelector('[name=note]').value = {note}")
            ana.leave("Enter")
        assert "Thank you" in ana.run("document.body.textContent")
        did_nothing(ana)


def lead(address):
    """The page of the leader, with the notes."""
    with Rater() as leader:
        leader.go(address)
        assert "pwned" in leader.run("document.body.textContent")
        check(leader)
        did_nothing(leader)


def check(page):
    assert page.run(f"[window.pwned, {ALLOWED}, {HANDLERS}]") == [None, 0, 0]
    links = page.run(LINKS)
    assert not [each for each in links if not re.match(r"https?://|/decisions\.csv$", each)]


def did_nothing(page):
    assert not page.of("Page.javascriptDialogOpening") + page.of("Runtime.exceptionThrown")
    logged = [each["entry"]["text"] for each in page.of("Log.entryAdded")]
    assert not logged
    (own,) = {each.split("/")[2] for each in page.requests()}
    assert own.startswith("127.0.0.1:")
    paths = {each.partition(own)[2].partition("#")[0] for each in page.requests()}
    known = {"/enter", "/", "/save", "/lead", "/style.css", "/keys.js", "/favicon.ico"}
    known |= {"/spans.js"}
    assert paths <= known


ALIKE = str.maketrans("аеорсхі", "aeopcxi")


def find_names(sent):
    """Names in what was sent, however written: letters are all that is compared."""
    plain = unquote(re.sub(r"<[^>]*>", "", html.unescape(sent)))
    for _ in range(3):
        plain = html.unescape(plain)
    plain = unicodedata.normalize("NFKD", re.sub(r"<[^>]*>|\]\([^)]*\)", "", plain)).lower()
    letters = re.sub(r"[^a-z0-9\u4e00-\u9fff]", "", plain.translate(ALIKE))
    long = [re.sub(r"[^\w]|_", "", name) for name in NAMES if name != "o3q"]
    found = [name for name in (*long, SECRET.replace(".", "")) if name in letters]
    return found + re.findall(r"\bo3q\b", plain)
