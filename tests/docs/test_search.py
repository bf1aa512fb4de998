"""What users type into the search of the site leads to the right page first.

The search is that of the site in a browser: its own index, worker and ranking.
"""

from __future__ import annotations

import functools
import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import PATIENCE, Browser, needs_chromium

FIRST = {
    "my own spreadsheet": "tutorial",
    "excel columns": "own-tables",
    "ollama": "local-judges",
    "how much does it cost": "run-file",
    "github actions": "pipelines",
    "compare two agents": "comparing",
    "resume a stopped run": "run-file",
    "rate reports in the browser": "annotating",
    "agreement with humans": "agreement",
    "dead links": "sources",
    "paywall": "doubtful-pages",
    "custom metric": "own-metric",
    "RACE": "race",
    "rubric": "rubrics",
    "generate tasks": "building-tasks",
    "half price": "batches",
    "export csv": "export",
    "judge bias": "audit",
    "contamination": "leakage",
    "unscored": "scores",
    "pdf reports": "commands-reports",
    "notebook": "python",
    "confidence interval": "leaderboard",
    "krippendorff": "agreement",
    "parquet": "export",
    "many reports": "scale",
    "hallucinated references": "rules",
    "length bias": "audit",
    "install": "command-line",
    "exit code": "exit-statuses",
}
"""Each list was written before anybody looked at what ranks: the first twenty, then ten more."""
TYPE = """(() => {
    const box = document.querySelector('[data-md-component=search-query]');
    box.focus();
    box.value = %s;
    box.dispatchEvent(new Event('keyup'));
    box.dispatchEvent(new Event('input'));
})()"""
FOUND = """[
    document.querySelector('.md-search-result__meta').textContent,
    [...document.querySelectorAll('.md-search-result__item > a')].map(each => each.pathname),
]"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def reader(site: Path) -> Iterator[Browser]:
    """Somebody who has opened the first page of the site."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Browser() as browser:
            browser.screen(1400, 900)
            browser.open(f"http://127.0.0.1:{server.server_port}/")
            yield browser
        server.shutdown()


def search(reader: Browser, question: str) -> list[str]:
    """The pages that are shown for a question, the first first."""
    reader.run(TYPE % json.dumps(question))
    until = time.monotonic() + PATIENCE
    before = None
    while time.monotonic() < until:
        reader.settle(0.2)
        now = reader.run(FOUND)
        if now == before and "matching" in now[0]:
            return [path.strip("/") for path in now[1]]
        before = now
    raise AssertionError(f"{question}: the search did not answer")


@needs_chromium
@pytest.mark.parametrize("question", FIRST)
def test_the_right_page_is_first(reader: Browser, question: str) -> None:
    found = search(reader, question)
    assert found[:1] == [FIRST[question]], found[:5]


@needs_chromium
def test_what_stands_nowhere_is_not_found(reader: Browser) -> None:
    assert search(reader, "xylophone") == []
