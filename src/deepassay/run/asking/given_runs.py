"""What run files and logs that are given tell besides reports: days, and runs that wrote none."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deepassay.errors import BadReports
from deepassay.reports.loaders import GivenReports
from deepassay.reports.report import Report
from deepassay.run.asking.readings import loosely, only_by
from deepassay.run.showing.yardsticks import day_of_agents
from deepassay.runfile import RunFile, StoredRun
from deepassay.runfile.schema import is_database
from deepassay.score import ReportKey, report_key
from deepassay.tasks.task import Task


def _run_files(reports: GivenReports) -> Iterator[RunFile]:
    """The run files among what is given, open while it is their turn."""
    several = [reports] if isinstance(reports, str | Path | Report) else reports
    for each in several if isinstance(several, list | tuple) else ():
        if isinstance(each, str | Path) and is_database(Path(each)):
            with RunFile.read(Path(each)) as run:
                yield run


def day_of_given(reports: GivenReports) -> datetime.date | None:
    """The day that agents were told whose run files are given, where all were told the same."""
    days = {day_of_agents(run) for run in _run_files(reports)}
    return days.pop() if len(days) == 1 else None


def runs_without_report(reports: GivenReports) -> tuple[StoredRun, ...]:
    """The runs in run files that are given that ended without a report, without raw answers."""
    return tuple(
        replace(each, run=replace(each.run, raw=""))
        for run in _run_files(reports)
        for each in run.answering.runs()
        if each.run.report is None
    )


def reports_apart(
    tasks: Sequence[Task], given: Sequence[Report], runs: Sequence[StoredRun]
) -> tuple[tuple[Report, ...], tuple[StoredRun, ...]]:
    """What was written, and the runs of these tasks of which nothing came, each place once.

    given: joined to tasks; those of logs may hold no report. runs: others without a report. Raises
    BadReports where nobody wrote anything.
    """
    written = tuple(each for each in given if each.run is None or each.run.report is not None)
    if not written:
        raise BadReports(
            f"{given[0].path}: none of the {len(given)} runs in it wrote a report.",
            "Give the log of a run that wrote some, or reports.",
        )
    there = {report_key(each) for each in written}
    known, other = {task.id for task in tasks}, only_by(tasks, loosely)
    lacking: dict[ReportKey, StoredRun] = {}
    of_logs = [
        StoredRun(each.agent, each.task, each.sample, each.run)
        for each in given
        if each.run is not None and each.run.report is None
    ]
    for each in (*of_logs, *(_renamed(each, known, other) for each in runs)):
        if each.task in known and report_key(each) not in there:
            lacking.setdefault(report_key(each), each)
    return written, tuple(lacking.values())


def _renamed(run: StoredRun, known: set[str], other: Mapping[str, Task]) -> StoredRun:
    """A run of a task as the tasks spell it, see `joining.join`."""
    task = None if run.task in known else other.get(loosely(run.task))
    return replace(run, task=task.id) if task else run
