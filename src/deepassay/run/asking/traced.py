"""Recorded runs of agents joined to the reports that came of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from deepassay.errors import BadReports, BadSetting, Notice
from deepassay.intake.rows import same_words
from deepassay.reports.files import ending_of, reports_in
from deepassay.reports.loaders import load_reports, loaders
from deepassay.reports.report import Report
from deepassay.reports.traces.calls import ToolKind, Tools
from deepassay.reports.traces.endings import ENDINGS
from deepassay.reports.traces.files import READ, TaskOf, recorded_in, taken_for
from deepassay.reports.traces.recorded import RecordedRun
from deepassay.results.joined import Joined
from deepassay.run.asking.readings import loosely
from deepassay.run.asking.turns import AskedTasks, task_within
from deepassay.runfile import AgentRun
from deepassay.runfile.schema import is_database
from deepassay.tasks.task import Task

_PLAIN = {name + packed for name in (".json", ".jsonl") for packed in ("", ".gz", ".zst")}
"""Endings of what may be a trace, and may be anything."""
OF_OTHERS = ".eval"
"""The ending of logs, which say whose run each sample is."""
_OF_CALLS = frozenset({"tools", "lost", "unseen"})
"""What a record says of how calls were read, which is as the trace was read last."""


def with_traces(
    tasks: Sequence[Task],
    reports: Sequence[Report],
    paths: Sequence[Path],
    tools: Sequence[str] = (),
    *,
    sessions: bool = False,
) -> tuple[Report, ...]:
    """Reports with what their agents did, as far as files of traces tell; a Notice has the counts.

    reports: of the tasks. A trace is joined to a task by an identifier that stands in it, else by
    its prompt, and to a report of it by the text that it ends with, else by the agent's name.
    tools: `NAME=search`, `page` or `ignore`. sessions: traces of one session are turns of one run.
    Raises BadReports for what is no trace, BadSetting for another word of a tool.
    """
    kinds, known = tool_kinds(tools), _KnownTasks(tasks)
    recorded = _recorded([*paths], kinds, known.asked_last, sessions=sessions)
    runs: dict[int, AgentRun] = {}
    strays: list[str] = []
    unused: list[str] = []
    for each in recorded:
        name = f"{each.path} ({each.name})"
        if several := known.several(each):
            strays.append(f"{name}: {several}")
            continue
        if (task := known.of(each)) is None:
            strays.append(f"{name}: no task has its prompt or identifier.")
            continue
        own = [n for n, report in enumerate(reports) if report.task == task.id and n not in runs]
        if not own:
            unused.append(f"{name}: there is no report of task {task.id} without a trace.")
        elif (place := _place_of(each, own, reports)) is None:
            unused.append(f"{name}: which report of task {task.id} came of it cannot be told.")
        elif each.run.events is None:
            unused.append(f"{name}: {each.run.record.get('unseen', 'it has no calls')}.")
        else:
            runs[place] = _of_report(reports[place], each)
    joined = Joined("traces", "tasks", len(recorded), strays, unused)
    told = [taken_for(recorded), *joined.lines(), *_not_met(kinds, recorded)]
    warnings.warn(Notice("\n  ".join(told)), stacklevel=2)
    return tuple(
        report.but(run=runs[number]) if number in runs else report
        for number, report in enumerate(reports)
    )


def tool_kinds(given: Sequence[str]) -> Tools:
    """What `--tools NAME=KIND` says of tools. Raises BadSetting for anything else."""
    found: dict[str, ToolKind] = {}
    for each in given:
        name, _, kind = each.rpartition("=")
        known = next((word for word in get_args(ToolKind) if word == kind.strip()), None)
        if not name.strip() or known is None:
            raise BadSetting(
                f"--tools {each} does not say what a tool does.",
                "Write NAME=search, NAME=page or NAME=ignore, with the name that the trace has.",
            )
        found[name.strip()] = known
    return found


def _not_met(kinds: Tools, recorded: Sequence[RecordedRun]) -> Iterator[str]:
    """Tools of which something was said and that no trace has called."""
    called = {name for each in recorded for name in dict(each.run.record.get("tools") or {})}
    if missing := sorted(kinds.keys() - called):
        yield f"No trace calls a tool named {', '.join(missing)}, of --tools."


def _recorded(
    paths: Sequence[Path], tools: Tools, task_of: TaskOf, *, sessions: bool
) -> list[RecordedRun]:
    """The runs in files and folders: of traces, of logs, and of run files of ours."""
    traces: list[Path] = []
    met: set[Path] = set()
    reports: list[Report] = []
    for path in paths:
        inside = reports_in(path, {*ENDINGS, *_PLAIN, OF_OTHERS}) if path.is_dir() else []
        if path.is_dir() and not inside:
            raise BadReports(f"{path}: there is no file of traces in this folder.", READ)
        met |= {file for file in inside if not ending_of(file, ENDINGS)}
        for file in inside or [path]:
            loader = loaders().get(file.suffix)
            if tools and loader and loader.by_tools:
                reports += loader.load(file, tools)
            elif is_database(file) or file.suffix == OF_OTHERS:
                reports += load_reports([file])
            else:
                traces.append(file)
    kept = [
        RecordedRun(
            each.task, each.agent, (each.prompt or "",), (each.task,), 0, str(each.path), run
        )
        for each in reports
        if (run := each.run) is not None
    ]
    return [*recorded_in(traces, met, tools, task_of, sessions=sessions), *kept]


class _KnownTasks:
    """Tasks, as runs name them or were asked them."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self._by_id = {task.id: task for task in tasks} | {loosely(task.id): task for task in tasks}
        self._asked = AskedTasks(tasks)

    def of(self, recorded: RecordedRun) -> Task | None:
        """The task of a run; None where that cannot be told."""
        if task := self._named(recorded) or self._asked.asked(recorded.heard):
            return task
        asked = str(recorded.run.record.get("asked") or "")
        return task_within([*recorded.prompts, asked], self._tasks)

    def asked_last(self, recorded: RecordedRun) -> str:
        """The identifier of the task that a run was of, see TaskOf."""
        task = self._named(recorded) or self._asked.asked(recorded.heard)
        return task.id if task else ""

    def several(self, recorded: RecordedRun) -> str:
        """Why a run is of no task; empty where it is about one, or says itself about which."""
        told = self._asked.several(recorded.heard, recorded.later)
        if not told or self._named(recorded):
            return ""
        return f"{told}. Record a trace for each, or say in `deepassay.task` of which it is."

    def _named(self, recorded: RecordedRun) -> Task | None:
        known = (self._by_id.get(each) or self._by_id.get(loosely(each)) for each in recorded.names)
        return next(filter(None, known), None)


def _place_of(
    recorded: RecordedRun, places: Sequence[int], reports: Sequence[Report]
) -> int | None:
    """Which of several reports of a task came of a run; None where nobody can tell."""
    text = same_words(recorded.run.report or "")
    alike = [n for n in places if text and same_words(reports[n].text) == text]
    named = [n for n in places if reports[n].agent == recorded.agent]
    for those in ([n for n in alike if n in named], alike, named, places):
        if those:
            return those[0] if len(those) == 1 or those is alike else None
    return None


def _of_report(report: Report, recorded: RecordedRun) -> AgentRun:
    """What the agent did to come by a report. What its own run says besides is kept."""
    seen = recorded.run
    differs: Mapping[str, bool] = {}
    if seen.report and same_words(seen.report) != same_words(report.text):
        differs = {"differs": True}
    record = {**seen.record, **differs}
    if report.run is None:
        stop = "done" if report.text.strip() else seen.stop
        return replace(seen, report=report.text, raw="", stop=stop, detail="", record=record)
    own = {name: each for name, each in report.run.record.items() if name not in _OF_CALLS}
    told = {**record, **own}
    return replace(
        report.run, found=seen.found, opened=seen.opened, events=seen.events, record=told
    )
