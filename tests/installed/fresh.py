"""A new environment with the wheel, one extra and nothing else, and what was run in it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.docs.markdown import REPOSITORY
from tests.docs.running import environment as bare

CONSTRAINTS: Final = REPOSITORY / "constraints.txt"
UNREACHED: Final = (
    "NewConnectionError", "NameResolutionError", "ReadTimeoutError", "ConnectTimeoutError",
    "ProxyError", "SSLError", "RemoteDisconnected",
)  # fmt: skip
"""What pip says where nobody answers for the index, in the warnings that `-qq` would swallow."""

TRACEBACK: Final = "Traceback (most recent call last)"


class Unfit(Exception):
    """Something did not go as the documents say."""


class NoIndex(Unfit):
    """The index of packages cannot be reached, so that nothing was tried."""


@dataclass
class Fresh:
    """An environment.

    folder: of its own. extras: it has, `core` besides. done: the commands that were run in it.
    """

    folder: Path
    extras: set[str]
    done: list[str] = field(default_factory=list)

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "venv" / "bin" / "python"

    def install(self, interpreter: Path, what: list[str], *, pinned: bool) -> None:
        """Make it: `python -m venv`, then pip. pinned: by constraints.txt, else the newest.

        Raises NoIndex, and Unfit where pip fails or leaves requirements open.
        """
        venv = self.folder / "venv"
        subprocess.run([interpreter, "-m", "venv", venv], check=True)
        pins = ["-c", str(CONSTRAINTS)] if pinned else ["--upgrade", "--upgrade-strategy", "eager"]
        pip = [self.python, "-m", "pip", "--disable-pip-version-check", "-q"]
        made = subprocess.run(
            [*pip, "install", "--no-compile", "--retries", "2", *pins, *what],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            if any(word in made.stderr for word in UNREACHED):
                raise NoIndex(f"the index of packages does not answer: {made.stderr[-500:]}")
            raise Unfit(f"pip install {' '.join(what)}: {made.stderr[-2000:]}")
        check = subprocess.run([*pip, "check"], capture_output=True, text=True, check=False)
        if check.returncode:
            raise Unfit(f"pip check: {check.stdout}{check.stderr}")

    def versions(self) -> dict[str, str]:
        """What is installed."""
        listed = subprocess.run(
            [self.python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return {each["name"]: each["version"] for each in json.loads(listed.stdout)}

    def environment(self) -> dict[str, str]:
        """Its programs before those of the machine, and no key."""
        found = bare([self.python.parent])
        del found["OPENAI_API_KEY"]
        return found

    def run(self, *words: str | Path, status: int = 0, keys: dict[str, str] | None = None) -> str:
        """What the installed `deepassay` prints. Raises Unfit for another exit status.

        keys: variables besides.
        """
        typed = " ".join(["deepassay", *map(str, words)])
        self.done.append(typed)
        program = self.python.with_name("deepassay")
        ended = subprocess.run(
            [program, *words], cwd=self.folder, env=self.environment() | (keys or {}),
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        said = ended.stdout + ended.stderr
        if ended.returncode != status or TRACEBACK in said:
            raise Unfit(f"{typed}\n  ended with {ended.returncode}, not {status}:\n{said[-3000:]}")
        return said

    def code(self, text: str) -> str:
        """What a program prints. Raises Unfit where it fails."""
        self.done.append("python -c …")
        ended = subprocess.run(
            [self.python, "-c", text], cwd=self.folder, env=self.environment(),
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
        if ended.returncode:
            raise Unfit(f"python: {ended.stderr[-3000:]}")
        return ended.stdout


def holds(text: str, *words: str) -> None:
    """Raises Unfit unless all of these words stand in a text."""
    for word in words:
        if word not in text:
            raise Unfit(f"{word!r} does not stand in:\n{text[-3000:]}")
