"""Names that are long, or have signs that addresses lack: what is beside them is seen and found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deepassay.wings.view.writing import write_page
from tests.browser import Browser, needs_chromium
from tests.wings.view.rooms import DEMO, demo_run

UNBROKEN = "L" * 200
WORDS = (
    "our deep-research agent & planner, second half of 2026 (100 %), with the long memory: x?y#z"
)
LEFT = (
    "[...document.querySelectorAll('{}')].map(e => ["
    "e.getBoundingClientRect().right, e.closest('tr').cells[0].scrollWidth"
    " - e.closest('tr').cells[0].clientWidth])"
)
"""Where elements end, and how much of the name before them runs over."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    for agent, name in (("heron", "heron"), ("magpie", UNBROKEN), ("cuckoo", WORDS)):
        shutil.copytree(DEMO / "reports" / agent, folder / "reports" / name)
    protocols = ("presentation", "coverage")
    run = demo_run(folder / "long.assay", folder / "reports", protocols, reference=None)
    write_page([run], folder / "long.html")
    return folder / "long.html"


@needs_chromium
def test_without_script_a_link_of_an_agent_or_a_task_leads_to_the_worst_of_its_reports(
    page: Path,
) -> None:
    with Browser() as tab:
        tab.screen(360, 800)
        tab.send("Emulation.setScriptExecutionDisabled", value=True)
        tab.open(page)
        rows = "[...document.querySelectorAll('#rows tbody tr')]"
        links = (
            "[...document.querySelectorAll('.agents a, .map a')].filter(e => e.hash.includes('='))"
        )
        names = tab.run(f"{links}.map(e => [e.hash, e.textContent])")
        assert {WORDS, UNBROKEN, "heron", "swift-boxes"} <= {name for _, name in names}
        for at, (anchor, name) in enumerate(names):
            tab.run(f"{links}[{at}].click()")
            tab.settle(0.05)
            first = f"{rows}.findIndex(e => [e.dataset.agent, e.dataset.task].includes({name!r}))"
            seen = tab.run(f"{rows}[{first}].getBoundingClientRect().top")
            assert tab.run("location.hash") == anchor
            assert 0 <= seen < 500, (name, seen)


@needs_chromium
@pytest.mark.parametrize(("width", "share"), [(360, 1.0), (1200, 0.5)])
def test_scores_are_seen_beside_a_long_name(page: Path, width: int, share: float) -> None:
    with Browser() as tab:
        tab.screen(width, 800)
        tab.open(page)
        for first in (".agents tbody td:nth-child(2) > b", ".map tbody td:nth-child(2)"):
            ends = tab.run(LEFT.format(first))[:3]
            assert len(ends) == 3
            assert all(end <= share * width and over <= 0 for end, over in ends), (first, ends)
        rows = "[...document.querySelectorAll('#rows tbody tr')].map(e => e.cells[1].offsetWidth)"
        assert max(tab.run(rows)) <= min(width, 400)
        assert tab.run("document.documentElement.scrollWidth") <= width
