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
from deepassay.cli.help import (
    ALL,
    GROUPS,
    OTHERS,
    HelpfulCommand,
    HelpfulGroup,
    group_of,
    listed_under,
    without_of,
)
from deepassay.errors import BadSetting, Notice
from deepassay.plugins import one, plugins

ORDER: Final = (
    *("start", "evaluate", "estimate", "protocols"),
    *("leaderboard", "compare", "explain", "html", "view", "figures", "export"),
    *("annotate", "agree", "calibrate"),
    *("research", "sandbox", "sources", "lint", "statements", "clean", "convert", "standardise"),
    *(
        "doctor",
        "settings",
        "replay",
        "bundle",
        "verify",
        "commit",
        "board",
        "merge",
        "batches",
        "mcp",
    ),
)
"""How the commands of a group are listed, those that are there; others follow by name."""


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
                for each in found.registered_commands:
                    each.cls = HelpfulCommand if each.cls in (None, TyperCommand) else each.cls
                    each.rich_help_panel = each.rich_help_panel or group_of(each.callback)
                alone.add_typer(found, name=name, rich_help_panel=found.rich_help_panel)
            elif callable(found):
                panel = group_of(found)
                alone.command(name, cls=HelpfulCommand, rich_help_panel=panel)(found)
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


class Commands(HelpfulGroup):
    """The group of them. One that cannot be loaded is told of and stops no other."""

    others = OTHERS

    def __init__(self, **about: object) -> None:
        super().__init__(**{**about, "commands": None})  # type: ignore[arg-type]
        self.commands = Installed()

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Those that can be loaded, group by group; of the rest a Notice tells."""
        return sorted(filter(self._loads, self.commands), key=self._place)

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Take `--help-all`, of whatever command it is asked for, as a way to say `--help`."""
        if ALL in args:
            ctx.meta[ALL] = True
        return super().parse_args(ctx, ["--help" if each == ALL else each for each in args])

    def _place(self, name: str) -> tuple[int, str]:
        """Where the group of a command stands: ours in their order, then others by name."""
        group = listed_under(self.commands[name]) or OTHERS
        if group in GROUPS:
            return GROUPS.index(group), ""
        return len(GROUPS) + (group == OTHERS), group

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
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Say which version this is."
        ),
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            help="Print results and problems only; evaluate, whose result is the run file, prints "
            "problems alone. May stand anywhere.",
        ),
    ] = False,
) -> None:
    """Take settings of what evaluates and of `lint` from assay.toml, if there is one."""
    del version, quiet
    group = context.command
    if isinstance(group, TyperGroup) and context.invoked_subcommand is not None:
        without = without_of(group.commands[context.invoked_subcommand].callback)
        if without is not None:
            from deepassay.cli.assay_toml import hand_settings

            hand_settings(context, without, config)
