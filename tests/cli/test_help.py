"""Help and the first screen on a terminal of 80 columns, and what is said to a mistyped option."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from typer.main import get_command

from deepassay.cli.app import app

from .conftest import Run


def paths(command: object = get_command(app), path: tuple[str, ...] = ()) -> Iterator[tuple]:
    """The words by which each command is called, groups of commands among them."""
    yield path
    for name, child in getattr(command, "commands", {}).items():
        yield from paths(child, (*path, name))


@pytest.mark.parametrize("path", list(paths()), ids=" ".join)
def test_help_fits_80_columns_and_cuts_nothing_off(
    deepassay: Run, monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    usage, *told = deepassay(*path, "--help").stdout.splitlines()
    assert usage.startswith(" ".join(("Usage: deepassay", *path)))
    assert told
    assert [line for line in (usage, *told) if len(line) > 80] == []
    assert [line for line in told if line.endswith(("...", "…"))] == []
