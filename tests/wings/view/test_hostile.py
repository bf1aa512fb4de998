"""Reports, names, pages, answers and notes that try whatever they can: nothing of them runs."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deepassay.runfile import RunFile
from deepassay.runfile.rows import Capture, StoredReport
from tests.browser import Browser, needs_chromium
from tests.wings.people.annotate.hostile import TRIES
from tests.wings.view.rooms import Visitor, faults, served

pytestmark = pytest.mark.slow

REPORTS = 200
TASKS = 5
BAD = (
    *("<img", "<iframe", "<object", "<embed", "<svg onload", "<form action=https", "<base"),
    *("<meta http", "<link rel=prefetch", "<style"),
)
CITED = "https://ardle-trial.example/reports/metering"


def spoiled(value: Any, chance: random.Random, place: str = "") -> Any:
    """JSON with payloads in place of every text that a judge or a report put there."""
    if isinstance(value, dict):
        return {name: spoiled(each, chance, name) for name, each in value.items()}
    if isinstance(value, list):
        return [spoiled(each, chance, place) for each in value]
    if isinstance(value, str) and place in ("item", "justification", "verdict", "key", "detail"):
        return f"{value[:40]} {chance.choice(TRIES)[:900]}"
    return value


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
    tasks = {f"t{n}/{TRIES[n][:60]}": body | {
        "prompt": TRIES[-n][:3_000], "labels": {"a": TRIES[n + 7][:80], TRIES[n + 9][:30]: "b"}
    } for n in range(TASKS)}  # fmt: skip
    tasks = {name: each | {"id": name} for name, each in tasks.items()}
    reports = []
    for number in range(REPORTS):
        payloads = "\n\n".join(chance.sample(TRIES, 4))
        text = f"# Report\n\nThe ground keeps a steady temperature. [1]\n\n{payloads}\n"
        agent = f"a{number // TASKS}?&#/{TRIES[number // TASKS % len(TRIES)][:70]}"
        reports.append(StoredReport(agent, [*tasks][number % TASKS], 1, text))
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
                    outcome = spoiled(json.loads(json.dumps(template.outcome)), chance)
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
    return path


@pytest.fixture
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
    for payload in TRIES:
        sent = visited.post("/note", agent=agent, task=task, text=payload, star="1")
        assert sent.status == 303
        for path in ("/notes", "/note"):
            found = visited.get(path, agent=agent, task=task)
            assert found.html.count("<script") == 1
            assert "<img" not in found.html


@needs_chromium
def test_a_browser_runs_nothing_of_it_and_asks_nobody(hostile: Path) -> None:
    visitor = Visitor([hostile])
    links = [link for link in visitor.get("/").links() if link.startswith("/report?")]
    rows = visitor.side.rows("SELECT agent, task FROM reports ORDER BY id")
    visitor.close()
    assert len(rows) == REPORTS
    with served(hostile) as address, Browser() as browser:
        paths = ["/", "/map", "/search?q=steady", "/judges", *links[::3][:40]]
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
