"""The index "I want to …" leads to pages and commands that exist, and names every command."""

from __future__ import annotations

import re
from typing import Any

import pytest
from typer.main import get_command

from deepassay.cli.app import app

from .markdown import REPOSITORY

PAGE = REPOSITORY / "docs" / "i-want-to.md"
ROW = re.compile(r"^\| (?P<wish>[a-z][^|]+) \|(?P<command>[^|]*)\| (?P<link>\[.+\)) \|$")
ROWS = [
    found for line in PAGE.read_text(encoding="utf-8").split("\n") if (found := ROW.match(line))
]
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["wish"].strip())
def test_a_wish_leads_to_a_command_that_exists(row: re.Match[str]) -> None:
    named = re.findall(r"`deepassay ([a-z -]+)`", row["command"])
    assert len(named) == bool(row["command"].strip())
    for words in named:
        found: Any = COMMANDS[words.split()[0]]
        for word in words.split()[1:]:
            found = found.commands[word]


def test_every_wish_is_read() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").split("\n") if line.startswith("| ")]
    heads = [line for line in lines if line.startswith("| I want to")]
    assert len(ROWS) == len(lines) - len(heads) > 40


def test_every_command_is_named() -> None:
    named = {row["command"].split()[1].strip("`") for row in ROWS if row["command"].strip()}
    tools = {"settings", "statements", "clean", "standardise"}
    assert set(COMMANDS) - named == tools
