"""Every file of tests is found where all are asked for, whatever its folder is called."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent


def test_no_file_of_tests_is_passed_over(pytestconfig: pytest.Config) -> None:
    """By the name of its folder: those of the wing `build` were, in every whole run."""
    over = pytestconfig.getini("norecursedirs")
    files = [path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")]
    parts = {part for path in files for part in path.parts}
    assert len(files) > 500 and "build" in parts
    assert not [part for part in parts if any(fnmatch(part, name) for name in over)]
