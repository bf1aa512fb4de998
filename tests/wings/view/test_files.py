"""`deepassay html`: the reading room as files, read as people read it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from deepassay.errors import BadSetting
from deepassay.results.ranking import rank
from deepassay.results.records import by_protocol
from deepassay.run.showing.reading import RunRecords
from deepassay.run.showing.records import records_of
from deepassay.runfile import RunFile
from deepassay.runfile.rows import Attempt
from deepassay.wings.view.file_pages import asset, policy
from deepassay.wings.view.heat import maps_of, read_heat_map
from deepassay.wings.view.numbered import NumberedReports
from deepassay.wings.view.writing import write_page
from tests.browser import Browser, needs_chromium
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.wings.view.rooms import PROTOCOLS, Visitor, demo_run

SMALL = 0.3
"""MB of a file, so that the demonstration does not fit into one."""

FEW = 20_000
"""Bytes, so that the small run does not."""

HELD = len(PROTOCOLS) * 18


@pytest.fixture(scope="module")
def whole(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything in one file."""
    file = tmp_path_factory.mktemp("whole") / "whole.html"
    assert write_page([demo], file, title="Three birds", note="A first look.").folder is None
    return file


@pytest.fixture(scope="module")
def cut(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of a folder."""
    file = tmp_path_factory.mktemp("cut") / "my results.html"
    found = write_page([demo], file, limit=round(SMALL * 1e6))
    assert found.folder == file.with_name("my results-pages")
    assert found.files == len([*found.folder.iterdir()])
    sizes = [each.stat().st_size for each in found.folder.iterdir()]
    assert found.size == file.stat().st_size + sum(sizes)
    return file


def pages_of(index: Path) -> dict[Path, str]:
    """Every page, by its file."""
    folder = index.with_name(f"{index.stem}-pages")
    files = [index, *(folder.glob("*.html") if folder.exists() else ())]
    return {file: file.read_text(encoding="utf-8") for file in files}


def elements(html: str, name: str, kind: str) -> int:
    return len(re.findall(rf'<{name}[^>]* class="{kind}[ "]', html))


@pytest.fixture(scope="module")
def tab() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


def quiet(tab: Browser) -> list[object]:
    """What the browser complains of, and what it asks for that is no file."""
    errors = [each["entry"]["text"] for each in tab.of("Log.entryAdded")]
    errors += [each["exceptionDetails"]["text"] for each in tab.of("Runtime.exceptionThrown")]
    return [*errors, *(url for url in tab.requests() if not url.startswith("file://"))]


def anew(tab: Browser) -> None:
    """Open the address as somebody does to whom it was sent."""
    address = tab.run("location.href")
    tab.open("about:blank")
    tab.open(address)
    tab.settle()


@needs_chromium
def test_a_reader_finds_the_ranking_a_report_and_the_place_of_a_finding(
    tab: Browser, whole: Path, demo: Path
) -> None:
    tab.screen(390, 844)
    tab.open(whole)
    told = tab.run("document.querySelector('.agents').innerText")
    assert told.index("heron") < told.index("magpie") < told.index("cuckoo")
    assert tab.run("document.documentElement.scrollWidth") <= 390, "a phone scrolls sideways"

    # What cost the worst report most leads to the words, in a report that was closed.
    tab.run("document.querySelector('#rows .costly a').click()")
    tab.settle()
    name = tab.run("location.hash.slice(1)")
    found = f"document.getElementById('{name}')"
    assert tab.run(f"{found}.checkVisibility()")
    assert 0 <= tab.run(f"{found}.getBoundingClientRect().top") < 844
    assert tab.run(f"{found}.closest('.report').open")
    opened = "document.querySelectorAll('.report[open]').length"
    assert tab.run(opened) == 1
    words = tab.run("document.querySelector('.report[open] mark.bad').textContent")
    with RunFile.read(demo) as file:
        assert any(words[:30] in report.text for report in file.reports())
    assert tab.requests() == [whole.as_uri()]
    assert not quiet(tab)


@needs_chromium
@pytest.mark.slow
@pytest.mark.parametrize("asked", ["电梯", '"ground loop"', "borehole tender"])
def test_words_are_found_in_files_as_the_server_finds_them(
    tab: Browser, whole: Path, cut: Path, visitor: Visitor, asked: str
) -> None:
    served = visitor.get("/search", q=asked)
    first = unescape(re.search(r'<a class="go" href="(/report\?[^"#]*)"', served.html)[1])  # type: ignore[index]
    for file in (whole, cut):
        tab.screen(1280, 900)
        tab.open(file)
        tab.run(f"document.querySelector('.find input').value = {asked!r}")
        tab.run("document.getElementById('find').requestSubmit()")
        tab.until("document.querySelector('#hits li')")
        kinds = tab.run("[...document.querySelectorAll('#hits .kind')].map(e => e.textContent)")
        assert "report" in kinds
        titles = tab.run("[...document.querySelectorAll('#hits a.go')].map(e => e.textContent)")
        agent, task = (re.search(rf"{name}=([^&#]+)", first)[1] for name in ("agent", "task"))  # type: ignore[index]
        assert f"{agent} on {task}" in titles
        marked = tab.run("document.querySelector('#hits mark').textContent").lower()
        assert marked.startswith(asked.strip('"').split()[0])
        # Its address shows the same to who gets it, and a hit leads to the words.
        anew(tab)
        tab.until(f"document.querySelectorAll('#hits li').length == {len(titles)}")
        here = tab.run("location.href")
        tab.run("document.querySelector('#hits a.go').click()")
        tab.until(f"location.href != {here!r} && document.readyState == 'complete'")
        assert tab.run(f"document.body.innerText.toLowerCase().includes({marked!r})")
        assert not quiet(tab)


@needs_chromium
def test_the_table_is_filtered_sorted_and_its_state_stands_in_the_address(
    tab: Browser, whole: Path
) -> None:
    tab.screen(1280, 900)
    tab.open(whole)
    rows = "[...document.querySelectorAll('#rows tbody tr')].filter(e => e.checkVisibility())"
    assert tab.run(f"{rows}.length") == 18
    menu = "document.querySelector('#filter [name=agent]')"
    tab.run(f"{menu}.value = 'magpie'; {menu}.dispatchEvent(new Event('input', {{bubbles: true}}))")
    assert tab.run(f"{rows}.length") == 6
    assert tab.run("location.hash") == "#agent=magpie"
    anew(tab)
    assert tab.run(f"{rows}.length") == 6
    assert tab.run(f"{menu}.value") == "magpie"
    head = "[...document.querySelectorAll('#rows th')].find(e => e.textContent === 'fact')"
    shown = (
        f"{rows}.map(row => parseFloat(row.cells[{head}.cellIndex].textContent))"
        ".filter(each => !isNaN(each))"
    )
    tab.run(f"{head}.querySelector('button').click()")
    values = tab.run(shown)
    assert len(values) > 3 and values == sorted(values)
    tab.run(f"{head}.querySelector('button').click()")
    assert tab.run(shown) == values[::-1]


@needs_chromium
def test_evidence_prints_folded_or_unfolded_by_choice(tab: Browser, cut: Path) -> None:
    tab.open(cut.with_name("my results-pages") / "report-00003.html")
    tab.send("Emulation.setEmulatedMedia", media="print")
    seen = "[...document.querySelectorAll('.passage blockquote')].filter(e => e.checkVisibility())"
    there = tab.run("document.querySelectorAll('.passage blockquote').length")
    assert there and not tab.run(f"{seen}.length")
    tab.run("document.getElementById('unfolded').click()")
    assert tab.run(f"{seen}.length") == there
    assert not tab.run("document.querySelector('.frame').checkVisibility()")
    tab.send("Emulation.setEmulatedMedia", media="")


def test_every_judgement_and_every_quote_on_its_page_is_there(demo: Path, whole: Path) -> None:
    html = whole.read_text(encoding="utf-8")
    records = records_of([demo])
    assert len(records) == HELD == html.count('<section class="list" aria-labelledby="r')
    supported = sum(
        item["verdict"] == "supported"
        for each in records
        if each.protocol == "fact"
        for item in each.outcome.details["items"]
    )
    assert supported > 0
    quoted = elements(html, "details", "passage") + html.count("this passage of the page")
    assert quoted == supported


def test_title_note_date_and_judge_stand_on_top(whole: Path, cut: Path) -> None:
    html = whole.read_text(encoding="utf-8")
    assert "<title>Three birds</title>" in html
    top = html[html.index('<div class="opening"') : html.index('<section id="board"')]
    for said in ("<h1>Three birds</h1>", "A first look.", "2026-05-04", "the offline baseline"):
        assert said in top
    assert "<h1>Results of demo.assay</h1>" in cut.read_text(encoding="utf-8")


def test_the_map_of_files_is_that_of_the_server(demo: Path, visitor: Visitor) -> None:
    records = RunRecords([demo]).everything()
    places = NumberedReports(visitor.room).by_key
    maps = maps_of(by_protocol(records), places)
    assert len(maps) == len(PROTOCOLS)
    for found in maps:
        assert found == read_heat_map(visitor.side, found.protocol, 0, 0)


def test_the_reference_is_no_agent_of_its_own(whole: Path) -> None:
    html = whole.read_text(encoding="utf-8")
    board = html[html.index('<table class="agents">') :].partition("</table>")[0]
    assert len(re.findall(r'<th scope="row">', board)) == 3
    assert "reference · 6/6" in board


def test_a_page_in_files_has_what_one_file_has_and_every_link_leads_somewhere(
    whole: Path, cut: Path
) -> None:
    one = whole.read_text(encoding="utf-8")
    pages = pages_of(cut)
    assert max(each.stat().st_size for each in pages) < SMALL * 1.5e6
    for name, kind in (("section", "finding"), ("div", "card"), ("details", "passage")):
        assert elements(one, name, kind) == sum(
            elements(html, name, kind) for html in pages.values()
        )
    assert {each.name.partition("-")[0] for each in pages} >= {
        "report",
        "page",
        "reports",
        "tables",
    }
    assert sum(each.name.startswith("report-") for each in pages) == 18
    for found in (pages, {whole: one}):
        for page, html in found.items():
            for href in re.findall(r'(?:href|src)="([^"]*)"', html):
                path, _, anchor = unescape(href).partition("#")
                if path.startswith("http"):
                    continue
                target = (page.parent / unquote(path)).resolve() if path else page
                assert target.exists(), (page, href)
                if anchor:
                    own = anchor if "=" in anchor else unquote(anchor)
                    assert f'id="{own}"' in found[target], (page, href)
            assert len({*re.findall(r' id="([^"]*)"', html)}) == html.count(' id="')


def test_quotes_are_marked_on_the_whole_page(cut: Path) -> None:
    pages = pages_of(cut)
    quotes = [
        (unquote(href).partition("#"), quote)
        for page, html in pages.items()
        if page.name.startswith("report-")
        for quote, href in re.findall(
            r'<mark class="quote">(.*?)</mark>[^<]*</blockquote><p><a href="([^"]*)"', html, re.S
        )
    ]
    assert len(quotes) > 20
    folder = cut.with_name("my results-pages")
    for (name, _, anchor), quote in quotes:
        html = pages[folder / name]
        assert f'<span id="{anchor}"></span><mark class="quote">' in html
        assert "".join(quote.split()) in "".join(re.sub(r"<[^>]*>", "", html).split())


def test_scripts_are_small_and_the_policy_lets_only_ours_run() -> None:
    script = asset("keys.js") + asset("files.js")
    assert len(script.encode()) < 90_000
    rules = dict(rule.strip().split(" ", 1) for rule in policy("a {}", script).split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["style-src"].startswith("'sha256-") and rules["script-src"].startswith("'sha256-")
    assert "unsafe" not in policy("a {}", script) + policy()
    assert "http" not in script.replace("https://", "http").partition("fetch(")[2]


def test_failures_are_listed_with_their_causes_and_the_cost_stands_below(
    few: Path, tmp_path: Path
) -> None:
    with RunFile.create(few) as file:
        file.keep_attempts([Attempt("key", 1, "answer", cost=1.25, usage={"input_tokens": 7})])
    failed = [each for each in records_of([few]) if hasattr(each.outcome, "cause")]
    write_page([few], tmp_path / "results.html")
    html = (tmp_path / "results.html").read_text(encoding="utf-8")
    listed = html[html.index('id="failures"') :]
    assert listed.partition("</table>")[0].count("<tr><td>") == len(failed) > 0
    assert "1.2500" in html
    assert "input_tokens 7" in html


def test_judges_of_a_panel_that_failed_are_counted_marked_and_listed(tmp_path: Path) -> None:
    def answers(body: dict[str, Any]) -> str:
        words = str(body["messages"]).lower()
        failing = body["model"] == "flaky" and ("swift" in words or "terrace" in words)
        return "no form at all" if failing else verdicts(body)

    with FakeJudge(answers) as fake:
        asked = {"judge": ["openai:good", "openai:flaky"], "base_url": fake.base_url}
        path = tmp_path / "panel.assay"
        protocols = ["presentation", "surface"]
        demo_run(path, protocols=protocols, limit=3, allow_unpriced=True, **asked)
    write_page([path], tmp_path / "results.html")
    html = (tmp_path / "results.html").read_text(encoding="utf-8")
    rows = [(board, row) for board in rank(RunRecords([path])) for row in board.standings]
    scored, expected = (sum(row.summary.judgements[at] for _, row in rows) for at in (0, 1))
    partial = [row for board, row in rows if board.protocol == "presentation"]
    assert all(row.summary.tasks == (3, 3) for row in partial)
    assert [row.summary.judgements for row in partial] == [(4, 6)] * 3
    assert expected - scored == 6
    top = " ".join(re.sub("<[^>]*>", " ", html[: html.index('id="failures"')]).split())
    told = f"judgements scored {scored} of {expected} (9 need no judge) cost at an unknown price"
    assert told in top
    for row in partial:
        assert f"3/3, {row.summary.judgements.scored}/6 judgements" in top
    assert top.count("3/3, ") == len(partial) == 3  # and no mark where code alone decides
    listed = html[html.index('id="failures"') :].partition("</table>")[0]
    assert f"{expected - scored} judgements without a score" in listed
    assert listed.count("<tr><td>") == listed.count("openai:flaky: ") == expected - scored
    cost = html[html.index('<th scope="row">USD</th>') :].partition("</tr>")[0]
    assert "at an unknown price" in cost
    with RunFile.create(path) as file:
        file.keep_attempts([Attempt("key", 1, "answer", cost=1.25, usage={"input_tokens": 7})])
    write_page([path], tmp_path / "dearer.html")
    assert "at least $1.25" in (tmp_path / "dearer.html").read_text(encoding="utf-8")


def test_an_index_is_there_before_the_reports_and_says_so(few: Path, tmp_path: Path) -> None:
    index = tmp_path / "results.html"
    early = []
    write_page(
        [few],
        index,
        limit=FEW,
        on_index=lambda folder: early.append((index.read_text("utf-8"), folder.exists())),
    )
    ((html, there),) = early
    assert not there
    assert "The reports are being written" in html and '<table class="agents">' in html
    assert "The reports are being written" not in index.read_text("utf-8")


def test_files_of_an_earlier_page_are_gone_and_others_stay(few: Path, tmp_path: Path) -> None:
    output, folder = tmp_path / "results.html", tmp_path / "results-pages"
    write_page([few], output, limit=FEW)
    (folder / "report-00001.html").rename(folder / "report-99999.html")
    (folder / "mine.html").write_text("mine")
    with pytest.raises(BadSetting, match=r"results\.html is there"):
        write_page([few], output)
    output.unlink()
    with pytest.raises(BadSetting, match="results-pages is there"):
        write_page([few], output, limit=FEW)
    assert not output.exists()
    write_page([few], output, force=True)
    assert [each.name for each in folder.iterdir()] == ["mine.html"]


def test_a_file_where_the_folder_belongs_is_in_the_way_of_an_index_alone(
    few: Path, tmp_path: Path
) -> None:
    output, folder = tmp_path / "results.html", tmp_path / "results-pages"
    folder.write_text("My notes.")
    with pytest.raises(BadSetting, match="results-pages is no folder"):
        write_page([few], output, force=True, limit=FEW)
    assert not output.exists()
    write_page([few], output, force=True)
    assert output.exists() and folder.read_text() == "My notes."


@pytest.mark.parametrize("limit", [FEW, 20_000_000])
def test_a_file_that_only_has_the_name_of_one_of_ours_is_kept(
    few: Path, tmp_path: Path, limit: int
) -> None:
    output, folder = tmp_path / "results.html", tmp_path / "results-pages"
    folder.mkdir()
    (folder / "report-00001.html").write_text("<!doctype html><p>My notes.</p>")
    with pytest.raises(BadSetting, match=r"report-00001\.html was not written by"):
        write_page([few], output, force=True, limit=limit)
    assert (folder / "report-00001.html").read_text() == "<!doctype html><p>My notes.</p>"
    assert not output.exists()


def test_recipes_of_one_ranking_are_those_of_the_leaderboard(demo: Path, whole: Path) -> None:
    html = whole.read_text(encoding="utf-8")
    for board in rank(RunRecords([demo])):
        for recipe in board.recipes:
            assert recipe.digest in html


def test_of_a_stopped_run_and_of_a_panel_that_is_not_whole_the_page_says_so_first(
    tmp_path: Path,
) -> None:
    path, file = tmp_path / "run.assay", tmp_path / "results.html"
    with FakeJudge(verdicts) as judge:
        asked = {"base_url": judge.base_url, "allow_unpriced": True}
        judges = ["openai:good", "openai:refusal"]
        demo_run(path, protocols=["coverage", "presentation"], judge=judges, limit=2, **asked)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM outcomes WHERE protocol='coverage' AND agent<>'heron'")
    write_page([path], file)
    text = file.read_text("utf-8")
    first = "Not finished: 8 of 24 judgements are still to come; the same <code>deepassay evaluate"
    lacking = "openai:refusal has a part in 0 of 8 (judge_refused 8)."
    assert first in text and lacking in text
    assert text.index(first) < text.index(lacking) < text.index("Judged by a panel of openai:good")
