"""`evaluate`, `estimate`, `doctor`, `settings`: scoring reports, and what that would take."""

from __future__ import annotations

import shlex
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer.core import TyperGroup

from deepassay.cli.assay_toml import FileSettings
from deepassay.cli.help import listed, reads_file
from deepassay.cli.options import (
    EVALUATION,
    HEADINGS,
    MODEL,
    AgentNames,
    TaskFile,
    agents_named,
    source_of,
    takes,
)
from deepassay.cli.terminal import (
    complain,
    end_with_nothing,
    hand_over,
    is_quiet,
    note,
    say_stopping,
    show,
)
from deepassay.errors import BadSetting
from deepassay.files import as_json
from deepassay.run.declared import DeclaredSetting, declared
from deepassay.run.settings import ProtocolSettings, Settings

if TYPE_CHECKING:
    from deepassay.reports.loaders import GivenReports
    from deepassay.run.asking.evaluate import Summary
    from deepassay.tasks.loaders import GivenTasks

_Reports = Annotated[list[Path] | None, typer.Argument(help="Folders or tables of reports.")]


@listed(
    "deepassay evaluate examples/demo/tasks.jsonl examples/demo/reports --protocol coverage "
    "--protocol presentation",
    "deepassay evaluate examples/demo/tasks.jsonl examples/demo/reports --judge "
    "openai:gpt-5-mini --budget 5 --run paid.assay",
    group="score",
)
@reads_file()
@takes(
    *EVALUATION,
    help="Score reports. The same command run again resumes where it was stopped.",
)
def evaluate(tasks: TaskFile, reports: _Reports = None, *, settings: Settings) -> None:
    """Score reports into the run file, and print the first screen; exits with 1 below a floor."""
    if not reports:
        twice = shlex.join(["deepassay", "evaluate", str(tasks), str(tasks)])
        raise BadSetting(
            "No reports are named.",
            f"Give folders or tables of them; one table of both is given twice: {twice}",
        )
    summary = score_all(tasks, reports, settings)
    if settings.shard is not None and not summary.expected:
        note(f"There is no task for shard {settings.shard}.")
        return
    if not summary.tally.scored:
        end_with_nothing("Nothing was scored. The causes stand above.")
    if not is_quiet():
        _show_first(settings.run)
    if summary.problem:
        complain(summary.problem)
        raise typer.Exit(1)
    least = settings.min_coverage or 0.0
    lacking = [each for each in summary.coverage if each.share < least]
    for each in lacking:
        complain(
            f"Scored {each.share:.1%} of what was expected of {each.agent} under {each.protocol}, "
            f"less than --min-coverage {least:.1%}."
        )
    if lacking:
        raise typer.Exit(1)


def score_all(tasks: GivenTasks, reports: GivenReports, settings: Settings) -> Summary:
    """Score reports, and say what came of it. Exits where the run was stopped before its end."""
    from deepassay.cli.terminal import ProgressBar
    from deepassay.run.asking.evaluate import evaluate as score

    with ProgressBar() as progress:
        summary = score(tasks, reports, settings, progress.update, say_stopping, tell=note)
    for line in summary.lines():
        (complain if summary.tally.stopped else note)(line)
    if (status := summary.exit_status) is not None:
        raise typer.Exit(status)
    return summary


def _show_first(run: Path) -> None:
    """The table of the run, and what to ask for next."""
    from deepassay.errors import BadInput
    from deepassay.run.showing.boards import first_look

    try:
        screen, command = first_look(run)
    except BadInput as error:  # what was scored stays; only ranks cannot be given
        note(f"No table: {error}")
        return
    show(f"\n{screen}\nNext: {command}")


@listed(
    "deepassay estimate examples/demo/tasks.jsonl examples/demo/reports --judge openai:gpt-5-mini",
    "deepassay estimate examples/own/pilot.csv examples/own/pilot.csv --protocol presentation "
    "--run own.assay",
    group="score",
)
@reads_file()
@takes(*EVALUATION)
def estimate(
    context: typer.Context,
    tasks: TaskFile,
    reports: _Reports = None,
    agent: AgentNames = None,
    *,
    settings: Settings,
) -> None:
    """Say what `evaluate`, or `research`, would ask. Nothing is asked.

    `research` where agents are named: give --agent.
    """
    from deepassay.cli.terminal import ProgressBar
    from deepassay.run.asking.estimate import estimate as reckon

    if agent:
        from deepassay.run.asking.agent_runs import ResearchTerms, told_before

        terms = ResearchTerms(repeat=settings.repeat)
        for line in told_before(tasks, agents_named(context, agent), settings, terms):
            show(line)
    if not reports:
        if not agent:
            raise BadSetting(
                f"{tasks} is named as tasks, and no reports are.",
                "Give reports to score, or --agent NAME. A table that holds both is named twice: "
                f"deepassay estimate {shlex.quote(str(tasks))} {shlex.quote(str(tasks))}",
            )
        return
    with ProgressBar() as progress:
        found = reckon(tasks, reports, settings, lambda done, total: progress.show(done, total, ()))
    for line in found.lines():
        show(line)


@listed(
    "deepassay doctor --judge offline",
    "deepassay doctor --judge openai:gpt-5-mini",
    group="tools",
)
@reads_file()
@takes(
    *("judge", *MODEL, "effort", "structured", "context_window", "prices", "run"),
    *("engine", "address", "ray_temp_dir"),
)
def doctor(
    settings: Settings,
    context: typer.Context,
    agent: AgentNames = None,
    ask: Annotated[
        bool, typer.Option("--ask", help="Put one short question to each judge and agent.")
    ] = False,
) -> None:
    """Check keys, programs, prices and disk before a run."""
    from deepassay.run.asking.doctor import examine_agents, examine_run

    checks = examine_run(settings, ask=ask)
    if agent:
        checks += examine_agents(agents_named(context, agent), settings, ask=ask)
    for check in checks:
        show(f"{'ok  ' if check.fit else 'FAIL'}  {check.about}: {check.says}")
    raise typer.Exit(0 if all(check.fit for check in checks) else 1)


@listed(
    "deepassay settings --budget 5",
    "deepassay settings --format markdown",
    group="tools",
)
@reads_file()
@takes(*EVALUATION)
def settings(
    context: typer.Context,
    settings: Settings,
    format: Annotated[Literal["text", "markdown"], typer.Option()] = "text",
) -> None:
    """Show every setting: its value, and where that comes from.

    Also what it may be, and which commands take it.
    """
    if format == "markdown":
        hand_over(settings_as_markdown())
        return
    users = _commands_by_setting(context)
    sources = {name: source_of(context, name) for name in EVALUATION}
    width = min(shutil.get_terminal_size().columns, 100)
    hand_over("\n".join([*_told(settings, sources, users, width), *_agents(context)]) + "\n")


def _agents(context: typer.Context) -> Iterator[str]:
    """The agents that the file declares, with their settings."""
    declared = context.obj.agent if isinstance(context.obj, FileSettings) else {}
    for name, agent in (agents_named(context, None) if declared else {}).items():
        fields = agent.model_dump(mode="json", by_alias=True)
        yield f"[agent.{name}] {agent.kind}, " + ", ".join(
            f"{field} = {value}" for field, value in fields.items() if value not in ("", None)
        )


@listed(
    "deepassay protocols",
    "deepassay protocols bench",
    group="score",
)
def protocols(
    named: Annotated[
        list[str] | None, typer.Argument(help="Names, groups or metric files.  [all]")
    ] = None,
    format: Annotated[Literal["text", "json"], typer.Option()] = "text",
) -> None:
    """List protocols: what each needs, what it asks, and its paper."""
    from deepassay.protocols.registry import GROUPS, PROTOCOLS, parse_protocols

    found = parse_protocols(named) if named else [kind() for kind in PROTOCOLS.values()]
    rows = [
        {
            "name": str(each),
            "measures": each.title,
            "needs": each.needs or "nothing but tasks and reports",
            "asks": each.calls or "not stated",
            "source": each.source,
            "editions": ", ".join(each.editions),
        }
        for each in sorted(found, key=lambda each: -each.importance)
    ]
    if format == "json":
        hand_over(as_json(rows))
        return
    blocks = [
        "\n".join([row.pop("name"), *(f"  {key:8}  {value}" for key, value in row.items())])
        for row in rows
    ]
    if not named:
        groups = (f"{name}: {', '.join(members)}" for name, members in GROUPS.items())
        blocks.append("\n".join(textwrap.fill(each, 80, subsequent_indent="  ") for each in groups))
    hand_over("\n\n".join(blocks) + "\n")


def _commands_by_setting(context: typer.Context) -> dict[str, list[str]]:
    """Which commands take a setting, by its name; those that cannot be loaded are passed over."""
    users: dict[str, list[str]] = {}

    def note_down(command: object, path: str) -> None:
        for name in getattr(getattr(command, "callback", None), "takes", ()):
            users.setdefault(name, []).append(path)
        if isinstance(command, TyperGroup):
            for name in command.list_commands(context):
                note_down(command.commands[name], f"{path} {name}".strip())

    note_down(context.find_root().command, "")
    return users


def settings_as_markdown() -> str:
    """The settings as the tables of docs/settings.md; * marks what may differ by protocol."""
    lines = []
    for heading, names in HEADINGS.items():
        lines += [f"## {heading}", "", "| option | default | values | means |", "|---|---|---|---|"]
        for name in names:
            setting = declared(name, FileSettings)
            star = " *" if name in ProtocolSettings.model_fields else ""
            means = f"{setting.help} {setting.more}".strip()
            cells = f"`{setting.flag}`{star} | {setting.default} | {setting.possible} | {means}"
            lines.append(f"| {cells} |")
        lines.append("")
    return "\n".join(lines)


def _told(
    settings: Settings,
    sources: Mapping[str, str],
    users: Mapping[str, Sequence[str]],
    width: int,
) -> Iterator[str]:
    """The settings for a person: a line with value and source, then what they mean."""
    for name in EVALUATION:
        setting = declared(name, FileSettings)
        value = _value(getattr(settings, name), setting)
        yield textwrap.fill(f"{name} = {value} ({_source(sources[name])})", width)
        given = "" if sources[name] == "DEFAULT" else f" Default: {setting.default or 'none'}."
        about = f"{setting.help} Give {setting.possible}.{given}"
        taken = f"Taken by {', '.join(users[name])}."
        for text in (about, taken):
            yield textwrap.fill(text, width, initial_indent="    ", subsequent_indent="    ")
    for protocol, table in settings.per_protocol.items():
        for name in ProtocolSettings.model_fields:
            if name in table.model_fields_set:
                setting = declared(name, ProtocolSettings)
                value = _value(getattr(table, name), setting)
                yield f"[protocol.{protocol}] {name} = {value} (file)"


def _value(value: object, setting: DeclaredSetting) -> str:
    if value in (None, ()):
        return setting.default or "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _source(source: str) -> str:
    return {"DEFAULT": "default", "DEFAULT_MAP": "file"}.get(source, "command line")
