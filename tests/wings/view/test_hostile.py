"""Reports, names, pages, answers and notes that try whatever they can: nothing of them runs."""

from __future__ import annotations

import asyncio
import json
import random
import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from deepassay.files import without_surrogates
from deepassay.runfile import RunFile
from deepassay.runfile.rows import Capture, StoredReport
from deepassay.wings.view.writing import write_page
from tests.browser import Browser, needs_chromium
from tests.wings.people.annotate import hostile as annotated
from tests.wings.view.rooms import Visitor, faults, served
from tests.wings.view.snippets import SNIPPETS

pytestmark = pytest.mark.slow

TRIES = tuple(map(without_surrogates, (*annotated.TRIES, *SNIPPETS)))  # a run holds none
REPORTS = 9
TASKS = 3
AGENTS = REPORTS // TASKS
BAD = (
    *("<img", "<iframe", "<object", "<embed", "<svg onload", "<form action=https", "<base"),
    *("<meta http", "<link rel=prefetch", "<style"),
)
PLACES = ("item", "justification", "verdict", "key", "detail")
CITED = "https://ardle-trial.example/reports/metering"


def dealt(chance: random.Random, came: set[str]) -> Iterator[str]:
    """Payloads by chance: each comes once before any comes again. came: those that have."""
    while True:
        for each in chance.sample(TRIES, len(TRIES)):
            came.add(each)
            yield each


def spoiled(value: Any, payloads: Mapping[str, Iterator[str]], place: str = "") -> Any:
    """JSON with payloads in place of every text that a judge or a report put there.

    payloads: by the place, so that each payload comes to each.
    """
    if isinstance(value, dict):
        return {name: spoiled(each, payloads, name) for name, each in value.items()}
    if isinstance(value, list):
        return [spoiled(each, payloads, place) for each in value]
    if isinstance(value, str) and place in PLACES:
        return f"{value[:40]} {next(payloads[place])[:900]}"
    return value


def hostile_tasks(body: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Tasks whose names, prompts and labels are payloads."""
    found = {}
    for n in range(TASKS):
        name = f"t{n}/{TRIES[n][:60]}/{TRIES[n + TASKS][:60]}"
        labels = {
            "a": TRIES[n + 7][:80], TRIES[n + 9][:30]: "b",
            "c": TRIES[n + 7 + TASKS][:80], TRIES[n + 9 + TASKS][:30]: "d",
        }  # fmt: skip
        prompt = f"{TRIES[-n][:3_000]}\n\n{TRIES[-n - TASKS][:3_000]}"
        found[name] = {**body, "id": name, "prompt": prompt, "labels": labels}
    return found


@pytest.fixture(scope="module")
def hostile(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of which nothing is meant well but the protocols."""
    chance = random.Random(4)
    path = tmp_path_factory.mktemp("hostile") / "<img src=x onerror=alert(1)>.assay"
    with RunFile.read(demo) as run:
        protocols, metrics = run.protocols(), run.metrics()
        kept = [score for _, score in run.since()]
        (_, body), *_ = run.tasks()
    templates = [s for s in kept if s.agent == "magpie" and s.task == "terrace-heat"]
    tasks = hostile_tasks(body)
    reports = []
    shuffled = chance.sample(TRIES, len(TRIES))
    came: dict[str, set[str]] = {place: set() for place in PLACES}
    judged = {place: dealt(chance, came[place]) for place in PLACES}
    for number in range(REPORTS):
        payloads = "\n\n".join(shuffled[number::REPORTS])  # each in one of them
        text = f"# Report\n\nThe ground keeps a steady temperature. [1]\n\n{payloads}\n"
        agent = number // TASKS
        name = "".join(each[:70] for each in TRIES[agent:36:AGENTS])
        reports.append(StoredReport(f"a{agent}?&#/{name}", [*tasks][number % TASKS], 1, text))
    with RunFile.create(path) as run:
        run.register({}, protocols, tasks, reports).result()
        run.describe(metrics.values())

        async def fill() -> None:
            name = None
            for at, payload in enumerate(TRIES[:30]):
                capture = Capture(
                    CITED if not at else f"https://p{at}.example/{payload[:50]}",
                    "2026-05-04T00:00:00Z",
                    "own",
                    title=payload[:200],
                    text=f"{payload}\n\nThe ground keeps a steady temperature.",
                )
                name = name or capture.id
                await run.captures.keep(capture)
            for number, report in enumerate(reports):
                for template in templates:
                    outcome = spoiled(json.loads(json.dumps(template.outcome)), judged)
                    for item in outcome["details"].get("items", [])[:3]:
                        item["url"] = CITED
                    await run.keep_score(
                        replace(
                            template,
                            key=f"{template.key[:20]}{number}",
                            agent=report.agent,
                            task=report.task,
                            outcome=outcome,
                            record={**template.record, "pages": {CITED: name}},
                        )
                    )

        asyncio.run(fill())
    assert sum(len(each) == len(TRIES) for each in came.values()) == 4  # nobody says a detail
    return path


@pytest.fixture(scope="module")
def visited(hostile: Path) -> Iterator[Visitor]:
    found = Visitor([hostile])
    yield found
    found.close()


def test_every_view_of_every_report_is_words_and_our_elements(visited: Visitor) -> None:
    places = visited.side.rows("SELECT agent, task FROM reports")
    assert len(places) == REPORTS
    for agent, task in places:
        found = visited.get("/report", agent=agent, task=task)
        assert found.status == 200
        assert not [bad for bad in BAD if bad in found.html]
        outside = [link for link in found.links() if "://" in link]
        assert all(link.startswith(("http://", "https://")) for link in outside)
        assert found.html.count("<script") == 1
    agent, task = places[-1]
    for path in ("/", "/map", "/search", "/judges", "/notes", "/pair", "/page", "/note"):
        found = visited.get(path, agent=agent, task=task, q=TRIES[0], **{"with": agent})
        assert found.status in (200, 404)
        assert found.html.count("<script") == 1
        assert "<img" not in found.html


def test_hostile_notes_are_words(visited: Visitor) -> None:
    agent, task = visited.side.rows("SELECT agent, task FROM reports LIMIT 1")[0]
    for payload in annotated.TRIES:
        sent = visited.post("/note", agent=agent, task=task, text=payload, star="1")
        assert sent.status == 303
        for path in ("/notes", "/note"):
            found = visited.get(path, agent=agent, task=task)
            assert found.html.count("<script") == 1
            assert "<img" not in found.html


@needs_chromium
def test_a_browser_runs_nothing_of_it_and_asks_nobody(hostile: Path, visited: Visitor) -> None:
    links = [link.partition("#")[0] for link in visited.get("/").links()]
    reports = {link for link in links if link.startswith("/report?")}
    assert len(reports) == REPORTS
    with served(hostile) as address, Browser() as browser:
        paths = ["/", "/map", "/search?q=steady", "/judges", *sorted(reports)]
        pages: list[str] = []
        for path in paths:
            browser.open(address + path)
            assert not faults(browser), path
            assert browser.run("window.pwned") is None
            pages += browser.run(
                "[...document.querySelectorAll('.source a')].map(a => a.href).slice(0, 1)"
            )
        assert pages
        for page in pages[:12]:
            browser.open(page)
            assert not faults(browser), page
            assert browser.run("window.pwned") is None


WORDS = re.compile(r"\S+")
# The only ones that the templates and rendered Markdown use.
ELEMENTS = {
    *WORDS.findall(
        "html head meta title style link script body header nav main section article aside"
    ),
    *WORDS.findall(
        "footer form h1 h2 h3 h4 h5 h6 p a b em small code div dl dt dd span details summary"
    ),
    *WORDS.findall(
        "blockquote mark label input select option output button ol ul li table caption thead"
    ),
    *WORDS.findall("tbody tr th td svg line circle rect pre hr br wbr sup sub strong s"),
}
ATTRIBUTES = {
    *WORDS.findall(
        "lang charset http-equiv content name class id href rel title tabindex aria-label"
    ),
    *WORDS.findall(
        "role scope aria-labelledby aria-hidden aria-live aria-pressed aria-sort open dir"
    ),
    *WORDS.findall(
        "type value placeholder autocomplete hidden size viewbox width height x1 x2 y1 y2 cx"
    ),
    *WORDS.findall("cy r defer src start colspan data-beside data-texts data-for data-m data-go"),
    *WORDS.findall("data-agent data-task data-label data-cause data-failed data-differ data-mode"),
}


class Seen(HTMLParser):
    """Elements, attributes and where links lead."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name == "href"}


@pytest.fixture(scope="module", params=["whole", "cut"])
def written(
    request: pytest.FixtureRequest, hostile: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[Path]:
    """The run as one file, or as an index with a folder."""
    file = tmp_path_factory.mktemp(request.param) / "results.html"
    limit = 10**9 if request.param == "whole" else 10**6
    run = Path(shutil.copy(hostile, file.with_name("run.assay")))
    earlier = Path(shutil.copy(hostile, file.with_name("<img src=x onerror=pwned=1>.assay")))
    with closing(sqlite3.connect(earlier)) as db, db:
        db.execute("UPDATE meta SET value='another' WHERE key='salt'")
        db.execute("UPDATE outcomes SET value=value/2 WHERE value>0")
        db.execute("DELETE FROM seals")
    visitor = Visitor([run], rater=TRIES[2])
    for number, (agent, task) in enumerate(visitor.side.rows("SELECT agent, task FROM reports")):
        note = "\n\n".join(annotated.TRIES[number::REPORTS])
        assert visitor.post("/note", agent=agent, task=task, text=note).status == 303
    visitor.close()
    found = write_page(
        [run], file, title=TRIES[0], note=TRIES[1], allow_mixed=True, limit=limit,
        since=earlier, notes=True,
    )  # fmt: skip
    html = file.read_text(encoding="utf-8")
    assert 'id="changes-1"' in html and 'id="notes"' in html and "&lt;img src=x onerror" in html
    return [file, *sorted(found.folder.glob("*.html") if found.folder else ())]


def test_in_files_no_payload_is_markup_a_template_or_a_link(written: list[Path]) -> None:
    reports = 0
    for file in written:
        html = file.read_text(encoding="utf-8")
        seen = Seen(html)
        assert seen.elements <= ELEMENTS, file
        assert seen.attributes <= ATTRIBUTES, file
        assert html.count("<script") == 1
        assert not re.search(r"\b1337\b", html), "7 * 191 was worked out"
        assert not {char for char in html if ord(char) < 32} - {"\n", "\r", "\t"}
        assert not {"\x7f", "\u202e", "\u2066", "\x9b", "\ud800"} & {*html}
        for link in seen.links:
            scheme = link.partition(":")[0] if ":" in link.partition("#")[0] else ""
            assert scheme in ("", "http", "https"), link
        reports += html.count('<details class="report"') + file.name.startswith("report-")
    assert reports == REPORTS


@needs_chromium
def test_files_run_nothing_and_ask_for_nothing(written: list[Path]) -> None:
    with Browser() as tab:
        for file in written:
            tab.open(file)
            tab.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
            if file in written[:3]:  # all have the same texts to search, of an index or its folder
                search(tab)
            tab.settle()
            assert tab.run("window.pwned") is None
            kinds = ("Page.javascriptDialogOpening", "Runtime.exceptionThrown")
            kinds += ("Log.entryAdded", "Runtime.consoleAPICalled")
            assert [each for kind in kinds for each in tab.of(kind)] == []
            assert all(url.startswith("file://") for url in tab.requests())


def search(tab: Browser) -> None:
    """Look for a word that is there, and for what payloads are made of."""
    tab.run("document.querySelector('.find input').value = 'steady'")
    tab.run("document.getElementById('find').requestSubmit()")
    tab.until("document.querySelector('#hits li')")
    tab.run("document.querySelector('.find input').value = 'onerror script'")
    tab.run("document.getElementById('find').requestSubmit()")


@needs_chromium
def test_the_policy_stops_what_would_have_come_through(written: list[Path], tmp_path: Path) -> None:
    raw = "".join(SNIPPETS[:33]).replace("<meta http-equiv=refresh", "<x").replace("<form", "<x")
    html = written[0].read_text(encoding="utf-8")
    file = tmp_path / "unescaped.html"
    file.write_text(html.replace("</footer>", f"</footer>{raw}"), "utf-8", errors="replace")
    with Browser() as tab:
        tab.open(file)
        tab.settle()
        assert tab.of("Page.javascriptDialogOpening") == []
        stopped = {
            each["requestId"]
            for each in tab.of("Network.loadingFailed")
            if each.get("blockedReason")
        }
        sent = [
            each["request"]["url"]
            for each in tab.of("Network.requestWillBeSent")
            if "elsewhere" in each["request"]["url"] and each["requestId"] not in stopped
        ]
        assert sent == []
        assert tab.of("Log.entryAdded"), "the policy had nothing to stop"
