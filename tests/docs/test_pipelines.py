"""The workflow of the page on pipelines is one, and its commands do what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from deepassay.files import read_yaml

from .markdown import REPOSITORY, blocks
from .running import Follower, check_by_name, commands
from .test_commands import program, reader  # noqa: F401 - fixtures

PAGE = REPOSITORY / "docs" / "pipelines.md"


@pytest.fixture
def workflow() -> dict[str, Any]:
    (block,) = [each for each in blocks(PAGE) if each.language == "yaml"]
    found: dict[str, Any] = read_yaml(block.text)
    return found


def steps(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        yield from job["steps"]


def test_it_has_the_form_of_a_workflow(workflow: dict[str, Any]) -> None:
    assert set(workflow) == {"name", "on", "jobs"}
    for step in steps(workflow):
        assert len({"run", "uses"} & step.keys()) == 1, step
        assert set(step) <= {"name", "run", "uses", "with", "env", "if", "continue-on-error"}
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"])


def test_its_commands_run_and_leave_what_it_uploads(
    workflow: dict[str, Any],
    reader: Follower,  # noqa: F811
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
