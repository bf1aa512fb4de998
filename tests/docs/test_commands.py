"""Every block of commands in the documents is run, and what it shows is what comes out.

The blocks of a document are run one after the other in one folder that holds a copy of the
examples: see `running`. The workflow of the page on pipelines is one, and does what it says.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from deepassay.cli.app import app
from deepassay.files import read_yaml

from .markdown import REPOSITORY, Block, blocks, documents
from .running import RUN, Follower, check_by_name, commands, material, paid_judges

SHOWN = {"", "json", "sql", "toml", "yaml", "markdown"}
LEFT_OUT = {"docs/sandbox.md", "docs/study-with-people.md", "docs/own-package.md"}
"""Documents with a block that is not run: it installs, or asks two models that judge unlike."""

PIPELINES = REPOSITORY / "docs" / "pipelines.md"


WITHOUT_EXAMPLES = {
    *("annotate import", "agree show", "agree preferences", "robustness judges"),
    "tasks recount",
}
"""Commands that want two models which judge unlike, or a file that another program wrote."""


def runnable() -> list[Path]:
    return [path for path in documents() if any(block.language in RUN for block in blocks(path))]


def name(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.fixture
def reader(tmp_path: Path, programs: Path) -> Iterator[Follower]:
    """Somebody who has everything."""
    with paid_judges() as judges:
        yield Follower(material(tmp_path), judges, (programs, Path(sys.executable).parent))


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


def run_here(block: Block) -> Iterator[str]:
    """The commands of a block that are run, each in one line."""
    if block.reason or block.language not in {"sh", "console"}:
        return
    console = block.language == "console"
    lines = [line[2:] for line in block.text.split("\n") if line.startswith("$ ")]
    for command in lines if console else commands(block.text):
        yield " ".join(command.split())


def examples(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Sequence[str]]]:
    """The examples in the help of each command."""
    below = getattr(command, "commands", {})
    for name, child in below.items():
        yield from examples(child, (*path, name))
    if path and not below:
        yield " ".join(path), getattr(command.callback, "examples", ())


def test_examples_in_help_are_commands_of_documents_that_are_run() -> None:
    run = {line for path in documents() for block in blocks(path) for line in run_here(block)}
    shown = dict(examples(get_command(app)))
    assert [each for of_one in shown.values() for each in of_one if each not in run] == []
    few = {name for name, of_one in shown.items() if len(of_one) < 2}
    assert {name for name in few if " " not in name} == set()
    assert {name for name in few if not shown[name]} == WITHOUT_EXAMPLES


def test_no_other_block_is_left_out() -> None:
    found = [name(path) for path in documents() for block in blocks(path) if block.reason]
    assert sorted(found) == sorted(LEFT_OUT)


@pytest.fixture
def workflow() -> dict[str, Any]:
    (block,) = [each for each in blocks(PIPELINES) if each.language == "yaml"]
    found: dict[str, Any] = read_yaml(block.text)
    return found


def steps(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        yield from job["steps"]


def test_the_workflow_of_the_page_on_pipelines_has_the_form_of_one(
    workflow: dict[str, Any],
) -> None:
    assert set(workflow) == {"name", "on", "jobs"}
    for step in steps(workflow):
        assert len({"run", "uses"} & step.keys()) == 1, step
        assert set(step) <= {"name", "run", "uses", "with", "env", "if", "continue-on-error"}
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"])


def test_the_commands_of_the_workflow_run_and_leave_what_it_uploads(
    workflow: dict[str, Any], reader: Follower
) -> None:
    uploaded = []
    for step in steps(workflow):
        for command in commands(step.get("run", "")):
            if not check_by_name(command):
                done = reader.shell(reader.on_this_machine(command))
                allowed = (0, 1) if step.get("continue-on-error") else (0,)
                assert done.returncode in allowed, f"{command}\n{done.stderr}"
        if "upload-artifact" in step.get("uses", ""):
            uploaded += step["with"]["path"].split()
    assert uploaded
    assert all((reader.folder / name).stat().st_size for name in uploaded)
