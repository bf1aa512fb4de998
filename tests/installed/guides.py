"""The documents followed in an environment that lacks most of what is optional.

A command that lacks an extra has to say so in its sentence, and the document has to have named that
extra by then. What builds on such a command cannot be run there, and is not held against it; what
comes of each extra is seen in the environment that has it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.markdown import Block, documents
from tests.docs.running import Follower

from .fresh import TRACEBACK

MISSING = re.compile(r"needs an optional part of DeepAssay .*?deepassay\[(\w+)\]", re.DOTALL)
NAMED = re.compile(r"(?:deepassay|\.)\[([\w,]+)\]|extra `(\w+)`")
WITHOUT = re.compile(r"No module named '?(\w+)")
OF_OTHERS = {"inspect_ai": "inspect", "pyarrow": "parquet", "pandas": "pandas", "pytest": "pytest"}
"""Programs of others that a document uses beside ours, by the environment that brings them."""


def named(text: str) -> set[str]:
    """The extras that a text tells to install, `make demo` included."""
    found = {name for one, other in NAMED.findall(text) for name in (one or other).split(",")}
    if "pip install pytest" in text:
        found.add("pytest")
    return found


@dataclass
class Lacking(Follower):
    """A reader who has some extras only. has: which. lacked: which others this document took."""

    has: Collection[str]
    done: list[str]
    lacked: set[str] = field(default_factory=set)
    amiss: list[str] = field(default_factory=list)

    def follow(self, path: Path) -> None:
        """As far as it goes without what is lacking."""
        self.lacked = set()
        super().follow(path)

    def ended(
        self,
        block: Block,
        command: str,
        done: subprocess.CompletedProcess[str],
        fine: Collection[int] = (0,),
    ) -> bool:
        """Note what is amiss."""
        self.done.append(command)
        if done.returncode in fine:
            return not self.lacked
        said = done.stdout + done.stderr
        missing, without = MISSING.search(said), WITHOUT.search(said)
        extra = missing[1] if missing else without and OF_OTHERS.get(without[1], without[1])
        if extra:
            self._lacks(extra, block, command)
        elif not self.lacked or TRACEBACK in said:
            self.amiss.append(
                f"{block}: {command}\n  ended with {done.returncode}:\n{said[-1500:]}"
            )
        return False

    def _lacks(self, extra: str, block: Block, command: str) -> None:
        self.lacked.add(extra)
        if extra in self.has:
            self.amiss.append(f"{block}: {command}\n  lacks {extra}, which is installed")
        elif extra not in named(_read_by_then(block)):
            self.amiss.append(
                f"{block}: {command}\n  needs {extra}, which its section does not say"
            )


def _read_by_then(block: Block) -> str:
    """A document up to the end of the section in which a block stands."""
    lines = block.path.read_text(encoding="utf-8").split("\n")
    later = (at for at in range(block.line, len(lines)) if lines[at].startswith("## "))
    return "\n".join(lines[: next(later, len(lines))])


def guides(name: str) -> list[Path]:
    """The documents for those who have an extra; for those who have none, all of them."""
    alone = name == "core"
    return [path for path in documents() if alone or name in named(path.read_text("utf-8"))]
