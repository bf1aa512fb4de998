"""What reports are held against: criteria, rubrics, checklists, reference and rival reports.

A run file keeps them apart from the tasks: a run that began without them may add them later.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Final, NamedTuple

from pydantic import ValidationError

from deepassay.protocols.protocol import Case, Pairwise, Protocol
from deepassay.protocols.registry import defined, installed
from deepassay.reports.report import Report
from deepassay.run.asking.joining import rivals_among
from deepassay.run.asking.plan import Plan
from deepassay.run.showing.contents import metrics_of
from deepassay.runfile import AgentRun, RunFile, StoredReport, StoredRun
from deepassay.runfile.rows import bad_row
from deepassay.score import Json, Metric, ReportKey, canonical_json, digest, report_key
from deepassay.tasks.task import Task

OF_ONE_PROTOCOL: Final = ("bibliography", "feedback", "drafts")
"""Fields of tasks that one protocol alone holds reports against."""


class About(NamedTuple):
    """What a run is about, as its file keeps it: tasks with their criteria, and references.

    rivals: the reports of baselines, by agent and task.
    """

    tasks: Mapping[str, Task]
    references: Mapping[str, Report]
    rivals: Mapping[tuple[str, str], Report]

    def case(self, protocol: Protocol, task: str, report: Report, repeat: int = 0) -> Case:
        """A case of the run; dates in the task are still open."""
        pair = (protocol.baseline, task) if isinstance(protocol, Pairwise) else ("", "")
        return Case(
            self.tasks[task], report, repeat, self.references.get(task), self.rivals.get(pair)
        )

    def completed(self, task: Task) -> Task:
        """The task with what it is judged by: its own, or else what the run has for it."""
        if (known := self.tasks.get(task.id)) is None:
            return task
        return task.model_copy(
            update={
                "criteria": task.criteria or known.criteria,
                "rubric": task.rubric or known.rubric,
                "ace": task.ace or known.ace,
                **{name: getattr(task, name) or getattr(known, name) for name in OF_ONE_PROTOCOL},
            }
        )

    def basis(self, protocol: Protocol) -> dict[str, str]:
        """What decides the scores of a protocol besides prompts and reports, over all tasks."""
        found: dict[str, list[str]] = {}
        for identifier in sorted(self.tasks):
            case = self.case(protocol, identifier, Report(""))
            for name, value in protocol.basis(case).items():
                found.setdefault(name, []).append(value)
        return {name: digest(values)[:12] for name, values in found.items()}

    @property
    def digest(self) -> str:
        """Identifies the tasks, without what only single protocols hold reports against."""
        plain = dict[str, Json](bibliography=(), feedback={}, drafts=())
        tasks = (self.tasks[each].model_copy(update=plain) for each in sorted(self.tasks))
        return digest([*map(as_stored, tasks)])[:12]


def as_stored(task: Task) -> Json:
    """A task as the run file keeps it."""
    without = {"criteria", "rubric", "ace", "reference"}
    # Tasks without these are kept as by versions that did not know the fields.
    without |= {
        name
        for name in ("relevant", "completions", "request", "blocked", *OF_ONE_PROTOCOL)
        if not getattr(task, name)
    }
    return task.model_dump(mode="json", exclude=without)


RUBRIC_STEPS: Final = "rubric steps"
"""The role under which a run file keeps how the rubric of a task was made."""


def judged_by_of(plan: Plan) -> dict[str, list[StoredReport]]:
    """What the run file is to keep besides tasks and reports."""
    agents = {report.agent for report in plan.reports}
    return {
        "criteria": [
            StoredReport("", task.id, 1, task.criteria.canonical)
            for task in plan.tasks.values()
            if task.criteria is not None
        ],
        "rubric": [
            StoredReport("", task.id, 1, canonical_json(task.model_dump(include={"rubric"})))
            for task in plan.tasks.values()
            if task.rubric
        ],
        RUBRIC_STEPS: [
            StoredReport("", task, 1, canonical_json(list(steps)))
            for task, steps in plan.steps.items()
            if task in plan.tasks
        ],
        "ace": [
            StoredReport("", task.id, 1, canonical_json(task.model_dump(include={"ace"})))
            for task in plan.tasks.values()
            if task.ace
        ],
        "reference": [
            StoredReport(report.agent, task, 1, report.text)
            for task, report in plan.references.items()
            if task in plan.tasks
        ],
        "baseline": [
            StoredReport(agent, task, 1, report.text)
            for (agent, task), report in plan.rivals.items()
            if task in plan.tasks and agent not in agents
        ],
    }


Runs = Mapping[ReportKey, AgentRun]
"""By agent, task and sample, what the agent did to come by a report, without its raw answer."""


def runs_of(plan: Plan) -> Iterator[StoredRun]:
    """What agents did, for the run file; raw answers stay in the file of `research`."""
    for each in plan.reports:
        if each.run is not None:
            run = replace(each.run, raw="")
            yield StoredRun(each.agent, each.task, each.sample, run)
    yield from plan.lacking


def agent_runs(run: RunFile) -> Runs:
    """The runs of agents that wrote a report."""
    return {
        report_key(each): replace(each.run, raw="")
        for each in run.answering.runs()
        if each.run.report is not None
    }


def day_of_agents(run: RunFile) -> date | None:
    """The day that the agents of a run file were told, if any answered."""
    days = [each["date"] for each in run.answering.agents().values() if "date" in each]
    return date.fromisoformat(days[0]) if days else None


def with_run(report: Report, runs: Runs) -> Report:
    """The report with what its agent did, if that is known and this is what came of it."""
    run = report.run or runs.get(report_key(report))
    return report if run is None else report.but(run=run if run.report == report.text else None)


def protocol_for(metric: Metric) -> Protocol | None:
    """What computes a metric: the file that the run kept, or what is installed here, if it is."""
    return defined(metric.definition, metric.name) if metric.definition else installed(metric.name)


def keep_descriptions(run: RunFile, protocols: Iterable[Protocol]) -> None:
    """Keep in a run file what reading it needs of these protocols and of those scored before."""
    those = {str(protocol): protocol for protocol in protocols}
    for name, metric in metrics_of(run).items():
        # What is not installed any more stays as it was described.
        if name not in those and (known := protocol_for(metric)):
            those[name] = known
    metrics = {name: protocol.describe() for name, protocol in those.items()}
    whole = about(run, metrics)
    run.describe(
        replace(metrics[name], basis=whole.basis(protocol)) for name, protocol in those.items()
    )


def steps_of(run: RunFile) -> dict[str, tuple[str, ...]]:
    """By which steps rubrics were made that are not as they were written, by task."""
    kept = run.judged_by(RUBRIC_STEPS)
    try:
        return {task: tuple(map(str, json.loads(text))) for task, _, text in kept}
    except (ValueError, TypeError, RecursionError) as error:
        raise bad_row(run.path, f"{RUBRIC_STEPS}: {error}") from None


def about(run: RunFile, metrics: Mapping[str, Metric] | None = None) -> About:
    """What the run is about. Raises BadRunFile where the file is damaged.

    metrics: what is known of its protocols, else `metrics_of` it.
    """
    criteria, rubrics, checklists = (
        {task: _kept(run, f"the {role} of task {task}", text) for task, _, text in kept}
        for role, kept in ((each, run.judged_by(each)) for each in ("criteria", "rubric", "ace"))
    )
    tasks = {
        identifier: _task(
            run,
            {
                **body,
                "criteria": criteria.get(identifier),
                **rubrics.get(identifier, {}),
                **checklists.get(identifier, {}),
            },
        )
        for identifier, body in run.tasks()
    }
    references = {
        task: Report(text, agent, task) for task, agent, text in run.judged_by("reference")
    }
    return About(tasks, references, _rivals(run, metrics_of(run) if metrics is None else metrics))


def _kept(run: RunFile, name: str, text: str) -> dict[str, Json]:
    """What a task is judged by. Raises BadRow where the text is none of it."""
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        raise bad_row(run.path, f"{name}: {error}") from None


def _task(run: RunFile, fields: Mapping[str, Json]) -> Task:
    """A task of the file. Raises BadRow where it is none."""
    try:
        return Task.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise bad_row(run.path, f"task {fields.get('id')}: {place}: {first['msg']}") from None


def _rivals(run: RunFile, metrics: Mapping[str, Metric]) -> dict[tuple[str, str], Report]:
    """The reports of the agents that protocols of the run hold others against."""
    wanted = {each.baseline for each in metrics.values()} - {""}
    kept = {
        (agent, task): Report(text, agent, task) for task, agent, text in run.judged_by("baseline")
    }
    # A baseline that was given as a file stays what it was, whatever its agent is scored on later.
    wanted -= {agent for agent, _ in kept}
    own = (
        Report(each.text, each.agent, each.task, each.sample)
        for each in (run.reports() if wanted else ())
        if each.agent in wanted
    )
    return kept | rivals_among(own)
