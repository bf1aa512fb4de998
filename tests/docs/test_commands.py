"""Every block of commands in the documents is run, and what it shows is what comes out.

The blocks of a document are run one after the other in one folder that holds a copy of the
examples. A block that begins with `# FOLDER/NAME.toml`, or another ending, is that file. What
installs or builds is checked by name. A judge that costs money is replaced by one on this machine.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.batching import FakeBatches
from tests.judging import verdicts
from tests.loopback import FakeJudge

from .markdown import REPOSITORY, Block, blocks, documents
from .preloaded import preloaded

RUN = {"sh", "console", "python"}
SHOWN = {"", "json", "toml", "yaml", "markdown"}
LEFT_OUT_AT_MOST = 3
PAID = re.compile(
    r"deepassay (?:evaluate|agree support) .*--judge (?:openai|anthropic|google|openrouter):(\S+)"
)
Judges = tuple[FakeJudge, FakeBatches]
FILE = re.compile(r"(?:#|<!--) ((?:[\w.-]+/)*[\w.-]+\.(?:toml|yaml|py|md))\b")
INSPECT = re.compile(r"\binspect (?=score|eval)")
DEMO = """\
made=$(dirname "$(command -v deepassay)")/../demo
if [ -d "$made" ]; then cp -r "$made/." build; exit; fi
sh examples/demo/run.sh deepassay
cp -r build "$made"
"""
"""The demonstration is run for the first document that asks for it, and copied for the others."""

ITEMS = re.compile(r"<<<BEGIN checklist \w+\n(.*?)\n<<<END checklist", re.DOTALL)


def runnable() -> list[Path]:
    return [path for path in documents() if any(block.language in RUN for block in blocks(path))]


def name(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    (tmp_path / "build").mkdir()
    return tmp_path


def says_yes(body: dict[str, Any]) -> str:
    """The answer of a judge who finds every check passed and every item delivered."""
    asked = body["messages"][-1]["content"]
    if "BEGIN statements" in asked:
        return verdicts(body)
    checklist = ITEMS.search(asked)
    count = len(re.findall(r"^\d+\. ", checklist[1], re.MULTILINE)) if checklist else 10
    keys = [f"{'q' if checklist else 'p'}{number}" for number in range(1, count + 1)]
    return json.dumps({"evaluations": {key: {"score": 1, "justification": "Yes."} for key in keys}})


@pytest.fixture(scope="module")
def judge() -> Iterator[Judges]:
    with FakeJudge(says_yes) as judge, FakeBatches(says_yes) as batches:
        yield judge, batches


@pytest.fixture(scope="module", autouse=True)
def program() -> Iterator[None]:
    """`deepassay` on the PATH, loaded once for all commands."""
    with (
        tempfile.TemporaryDirectory() as folder,
        preloaded(Path(folder), environment()) as programs,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
        patch.setenv("PATH", str(programs), prepend=os.pathsep)
        yield


def environment() -> dict[str, str]:
    keep = {"HOME", "LANG", "LC_ALL", "PATH", "TMPDIR"}
    found = {key: value for key, value in os.environ.items() if key in keep}
    return found | {"COLUMNS": "120", "OPENAI_API_KEY": "not-a-key"}


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f"set -eu\n{command}"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


SERVES = re.compile(r"deepassay (?:annotate serve|sandbox)\b")


def served(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Start what serves until it is stopped, and stop it once it has said its address.

    In a process of its own: a signal has to reach it.
    """
    own = command.replace("deepassay", f"{sys.executable} -m deepassay", 1)
    process = subprocess.Popen(
        ["sh", "-c", f"exec {own} --port 0"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines = [line := process.stdout.readline()]
    while line and "stop it with Ctrl-C" not in line:
        lines.append(line := process.stdout.readline())
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    return subprocess.CompletedProcess(command, process.returncode, "".join(lines) + rest, "")


def commands(text: str) -> Iterator[str]:
    """The commands of a block, one a line, without comments."""
    for line in text.replace("\\\n", " ").split("\n"):
        command = re.sub(r"(^|\s)#.*", "", line).strip()
        if command:
            yield command


def check_by_name(command: str) -> bool:
    """Whether the command builds or installs; if so, that what it names exists."""
    words = shlex.split(command, comments=True)
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
        assert {word for word in words[1:] if "=" not in word} <= set(targets), command
        return True
    if words[:2] == ["pip", "install"]:
        project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
        extras = {
            part for found in re.findall(r"\[([\w,]+)\]", command) for part in found.split(",")
        }
        assert extras <= set(project["optional-dependencies"]), command
        return True
    if words[:2] == ["ray", "start"]:  # it would stay on this machine
        from ray.scripts.scripts import start

        options = {option for each in start.params for option in each.opts}
        assert {word for word in words if word.startswith("--")} <= options, command
        return True
    return words[:2] in (["git", "clone"], ["rm", "-rf"])


def on_this_machine(command: str, folder: Path, judge: Judges) -> str:
    """The command with a judge on loopback, at the price of a cheap model, for a paid one."""
    if command in ("make demo", "sh examples/demo/run.sh"):
        return DEMO
    if INSPECT.search(command):
        served = command.replace("http://gpu-box:8000/v1", judge[0].base_url)
        return INSPECT.sub("python -m inspect_ai ", served)  # this interpreter's
    command = command.replace("--address auto", "--address local")  # a cluster that ends with it
    paid = PAID.search(command)
    if paid is None:
        return command
    (folder / "prices.json").write_text(json.dumps({paid[1]: {"input": 0.1, "output": 0.4}}))
    server = judge[" --batch" in command]
    where = f" --base-url {server.base_url} --prices prices.json"
    return command[: paid.end()] + where + command[paid.end() :]


def run_commands(block: Block, folder: Path, judge: Judges) -> None:
    for command in commands(block.text):
        if not check_by_name(command) or command == "make demo":
            run = served if SERVES.search(command) else shell
            done = run(on_this_machine(command, folder, judge), folder)
            assert done.returncode == 0, f"{block}: {command}\n{done.stdout}{done.stderr}"


def run_console(block: Block, folder: Path, judge: Judges) -> None:
    """Compare what `$ command` shows with its output.

    A line `...` stands for any lines, and `…` for any characters of a line.
    """
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        done = shell(on_this_machine(command, folder, judge), folder)
        assert done.returncode in (0, 1), f"{block}: {command}\n{done.stderr}"
        wanted = [line.rstrip() for line in shown.strip("\n").split("\n")]
        pattern = "\n".join(
            r"[\s\S]*" if line == "..." else re.escape(line).replace("…", ".*") for line in wanted
        )
        real = "\n".join(line.rstrip() for line in done.stdout.strip("\n").split("\n"))
        assert re.fullmatch(pattern, real), f"{block}: {command} shows\n{real}"


def run_python(block: Block, folder: Path, judge: Judges) -> None:
    del judge
    done = subprocess.run(
        [sys.executable, "-c", block.text],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"{block}: {done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("path", runnable(), ids=name)
def test_blocks_of_a_document_run(path: Path, folder: Path, judge: Judges) -> None:
    runners = {"sh": run_commands, "console": run_console, "python": run_python}
    for block in blocks(path):
        if named := FILE.match(block.text):
            (folder / named[1]).parent.mkdir(parents=True, exist_ok=True)
            (folder / named[1]).write_text(block.text)
            continue
        if block.language in RUN and not block.reason:
            runners[block.language](block, folder, judge)


def test_every_block_says_what_it_is() -> None:
    odd = [
        f"{block}: {block.language}"
        for path in documents()
        for block in blocks(path)
        if block.language not in RUN | SHOWN
    ]
    assert not odd


def test_few_blocks_are_left_out() -> None:
    left_out = [block for path in documents() for block in blocks(path) if block.reason]
    assert len(left_out) <= LEFT_OUT_AT_MOST
