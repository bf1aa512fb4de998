"""From settings and files to a plan: read, join, check."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from deepassay.errors import BadSetting, Notice
from deepassay.intake.columns import NamedColumns
from deepassay.protocols.protocol import Pairwise, Protocol, Role
from deepassay.protocols.registry import PROTOCOLS, parse_protocols
from deepassay.reports.files import HERE, Converter
from deepassay.reports.loaders import GivenReports
from deepassay.reports.report import Report
from deepassay.run.asking.given_runs import (
    day_of_given,
    given_once,
    reports_apart,
    runs_of_tasks,
    runs_without_report,
)
from deepassay.run.asking.joining import (
    baseline_reports,
    join,
    join_reports,
    references_of,
    rivals_among,
    tasks_with_drafts,
    tell_of_feedback,
)
from deepassay.run.asking.page_readers import check_reader
from deepassay.run.asking.plan import AskedModel, Plan, part_of
from deepassay.run.asking.reading_inputs import read_both, read_rubrics, steps_of_rubrics
from deepassay.run.settings import ProtocolSettings, Settings
from deepassay.run.showing.contents import metrics_of
from deepassay.run.showing.yardsticks import About, Runs, about, agent_runs, day_of_agents, with_run
from deepassay.runfile import RunFile, StoredRun
from deepassay.score import without_options
from deepassay.sources.page import EXTRACTION
from deepassay.tasks.loaders import GivenTasks
from deepassay.tasks.task import Task
from deepassay.text import brief

if TYPE_CHECKING:
    from deepassay.tasks.entries import Entries
    from deepassay.tasks.rubric import TaskRubric


def plan_of(
    tasks: GivenTasks,
    reports: GivenReports,
    settings: Settings,
    *,
    judges: Sequence[AskedModel] | None = None,
    converter: Converter = HERE,
) -> Plan:
    """Read tasks and reports, join them, and check that there is something to do.

    judges: the panel, in place of the models that `settings.judge` names. converter: who
    converts reports that are documents. Raises BadInput.
    """
    if settings.set is not None:
        from deepassay.run.asking.sets import judged_by_set

        settings = judged_by_set(settings)
    given = _read(tasks, given_once(reports), settings, judges, converter)
    if any(getattr(each, "set", "") for each in given.protocols):
        from deepassay.run.asking.sets import check_shapes

        check_shapes(given.protocols, given.tasks)
    if not settings.add_tasks:
        _refuse_another_set(given, settings.run)
    plan = _join(given, settings, converter)
    _check(plan, settings)
    return part_of(plan, *settings.part) if settings.part else plan


@dataclass(frozen=True)
class _ReadInputs:
    """What was read. known: what the run file holds already, if it is there.

    baselines: the agents that were once named as such, by the name of the protocol. runs: what
    agents did that answered into the run file. lacking: runs in what was given that wrote no
    report. rubrics: what the file of them holds. columns: of the tables that were read.
    """

    tasks: tuple[Task, ...]
    reports: tuple[Report, ...]
    protocols: tuple[Protocol, ...]
    judges: tuple[AskedModel, ...]
    judges_of: Mapping[str, tuple[AskedModel, ...]]
    others: Mapping[Role, AskedModel]
    known: About
    baselines: Mapping[str, frozenset[str]]
    day: datetime.date
    runs: Runs
    lacking: tuple[StoredRun, ...]
    rubrics: Entries[TaskRubric] | None
    columns: Container[str]


# Read


def _read(
    tasks: GivenTasks,
    reports: GivenReports,
    settings: Settings,
    judges: Sequence[AskedModel] | None,
    converter: Converter,
) -> _ReadInputs:
    judges = tuple(judges) if judges is not None else panel_of(settings)
    judges_of = {
        name: judges
        if any(each.client for each in judges) and "judge" not in own.model_fields_set
        else panel_of(settings.of(name))
        for name, own in settings.per_protocol.items()
    }
    others = others_of(settings)
    protocols = parse_protocols(settings.protocols or ("all",), settings.edition)
    check_models([*judges, *(each for own in judges_of.values() for each in own)], others)
    _check_sources(settings)
    known, baselines, day, runs = _kept(settings.run)
    said = NamedColumns.of(settings.columns)
    rubrics = read_rubrics(settings)
    found_tasks, found_reports = read_both(tasks, reports, settings, said, converter, rubrics)
    said.refuse_unmet()
    if settings.date:
        day = datetime.date.fromisoformat(settings.date)
    return _ReadInputs(
        tasks=found_tasks,
        reports=found_reports,
        protocols=protocols,
        judges=judges,
        judges_of=judges_of,
        others=others,
        known=known,
        baselines=baselines,
        day=day or day_of_given(reports) or datetime.date.today(),
        runs=runs,
        lacking=runs_without_report(reports),
        rubrics=rubrics,
        columns=said.met,
    )


def panel_of(settings: ProtocolSettings) -> tuple[AskedModel, ...]:
    """The judges that settings name."""
    return tuple(AskedModel.with_settings(name, settings) for name in settings.judge)


def others_of(settings: Settings) -> dict[Role, AskedModel]:
    """Who plays roles beside the judges, where settings name them."""
    named: dict[Role, str | None] = {
        "extractor": settings.extractor,
        "cleaner": settings.cleaner,
        "maker": settings.maker,
        "verifier": settings.verifier,
    }
    return {
        role: AskedModel.with_settings(model, settings)
        for role, model in named.items()
        if model is not None
    }


def _kept(path: Path) -> tuple[About, dict[str, frozenset[str]], datetime.date | None, Runs]:
    """What the run began with, its baselines and its day: what was given need not be given again.

    A run that is resumed after midnight goes on with the day on which it began.
    """
    if not path.exists():
        return About({}, {}, {}), {}, None, {}
    with RunFile.read(path) as run:
        kept = run.configuration.get("date")
        day = datetime.date.fromisoformat(kept) if kept else day_of_agents(run)
        return about(run), _baselines(run), day, agent_runs(run)


def _baselines(run: RunFile) -> dict[str, frozenset[str]]:
    """Of each protocol that compares pairs, the agents that it was told to compare with."""
    found: dict[str, set[str]] = {}
    for name, metric in metrics_of(run).items():
        if metric.baseline:
            found.setdefault(without_options(name), set()).add(metric.baseline)
    # Where every agent was compared with every other, none had been named.
    agents = {agent for agent, _, _ in run.report_places()}
    return {name: frozenset(those) for name, those in found.items() if not agents <= those}


# Join


def _join(given: _ReadInputs, settings: Settings, converter: Converter) -> Plan:
    # All are joined before there is a limit: a report may be told by its prompt alone.
    known, unmatched = join(given.tasks, given.reports, given.columns)
    runs = runs_of_tasks(given.tasks, given.reports, known, given.lacking)
    known, lacking = reports_apart(given.tasks, known, runs)
    if settings.traces:
        from deepassay.run.asking.traced import with_traces

        known = with_traces(
            given.tasks, known, settings.traces, settings.tools or (), sessions=settings.sessions
        )
    own = references_of(
        settings.reference, given.tasks, known, converter, NamedColumns.of(settings.columns)
    )
    with_drafts = given.tasks
    if settings.previous is not None:
        with_drafts = tasks_with_drafts(
            settings.previous, given.tasks, known, converter, NamedColumns.of(settings.columns)
        )
    if settings.previous is not None or settings.feedback is not None:
        tell_of_feedback(given.tasks, known)
    tasks = {task.id: given.known.completed(task) for task in with_drafts[: settings.limit]}
    references = {**given.known.references, **own}
    protocols, rivals = _with_rivals(given, known, settings, converter)
    if settings.maker is not None and not any(task.ace for task in tasks.values()):
        from deepassay.protocols.ace.protocol import Ace

        protocols = tuple(
            dict.fromkeys(
                replace(each, make=True) if isinstance(each, Ace) else each for each in protocols
            )
        )
    told: tuple[str, ...] = ()
    if not settings.protocols:
        from deepassay.run.asking.choosing import by_default

        whole = About(tasks, references, rivals)
        choice = by_default(protocols, whole, settings, given.baselines)
        protocols, told = tuple(choice.chosen), tuple(choice.lines())
    else:
        protocols = _with_pairs(protocols, known)
    return Plan(
        tasks=tasks,
        reports=tuple(with_run(each, given.runs) for each in known if each.task in tasks),
        lacking=tuple(each for each in lacking if each.task in tasks),
        protocols=protocols,
        judges=given.judges,
        judges_of=given.judges_of,
        others=given.others,
        references=references,
        rivals=rivals,
        steps=steps_of_rubrics(given.rubrics, tasks.values()),
        pages=f"{settings.reader}, {EXTRACTION}",
        repeat=settings.repeat,
        day=given.day,
        joined=join_reports(tasks.values(), known, unmatched),
        choice=told,
    )


def _with_rivals(
    given: _ReadInputs, known: Sequence[Report], settings: Settings, converter: Converter
) -> tuple[tuple[Protocol, ...], dict[tuple[str, str], Report]]:
    """Protocols that compare pairs once for each baseline, and the reports of all baselines."""
    general = baseline_reports(
        settings.baseline, given.tasks, known, converter, NamedColumns.of(settings.columns)
    )
    there = {**given.known.rivals, **rivals_among(known)}
    own = {
        name: {pair: report for pair, report in there.items() if pair[0] in agents}
        for name, agents in given.baselines.items()
        if settings.of(name).baseline is None
    }
    own |= {
        name: baseline_reports(
            each.baseline, given.tasks, known, converter, NamedColumns.of(settings.columns)
        )
        for name, each in settings.per_protocol.items()
        if each.baseline is not None
    }
    named = {each.baseline for each in given.protocols if isinstance(each, Pairwise)}
    rivals = rivals_among(report for report in known if report.agent in named) | general
    paired: list[Protocol] = []
    for protocol in given.protocols:
        of_its_own = own.get(protocol.name, general)
        agents = sorted({agent for agent, _ in of_its_own})
        if isinstance(protocol, Pairwise) and not protocol.baseline and agents:
            paired += [replace(protocol, baseline=agent) for agent in agents]
        else:
            paired.append(protocol)
    for each in own.values():
        rivals |= each
    return tuple(dict.fromkeys(paired)), rivals


def _with_pairs(protocols: tuple[Protocol, ...], reports: Sequence[Report]) -> tuple[Protocol, ...]:
    """Without those that compare pairs where there is no pair, of which a Notice tells."""
    agents = {report.agent for report in reports}
    lone = [
        each
        for each in protocols
        if isinstance(each, Pairwise) and all(map(each.excuses, agents)) and agents
    ]
    if not lone or len(lone) == len(protocols):
        return protocols
    names = ", ".join(dict.fromkeys(each.name for each in lone))
    warnings.warn(
        Notice(
            f"{names} is left out: it compares pairs, and there is no other agent. Give the "
            "reports of a second one, or name a file of them with --baseline."
        ),
        stacklevel=2,
    )
    return tuple(each for each in protocols if each not in lone)


# Check


def check_models(judges: Iterable[AskedModel], others: Mapping[Role, AskedModel]) -> None:
    """Refuse names that are none, and to send the keys of several providers to one address.

    judges: all panels. others: who plays which role besides.
    """
    judges = [*judges]
    verifier = others.get("verifier")
    if verifier is not None and verifier.is_cascade and len(judges) > 1:
        raise BadSetting(
            f"--verifier {verifier.model} goes before one judge, and there are {len(judges)}.",
            "Name one judge.",
        )
    apart = verifier is not None and (verifier.is_local or verifier.is_cascade)
    others = {key: each for key, each in others.items() if key != "verifier" or not apart}
    providers: dict[str, dict[Sequence[str], str]] = {}
    for each in (*judges, *others.values()):
        if each.model == "offline" or each.client is not None:
            continue
        if each.is_local:
            raise BadSetting(
                f"{each.model}: a classifier says what pages support, and cannot judge reports.",
                f"Give it as --verifier {each.model}, beside the judge.",
            )
        from deepassay.models.endpoints import PROVIDERS, endpoint

        provider = endpoint(each.model, each.base_url).provider
        if each.base_url is not None:
            providers.setdefault(each.base_url, {})[PROVIDERS[provider].keys] = provider
    for url, names in providers.items():
        if len(names) > 1:
            raise BadSetting(
                f"--base-url {url} would get the keys of {', '.join(sorted(names.values()))}.",
                "Name the judges at that address openai:NAME, or give base_url in assay.toml "
                "only to the protocol that it is for.",
            )


def _check_sources(settings: Settings) -> None:
    """Refuse what could not be read by or from, also where nothing is to be fetched."""
    check_reader(settings.reader, settings.allow_host, settings.page_proxy)
    missing = settings.snapshots is not None and not settings.snapshots.exists()
    if missing and settings.offline_sources:
        raise BadSetting(
            f"--snapshots {settings.snapshots}: there is no such file, and nothing may be fetched.",
            "Check the name, or make it with `deepassay sources fetch` or `sources import`.",
        )


def _refuse_another_set(given: _ReadInputs, run: Path) -> None:
    """Raise BadSetting where the run file holds tasks, and none of those that are given."""
    kept, now = list(given.known.tasks), [task.id for task in given.tasks]
    if kept and not set(kept) & set(now):
        raise BadSetting(
            f"{run} holds {_counted(kept)} and none of those given now, {_counted(now)}.",
            "Give another --run FILE for this set, or --add-tasks if both belong together.",
        )


def _counted(tasks: Sequence[str]) -> str:
    """How many tasks, and the first of them: `50 tasks (1, 2, 3 …)`."""
    first = ", ".join(map(brief, tasks[:3])) + (" …" if len(tasks) > 3 else "")
    return f"{len(tasks)} task{'s' if len(tasks) > 1 else ''} ({first})"


def _check(plan: Plan, settings: Settings) -> None:
    """Refuse settings for no protocol, and a plan without a case."""
    known = {*PROTOCOLS, *(each.name for each in plan.protocols)}
    for name in settings.per_protocol:
        if name not in known:
            raise BadSetting(
                f"Settings are given for {name}, which is no protocol.",
                f"Protocols: {', '.join(sorted(known))}.",
            )
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
