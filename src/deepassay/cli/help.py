"""What commands say of themselves, and what `--help` shows of it.

Commands and options stand in groups, examples at the end, and rare options are shown on request.

A group is what typer calls a help panel: `rich_help_panel` of an app, a command or an option. A
rare option is a hidden one.
"""

from __future__ import annotations

import copy
import inspect
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from deepassay.errors import BadSetting

if TYPE_CHECKING:
    from typer._click.core import Command, Context, Parameter
    from typer._click.formatting import HelpFormatter

Action = TypeVar("Action", bound=Callable[..., None])

GROUPS: Final = ("score", "look", "people", "reports", "task sets", "trials", "tools")
"""Of the commands of `deepassay`, as they are listed. One that names none is listed below these."""
OTHERS: Final = "more"
ALL: Final = "--help-all"


def listed(*examples: str, group: str | None = None) -> Callable[[Action], Action]:
    """A command that help lists in this group. examples: command lines, for its own help."""

    def marked(action: Action) -> Action:
        action.group, action.examples = group, examples  # type: ignore[attr-defined]
        return action

    return marked


def reads_file(*without: str) -> Callable[[Action], Action]:
    """A command whose options the file may set, but for those that are named here."""

    def marked(action: Action) -> Action:
        action.without = frozenset(without)  # type: ignore[attr-defined]
        return action

    return marked


def without_of(action: object) -> frozenset[str] | None:
    """The options of a command that assay.toml does not set; None where it sets none at all."""
    return getattr(action, "without", None)


def spread(
    command: Callable[..., None],
    action: Callable[..., None],
    name: str,
    options: Iterable[inspect.Parameter],
) -> Callable[..., None]:
    """A command that is typed as an action is, with options in place of one parameter of it.

    command: takes the context and what was typed, and calls the action. name: of the parameter.
    """
    own = inspect.signature(action, eval_str=True).parameters
    parameters = [
        option
        for each in own.values()
        if each.name != "context"
        for option in (options if each.name == name else [each])
    ]
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    vars(command).update(vars(action))
    command.__name__, command.__doc__ = action.__name__, action.__doc__
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [context, *(each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters)]
    )
    return command


def group_of(action: object) -> str | None:
    """The group in which the function of a command says that it is listed."""
    return getattr(action, "group", None)


def listed_under(command: Command) -> str | None:
    """The group in which a built command is listed."""
    return getattr(command, "rich_help_panel", None)


class HelpfulCommand(TyperCommand):
    """A command with its options in groups and examples at the end."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse, and refuse a second value of an option that takes one."""
        given = [*args]  # what parses takes them away
        rest = super().parse_args(ctx, args)
        _refuse_second_values(self, ctx, given)
        return rest

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the arguments, and the options group by group."""
        _write_options(self, ctx, formatter)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the examples, or what is said in their place."""
        if self.epilog:
            super().format_epilog(ctx, formatter)
        _write_examples(_examples(self), formatter)


class HelpfulGroup(TyperGroup):
    """Commands in groups, in the order in which these are first named."""

    others = "Commands"
    """The heading of commands that name no group."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse, and refuse a second value of an option that takes one."""
        given = [*args]
        rest = super().parse_args(ctx, args)
        _refuse_second_values(self, ctx, given)
        return rest

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the options, and the commands group by group."""
        _write_options(self, ctx, formatter)
        groups: dict[str, list[tuple[str, str]]] = {}
        names = self.list_commands(ctx)
        room = formatter.width - 6 - max(map(len, names), default=0)
        for name in names:
            command = self.commands[name]
            if not command.hidden:
                heading = listed_under(command) or self.others
                groups.setdefault(heading, []).append((name, command.get_short_help_str(room)))
        longest = max(map(len, names), default=0)
        for heading, rows in groups.items():
            with formatter.section(heading[0].upper() + heading[1:]):
                formatter.write_dl([(name.ljust(longest), told) for name, told in rows])

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write what the app says at its end, or examples of its first commands."""
        if self.epilog:
            formatter.write(f"\n{inspect.cleandoc(self.epilog)}\n")
        else:
            of_each = [_examples(self.commands[name]) for name in self.list_commands(ctx)]
            _write_examples([each[0] for each in of_each if each][:2], formatter)


def _refuse_second_values(command: Command, ctx: Context, args: list[str]) -> None:
    """Raises BadSetting: of two values of such an option the first would be lost unsaid."""
    _, _, given = command.make_parser(ctx).parse_args(args)
    for each in given:
        takes_many = each.multiple or getattr(each, "is_flag", False)
        if each.param_type_name == "option" and not takes_many and given.count(each) > 1:
            name = max(each.opts, key=len)
            raise BadSetting(
                f"{name} takes one value, and is given {given.count(each)} times.",
                "Keep the one that is meant.",
            )


def _write_options(command: Command, ctx: Context, formatter: HelpFormatter) -> None:
    """Arguments, then options group by group; the rare ones where all are asked for."""
    groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    parameters = command.get_params(ctx)
    rare = [each for each in parameters if getattr(each, "hidden", False)]
    for each in parameters:
        usual = "Arguments" if each.param_type_name == "argument" else "Options"
        heading = getattr(each, "rich_help_panel", None) or usual
        shown = _as_shown(each) if each in rare and ALL in ctx.meta else each
        if (record := shown.get_help_record(ctx)) is not None:
            groups.setdefault(heading, []).append(record)
    if rare and ALL not in ctx.meta:
        groups["Options"].append((ALL, f"Show {len(rare)} rarer options too."))
    for heading, records in groups.items():
        if records:
            with formatter.section(heading):
                formatter.write_dl(records)


def _as_shown(rare: Parameter) -> Parameter:
    """A hidden option as if it were not."""
    shown = copy.copy(rare)
    shown.hidden = False  # type: ignore[attr-defined]
    return shown


def _examples(command: Command) -> Sequence[str]:
    return getattr(command.callback, "examples", ())


def _write_examples(examples: Sequence[str], formatter: HelpFormatter) -> None:
    """Command lines, each over as many lines as it needs, so that a shell takes it as one."""
    if examples:
        with formatter.section("Examples"):
            for each in examples:
                lines = textwrap.wrap(
                    each,
                    formatter.width - 4,
                    subsequent_indent="  ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
                formatter.write(textwrap.indent(" \\\n".join(lines), "  ") + "\n")
