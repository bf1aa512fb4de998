"""The documentation site, built strictly and once for all tests that look at it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .markdown import REPOSITORY


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that it is built into."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder
