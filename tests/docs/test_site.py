"""The documentation site: built strictly, whole, and without anything from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import deepassay

from .markdown import REPOSITORY


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_document_is_on_the_site(site: Path) -> None:
    documents = {path.relative_to(REPOSITORY / "docs") for path in REPOSITORY.glob("docs/**/*.md")}
    assert documents
    listed = (site / "index.html").read_text(encoding="utf-8")
    missing = [
        str(path)
        for path in documents
        if f'href="{path.with_suffix("").as_posix()}/"' not in listed
    ]
    assert not missing


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    page = (site / "reference" / "index.html").read_text(encoding="utf-8")
    names = set(deepassay.__all__) - {"__version__"}
    rooms = {"reports": "reports_of", "tasks": "tasks_of"}  # they can be called
    assert [name for name in sorted(names) if f'.{rooms.get(name, name)}"' not in page] == []


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"(?:https?:)?//[^\"]+")
    assert [
        (page.name, found.group())
        for page in site.rglob("*.html")
        for found in loads.finditer(page.read_text(encoding="utf-8"))
    ] == []
