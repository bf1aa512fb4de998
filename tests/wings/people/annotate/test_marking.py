"""Spans are marked by mouse and by keyboard, in tables, across citations and in Chinese.

Several raters, tasks of both languages, pages in both: what is kept stands at those words in the
report that the run has, and what comes out of it is what counting gives.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from deepassay.runfile.annotating import MarkedSpan
from deepassay.runfile.questions import Item, Question, write_items
from deepassay.wings.people.agreement.marked import read_marked
from deepassay.wings.people.annotate import question_file
from deepassay.wings.people.annotate.book import LEADER, StudyBook
from deepassay.wings.people.annotate.exchange import as_decisions, as_pairs, as_spans
from deepassay.wings.people.annotate.questions import is_turned
from deepassay.wings.people.annotate.setting_up import StudyTerms
from tests.browser import needs_chromium
from tests.conftest import REPOSITORY
from tests.wings.people.annotate.keyboard import Rater
from tests.wings.people.annotate.studies import served

TASKS = [
    {"id": "rain", "prompt": "Why does it rain?", "language": "en"},
    {"id": "feng", "prompt": "为什么会刮风？", "language": "zh"},
]
ENGLISH = """# Rain by {agent}

Vapour rises ([Met](https://a.example/1)). It cools, and it falls. Rain falls.

| cause | share | note |
| --- | ---: | --- |
| warm \\| wet air | 70 % | so **{agent}** says |
| cold front | 30 % | it falls |

It cools, and it falls. 𝒳 marks & ends.
"""
CHINESE = "# 风\n\n气压差**产生**风 [1]。地球自转使风偏转。风从高压吹向低压。\n\n[1] {agent} https://b.example/2\n"
QUESTIONS = """
questions:
  - key: misleading
    text: {en: Mark what misleads., zh: 请标出误导之处。}
    labels:
      - {value: misleads, en: misleads, zh: 误导}
      - {value: unsupported, en: unsupported, zh: 无依据, comment: must}
  - key: useful
    text: Would you act on it?
    menu: [yes, no]
"""
PAIRS = """
questions:
  - key: clearer
    text: {en: Which report is clearer?, zh: 哪份报告更清楚？}
    pairs: all
    labels: [evidence]
    least: 1
"""
DEMO = REPOSITORY / "examples" / "demo"
AGENTS = ("nightjar", "stonechat", "harrier")


def reports(folder: Path, agents: tuple[str, ...] = AGENTS[:1]) -> Path:
    """A folder of reports, one of each agent on each task."""
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, TASKS)), "utf-8")
    for agent in agents:
        (folder / "reports" / agent).mkdir(parents=True)
        for task, text in (("rain", ENGLISH), ("feng", CHINESE)):
            own = text.replace("{agent}", agent)
            (folder / "reports" / agent / f"{task}.md").write_text(own, "utf-8")
    return folder / "reports"


@asynccontextmanager
async def study_of(
    folder: Path, questions: str, agents: tuple[str, ...] = AGENTS[:1], **terms: object
) -> AsyncIterator[tuple[StudyBook, dict[str, str]]]:
    """A study of a file of questions, with the address of every rater."""
    source = reports(folder, agents)
    (folder / "questions.yaml").write_text(questions, "utf-8")
    given: dict[str, object] = {"raters": ("ana", "bo"), "per_item": 2, "seed": 3} | terms
    own = StudyTerms((str(folder / "questions.yaml"),), tasks=folder / "tasks.jsonl", **given)  # type: ignore[arg-type]
    async with served(source, folder / "study.assay", own) as (book, keys, address):
        yield book, {name: f"{address}/enter#{key}" for name, key in keys.items()}


class Marker(Rater):
    """Somebody who marks words, by mouse or by keyboard."""

    def item(self, book: StudyBook) -> str:
        """The task that is on the screen."""
        return book.items[int(self.run("document.querySelector('[name=item]').value"))].task

    def comes(self, condition: str) -> bool:
        """Whether something is so, or soon will be."""
        for _ in range(200):
            if self.run(f"Boolean({condition})"):
                return True
            self.settle(0.05)
        return False

    def place_of(self, words: str, nth: int, text: str, *, end: bool) -> dict[str, float]:
        """Where on the screen words begin or end, from wherever elements cut them."""
        found: dict[str, float] = self.run(
            f"""(() => {{
            const text = document.getElementById({text!r});
            const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
            const places = []; let whole = '';
            for (let node = walker.nextNode(); node; node = walker.nextNode())
              for (let at = 0; at < node.data.length; at += 1)
                {{ places.push([node, at]); whole += node.data[at]; }}
            let at = -1;
            for (let n = 0; n <= {nth}; n += 1) at = whole.indexOf({json.dumps(words)}, at + 1);
            const last = {json.dumps(end)};
            const [node, offset] = places[at + (last ? {len(words)} - 1 : 0)];
            const range = new Range();
            range.setStart(node, offset); range.setEnd(node, offset + 1);
            if (!last) node.parentElement.scrollIntoView({{block: 'center'}});
            const box = range.getBoundingClientRect();
            return {{x: last ? box.right - .5 : box.left + .5, y: (box.top + box.bottom) / 2}};
            }})()"""
        )
        return found

    def drag(self, first: str, last: str = "", nth: int = 0, text: str = "first") -> None:
        """Select from the first of these words to the end of the last, with the mouse."""
        begin = self.place_of(first, nth, text, end=False)
        end = self.place_of(last or first, nth, text, end=True)
        for kind, at, buttons in (
            ("mouseMoved", begin, 0),
            ("mousePressed", begin, 1),
            ("mouseMoved", end, 1),
            ("mouseReleased", end, 0),
        ):
            more = {"button": "left", "buttons": buttons, "clickCount": 1}
            self.send("Input.dispatchMouseEvent", type=kind, **at, **more)

    def click(self, where: str) -> None:
        """Click an element that is on the screen."""
        box = self.run(
            f"(() => {{ const e = {where}; e.scrollIntoView({{block: 'nearest'}});"
            "const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        at = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        self.send("Input.dispatchMouseEvent", type="mousePressed", **at)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", **at)

    def arrows(self, *keys: str, shift: bool = False) -> None:
        numbers = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46}
        for key in keys:
            pressed = {"key": key, "windowsVirtualKeyCode": numbers[key], "modifiers": 8 * shift}
            self.send("Input.dispatchKeyEvent", type="rawKeyDown", **pressed)
            self.send("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def selected(self) -> str:
        return " ".join(str(self.run("getSelection().toString()")).split())

    def listed(self) -> list[str]:
        return list(self.run("[...document.querySelectorAll('.span q')].map(e => e.textContent)"))


def kept(book: StudyBook, rater: str, task: str, key: str) -> list[tuple[str, str]]:
    """What a rater marked, as it stands in the report that the run has, with its label."""
    found = []
    for (who, number), rating in book.latest().items():
        item = book.items[number]
        if who == rater and item.task == task:
            for span in rating.spans.get(key, ()):
                assert isinstance(span, MarkedSpan)
                found.append((item.texts[span.text][span.start : span.end], span.label))
    return found


pytestmark = [needs_chromium, pytest.mark.slow, pytest.mark.asyncio]


async def test_by_mouse_in_tables_across_citations_and_in_chinese(tmp_path: Path) -> None:
    def work(address: str, book: StudyBook, language: str) -> None:
        with Marker() as ana:
            ana.screen(1400, 900)
            ana.send("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
            ana.go(address)
            for _ in range(2):
                if ana.item(book) == "rain":
                    ana.drag("rises", "cools")
                    ana.press("1")
                    ana.drag("warm | wet", "70 %")
                    ana.click("document.querySelector('[data-label=\"1\"]')")
                    ana.drag("falls", nth=2)  # the third time that it stands there
                    ana.press("1")
                    ana.drag("▇▇▇", nth=1)
                    ana.press("1")
                    assert ana.listed()[2] == "falls"
                    ana.press("Enter")  # it needs a comment, and an answer
                    assert ana.run("document.getElementById('problem').textContent")
                    assert ana.run("document.activeElement.tagName") == "TEXTAREA"
                    ana.press("Escape")
                    ana.run("getSelection().removeAllRanges()")
                    ana.press("j", "1")
                    ana.run("document.querySelectorAll('.span textarea')[1].focus()")
                    ana.press(*"no source", "Escape")
                else:
                    ana.drag("产生风", "自转")
                    ana.press("2")
                    ana.run("document.querySelector('.span textarea').focus()")
                    ana.press(*"为何", "Escape", "j", "2")
                ana.leave("Enter")
            assert not ana.of("Runtime.exceptionThrown")

    async with study_of(tmp_path, QUESTIONS) as (book, addresses):
        await asyncio.to_thread(work, addresses["ana"], book, "en")
        await asyncio.to_thread(work, addresses["bo"], book, "zh-CN")
        for rater in ("ana", "bo"):
            assert kept(book, rater, "rain", "misleading") == [
                ("rises ([Met](https://a.example/1)). It cools", "misleads"),
                ("warm \\| wet air | 70 %", "unsupported"),
                ("falls", "misleads"),
                ("nightjar", "misleads"),
            ]
            assert kept(book, rater, "feng", "misleading") == [
                ("产生**风 [1]。地球自转", "unsupported")
            ]
        rows = [*csv.DictReader(io.StringIO(as_spans(book)))]
        rain = (tmp_path / "reports" / "nightjar" / "rain.md").read_text("utf-8")
        third = [row for row in rows if row["words"] == "falls"]
        places = {(int(row["start"]), int(row["length"])) for row in third}
        assert places == {(rain.index("falls", rain.index("cold front")), len(rain))}
        assert {row["comment"] for row in rows} == {"", "no source", "为何"}
        assert {row["label"] for row in rows if row["task"] == "feng"} == {"unsupported"}
        said = [*csv.DictReader(io.StringIO(as_decisions(book)))]
        assert [row["protocol"] for row in said] == ["useful"] * 4
        (tmp_path / "spans.csv").write_text(as_spans(book), "utf-8")
        (marked,) = book.marked()
        (sheet,) = read_marked(tmp_path / "spans.csv").sheets(0)
        told = {each.name: each.value for each in sheet.figures}
        assert marked.now().items() <= told.items() and None not in marked.now().values()
        await asyncio.to_thread(lead, addresses[LEADER], marked.now())


def lead(address: str, figures: dict[str, float | None]) -> None:
    """The page of the leader has them."""
    with Marker() as leader:
        leader.go(address)
        row = leader.run("document.querySelectorAll('table')[2].rows[1].textContent.trim()")
        assert row == "misleading2" + "".join(f"{value:.2f}" for value in figures.values())


async def test_by_keyboard_alone_with_words_and_sentences_of_both_languages(tmp_path: Path) -> None:
    def work(address: str, book: StudyBook) -> None:
        with Marker() as ana:
            ana.screen(1400, 900)
            ana.go(address)
            for _ in range(2):
                ana.press("1")
                assert "First select" in ana.run("document.querySelector('.mode').textContent")
                ana.press("m")
                if ana.item(book) == "rain":
                    ana.arrows("ArrowDown", "ArrowDown")
                    assert ana.selected() == "Vapour rises [1]."
                    ana.press("1")
                    ana.arrows("ArrowDown", "ArrowRight", "ArrowRight")
                    assert ana.selected() == "falls"
                    ana.arrows("ArrowLeft", "ArrowLeft")
                    ana.arrows("ArrowRight", "ArrowRight", shift=True)
                    ana.press("1")
                    ana.send("Page.reload")
                    ana.until("!!document.querySelector('.span')")
                    assert len(ana.listed()) == 2
                    ana.press("m")
                    ana.arrows("ArrowDown", "ArrowDown", "Delete")
                    assert len(ana.listed()) == 1
                    ana.press("Escape", "j", "1")
                else:
                    ana.arrows("ArrowDown", "ArrowDown")
                    assert ana.selected() == "地球自转使风偏转。"
                    ana.press("1", "c", *"不对", "Escape", "j", "1")
                ana.leave("Enter")
            assert not ana.of("Runtime.exceptionThrown")

    async with study_of(tmp_path, QUESTIONS) as (book, addresses):
        await asyncio.to_thread(work, addresses["ana"], book)
        assert kept(book, "ana", "feng", "misleading") == [("地球自转使风偏转。", "misleads")]
        (one,) = kept(book, "ana", "rain", "misleading")
        assert one[1] == "misleads" and len(one[0].split()) == 3 and one[0] in ENGLISH


async def test_on_a_telephone_the_labels_come_to_the_words_that_are_selected(
    tmp_path: Path,
) -> None:
    where = "document.querySelector('[data-label=\"0\"]').getBoundingClientRect().top"

    def work(address: str, book: StudyBook) -> None:
        with Marker() as ana:
            ana.screen(360, 640)
            ana.go(address)
            words = "Vapour" if ana.item(book) == "rain" else "地球自转"
            ana.drag(words)
            # They come, and go, once the selection has come to rest.
            assert ana.comes(f"0 < {where} && {where} < 640")
            ana.click("document.querySelector('[data-label=\"0\"]')")
            assert ana.listed() == [words]
            assert ana.comes("!document.querySelector('.near')")
            assert ana.run("document.documentElement.scrollWidth <= innerWidth")

    async with study_of(tmp_path, QUESTIONS) as (book, addresses):
        await asyncio.to_thread(work, addresses["ana"], book)


async def test_pairs_with_evidence_in_either_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which comes first is drawn; what is kept says whose report it is all the same."""
    monkeypatch.setattr(question_file, "is_turned", lambda place, salt: is_turned(place, "3"))

    def work(address: str, book: StudyBook, wins: str) -> None:
        with Marker() as ana:
            ana.screen(1600, 900)
            ana.go(address)
            while "Thank you" not in ana.run("document.body.textContent"):
                item = book.items[int(ana.run("document.querySelector('[name=item]').value"))]
                page = ana.run("document.documentElement.outerHTML")
                assert not [name for name in AGENTS if name in page]
                ours = "second" if item.rival_first else "first"
                better = (
                    ours if item.agent == wins else {"first": "second", "second": "first"}[ours]
                )
                if wins in (item.agent, item.rival_agent):
                    ana.press("1" if better == "first" else "3")
                else:
                    ana.press("2")
                ana.press("Enter")  # evidence is wanted
                assert ana.run("document.getElementById('problem').textContent")
                words = "Rain falls." if item.task == "rain" else "风从高压吹向低压"
                ana.drag(words, text=better)
                ana.press("1")
                ana.leave("Enter")
            assert not ana.of("Runtime.exceptionThrown")

    async with study_of(tmp_path, PAIRS, AGENTS) as (book, addresses):
        assert len(book.items) == 6 and {each.rival_first for each in book.items} == {False, True}
        await asyncio.to_thread(work, addresses["ana"], book, "stonechat")
        rows = [*csv.DictReader(io.StringIO(as_spans(book)))]
        marked = [row for row in rows if row["label"]]
        assert len(rows) == 12 and len(marked) == 6
        for row in marked:
            whole = (tmp_path / "reports" / row["agent"] / f"{row['task']}.md").read_text("utf-8")
            assert whole[int(row["start"]) : int(row["end"])] == row["words"]
            assert "stonechat" in (row["agent"], row["beside"]) <= ("stonechat", row["beside"]) or (
                "stonechat" not in (row["agent"], row["beside"])
            )
        assert {row["agent"] for row in marked if "stonechat" in (row["agent"], row["beside"])} == {
            "stonechat"
        }
        said = [*csv.DictReader(io.StringIO(as_decisions(book)))]
        won = {(row["agent"], row["rival"]): row["verdict"] for row in said}
        assert won == {
            ("harrier", "nightjar"): "tie",
            ("harrier", "stonechat"): "loss",
            ("nightjar", "stonechat"): "loss",
        }
        pairs = json.loads(as_pairs(book))
        assert {(p["model1"]["name"], p["overall_label"]) for p in pairs} == {
            ("harrier", 0),
            ("harrier", 1),
            ("nightjar", 1),
        }
        for pair in pairs:
            assert pair["model1"]["name"] in pair["model1"]["response"]
            assert pair["model2"]["name"] in pair["model2"]["response"]


async def test_the_sentence_of_a_question_is_shown_where_the_server_found_it(
    tmp_path: Path,
) -> None:
    report = "# Rain\n\nIt falls. **Vapour** rises [1], & it *cools*.\n\n[1] https://a.example/1\n"
    asked = [
        Question(protocol="fact", item=key, text=key, quote=quote, menu=("yes", "no"))
        for key, quote in (("s1", "Vapour rises, & it cools."), ("s2", "It snows."))
    ]
    write_items(tmp_path / "i.jsonl", [Item(task="rain", report=report, questions=asked)])
    shown = "[...(CSS.highlights.get('quote') || [])].map(each => each.toString())"
    async with served(tmp_path / "i.jsonl", tmp_path / "s", StudyTerms((), ("ana",), seed=0)) as (
        _,
        keys,
        address,
    ):

        def work() -> None:
            with Marker() as ana:
                ana.go(f"{address}/enter#{keys['ana']}")
                assert ana.run(shown) == ["Vapour rises [1], & it cools."]
                ana.press("j")
                assert ana.run(shown) == []

        await asyncio.to_thread(work)


PICK = """
(() => {
  const text = document.getElementById('first');
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const nodes = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (/^(References|参考文献)$/.test(node.data.trim())) break;
    nodes.push(node);
  }
  const one = (part) => { const node = nodes[Math.floor(part * nodes.length)];
    return [node, Math.floor((part * 7919 %% 1) * (node.length + 1))]; };
  getSelection().setBaseAndExtent(...one(%f), ...one(%f));
  return getSelection().toString();
})()
"""
"""Selects from anywhere to anywhere: within words, from blanks between cells, backwards; but not in
the list of references, of which some is refused."""


async def test_whatever_is_selected_in_reports_of_both_languages_is_kept_at_its_words(
    tmp_path: Path,
) -> None:
    random = Random(5)
    (tmp_path / "questions.yaml").write_text(QUESTIONS, "utf-8")
    given = StudyTerms(
        (str(tmp_path / "questions.yaml"),), ("ana",), limit=8, seed=1, tasks=DEMO / "tasks.jsonl"
    )
    picked: dict[int, set[str]] = {}

    def work(address: str, book: StudyBook) -> None:
        with Marker() as ana:
            ana.go(address)
            for _ in book.items:
                number = int(ana.run("document.querySelector('[name=item]').value"))
                for _ in range(12):
                    ends = random.random(), random.random()
                    words = "".join(ana.run(PICK % ends).split())
                    if words:
                        ana.press("1")
                        picked.setdefault(number, set()).add(words)
                ana.run("getSelection().removeAllRanges()")
                ana.press("j", "1")
                ana.leave("Enter")
            assert not ana.of("Runtime.exceptionThrown")

    async with served(DEMO / "reports", tmp_path / "s", given) as (book, keys, address):
        await asyncio.to_thread(work, f"{address}/enter#{keys['ana']}", book)
        assert {item.language for item in book.items} == {"en", "zh"}
        assert len(picked) == len(book.latest()) == 8
        held = 0
        for (_, number), rating in book.latest().items():
            spans, text = rating.spans["misleading"], book.items[number].report
            assert len(spans) == len(picked[number])
            for words in picked[number]:  # each is there, with its letters in the report's order
                short = words if len(words) <= 80 else words[:40] + words[-40:]
                (span,) = [each for each in spans if each.words == short]
                if span.end <= text.rfind("\n## "):  # the list of references is written anew
                    source = iter(text[span.start : span.end])
                    assert all(sign in source for sign in words if sign.isalpha())
                    held += 1
        assert held > 30
