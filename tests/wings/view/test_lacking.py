"""Runs in which reports and scores are lacking: what is shown of them, and what is counted."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from deepassay.results.records import by_protocol
from deepassay.run.showing.reading import RunRecords
from deepassay.wings.view.heat import HeatMap, maps_of, read_heat_map
from deepassay.wings.view.numbered import NumberedReports
from deepassay.wings.view.writing import write_page
from tests.wings.view.rooms import DEMO, Visitor, demo_run

GONE = {("heron", "swift-boxes"), ("magpie", "compost-yard"), ("cuckoo", "terrace-heat")}
"""Reports that nobody wrote; the first is one that others are scored against."""

PROTOCOLS = ("presentation", "race", "surface")


@pytest.fixture(scope="module")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lacking")
    shutil.copytree(DEMO / "reports", folder / "reports")
    for agent, task in GONE:
        (folder / "reports" / agent / f"{task}.md").unlink()
    return demo_run(folder / "lacking.assay", folder / "reports", PROTOCOLS)


@pytest.fixture
def visitor(lacking: Path) -> Iterator[Visitor]:
    found = Visitor([lacking])
    yield found
    found.close()


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def causes(found: HeatMap) -> dict[tuple[str, str], str]:
    return {
        (agent, task): cell
        for agent, _, own in found.rows
        for (task, _), cell in zip(found.tasks, own, strict=True)
        if isinstance(cell, str)
    }


def test_a_map_is_blank_without_a_report_and_crossed_where_a_report_has_no_score(
    visitor: Visitor, lacking: Path
) -> None:
    told = {name: causes(read_heat_map(visitor.side, name, 0, 0)) for name in PROTOCOLS}
    assert told["presentation"] == told["surface"] == dict.fromkeys(GONE, "")
    unheld = {("magpie", "swift-boxes"), ("cuckoo", "swift-boxes")}
    assert told["race"] == dict.fromkeys(GONE, "") | dict.fromkeys(unheld, "missing_input")
    places = NumberedReports(visitor.room).by_key
    for found in maps_of(by_protocol(RunRecords([lacking]).everything()), places):
        assert found == read_heat_map(visitor.side, found.protocol, 0, 0)
    html = visitor.get("/map", protocol="race").html
    assert len(re.findall(r"<td></td>", html)) == 3
    assert html.count('<td title="missing input">×</td>') == 2


def test_the_top_of_a_page_and_its_table_count_reports_alike_and_say_what_nobody_is_asked(
    lacking: Path, tmp_path: Path
) -> None:
    write_page([lacking], tmp_path / "one.html")
    write_page([lacking], tmp_path / "cut.html", limit=60_000)
    # Without a score are 3 reports by each protocol, and by RACE 2 for want of the reference. No
    # judge is asked for 18 by rules, nor for the 5 of the reference.
    told = "reports 15 of 18 judgements scored 43 of 54 (23 need no judge)"
    for name in ("one.html", "cut.html"):
        text = plain((tmp_path / name).read_text("utf-8"))
        assert told in text
        assert "18 reports 3 of them missing; worst first" in text
