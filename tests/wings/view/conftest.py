"""The demonstration as a run, and a second one of it in which three reports are others."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wings.view.rooms import DEMO, Visitor, demo_run


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_run(tmp_path_factory.mktemp("view") / "demo.assay")


@pytest.fixture(scope="session")
def later(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of later reports: one is shorter, one corrected, one is that of another agent."""
    folder = tmp_path_factory.mktemp("later")
    reports = folder / "reports"
    shutil.copytree(DEMO / "reports", reports)
    short = reports / "cuckoo" / "swift-boxes.md"
    short.write_text("\n".join(short.read_text(encoding="utf-8").splitlines()[:12]), "utf-8")
    shutil.copy(reports / "heron" / "compost-yard.md", reports / "magpie" / "compost-yard.md")
    other = reports / "magpie" / "terrace-heat.md"
    other.write_text(other.read_text(encoding="utf-8").replace("£16,900", "£61,900"), "utf-8")
    return demo_run(folder / "later.assay", reports)


@pytest.fixture(scope="session")
def indexes(demo: Path, later: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What a room looks up, of the run and of both: filling them takes longer than most tests."""
    found = []
    for runs in ([demo], [demo, later]):
        found.append(tmp_path_factory.mktemp("index") / "room.db")
        Visitor(runs, index=found[-1]).close()
    return found


@pytest.fixture
def visitor(demo: Path, indexes: list[Path], tmp_path: Path) -> Iterator[Visitor]:
    found = Visitor([demo], index=Path(shutil.copy(indexes[0], tmp_path)))
    yield found
    found.close()


@pytest.fixture
def both(demo: Path, later: Path, indexes: list[Path], tmp_path: Path) -> Iterator[Visitor]:
    found = Visitor([demo, later], index=Path(shutil.copy(indexes[1], tmp_path)))
    yield found
    found.close()
