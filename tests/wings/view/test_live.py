"""A run that is being written is shown as it grows, and whoever writes it is not held up."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest

from deepassay.runfile import RunFile
from deepassay.wings.view import following
from deepassay.wings.view.filling import Filling
from deepassay.wings.view.room import Room
from deepassay.wings.view.side import SideFile
from tests.browser import Browser, needs_chromium
from tests.wings.view.rooms import Visitor, served
from tests.wings.view.writing import emptied


def cut(demo: Path, path: Path, kept: int) -> list:
    """A copy of a run with its first outcomes; the others, to be written later."""
    shutil.copy(demo, path)
    with RunFile.read(demo) as run:
        scores = [score for _, score in run.since()]
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM outcomes WHERE rowid > ?", [kept])
        db.execute("DELETE FROM seals")
    return scores[kept:]


@pytest.fixture
def whole(visitor: Visitor) -> Visitor:
    """Of a run that was there from the beginning."""
    return visitor


def write(path: Path, scores: list) -> None:
    async def keep() -> None:
        for score in scores:
            await run.keep_score(score)

    with RunFile.create(path) as run:
        asyncio.run(keep())


def test_what_is_written_later_is_shown_and_nothing_twice(
    demo: Path, whole: Visitor, tmp_path: Path
) -> None:
    path = tmp_path / "run.assay"
    rest = cut(demo, path, 40)
    visitor = Visitor([path])
    assert visitor.get("/pulse", seen="40").status == 204
    write(path, rest[:20])
    assert visitor.get("/pulse", seen="40").html == "60"
    assert visitor.get("/pulse", seen="60").status == 204
    write(path, rest[20:])
    assert visitor.get("/pulse", seen="60").html == "90"
    own, all_ = (each.get("/").text.partition(" 18 reports")[2] for each in (visitor, whole))
    assert own == all_
    report = {"agent": "magpie", "task": "terrace-heat"}
    assert (
        visitor.get("/report", **report).text.replace("run.assay", "demo.assay")
        == whole.get("/report", **report).text
    )
    sql = "SELECT count(*), count(DISTINCT score || name) FROM items"
    assert visitor.side.rows(sql) == whole.side.rows(sql)
    visitor.close()


@pytest.mark.slow
def test_a_writer_at_full_speed_is_neither_blocked_nor_misread(
    demo: Path, whole: Visitor, tmp_path: Path
) -> None:
    path = tmp_path / "run.assay"
    emptied(demo, path)
    command = [sys.executable, "-m", "tests.wings.view.writing", str(demo), str(path), "0"]
    report = "/report?agent=magpie&task=lift-retrofit"
    views = itertools.cycle(["/", "/?mode=failed", "/map", report, "/judges", "/search?q=heat"])
    with served(path) as address:
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        seen = []
        while not seen or seen[-1] < 90:
            with urlopen(f"{address}/pulse?seen=x") as found:
                seen.append(int(found.read().decode().rstrip("~")))
            assert len(seen) < 5_000, "scores that were written are not shown"
            with urlopen(address + next(views)) as shown:
                assert shown.status == 200 and b"</html>" in shown.read()
        told = json.loads(writer.communicate()[0])
        assert writer.returncode == 0
        assert seen == sorted(seen)
        assert told["kept"] == seen[-1] == 90
        with urlopen(f"{address}/") as found:
            board = found.read().decode()
    own, all_ = (re.sub(r"<[^>]*>|demo|run", "", page) for page in (board, whole.get("/").html))
    assert own.partition("18 reports")[2].split() == all_.partition("18 reports")[2].split()


def test_of_a_large_run_a_new_score_ranks_as_the_next_until_all_are_ranked(
    demo: Path, whole: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "SMALL", 10)
    monkeypatch.setattr(following, "REST", 1e9)
    path = tmp_path / "run.assay"
    rest = cut(demo, path, 89)
    visitor = Visitor([path])
    monkeypatch.setattr(following, "GROWN", 0.5)
    write(path, rest)
    assert visitor.get("/pulse", seen="89").html == "90~"
    sql = "SELECT value, rank FROM scores WHERE protocol=? ORDER BY value, rank"
    ((protocol, value, rank),) = visitor.side.rows(
        "SELECT protocol, value, rank FROM scores WHERE NOT placed"
    )
    below = [each for each in visitor.side.rows(sql, protocol) if each != (value, rank)]
    assert rank == max(other for own, other in below if own <= value)
    monkeypatch.setattr(following, "REST", 0.0)
    assert visitor.get("/pulse", seen="90~").html == "90"
    assert visitor.side.rows(sql, protocol) == whole.side.rows(sql, protocol)
    standings = "SELECT agent, task, standing FROM reports ORDER BY 1, 2"
    assert visitor.side.rows(standings) == whole.side.rows(standings)
    visitor.close()


def test_a_large_run_is_read_in_slices_and_shown_meanwhile(demo: Path, whole: Visitor) -> None:
    room = Room([demo])
    side = SideFile(None, [run.file.salt for run in room])
    filling = Filling(room, side)
    seen = []
    while filling.behind:
        filling.catch_up(7)
        seen.append(filling.seen)
        assert filling.version == f"{filling.seen}" + "~" * filling.behind
    assert len(seen) > (18 + 90) // 7 and seen[-1] == 90
    assert all(later - sooner <= 7 for sooner, later in itertools.pairwise(seen))
    for table in ("reports", "scores", "items", "criteria", "names", "documents"):
        columns = [name for _, name, *_ in side.rows(f"PRAGMA table_info({table})") if name != "id"]
        kept = [name for name in columns if name not in ("of", "report", "score", "text", "costly")]
        sql = f"SELECT {', '.join(kept)} FROM {table} ORDER BY {', '.join(kept)}"
        assert side.rows(sql) == whole.side.rows(sql), table
    side.close()
    room.close()


def test_an_outcome_that_was_open_gives_way_to_the_later_one(demo: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.assay"
    shutil.copy(demo, path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM seals")
        (number,) = db.execute("SELECT rowid FROM outcomes WHERE protocol='coverage'").fetchone()
    visitor = Visitor([path])
    visitor.side.run("UPDATE scores SET open=1 WHERE number=?", number)
    items = visitor.side.one("SELECT count(*) FROM items")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE outcomes SET value=12.5 WHERE rowid=?", [number])
    assert visitor.get("/pulse", seen="90").html == "91"
    assert visitor.side.rows("SELECT value FROM scores WHERE number=?", number) == [(12.5,)]
    assert visitor.side.one("SELECT count(*) FROM items") == items
    assert visitor.side.one("SELECT count(*) FROM scores") == 90
    visitor.close()


def test_a_reader_leaves_no_lock_behind(demo: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.assay"
    rest = cut(demo, path, 80)
    visitor = Visitor([path])
    for address in ("/", "/map", "/report?agent=magpie&task=terrace-heat", "/search?q=heat",
                    "/judges", "/notes"):  # fmt: skip
        assert visitor.follow(address).status == 200
    write(path, rest)
    with closing(sqlite3.connect(path)) as db, db:
        # Nobody reads, so that all of it can be put into the file.
        assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    visitor.close()


@needs_chromium
def test_an_open_page_shows_new_scores_without_being_loaded_again(
    demo: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.assay"
    rest = cut(demo, path, 40)
    values = "[...document.querySelectorAll('.reports td.n')].filter(e => e.textContent > 0).length"
    with served(path) as address, Browser() as browser:
        browser.open(f"{address}/")
        # Where means take long the page is shown without them at first.
        arrived(browser, "document.body.dataset.seen == '40'")
        before = browser.run(f"window.stays = true; {values}")
        write(path, rest)
        arrived(browser, f"document.body.dataset.seen == '90' && {values} > {before}")
        assert browser.run("window.stays") is True
        assert browser.run("document.querySelectorAll('.reports tbody tr').length") == 18
        with closing(sqlite3.connect(path)) as db, db:
            # The page goes on asking, and nobody holds what a writer wants.
            assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0


def press(browser: Browser, *keys: str) -> None:
    for key in keys:
        code = {"Enter": 13, "Escape": 27}.get(key, ord(key[0].upper()))
        text = {"Enter": "\r", "Escape": ""}.get(key, key)
        kind = "keyDown" if text else "rawKeyDown"
        browser.send(
            "Input.dispatchKeyEvent", type=kind, key=key, text=text, windowsVirtualKeyCode=code
        )
        browser.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)


def arrived(browser: Browser, condition: str) -> None:
    browser.until(f"document.readyState == 'complete' && ({condition})")


@needs_chromium
def test_everything_can_be_reached_by_keys(demo_address: str) -> None:
    with Browser() as browser:
        browser.open(f"{demo_address}/")
        press(browser, "j", "j", "k")
        assert browser.run("[...document.querySelectorAll('tr[data-go]')].findIndex("
                           "row => row.classList.contains('here'))") == 0  # fmt: skip
        press(browser, "Enter")
        arrived(browser, "location.pathname == '/report'")
        first = browser.run("location.search")
        press(browser, "n")
        arrived(browser, f"location.pathname == '/report' && location.search != '{first}'")
        press(browser, "p")
        arrived(browser, f"location.search == '{first}'")
        press(browser, "j", "j")
        assert browser.run("document.querySelectorAll('.lit, .here').length") == 1
        press(browser, "c")
        arrived(browser, "location.pathname == '/note'")
        assert browser.run("document.activeElement.id") == "text"
        press(browser, "d", "o", "j", "Escape", "u")
        arrived(browser, "location.pathname == '/report'")
        press(browser, "/")
        assert browser.run("document.activeElement.name") == "q"
        press(browser, *"heat", "Enter")
        arrived(browser, "location.pathname == '/search'")
        press(browser, "j", "Enter")
        arrived(browser, "['/report', '/page'].includes(location.pathname)")


@needs_chromium
def test_a_menu_of_the_filter_sends_itself_and_leaves_out_what_is_empty(demo_address: str) -> None:
    with Browser() as browser:
        browser.open(f"{demo_address}/")
        browser.run(
            "const menu = document.querySelector('select[name=agent]'); menu.value = 'heron'"
        )
        browser.run("menu.dispatchEvent(new Event('change', {bubbles: true})); 0")
        arrived(browser, "location.search == '?agent=heron'")
        assert browser.run("document.querySelectorAll('.reports tbody tr').length") == 6


@needs_chromium
def test_words_lead_to_what_is_said_of_them(demo_address: str) -> None:
    with Browser() as browser:
        browser.open(f"{demo_address}/report?agent=magpie&task=terrace-heat")
        browser.run("document.querySelector('mark.bad').click()")
        name = browser.run("document.querySelector('mark.bad').dataset.m")
        assert browser.run("document.querySelector('.card.lit').dataset.for") == name


@pytest.mark.parametrize("name", ["style.css", "room.js"])
def test_script_and_style_are_small_and_come_from_here(visitor: Visitor, name: str) -> None:
    found = visitor.get(f"/static/{name}")
    assert found.status == 200
    assert len(found.body) < 90_000
    assert "http" not in found.html
    assert "script-src 'self'" in found.headers["content-security-policy"]
