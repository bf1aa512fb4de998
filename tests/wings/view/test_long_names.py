"""Names that are long: the scores beside them are seen, also on a phone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deepassay.wings.view.writing import write_page
from tests.browser import Browser, needs_chromium
from tests.wings.view.rooms import DEMO, demo_run

UNBROKEN = "L" * 200
WORDS = "our deep research agent of the second half of 2026 with the planner and the long memory"
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
