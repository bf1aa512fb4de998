"""The command line as a person types it, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from typer.main import get_command

from deepassay.cli import main
from deepassay.cli.app import app
from tests.judging import verdicts
from tests.loopback import FakeJudge

COMMAND = "deepassay"
"""On the PATH: that of the environment or, where tests run in forks, of tests/preloaded.py."""

STARTED = str(Path(sys.executable).with_name(COMMAND))
"""A process of its own in any case: whoever kills it knows that it is gone."""


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and no keys in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)


@cache
def built() -> object:
    """All commands, put together once: a process of its own does that each time, in 30 ms."""
    return get_command(app)


@pytest.fixture
def deepassay(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `deepassay ARGUMENTS` to its end, in this process: starting one takes a second."""
    monkeypatch.setattr("deepassay.cli.app.app", built())

    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["deepassay", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        captured = capfd.readouterr()
        status = end.value.code
        return Done(status if isinstance(status, int) else 0, captured.out, captured.err)

    return run


@pytest.fixture
def process() -> Run:
    """Run `deepassay ARGUMENTS` as a process of its own."""

    def run(*arguments: object) -> Done:
        done = subprocess.run(
            [COMMAND, *map(str, arguments)],
            capture_output=True, encoding="utf-8", timeout=60, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def judge() -> Iterator[FakeJudge]:
    """A judge on loopback that answers every protocol."""
    with FakeJudge(verdicts) as server:
        yield server


@pytest.fixture
def demo(repository: Path) -> Path:
    return repository / "examples" / "demo"


@pytest.fixture
def small(tmp_path: Path) -> tuple[str, str]:
    """Two tasks and the reports of two agents, one of which has no report for the second task."""
    tasks = [
        '{"id": "a", "prompt": "Why is the sky blue?", "checklist": ["Is scattering named?"]}',
        '{"id": "b", "prompt": "天空为什么是蓝色的？", "checklist": ["是否提到散射？"]}',
    ]
    (tmp_path / "tasks.jsonl").write_text("\n".join(tasks), encoding="utf-8")
    for agent, task, text in (
        ("heron", "a", "# Sky\n\nScattering is named: air scatters blue light.\n"),
        ("heron", "b", "# 天空\n\n空气散射蓝光，所以提到散射。\n"),
        ("cuckoo", "a", "# Sky\n\nInformation not provided.\n"),
    ):
        file = tmp_path / "reports" / agent / f"{task}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return "tasks.jsonl", "reports"


@pytest.fixture
def judged(deepassay: Run, small: tuple[str, str]) -> Callable[..., str]:
    """`judged("coverage", checklist=[…])`: the run file of both agents on one task."""

    def judged(protocol: str, run: str = "r", **about: object) -> str:
        tasks, reports = small
        task = {"id": "a", "prompt": "Why is the sky blue?", **about}
        Path(tasks).write_text(json.dumps(task), encoding="utf-8")
        Path(reports, "heron", "b.md").unlink(missing_ok=True)
        done = deepassay("evaluate", tasks, reports, "--protocol", protocol, "--run", run)
        assert done.returncode == 0, done.stderr
        return run

    return judged
