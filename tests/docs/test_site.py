"""The documentation site: built strictly, once, whole, and without anything from elsewhere.

What users type into its search leads to the right page first. The search is that of the site in a
browser: its own index, worker and ranking.
"""

from __future__ import annotations

import functools
import http.server
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import deepassay
from deepassay.cli.help import GROUPS
from tests.browser import PATIENCE, Browser, needs_chromium

from .markdown import REPOSITORY, prose

LEDGERS = {"papers", "glossary"}
"""Pages that are looked up and not read."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that it is built into."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def pages_of_navigation() -> dict[str, list[str]]:
    """The pages below each heading of the navigation."""
    nav = yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    return {
        heading: pages
        for each in nav
        for heading, pages in (each.items() if isinstance(each, dict) else [(each, [each])])
    }


def test_every_guide_is_in_the_navigation_and_no_study(site: Path) -> None:
    listed = (site / "index.html").read_text(encoding="utf-8")
    guides = {path.stem for path in REPOSITORY.glob("docs/*.md")} - {"papers"}
    assert {name for name in guides if f'href="{name}/"' not in listed} == set()
    studies = {path.stem for path in REPOSITORY.glob("docs/studies/*.md")}
    assert studies
    assert {name for name in studies if f"{name}/" in listed and f"studies/{name}/" in listed} == (
        {"offline-floor"}  # that one page of the README names
    )
    told = (site / "studies" / "index.html").read_text(encoding="utf-8")
    assert {name for name in {*studies, "papers"} if f"{name}/" not in told} == set()


def test_the_navigation_has_the_groups_of_the_commands() -> None:
    pages = pages_of_navigation()
    assert [each for each in pages if each.lower() in GROUPS] == [
        group[0].upper() + group[1:] for group in GROUPS
    ]
    commands = (REPOSITORY / "docs" / "command-line.md").read_text(encoding="utf-8")
    for part in re.split(r"^\| \*\*", commands, flags=re.MULTILINE)[1:]:
        heading = part.partition("*")[0]
        for page in re.findall(r"\]\(([\w-]+\.md)#", part.partition("\n\n")[0]):
            assert page in pages[heading], f"{page} is not below {heading}"


@pytest.mark.parametrize("path", sorted((REPOSITORY / "docs").glob("*.md")), ids=lambda p: p.stem)
def test_a_page_is_read_in_five_minutes(path: Path) -> None:
    """Some 1,200 words of text; tables and code are looked up."""
    if path.stem not in LEDGERS:
        text = re.sub(r"^\|.*$", "", prose(path), flags=re.MULTILINE)
        assert len(text.split()) <= 1_250


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    page = (site / "reference" / "index.html").read_text(encoding="utf-8")
    names = set(deepassay.__all__) - {"__version__"}
    rooms = {"reports": "reports_of", "tasks": "tasks_of"}  # they can be called
    assert [name for name in sorted(names) if f'.{rooms.get(name, name)}"' not in page] == []


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"(?:https?:)?//[^\"]+")
    assert [
        (page.name, found.group())
        for page in site.rglob("*.html")
        for found in loads.finditer(page.read_text(encoding="utf-8"))
    ] == []


# ------------------------------------------------------------------ its search


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
