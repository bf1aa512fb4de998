"""What stands beside a report in files: what it was, the best other one, and what readers noted."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest

from deepassay.errors import BadInput, BadRunFile
from deepassay.wings.view.changes import run_changes
from deepassay.wings.view.writing import write_page
from tests.wings.view.rooms import DEMO, Visitor, demo_run

MAGPIE = {"agent": "magpie", "task": "terrace-heat"}


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def anchors(html: str) -> set[str]:
    return {*re.findall(r'\bid="([^"]*)"', html)}


def places(html: str) -> Iterator[str]:
    return (unescape(each) for each in re.findall(r'href="#([^"]*)"', html) if "=" not in each)


@pytest.fixture(scope="module")
def since(demo: Path, later: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The later run in one file, held against the first."""
    file = tmp_path_factory.mktemp("since") / "since.html"
    assert write_page([later], file, since=demo).folder is None
    return file.read_text(encoding="utf-8")


def test_what_changed_since_an_earlier_run_is_what_the_server_shows(
    since: str, both: Visitor
) -> None:
    found = run_changes(both.side, 1, 2)
    served = both.get("/changes").text.partition("→ later.assay ")[2]
    told = plain(since)
    for words in (f"{found.common} scores in both, {found.unchanged} as they were", "other text"):
        assert words in told and words in served
    for each in found.means:
        row = f"{each.agent} {each.protocol} {each.before} {each.after} {each.difference}"
        assert row in told and row in served
    assert len(found.scores) > 3 and len(found.verdicts) > 3


def test_a_score_that_changed_leads_to_what_is_other_in_its_report(since: str) -> None:
    section = since.partition('id="changes-1"')[2].partition("</section>")[0]
    led_to = [each for each in places(section) if each.endswith("since")]
    assert led_to and {*led_to} <= anchors(since)
    one = since.partition(f'id="{led_to[0]}"')[2].partition("</details>")[0]
    assert "demo.assay" in one and "later.assay" in one
    paragraphs = [each for each in since.split("What is other in the text") if "£61,900" in each]
    assert any("£16,900" in each for each in paragraphs)


def test_each_report_stands_beside_the_best_other_one_for_its_task(
    since: str, demo: Path, tmp_path: Path, visitor: Visitor
) -> None:
    assert {*places(since)} <= anchors(since)
    file = tmp_path / "cut.html"
    folder = write_page([demo], file, limit=200_000).folder
    assert folder is not None
    best = dict(
        visitor.side.rows("SELECT task, agent FROM reports GROUP BY task HAVING max(standing)")
    )
    second = 0
    for report in folder.glob("report-*.html"):
        html = report.read_text(encoding="utf-8")
        agent, task = re.findall(r"<title>(\S+) on (\S+)</title>", html)[0]
        (rival,) = re.findall(r"<summary>Beside (\S+), the best other", html)
        assert rival != agent
        assert rival == best[task] or agent == best[task]
        second += agent == best[task]
        files = re.findall(r'href="(report-\d+\.html)', html)
        assert all((folder / each).is_file() for each in files)
    assert second == len(best) == 6
    pair = visitor.get("/pair", **MAGPIE, **{"with": best["terrace-heat"]}).text
    (own,) = (
        html for report in folder.glob("report-*.html")
        if "<title>magpie on terrace-heat<" in (html := report.read_text(encoding="utf-8"))
    )  # fmt: skip
    scores = plain(own).partition("the best other report for this task protocol")[2]
    assert scores.partition(" Criteria on which")[0] in pair


def test_a_run_without_anything_in_common_or_the_same_is_refused(
    demo: Path, tmp_path: Path
) -> None:
    with pytest.raises(BadRunFile, match="the same run"):
        write_page([demo], tmp_path / "x.html", since=demo)
    other = demo_run(tmp_path / "other.assay", protocols=["surface"], limit=1)
    with pytest.raises(BadInput, match="no scored report in common"):
        write_page([demo], tmp_path / "x.html", since=other)
    assert not (tmp_path / "x.html").exists()


def test_notes_are_shown_where_that_is_asked_for(few: Path, tmp_path: Path) -> None:
    magpie = {"agent": "magpie", "task": "compost-yard"}
    visitor = Visitor([few], rater="ana")
    html = visitor.get("/report", **magpie).html
    name = re.findall(r'at=(f\w+)" title="Write something', html)[0]
    visitor.post("/note", **magpie, at=name, text="who says <i>so</i>?", star="1")
    visitor.post("/note", **magpie, text="of all of it")
    visitor.close()
    for asked in (False, True):
        file = tmp_path / f"{asked}.html"
        write_page([few], file, notes=asked)
        found = file.read_text(encoding="utf-8")
        assert ("who says &lt;i&gt;so&lt;/i&gt;?" in found) is asked
        assert (found.count("of all of it") == 2) is asked  # in the list, and with the report
        assert '<form class="note"' not in found


@pytest.mark.parametrize("limit", [20_000_000, 100_000])
def test_the_worst_reports_of_each_agent_have_a_page_and_figures_are_of_all(
    demo: Path, tmp_path: Path, limit: int, visitor: Visitor
) -> None:
    file = tmp_path / "worst.html"
    folder = write_page([demo], file, worst=2, limit=limit).folder
    html = file.read_text(encoding="utf-8")
    rows = visitor.side.rows("SELECT agent, task FROM reports ORDER BY standing")
    worst = {
        each for agent in ("cuckoo", "heron", "magpie")
        for each in [row for row in rows if row[0] == agent][:2]
    }  # fmt: skip
    pages = [html] if folder is None else [
        each.read_text(encoding="utf-8") for each in folder.glob("report-*.html")
    ]  # fmt: skip
    title = r"<h3>(\S+) <span>on (\S+)</span></h3>" if folder is None else r"<title>(\S+) on (\S+)<"
    assert {pair for page in pages for pair in re.findall(title, page)} == worst
    assert "12 others are left out. All figures are of all reports" in plain(html)
    assert "90 of 90" in plain(html)  # judgements scored
    for page in [file, *(folder.iterdir() if folder else ())]:
        for href in re.findall(r'href="([^"#:]+\.html)', page.read_text(encoding="utf-8")):
            assert (page.parent / href).is_file(), (page.name, href)


RACED = ("cuckoo", "heron", "magpie")


@pytest.fixture(scope="module", params=[RACED, RACED[1:]])
def raced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run by RACE alone on three tasks, whose reference, heron, has two rivals or one."""
    folder = tmp_path_factory.mktemp("raced")
    for agent in request.param:
        shutil.copytree(DEMO / "reports" / agent, folder / "reports" / agent)
    return demo_run(folder / "raced.assay", folder / "reports", ["race"], limit=3)


def of_each_report(file: Path, folder: Path | None) -> dict[tuple[str, str], str]:
    """The page of each report by agent and task, in one file or in several."""
    if folder is None:
        pages = file.read_text(encoding="utf-8").split('<details class="report"')[1:]
        title = r"<h3>(\S+) <span>on (\S+)</span></h3>"
    else:
        pages = [each.read_text(encoding="utf-8") for each in folder.glob("report-*.html")]
        title = r"<title>(\S+) on (\S+)<"
    return {re.findall(title, page)[0]: page for page in pages}


@pytest.mark.parametrize("worst", [0, 2])
@pytest.mark.parametrize("limit", [20_000_000, 50_000])
def test_a_report_that_others_are_only_scored_against_has_a_page_and_a_rival_and_no_rank(
    raced: Path, tmp_path: Path, worst: int, limit: int
) -> None:
    file = tmp_path / "raced.html"
    folder = write_page([raced], file, worst=worst, limit=limit).folder
    assert (folder is None) is (limit > 1_000_000)
    visitor = Visitor([raced])
    rows = visitor.side.rows("SELECT agent, task, standing FROM reports ORDER BY standing")
    visitor.close()
    found = of_each_report(file, folder)
    agents = {agent for agent, _, _ in rows}
    for agent in agents:
        assert sum(each == agent for each, _ in found) == (worst or 3)
    ranked: dict[str, list[str]] = {task: [] for _, task, _ in rows}
    for agent, task, standing in rows:
        assert (standing is None) is (agent == "heron")
        ranked[task] = [agent, *ranked[task]] if standing is not None else [*ranked[task], agent]
    for (agent, task), page in found.items():
        others = [each for each in ranked[task] if each != agent]
        assert re.findall(r"<summary>Beside (\S+), the best other", page) == others[:1]
        led_to = re.findall(r"(?:worse|better): (\S+) on", page)
        assert "heron" not in led_to and bool(led_to) is (agent != "heron")
    pages = [file, *(folder.iterdir() if folder else ())]
    assert all('href=""' not in each.read_text(encoding="utf-8") for each in pages)


def test_a_report_that_has_a_text_and_no_score_is_in_the_table_and_leads_nowhere(
    demo: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copy(demo, tmp_path / "run.assay"))
    with closing(sqlite3.connect(run)) as db, db:
        db.execute("DELETE FROM outcomes WHERE task IN ('compost-yard', 'swift-boxes')")
    write_page([run], tmp_path / "cut.html", worst=6)
    html = (tmp_path / "cut.html").read_text(encoding="utf-8")
    assert html.count('<details class="report"') == 12 and 'href=""' not in html
    table = plain(html.partition('id="all"')[2].partition('<details class="report"')[0])
    assert table.count("compost-yard") >= 3
