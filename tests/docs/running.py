"""Following a document to the letter: its blocks of commands, one after the other, in one folder.

A block that begins with `# FOLDER/NAME.toml`, or another ending, is that file. What installs or
builds is checked by name. A judge that costs money is replaced by one on this machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import tomllib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deepassay.runfile import Rating, RunFile
from deepassay.wings.people.annotate.book import StudyBook
from tests.batching import FakeBatches
from tests.judging import verdicts
from tests.loopback import FakeJudge

from .markdown import REPOSITORY, Block, blocks
from .repeated import PLAIN, Repeated

RUN = {"sh", "console", "python"}
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
SERVES = re.compile(r"deepassay (?:annotate serve|sandbox|view)\b")
RATED = {"tutorial.md"}
"""Documents whose readers have people answer what they serve."""


def material(folder: Path) -> Path:
    """A folder as a reader has it who cloned the repository."""
    shutil.copytree(REPOSITORY / "examples", folder / "examples")
    (folder / "build").mkdir()
    return folder


def says_yes(body: dict[str, Any]) -> str:
    """The answer of a judge who finds every check passed and every item delivered."""
    asked = body["messages"][-1]["content"]
    if "BEGIN statements" in asked:
        return verdicts(body)
    checklist = ITEMS.search(asked)
    count = len(re.findall(r"^\d+\. ", checklist[1], re.MULTILINE)) if checklist else 10
    keys = [f"{'q' if checklist else 'p'}{number}" for number in range(1, count + 1)]
    return json.dumps({"evaluations": {key: {"score": 1, "justification": "Yes."} for key in keys}})


def answer_all(study: Path) -> None:
    """Have every rater of a study answer everything; they differ on every fourth question."""
    with RunFile.create(study) as file:
        book = StudyBook(file)
        for place, (rater, _, _) in enumerate(book.progress()):
            for number, item in enumerate(book.items):
                said = {
                    question.key: "no" if place and not each % 4 else "yes"
                    for each, question in enumerate(item.questions)
                }
                form = f"{rater}{number}"
                asyncio.run(book.keep(Rating(form, rater, number, said, at="t")))


@contextmanager
def paid_judges() -> Iterator[Judges]:
    """Who answers in place of judges that cost money: one at a time, and in batches."""
    with FakeJudge(says_yes) as judge, FakeBatches(says_yes) as batches:
        yield judge, batches


def environment(programs: Sequence[Path] = ()) -> dict[str, str]:
    """What a command finds. programs: folders that come before those of the machine."""
    keep = {"HOME", "LANG", "LC_ALL", "PATH", "TMPDIR"}
    found = {key: value for key, value in os.environ.items() if key in keep}
    found["PATH"] = os.pathsep.join([*map(str, programs), found["PATH"]])
    return found | {"COLUMNS": "120", "OPENAI_API_KEY": "not-a-key"}


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


@dataclass
class Follower:
    """Somebody who does what a document says.

    folder: where it is done. programs: folders that come before those of the machine; one has
    `python-c`, which runs a program.
    """

    folder: Path
    judges: Judges
    programs: Sequence[Path]
    plain: Repeated | None = field(default=None, init=False)

    def follow(self, path: Path) -> None:
        """Run every block of a document that is run."""
        with (
            tempfile.TemporaryDirectory() as outputs,
            Repeated(self.folder, environment(self.programs), Path(outputs)) as self.plain,
        ):
            self._follow(path)
        self.plain = None

    def _follow(self, path: Path) -> None:
        runners = {"sh": self.run_commands, "console": self.run_console, "python": self.run_python}
        for block in blocks(path):
            if named := FILE.match(block.text):
                (self.folder / named[1]).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / named[1]).write_text(block.text)
                continue
            if block.language in RUN and not block.reason:
                runners[block.language](block)

    def ended(
        self,
        block: Block,
        command: str,
        done: subprocess.CompletedProcess[str],
        fine: Collection[int] = (0,),
    ) -> bool:
        """Whether the output is worth comparing. Fails for a status that is not fine."""
        assert done.returncode in fine, f"{block}: {command}\n{done.stdout}{done.stderr}"
        return True

    def run_commands(self, block: Block) -> None:
        """The commands of a block, one a line."""
        for command in commands(block.text):
            if not check_by_name(command) or command == "make demo":
                run = self.served if SERVES.search(command) else self.shell
                self.ended(block, command, run(self.on_this_machine(command)))
                if block.path.name in RATED and run == self.served:
                    answer_all(self.folder / "study.assay")

    def run_console(self, block: Block) -> None:
        """Compare what `$ command` shows with its output.

        A line `...` stands for any lines, and `…` for any characters of a line.
        """
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            done = self.shell(self.on_this_machine(command))
            if not self.ended(block, command, done, (0, 1)):
                continue
            wanted = [line.rstrip() for line in shown.strip("\n").split("\n")]
            pattern = "\n".join(
                r"[\s\S]*" if line == "..." else re.escape(line).replace("…", ".*")
                for line in wanted
            )
            real = "\n".join(line.rstrip() for line in done.stdout.strip("\n").split("\n"))
            assert re.fullmatch(pattern, real), f"{block}: {command} shows\n{real}"

    def run_python(self, block: Block) -> None:
        """A program."""
        done = self._done(["python-c", block.text])
        self.ended(block, "python", done)

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """A command as a shell runs it."""
        if self.plain and PLAIN.fullmatch(command):
            return self.plain.run(command)
        return self._done(["sh", "-c", f"set -eu\n{command}"])

    def _done(self, command: list[str | Path]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment(self.programs),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def served(self, command: str) -> subprocess.CompletedProcess[str]:
        """Start what serves until it is stopped, and stop it once it has said its address."""
        anywhere = re.sub(r" --port \d+", "", command) + " --port 0"
        process = subprocess.Popen(
            ["sh", "-c", f"exec {anywhere}"],
            cwd=self.folder,
            env=environment(self.programs),
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

    def on_this_machine(self, command: str) -> str:
        """The command with a judge on loopback, at the price of a cheap model, for a paid one."""
        if command in ("make demo", "sh examples/demo/run.sh"):
            return DEMO
        if INSPECT.search(command):
            return command.replace("http://gpu-box:8000/v1", self.judges[0].base_url)
        command = command.replace(
            "--address auto", "--address local"
        )  # a cluster that ends with it
        paid = PAID.search(command)
        if paid is None:
            return command
        (self.folder / "prices.json").write_text(
            json.dumps({paid[1]: {"input": 0.1, "output": 0.4}})
        )
        server = self.judges[" --batch" in command]
        where = f" --base-url {server.base_url} --prices prices.json"
        return command[: paid.end()] + where + command[paid.end() :]
