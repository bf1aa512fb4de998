"""What a person asks for when they evaluate, and the plan that comes of it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deepassay.errors import BadSetting
from deepassay.models.endpoints import PROVIDERS, endpoint
from deepassay.protocols.ace.ace import Ace
from deepassay.protocols.protocol import Pairwise, Protocol, Role
from deepassay.protocols.registry import PROTOCOLS, parse_protocols
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.run.about import About, about
from deepassay.run.joining import baseline_of, join, references_of, rivals_among
from deepassay.run.plan import Plan, Player
from deepassay.run.terms import Terms
from deepassay.runfile import RunFile
from deepassay.sources.page import EXTRACTION
from deepassay.tasks.ace import ACE_FILE
from deepassay.tasks.criteria import CRITERIA_FILE
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.rubric import RUBRIC_FILE
from deepassay.tasks.task import Task


@dataclass(frozen=True)
class Request(Terms):
    """Everything that `evaluate` takes, as on the command line.

    The first group decides the scores; the second and `Terms` only how they are come by.
    protocols: none named means all metrics for which the tasks have what they need, without
    network, and without pairs unless there is a baseline.
    frozen_dates: where a task file has them both open and filled in, take the filled-in ones.
    extractor, cleaner, maker: models that play these roles; else the first judge does. reference,
    baseline: the name of one of the agents, or a file of reports. reader: who reads cited pages:
    direct, jina or archive:YYYY-MM-DD. snapshots: a file of pages that several runs share.
    per_protocol: other settings of the judges for single protocols, by the protocol's name.
    """

    tasks: Path
    reports: Sequence[Path]
    protocols: Sequence[str] = ()
    edition: str = "paper"
    judges: Sequence[str] = ("offline",)
    base_url: str | None = None
    effort: str | None = None
    temperature: float | None = None
    max_output: int | None = None
    structured: bool = False
    context_window: int | None = None
    repeat: int = 1
    date: str | None = None
    frozen_dates: bool = False
    limit: int | None = None
    extractor: str | None = None
    cleaner: str | None = None
    maker: str | None = None
    reference: str | None = None
    baseline: str | None = None
    criteria: Path | None = None
    rubric: Path | None = None
    ace: Path | None = None
    reader: str = "direct"
    per_protocol: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    min_coverage: float | None = None
    retry_unscored: bool = False
    snapshots: Path | None = None
    offline_sources: bool = False
    allow_hosts: Sequence[str] = ()
    page_proxy: str | None = None

    def __post_init__(self) -> None:
        for name in ("max_connections", "repeat", "limit", "context_window"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadSetting(f"{name} cannot be {value}.", "Give 1 or more.")


def plan_of(request: Request) -> Plan:
    """Read tasks and reports and join them. Raises BadInput where something is wrong."""
    request.refuse_infinite("temperature", "min_coverage")
    judges = _players(request, {})
    judges_of = {name: _players(request, own) for name, own in request.per_protocol.items()}
    players = _players_of_roles(request)
    everyone = [*judges, *players.values(), *(each for own in judges_of.values() for each in own)]
    _refuse_odd_judges(everyone)
    _refuse_odd_settings(request)
    _refuse_odd_sources(request)
    protocols = parse_protocols(request.protocols or ("all",), request.edition)
    tasks = _tasks(request)
    # All are joined before there is a limit: a report may be told by its prompt alone.
    known, strangers = join(tasks, load_reports(request.reports))
    kept = _kept(request.run)
    references = {**kept.references, **references_of(request.reference, tasks, known)}
    tasks = tuple(kept.completed(task) for task in tasks[: request.limit])
    wanted = {task.id for task in tasks}
    rivals = baseline_of(request.baseline, tasks, known)
    protocols = _with_maker(_paired(protocols, rivals), request, tasks)
    rivals = {**_of_named(protocols, known), **rivals}
    if not request.protocols:
        whole = About({task.id: task for task in tasks}, references, rivals)
        protocols = _by_default(protocols, whole, pairs=request.baseline is not None)
    plan = Plan(
        tasks={task.id: task for task in tasks},
        reports=tuple(report for report in known if report.task in wanted),
        protocols=protocols,
        judges=judges,
        judges_of=judges_of,
        players=players,
        references=references,
        rivals=rivals,
        pages=f"{request.reader}, {EXTRACTION}",
        repeat=request.repeat,
        day=_day(request),
        strangers=strangers,
    )
    _refuse_nothing_to_judge(plan)
    return plan


def _refuse_nothing_to_judge(plan: Plan) -> None:
    """Refuse a plan without a case: reports of later tasks only, or pairs of a single agent."""
    if not plan.reports:
        raise BadSetting(
            f"No report answers a task within --limit {len(plan.tasks)}.", "Give a larger one."
        )
    if not plan.size:
        raise BadSetting(
            f"{', '.join(map(str, plan.protocols))}: pairs are asked for, and there is no other "
            "agent.",
            "Give the reports of a second agent, or name a file of them with --baseline.",
        )


def _tasks(request: Request) -> tuple[Task, ...]:
    """All tasks of the file, with the criteria, rubrics and checklists given for them."""
    tasks = load_tasks(request.tasks, live=not request.frozen_dates)
    if request.criteria is not None:
        tasks = CRITERIA_FILE.join(tasks, request.criteria)
    if request.rubric is not None:
        tasks = RUBRIC_FILE.join(tasks, request.rubric)
    if request.ace is not None:
        tasks = ACE_FILE.join(tasks, request.ace)
    return tasks


def _refuse_odd_settings(request: Request) -> None:
    """Refuse settings for protocols that are none."""
    for name in request.per_protocol:
        if name not in PROTOCOLS:
            raise BadSetting(
                f"Settings are given for {name}, which is no protocol.",
                f"Protocols: {', '.join(PROTOCOLS)}.",
            )


def _refuse_odd_sources(request: Request) -> None:
    """Refuse what could not be read by or from, also where nothing is to be fetched."""
    if request.reader != "direct" or request.allow_hosts or request.page_proxy:
        from deepassay.run.readers import check_reader  # loads what the network needs

        check_reader(request.reader, request.allow_hosts, request.page_proxy)
    missing = request.snapshots is not None and not request.snapshots.exists()
    if missing and request.offline_sources:
        raise BadSetting(
            f"--snapshots {request.snapshots}: there is no such file, and nothing may be fetched.",
            "Check the name, or make it with `deepassay sources fetch` or `sources import`.",
        )


def _paired(
    protocols: Sequence[Protocol], rivals: Mapping[tuple[str, str], Report]
) -> tuple[Protocol, ...]:
    """Protocols that compare pairs once for every baseline, unless they name theirs."""
    baselines = dict.fromkeys(agent for agent, _ in rivals)
    paired: list[Protocol] = []
    for protocol in protocols:
        if isinstance(protocol, Pairwise) and not protocol.baseline and baselines:
            paired += [replace(protocol, baseline=agent) for agent in sorted(baselines)]
        else:
            paired.append(protocol)
    return tuple(dict.fromkeys(paired))


def _of_named(
    protocols: Sequence[Protocol], reports: Sequence[Report]
) -> dict[tuple[str, str], Report]:
    """The reports of agents that protocols name as their baseline themselves."""
    named = {protocol.baseline for protocol in protocols if isinstance(protocol, Pairwise)}
    return rivals_among(report for report in reports if report.agent in named)


def _with_maker(
    protocols: Sequence[Protocol], request: Request, tasks: Sequence[Task]
) -> tuple[Protocol, ...]:
    """ACE with checklists made in the run, where a maker is named and no task comes with one."""
    if request.maker is None or any(task.ace for task in tasks):
        return tuple(protocols)
    making = (replace(each, make=True) if isinstance(each, Ace) else each for each in protocols)
    return tuple(dict.fromkeys(making))


def _by_default(protocols: Sequence[Protocol], whole: About, pairs: bool) -> tuple[Protocol, ...]:
    """The metrics that need no network, and what they need for one of the tasks at least.

    pairs: whether a baseline was named; to compare every agent with every other costs too much
    for nobody to have asked for it.
    """

    def fits(protocol: Protocol) -> bool:
        cases = (whole.case(protocol, task, Report("")) for task in whole.tasks)
        return (
            not (protocol.reads_pages or protocol.beside)
            and (pairs or not isinstance(protocol, Pairwise))
            and any(not protocol.lacks(case) for case in cases)
        )

    return tuple(filter(fits, protocols))


def _kept(path: Path) -> About:
    """What the run began with: what it has been given once, need not be given again."""
    if not path.exists():
        return About({}, {}, {})
    with RunFile.read(path) as run:
        return about(run)


def _players_of_roles(request: Request) -> dict[Role, Player]:
    named: dict[Role, str | None] = {
        "extractor": request.extractor,
        "cleaner": request.cleaner,
        "maker": request.maker,
    }
    return {
        role: _players(request, {"judge": [model]})[0]
        for role, model in named.items()
        if model is not None
    }


def _players(request: Request, own: Mapping[str, Any]) -> tuple[Player, ...]:
    names = ("base_url", "effort", "temperature", "max_output", "structured", "context_window")
    settings = {name: own.get(name, getattr(request, name)) for name in names}
    return tuple(Player(model, **settings) for model in own.get("judge", request.judges))


def _refuse_odd_judges(players: Sequence[Player]) -> None:
    """Refuse names that are none, and to send the keys of several providers to one address."""
    providers: dict[str, dict[Sequence[str], str]] = {}
    for player in players:
        if player.model == "offline":
            continue
        provider = endpoint(player.model, player.base_url).provider
        if player.base_url is not None:
            providers.setdefault(player.base_url, {})[PROVIDERS[provider].keys] = provider
    for url, names in providers.items():
        if len(names) > 1:
            raise BadSetting(
                f"--base-url {url} would get the keys of {', '.join(sorted(names.values()))}.",
                "Name the judges at that address openai:NAME, or give base_url in assay.toml "
                "only to the protocol that it is for.",
            )


def _day(request: Request) -> datetime.date:
    """The date asked for, else the one that the run began with, else today.

    A run that is resumed after midnight goes on with the day on which it began.
    """
    if request.date is None:
        if request.run.exists():
            with RunFile.read(request.run) as run:
                if kept := run.configuration.get("date"):
                    return datetime.date.fromisoformat(kept)
        return datetime.date.today()
    try:
        return datetime.date.fromisoformat(request.date)
    except ValueError as error:
        raise BadSetting(
            f"--date {request.date} is not a date.", "Write it as in 2026-11-20."
        ) from error
