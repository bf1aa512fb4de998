"""axe finds nothing serious on any page of the reading room, served or written, on no screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deepassay.wings.view.writing import write_page
from tests.axe import found_on_screens, needs_axe
from tests.browser import Browser, needs_chromium
from tests.wings.view.rooms import DEMO, Visitor, demo_run, served

pytestmark = [needs_chromium, needs_axe, pytest.mark.slow]

WORST = "agent=magpie&task=terrace-heat"
PAGES = (
    "/",
    "/?mode=failed",
    "/map",
    f"/report?{WORST}",
    f"/pair?{WORST}&with=heron",
    "/changes?old=1&new=2",
    "/judges",
    "/search?q=borehole",
    f"/note?{WORST}",
    "/notes",
    "/report?agent=nobody&task=none",
)
BY_LINK = ("/page?", "/note?")
"""Pages that a report leads to, each by an address of its own."""


@pytest.fixture(scope="module")
def reader(demo: Path, later: Path) -> Iterator[tuple[Browser, str]]:
    with served(demo, later) as address, Browser() as browser:
        yield browser, address


def test_axe_finds_what_is_wrong(tmp_path: Path) -> None:
    """Or else what follows could not fail."""
    (tmp_path / "bad.html").write_text(
        "<!doctype html><title>Bad</title><h1>Bad</h1><img src='x.png'><button></button>"
        "<p style='color: #aaa; background: #fff'>Pale words on white.</p>"
    )
    with Browser() as browser:
        browser.open(tmp_path / "bad.html")
        found = " ".join(found_on_screens(browser))
    for fault in ("image-alt", "button-name", "html-has-lang", "color-contrast"):
        assert fault in found


@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(reader: tuple[Browser, str], page: str) -> None:
    browser, address = reader
    browser.open(address + page)
    assert browser.run("!!document.querySelector('h1')")
    assert found_on_screens(browser) == []


@pytest.mark.parametrize("kind", BY_LINK)
def test_axe_finds_nothing_where_a_report_leads(reader: tuple[Browser, str], kind: str) -> None:
    browser, address = reader
    browser.open(f"{address}/report?{WORST}")
    links = browser.run("[...document.querySelectorAll('a')].map(e => e.getAttribute('href'))")
    link = next(each for each in links if each and each.startswith(kind) and "at=" in each)
    browser.open(address + link)
    assert found_on_screens(browser) == []


def test_every_page_of_the_room_is_looked_at(demo: Path) -> None:
    """But for what is no page: a file of notes, scripts and styles, and what asks for news."""
    visitor = Visitor([demo])
    routes = {route.path for route in visitor.made.app.routes}
    visitor.close()
    pages = {path for path in routes if "." not in path and "{" not in path} - {"/pulse"}
    assert pages == {each.partition("?")[0] for each in (*PAGES, *BY_LINK)}


@pytest.fixture(scope="module")
def files(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One file of each kind that `html` writes: all in one, an index, and what it leads to.

    Two reports on one task, shorter than they were: axe takes a minute for all of the whole run.
    """
    folder = tmp_path_factory.mktemp("files")
    for agent in ("heron", "magpie"):
        lines = (DEMO / "reports" / agent / "compost-yard.md").read_text("utf-8").splitlines()
        file = folder / "reports" / agent / "compost-yard.md"
        file.parent.mkdir(parents=True)
        file.write_text("\n".join([*lines[:20], *lines[-12:]]), "utf-8")
    few = demo_run(folder / "few.assay", folder / "reports")
    assert write_page([few], folder / "whole.html").folder is None
    found = write_page([few], folder / "cut.html", limit=20_000, since=demo)
    assert found.folder is not None
    assert 'id="changes-1"' in (folder / "cut.html").read_text("utf-8")
    kinds = {re.sub(r"[-\d].*", "", each.stem): each for each in found.folder.glob("*.html")}
    return {"whole": folder / "whole.html", "index": folder / "cut.html"} | kinds


def test_axe_finds_nothing_in_the_files_of_html(files: dict[str, Path]) -> None:
    assert len(files) > 3
    found = {}
    with Browser() as browser:
        for kind, file in files.items():
            browser.open(file)
            browser.run("document.querySelectorAll('.paired').forEach(each => each.open = true)")
            browser.settle()
            found[kind] = found_on_screens(browser)
    assert not {kind: each for kind, each in found.items() if each}
