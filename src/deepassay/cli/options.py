"""Options of commands, made of the declaration of settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from deepassay.cli.assay_toml import FileSettings
from deepassay.cli.help import spread
from deepassay.errors import BadSetting
from deepassay.intake.columns import NamedColumns
from deepassay.run.declared import ImpossibleValue, columns_said, declared, idle
from deepassay.run.settings import ProtocolSettings, Settings

if TYPE_CHECKING:
    from deepassay.agents import Agent

DEFAULT_RUN: Final = Path("run.assay")
TaskFile = Annotated[Path, typer.Argument(help="A table of tasks: CSV, XLSX, JSON, TXT.")]
AgentNames = Annotated[
    list[str] | None,
    typer.Option("--agent", help="NAME of assay.toml, or NAME=SPEC; may be repeated."),
]
OnlyEstimate = Annotated[
    bool, typer.Option("--estimate", help="Only say what it would ask and cost.")
]
ReportPaths = Annotated[list[Path], typer.Argument(help="Folders or tables of reports.")]
SaidOfColumns = Annotated[
    NamedColumns | None,
    typer.Option(
        "--columns",
        metavar="PART=COLUMN",
        parser=columns_said,
        help=declared("columns", Settings).help,
    ),
]


@dataclass(frozen=True)
class Own:
    """A setting as one command takes it: with another help, another default, or once only."""

    name: str
    help: str
    default: Any = None
    once: bool = False


MAKER: Final = Own("maker", "offline, or PROVIDER:NAME.", default="offline")
ONE_JUDGE: Final = Own("judge", "offline, or PROVIDER:NAME.", default="offline", once=True)
MODEL: Final = ("base_url", "temperature", "max_output")
"""How the one model of a command is asked."""
TERMS: Final = (
    *("max_connections", "deadline", "budget", "rate", "allow_unpriced", "prices", "run"),
)
"""What asking may take, and where answers are kept."""
BATCHES: Final = ("batch", "batch_size", "batch_wait", "batch_file")
"""How models are asked in batches."""
HEADINGS: Final = {
    "Tasks and protocols": (
        *("set", "protocols", "edition", "repeat", "limit", "columns", "traces", "tools"),
        *("sessions", "reference"),
        *("criteria", "rubric", "ace", "bibliography", "previous", "feedback", "baseline"),
        *("date", "frozen_dates", "shard"),
    ),
    "Models": (
        *("judge", "base_url", "effort", "temperature", "max_output", "context_window"),
        *("structured", "quotes", "extractor", "cleaner", "maker", "verifier"),
    ),
    "Cited pages": ("reader", "snapshots", "offline_sources", "allow_host", "page_proxy"),
    "Cost and time": (
        *("budget", "prices", "allow_unpriced", "rate", "max_connections", "deadline"),
        *("time_limit", *BATCHES),
    ),
    "The run file": ("run", "add_tasks", "min_coverage", "retry_unscored"),
    "Many machines": ("engine", "address", "workers", "ray_temp_dir"),
}
"""Under which heading help lists a setting."""
RARE: Final = frozenset(
    {
        *("ace", "bibliography", "previous", "feedback", "baseline"),
        *("date", "frozen_dates", "shard", "tools", "sessions"),
        *("effort", "temperature", "max_output", "context_window", "structured", "quotes"),
        *("extractor", "cleaner", "maker", "verifier", "allow_host", "page_proxy"),
        *("prices", "allow_unpriced", "rate", "deadline", "batch_size", "batch_wait"),
        *("batch_file", "add_tasks", *HEADINGS["Many machines"]),
    }
)
"""Settings that help shows only where all are asked for, but where a command tells its own way."""
FIRST: Final = ("protocols", "edition")
EVALUATION: Final = (
    *FIRST,
    *(name for name in Settings.model_fields if name not in {*FIRST, "per_protocol"}),
)


def agents_named(
    context: typer.Context, named: list[str] | None, given: Mapping[str, str] | None = None
) -> dict[str, Agent]:
    """The agents that are named, or all of assay.toml. Raises BadSetting."""
    from deepassay.agents.registry import agents_of

    declared = context.obj.agent if isinstance(context.obj, FileSettings) else {}
    return agents_of(named or list(declared), declared, given)


def takes(
    *settings: str | Own, help: str = ""
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command that takes these settings as options, and is given them as one: `settings`.

    What is typed wins over assay.toml, and that over the default. help: what `--help` says of the
    command, where its docstring is not to be that.
    """
    named = [each if isinstance(each, Own) else Own(each, "") for each in settings]

    def with_options(action: Callable[..., None]) -> Callable[..., None]:
        takes_context = "context" in inspect.signature(action).parameters

        def command(context: typer.Context, **given: object) -> None:
            values = {each.name: given.pop(each.name) for each in named}
            if takes_context:
                given["context"] = context
            action(**given, settings=_settings(context, named, values))

        command.takes = [each.name for each in named]  # type: ignore[attr-defined]
        typed = spread(command, action, "settings", map(_option, named))
        typed.__doc__ = help or action.__doc__
        return typed

    return with_options


def _option(own: Own) -> inspect.Parameter:
    """A setting as typer takes it."""
    setting = declared(own.name, FileSettings)
    default = own.default
    if default is None:
        default = Settings.model_fields[own.name].default
    kind: Any = setting.kind
    many = setting.many and not own.once
    if many:
        kind, default = list[kind] | None, None
    elif default is None:
        kind = kind | None
    help = own.help or setting.help
    if not own.help and default is None and setting.default:
        help += f"  [{setting.default}]"
    option = typer.Option(
        setting.flag,
        min=setting.low,
        max=setting.high,
        help=help,
        rich_help_panel=next(name for name, those in HEADINGS.items() if own.name in those),
        hidden=own.name in RARE and not own.help,
    )
    return inspect.Parameter(
        own.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, option],
    )


def _settings(context: typer.Context, named: list[Own], values: Mapping[str, Any]) -> Settings:
    """What was typed, what the file says and what the command has for a default."""
    given = {
        each.name: values[each.name]
        for each in named
        if each.default is not None or source_of(context, each.name) != "DEFAULT"
    }
    typed = {name for name in given if source_of(context, name) == "COMMANDLINE"}
    for name in list(idle(given)):
        if name not in typed:  # the file has it for other commands
            del given[name]
    try:
        return Settings(**given, per_protocol=_not_overruled(context, typed))
    except ImpossibleValue as error:
        if error.name not in typed:
            raise
        flag = declared(error.name, FileSettings).flag
        raise BadSetting(f"{flag} {error.shown} is not possible.", error.remedy) from None


def source_of(context: typer.Context, name: str) -> str:
    """Where the value of an option comes from: COMMANDLINE, DEFAULT_MAP (the file), DEFAULT."""
    source = context.get_parameter_source(name)
    return source.name if source is not None else "DEFAULT"


def _not_overruled(context: typer.Context, typed: set[str]) -> dict[str, ProtocolSettings]:
    """Settings of single protocols from assay.toml, but for those that were typed."""
    tables = context.obj.per_protocol if isinstance(context.obj, FileSettings) else {}
    return {
        protocol: ProtocolSettings(
            **{name: getattr(table, name) for name in table.model_fields_set - typed}
        )
        for protocol, table in tables.items()
    }
