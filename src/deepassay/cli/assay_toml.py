"""What assay.toml may hold, reading it, and handing it to a command."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Self

import typer
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from deepassay.errors import BadSetting
from deepassay.run.declared import File, Files, SettingDisplay, Text, Texts, one_as_list
from deepassay.run.settings import Settings

DEFAULT_FILE: Final = Path("assay.toml")


class LintSettings(BaseModel):
    """What `lint` looks for, below `[lint]`; the thresholds of a rule stand below `[lint.CODE]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _of_rules(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        rules = {name: each for name, each in given.items() if isinstance(each, Mapping)}
        plain = {name: each for name, each in given.items() if name not in rules}
        return plain | ({"rules": rules} if rules else {})

    select: Annotated[Texts, Field(description="Codes of rules, or prefixes of codes.")] = ("ALL",)
    ignore: Annotated[
        tuple[Text, ...],
        BeforeValidator(one_as_list),
        Field(description="Codes or prefixes of those left out."),
    ] = ()
    rules: Annotated[
        Mapping[str, Mapping[str, Any]], Field(description="Thresholds, by code and name.")
    ] = {}


class FileSettings(Settings):
    """What assay.toml may hold: all settings, what is evaluated, and what `lint` looks for."""

    tasks: Annotated[File | None, Field(description="A table of tasks, or a folder of texts.")] = (
        None
    )
    reports: Annotated[Files, Field(description="Folders or tables of reports.")] = ()
    agent: Annotated[
        Mapping[str, Mapping[str, Any]],
        Field(description="Agents that `research` has answer tasks, by their names."),
        SettingDisplay(possible="a table for each agent"),
    ] = {}
    lint: Annotated[
        LintSettings,
        Field(description="What `lint` looks for."),
        SettingDisplay(possible="a table"),
    ] = LintSettings()

    @model_validator(mode="after")
    def _has_effect(self) -> Self:
        return self  # it holds for many commands, some of which look at it


def read_settings(path: Path | None = None) -> FileSettings:
    """What a file says, by default `assay.toml` if there is one. Raises BadSetting."""
    if path is None and not DEFAULT_FILE.exists():
        return FileSettings()
    path = path or DEFAULT_FILE
    try:
        return FileSettings(**tomllib.loads(path.read_text(encoding="utf-8")))
    except BadSetting as error:
        raise BadSetting(f"{path}: {error.problem}", error.remedy) from None
    except OSError as error:
        raise BadSetting(
            f"{path}: cannot be read ({error.strerror}).", "Check --config."
        ) from error
    except (ValueError, RecursionError) as error:  # also of numbers too long to read
        raise BadSetting(f"{path}: is not TOML: {error}", "Correct the file.") from error


def hand_settings(context: typer.Context, without: Collection[str], config: Path | None) -> None:
    """Give a command that reads the file what stands there. Raises BadSetting.

    context: of what is above the command. without: what it does not take from there. config: the
    file, if it is not assay.toml.
    """
    file = read_settings(config)
    given = {
        name: getattr(file, name)
        for name in file.model_fields_set - {"per_protocol", "lint", "agent", *without}
    }
    context.default_map = {str(context.invoked_subcommand): given}
    context.obj = file
