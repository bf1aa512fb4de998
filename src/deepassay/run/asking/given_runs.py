"""What run files and logs that are given tell besides reports: days, and runs that wrote none."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deepassay.errors import BadReports, Notice
from deepassay.intake.shapes import is_frame
from deepassay.reports.loaders import GivenReports
from deepassay.reports.report import Report
from deepassay.results.tables import several
from deepassay.run.asking.joining import join
from deepassay.run.asking.readings import loosely, only_by
from deepassay.run.showing.yardsticks import day_of_agents
from deepassay.runfile import AgentRun, RunFile, StoredRun
from deepassay.runfile.schema import is_database
from deepassay.score import ReportKey, report_key
from deepassay.tasks.task import Task
from deepassay.text import first_few


def given_once(reports: GivenReports) -> GivenReports:
    """What is given, so that it can be read more than once, as what a generator brings cannot."""
    one = isinstance(reports, str | bytes | Path | Report | Mapping | list | tuple)
    if one or is_frame(reports) or not isinstance(reports, Iterable):
        return reports
    return tuple(reports)


def _run_files(reports: GivenReports) -> Iterator[RunFile]:
    """The run files among what is given, open while it is their turn. reports: see `given_once`."""
    given = [reports] if isinstance(reports, str | Path | Report) else reports
    for each in given if isinstance(given, list | tuple) else ():
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
        for each in run.answering.without_report()
    )


def runs_of_tasks(
    tasks: Sequence[Task],
    reports: Sequence[Report],
    known: Sequence[Report],
    runs: Sequence[StoredRun],
) -> tuple[StoredRun, ...]:
    """Those of runs without a report that answer a task, named as their reports would have been.

    reports: as given; known: those that answer a task, as they were joined. Of runs that answer
    none a Notice tells, unless a report came otherwise.
    """
    ids, other = {task.id for task in tasks}, only_by(tasks, loosely)
    there = {report_key(each) for each in reports}
    found: list[StoredRun] = []
    rest: dict[ReportKey, StoredRun] = {}
    for each in runs:
        task = None if each.task in ids else other.get(loosely(each.task))
        if task is not None or each.task in ids:
            found.append(replace(each, task=task.id) if task else each)
        elif report_key(each) not in there:
            rest.setdefault(report_key(each), each)
    if rest:
        found += (moved := _read_beside(tasks, reports, known, [*rest.values()]))
        joined = {id(each.run) for each in moved}
        lost = [f"{e.agent} on {e.task}" for e in rest.values() if id(e.run) not in joined]
        if lost:
            told = f"{several(len(lost), 'run')} without a report left out, as of no task here"
            warnings.warn(Notice(f"{told}: {first_few(lost, 3)}."), stacklevel=2)
    return tuple(found)


def _read_beside(
    tasks: Sequence[Task],
    reports: Sequence[Report],
    known: Sequence[Report],
    runs: Sequence[StoredRun],
) -> list[StoredRun]:
    """Those of runs without a report that answer a task where they are joined beside the reports,
    if those are joined as before. A Notice tells of them.
    """
    places = [
        Report("", each.agent, each.task, each.sample, run=AgentRun(None, each.run.stop))
        for each in runs
    ]
    whose = {id(place.run): each for place, each in zip(places, runs, strict=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the reports it has been told
        try:
            joined, _ = join(tasks, [*reports, *places])
        except BadReports:
            return []
    if {report_key(e) for e in joined if id(e.run) not in whose} != {*map(report_key, known)}:
        return []
    read = [(whose[id(each.run)], each) for each in joined if id(each.run) in whose]
    if read:
        told = f"{several(len(read), 'run')} without a report joined as reports of such names are"
        named = [f"{run.agent} on {run.task} to {each.task}" for run, each in read]
        warnings.warn(Notice(f"{told}: {first_few(named, 3)}."), stacklevel=3)
    return [
        replace(run, agent=each.agent, task=each.task, sample=each.sample) for run, each in read
    ]


def reports_apart(
    tasks: Sequence[Task], given: Sequence[Report], runs: Sequence[StoredRun]
) -> tuple[tuple[Report, ...], tuple[StoredRun, ...]]:
    """What was written, and the runs of these tasks of which nothing came, each place once.

    given: joined to tasks; those of logs may hold no report. runs: others without a report, joined
    too. Raises BadReports where nobody wrote anything.
    """
    written = tuple(each for each in given if each.run is None or each.run.report is not None)
    if not written:
        raise BadReports(
            f"{given[0].path}: none of the {len(given)} runs in it wrote a report.",
            "Give the log of a run that wrote some, or reports.",
        )
    there = {report_key(each) for each in written}
    known = {task.id for task in tasks}
    lacking: dict[ReportKey, StoredRun] = {}
    of_logs = [
        StoredRun(each.agent, each.task, each.sample, each.run)
        for each in given
        if each.run is not None and each.run.report is None
    ]
    for each in (*of_logs, *runs):
        if each.task in known and report_key(each) not in there:
            lacking.setdefault(report_key(each), each)
    return written, tuple(lacking.values())
