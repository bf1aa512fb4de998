"""The page on the command line knows every command and every option, and invents none."""

from __future__ import annotations

import re

import pytest
from typer.main import get_command

from deepassay.cli.app import app
from deepassay.cli.evaluating import settings_as_markdown

from .markdown import REPOSITORY

PAGE = (REPOSITORY / "docs" / "command-line.md").read_text(encoding="utf-8")
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]


def options(command: str) -> set[str]:
    """The long names of the options of a command and what is below it, but for --help."""
    group = COMMANDS[command]
    names = {
        name
        for one in (group, *getattr(group, "commands", {}).values())
        for each in one.params
        for name in (*each.opts, *each.secondary_opts)
    }
    return {name for name in names if name.startswith("--")} - {"--help"}


def section(command: str) -> str:
    """What the page says on a command, up to the next one."""
    found = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"no section on {command}"
    return found[1]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_section_names_every_option(command: str) -> None:
    if command in ("estimate", "settings"):
        own = {"estimate": {"--agent"}, "settings": {"--format"}}[command]
        assert options(command) == options("evaluate") | own
        assert "Takes what `evaluate` takes" in section(command)
        assert own - {"--format"} <= set(re.findall(r"--[a-z-]+", section(command)))
        return
    own = options(command)
    if command == "audit":
        assert {"--limit", "--min-coverage"} == options("evaluate") - own
        assert "Takes what `evaluate`" in section(command)
        own -= options("evaluate")
    missing = {option for option in own if option not in section(command)}
    assert not missing


def test_page_names_no_option_that_does_not_exist() -> None:
    known = {option for command in COMMANDS for option in options(command)}
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", PAGE))
    assert named <= known | {"--help", "--help-all", "--config", "--version", "--quiet"}


def test_the_settings_are_printed_from_their_declaration() -> None:
    assert f"\n{settings_as_markdown()}\n" in PAGE, "print it: deepassay settings --format markdown"


def test_table_lists_the_commands() -> None:
    assert set(re.findall(r"^\| \[`(\w+)`\]", PAGE, re.MULTILINE)) == set(COMMANDS)
