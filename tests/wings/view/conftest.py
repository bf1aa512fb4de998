"""The demonstration as a run, a second one in which three reports are others, and a small one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.preloaded import once
from tests.wings.view.rooms import DEMO, Visitor, demo_run, served


def runs_and_indexes(folder: Path) -> None:
    """All runs, and what a room looks up, of the first and of both: all that takes long to make.

    Of the later reports one is shorter, one corrected, one is that of another agent. The small run
    has two reports on one task, shorter than they were.
    """
    reports = folder / "reports"
    shutil.copytree(DEMO / "reports", reports)
    short = reports / "cuckoo" / "swift-boxes.md"
    short.write_text("\n".join(short.read_text(encoding="utf-8").splitlines()[:12]), "utf-8")
    shutil.copy(reports / "heron" / "compost-yard.md", reports / "magpie" / "compost-yard.md")
    other = reports / "magpie" / "terrace-heat.md"
    other.write_text(other.read_text(encoding="utf-8").replace("£16,900", "£61,900"), "utf-8")
    demo = demo_run(folder / "demo.assay")
    later = demo_run(folder / "later.assay", reports)
    for agent in ("heron", "magpie"):
        lines = (DEMO / "reports" / agent / "compost-yard.md").read_text("utf-8").splitlines()
        file = folder / "shorter" / agent / "compost-yard.md"
        file.parent.mkdir(parents=True)
        file.write_text("\n".join([*lines[:20], *lines[-12:]]), "utf-8")
    demo_run(folder / "few.assay", folder / "shorter")
    Visitor([demo], index=folder / "demo.db").close()
    Visitor([demo, later], index=folder / "both.db").close()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(runs_and_indexes, tmp_path_factory.mktemp("view") / "made")


@pytest.fixture(scope="session")
def demo(made: Path) -> Path:
    return made / "demo.assay"


@pytest.fixture(scope="session")
def later(made: Path) -> Path:
    return made / "later.assay"


@pytest.fixture
def few(made: Path, tmp_path: Path) -> Path:
    """The small run, which a test may change."""
    return Path(shutil.copy(made / "few.assay", tmp_path))


@pytest.fixture
def visitor(demo: Path, made: Path, tmp_path: Path) -> Iterator[Visitor]:
    found = Visitor([demo], index=Path(shutil.copy(made / "demo.db", tmp_path)))
    yield found
    found.close()


@pytest.fixture
def both(demo: Path, later: Path, made: Path, tmp_path: Path) -> Iterator[Visitor]:
    found = Visitor([demo, later], index=Path(shutil.copy(made / "both.db", tmp_path)))
    yield found
    found.close()


@pytest.fixture(scope="session")
def demo_address(demo: Path, made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a server of the demonstration, for those who only read."""
    index = shutil.copy(made / "demo.db", tmp_path_factory.mktemp("index"))
    with served(demo, options=["--index", str(index)]) as address:
        yield address


@pytest.fixture(scope="session")
def both_address(
    demo: Path, later: Path, made: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Of one of both runs."""
    index = shutil.copy(made / "both.db", tmp_path_factory.mktemp("index"))
    with served(demo, later, options=["--index", str(index)]) as address:
        yield address
