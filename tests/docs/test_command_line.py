"""The pages on commands know every command and every option, and invent none."""

from __future__ import annotations

import re

import pytest
from typer.main import get_command

from deepassay.cli.app import app
from deepassay.cli.evaluating import settings_as_markdown
from deepassay.cli.help import GROUPS, OTHERS, listed_under

from .markdown import REPOSITORY

DOCS = REPOSITORY / "docs"
OVERVIEW = (DOCS / "command-line.md").read_text(encoding="utf-8")
PLACES = dict(re.findall(r"^\| \[`(\w+)`\]\(([\w-]+\.md)#\w+\)", OVERVIEW, re.MULTILINE))
"""On which page each command stands."""
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
    """What its page says on a command, up to the next one."""
    page = (DOCS / PLACES[command]).read_text(encoding="utf-8")
    found = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"no section on {command}"
    return found[1]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_section_names_every_option(command: str) -> None:
    if command == "evaluate":
        settings = (DOCS / "settings.md").read_text(encoding="utf-8")
        assert {option for option in options(command) if f"| `{option}`" not in settings} == set()
        assert "](settings.md)" in section(command)
        return
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


def test_pages_name_no_option_that_does_not_exist() -> None:
    known = {option for command in COMMANDS for option in options(command)}
    pages = [OVERVIEW, *((DOCS / page).read_text(encoding="utf-8") for page in PLACES.values())]
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", "".join(pages)))
    assert named <= known | {"--help", "--help-all", "--config", "--version", "--quiet"}


def test_the_settings_are_printed_from_their_declaration() -> None:
    told = "print it: deepassay settings --format markdown"
    assert settings_as_markdown() in (DOCS / "settings.md").read_text(encoding="utf-8"), told


def test_table_lists_the_commands_in_the_groups_of_help() -> None:
    groups = re.split(r"^\| \*\*(.+)\*\* \|.*$", OVERVIEW, flags=re.MULTILINE)[1:]
    listed = {
        heading.lower(): re.findall(r"^\| \[`(\w+)`\]", rows, re.MULTILINE)
        for heading, rows in zip(groups[::2], groups[1::2], strict=True)
    }
    found: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in get_command(app).list_commands(None):  # type: ignore[attr-defined]
        found[listed_under(COMMANDS[name]) or OTHERS].append(name)
    assert listed == found
