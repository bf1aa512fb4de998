"""The command `deepassay`; its subcommands are those that packages register, ours among them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from deepassay import __version__
from deepassay.cli.assay_toml import hand_settings
from deepassay.errors import BadSetting, Notice
from deepassay.plugins import one, plugins

ORDER: Final = (
    *("start", "evaluate", "research", "sandbox", "estimate", "doctor", "settings", "protocols"),
    *("leaderboard", "compare", "calibrate", "audit", "explain", "figures", "html", "export"),
    *("replay", "merge", "batches", "lint", "clean", "statements", "convert", "standardise"),
    *("perturb", "agree", "annotate", "robustness", "sources", "tasks"),
)
"""How commands are listed, those that are there; others follow by name."""


class Installed(MutableMapping[str, Any]):
    """Commands by their names. What a name stands for is loaded when it is asked for."""

    def __init__(self) -> None:
        places = {name: place for place, name in enumerate(ORDER)}
        self._names = sorted(plugins("commands"), key=lambda name: (places.get(name, 99), name))
        self._built: dict[str, TyperCommand | TyperGroup] = {}

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        """The command. Raises BadSetting, naming the package, where it cannot be loaded."""
        if name not in self._built:
            if name not in self._names or (plugin := one("commands", name)) is None:
                raise KeyError(name)
            found = plugin.load()
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            if isinstance(found, typer.Typer):
                alone.add_typer(found, name=name)
            elif callable(found):
                alone.command(name)(found)
            else:
                raise BadSetting(
                    f"{plugin.reference}, the command {name!r} of package {plugin.package}, is no "
                    "command.",
                    "Register a function, or an app of Typer.",
                )
            self._built[name] = get_group(alone).commands[name]  # type: ignore[assignment]
        return self._built[name]

    def __setitem__(self, name: str, command: TyperCommand | TyperGroup) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Commands(TyperGroup):
    """The group of them. One that cannot be loaded is told of and stops no other."""

    def __init__(self, **about: object) -> None:
        super().__init__(**{**about, "commands": None})  # type: ignore[arg-type]
        self.commands = Installed()

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Those that can be loaded, in their order; of the rest a Notice tells."""
        return [name for name in self.commands if self._loads(name)]

    def _loads(self, name: str) -> bool:
        try:
            self.commands[name]
        except BadSetting as error:
            warnings.warn(Notice(f"{error.problem} It is left out."), stacklevel=2)
            return False
        return True


app = typer.Typer(
    name="deepassay",
    cls=Commands,
    help="Says, with evidence, how good the reports of deep-research agents are.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"deepassay {__version__}")
        raise typer.Exit


@app.callback()
def configure(
    context: typer.Context,
    config: Annotated[
        Path | None, typer.Option(help="Read options from this file instead of assay.toml.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True)
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", help="Print results and problems only; may stand anywhere."),
    ] = False,
) -> None:
    """Take settings of what evaluates and of `lint` from assay.toml, if there is one."""
    del version, quiet
    group = context.command
    if isinstance(group, TyperGroup) and context.invoked_subcommand is not None:
        hand_settings(context, group.commands[context.invoked_subcommand].callback, config)
