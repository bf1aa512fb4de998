"""Which commands take settings from assay.toml, and how they are handed to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import typer

Action = TypeVar("Action", bound=Callable[..., None])


def reads_file(*without: str) -> Callable[[Action], Action]:
    """A command whose options the file may set, but for those that are named here."""

    def marked(action: Action) -> Action:
        action.without = frozenset(without)  # type: ignore[attr-defined]
        return action

    return marked


def hand_settings(context: typer.Context, command: object, config: Path | None) -> None:
    """Give a command that reads the file what stands there. Raises BadSetting.

    context: of what is above the command. config: the file, if it is not assay.toml.
    """
    without = getattr(command, "without", None)
    if without is None:
        return
    from deepassay.run.settings_file import read_settings

    file = read_settings(config)
    given = {
        name: getattr(file, name)
        for name in file.model_fields_set - {"per_protocol", "lint", "agent", *without}
    }
    context.default_map = {str(context.invoked_subcommand): given}
    context.obj = file
