"""Tests that run in forks are reported as they are elsewhere, also where a fork dies."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

FILES = {
    "test_dies.py": """
import os
def test_before(): pass
def test_dies(): os._exit(3)
def test_after(tmp_path): (tmp_path / "kept").write_text("x")
""",
    "test_fails.py": """
import os, pytest
from pathlib import Path
@pytest.fixture(scope="session", autouse=True)
def kept():
    yield
    Path("ended").touch()
def test_fails():
    print("to Python")
    os.system("echo to the system")
    assert 1 == 2
@pytest.mark.skip("why not")
def test_skipped(): pass
""",
}


def run(folder: Path, *words: str) -> tuple[int, str]:
    """The exit status of pytest on these files, in a fork of its own, and what it prints."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    if child := os.fork():
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), (folder / "said").read_text()
    sys.stdout = (folder / "said").open("w")
    for stream in (1, 2):
        os.dup2(sys.stdout.fileno(), stream)
    os.chdir(folder)
    status = pytest.main(["-p", "tests.forked", "-p", "no:cacheprovider", *words])
    sys.stdout.flush()
    os._exit(status)


def test_each_is_reported_and_a_fork_that_dies_fails_its_test(tmp_path: Path) -> None:
    status, said = run(tmp_path)
    assert status == 1, said
    assert "2 failed, 2 passed, 1 skipped" in said
    assert "test_dies.py::test_dies - its process ended with 3" in said
    assert "assert 1 == 2" in said
    assert re.search(r"Captured stdout call -+\nto Python\nto the system\n", said)
    assert (tmp_path / "ended").exists()


def test_nothing_more_is_given_out_after_the_failures_that_are_enough(tmp_path: Path) -> None:
    status, said = run(tmp_path, "-x", "test_dies.py")
    assert status == 1 and "stopping after 1 failures" in said, said
    assert "1 failed, 1 passed" in said
