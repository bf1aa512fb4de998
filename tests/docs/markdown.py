"""Fenced blocks and links of the project's own documents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
NOT_RUN = re.compile(r"<!-- not run: (?P<reason>.+) -->")
LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
CODE = re.compile(r"`[^`\n]*`")


@dataclass(frozen=True)
class Block:
    """A fenced block. line: of its first fence, from 1. reason: why it is not run, if so."""

    path: Path
    line: int
    language: str
    text: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.path.relative_to(REPOSITORY)}:{self.line}"


def documents() -> list[Path]:
    """README, house rules, everything in docs, and the guides of the examples."""
    folders = ("docs", "examples")
    found = [path for folder in folders for path in sorted((REPOSITORY / folder).rglob("*.md"))]
    material = {"reports", "corpus"}
    guides = [path for path in found if material.isdisjoint(path.relative_to(REPOSITORY).parts)]
    return [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *guides]


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a document, in order."""
    found = []
    lines = path.read_text(encoding="utf-8").split("\n")
    start: int | None = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start = number
            continue
        above = "\n".join(lines[max(0, start - 2) : start])
        mark = NOT_RUN.search(above)
        found.append(
            Block(
                path,
                start + 1,
                lines[start].removeprefix("```").strip(),
                "\n".join(lines[start + 1 : number]),
                mark["reason"] if mark else "",
            )
        )
        start = None
    assert start is None, f"{path}: a fence is never closed"
    return found


def prose(path: Path) -> str:
    """A document without its fenced blocks."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def links(path: Path) -> list[str]:
    """Targets of the links of a document that stay on this machine."""
    found = LINK.finditer(CODE.sub("", prose(path)))
    return [link["target"] for link in found if "://" not in link["target"]]
