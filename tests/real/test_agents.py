"""Three published agents carry evidence from a corpus to a report, in a network of loopback alone.

They are installed in environments of their own by `make real-agents`, started by the command
adapter as docs/agents.md says, and talk to the sandbox and to a scripted model.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from deepassay.errors import Notice
from deepassay.runfile import RunFile
from tests.real.trial import DEMO, HERE

pytestmark = pytest.mark.real


@dataclass(frozen=True)
class Carried:
    """What is seen of a run. chat: calls of the model. found, opened, cited: pages, at least.

    gone: whether it asks for a page that is gone. dialect: in which it searches.
    """

    agent: str
    dialect: str
    chat: int
    found: int
    opened: int
    cited: int
    gone: bool


RUNS = [
    Carried("smolagents", "brave", 3, 10, 7, 8, True),
    Carried("smolagents-code", "brave", 2, 10, 0, 8, False),
    # It takes every snippet of more than 100 characters for the page, and opens none.
    Carried("gpt-researcher", "searxng", 3, 10, 0, 5, False),
    Carried("open-deep-research", "mcp", 10, 10, 7, 5, True),
]


@cache
def isolation() -> tuple[str, ...]:
    """What starts a program in a network with loopback alone; nothing where that is forbidden."""
    unshare = shutil.which("unshare")
    if unshare and not subprocess.run([unshare, "-rn", "true"], check=False).returncode:
        return (unshare, "-rn")
    warnings.warn("No network namespace: the agents could reach other networks.", Notice, 1)
    return ()


@pytest.mark.parametrize("expected", RUNS, ids=lambda each: each.agent)
def test_citations_are_carried_from_the_corpus_to_the_report(expected: Carried, tmp_path: Path):
    home = HERE / ".real-agents" / expected.agent.removesuffix("-code")
    if not (home / "bin" / "python").exists():
        pytest.skip(f"{home} is missing: run make real-agents")
    kept = tmp_path / "run.assay"
    command = [*isolation(), sys.executable, "-m", "tests.real.trial", expected.agent, str(kept)]
    told = {"ISOLATED": "1"} if isolation() else {}
    done = subprocess.run(
        command, cwd=HERE, env={**os.environ, **told}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with RunFile.read(kept) as file:
        (stored,) = file.answering.runs()
        served = [(row.kind, dict(row.body)) for row in file.answering.served()]
    run = stored.run
    corpus = set(re.findall(r"^url: (\S+)", _texts(), re.MULTILINE))
    assert (run.stop, run.found is not None, run.opened is not None) == ("done", True, True)
    assert corpus >= {*run.found, *run.opened, *run.sources} and "127.0.0.1" not in run.report
    assert set(run.opened) <= set(run.found) and set(run.sources) <= set(run.found)
    assert len(run.found) >= expected.found and len(run.sources) >= expected.cited
    assert len(run.opened) >= expected.opened and bool(run.opened) is bool(expected.opened)
    assert len(re.findall(r"\.\s\[\d+\]", run.report)) >= 2 * expected.cited
    assert json.loads(done.stdout)["chat"] >= expected.chat
    assert {body["dialect"] for kind, body in served if kind == "search"} == {expected.dialect}
    statuses = {body["status"] for kind, body in served if kind == "page"}
    assert (not statuses.isdisjoint({403, 404})) is expected.gone


def _texts() -> str:
    files = sorted((DEMO / "corpus").iterdir())
    return "\n".join(file.read_text(encoding="utf-8") for file in files)
