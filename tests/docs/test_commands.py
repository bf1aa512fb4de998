"""Every block of commands in the documents is run, and what it shows is what comes out.

The blocks of a document are run one after the other in one folder that holds a copy of the
examples: see `running`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .markdown import REPOSITORY, blocks, documents
from .preloaded import preloaded
from .running import RUN, Follower, environment, material, paid_judges

SHOWN = {"", "json", "sql", "toml", "yaml", "markdown"}
LEFT_OUT = {"docs/agents.md", "docs/agreement.md", "docs/extending.md"}
"""Documents with a block that is not run: it installs, or asks two models that judge unlike."""


def runnable() -> list[Path]:
    return [path for path in documents() if any(block.language in RUN for block in blocks(path))]


def name(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    """A folder with a `deepassay` that is loaded once for all commands."""
    with (
        tempfile.TemporaryDirectory() as folder,
        preloaded(Path(folder), environment()) as programs,
    ):
        yield programs


@pytest.fixture
def reader(tmp_path: Path, program: Path) -> Iterator[Follower]:
    """Somebody who has everything."""
    python = Path(sys.executable)
    with paid_judges() as judges:
        yield Follower(python, material(tmp_path), judges, (program, python.parent))


@pytest.mark.slow
@pytest.mark.parametrize("path", runnable(), ids=name)
def test_blocks_of_a_document_run(path: Path, reader: Follower) -> None:
    reader.follow(path)


def test_every_block_says_what_it_is() -> None:
    odd = [
        f"{block}: {block.language}"
        for path in documents()
        for block in blocks(path)
        if block.language not in RUN | SHOWN
    ]
    assert not odd


def test_no_other_block_is_left_out() -> None:
    found = [name(path) for path in documents() for block in blocks(path) if block.reason]
    assert sorted(found) == sorted(LEFT_OUT)
