"""Traces in place of reports that do not say which agent ran: names of files and folders do."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import Notice
from deepassay.reports.files import ending_of
from deepassay.reports.naming import whose
from deepassay.reports.report import Report
from deepassay.reports.traces.endings import ENDINGS
from deepassay.run.asking.readings import loosely, only_by, read_otherwise
from deepassay.tasks.task import Task
from deepassay.text import first_few

_PART: Final = re.compile(r"#\d+\Z")
"""What the place of a conversation has behind its file, if that holds several."""


def with_agents(tasks: Sequence[Task], reports: Sequence[Report]) -> list[Report]:
    """The reports; of traces that are called after a folder or file, whose they are by both names.

    Files named as tasks are of the agent that their folder is called: AGENT/TASK.messages.json.
    Others are read as those of reports are, if by that reading each answers what it was asked; else
    a Notice tells which folders were taken for agents. reports: with the prompts of tasks, or none.
    """
    known = only_by(tasks, loosely)
    reports = _by_folders(reports, known)
    named = {at: own for at, each in enumerate(reports) if (own := _by_name(each, known))}
    if not named:
        return reports
    prompts = {task.id: task.prompt for task in tasks}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read = read_otherwise(tasks, [*named.values()], some=False) or []
    agreed = dict(zip(named, read, strict=False))
    if any(reports[at].prompt not in (None, prompts[one.task]) for at, one in agreed.items()):
        agreed = {}
    for each in told if agreed else ():
        warnings.warn(each.message, stacklevel=3)
    if not agreed:
        _tell_of_folders([own.agent for at, own in named.items() if own.agent == reports[at].agent])
    return [
        each.but(agent=agreed[at].agent, task=agreed[at].task, sample=1) if at in agreed else each
        for at, each in enumerate(reports)
    ]


def _by_folders(reports: Sequence[Report], known: Mapping[str, Task]) -> list[Report]:
    """The reports, of which traces called after files that are named as tasks are of the folders'.

    Several of one agent for one prompt are counted on.
    """
    counted = Counter((each.agent, each.prompt or each.task) for each in reports)
    found = []
    for each in reports:
        folder, name = _called(each)
        if each.agent != folder and loosely(name) in known:
            counted[key := (folder, each.prompt or each.task)] += 1
            found.append(each.but(agent=folder, sample=counted[key]))
        else:
            found.append(each)
    return found


def _by_name(report: Report, known: Mapping[str, Task]) -> Report | None:
    """A trace by what folder and file are called alone, if its file is not called as a task is."""
    folder, name = _called(report)
    if not name or loosely(name) in known:
        return None
    return report.but(agent=folder, task=name, sample=1, prompt=None)


def _called(report: Report) -> tuple[str, str]:
    """What folder and file of a trace are called, if its agent is after one of them; else ""."""
    if report.run is None or "trace" not in report.run.record or not report.path:
        return report.agent, ""
    path = Path(_PART.sub("", report.path))
    folder, name, _ = whose(path, ending_of(path, ENDINGS))
    if report.agent not in (folder, path.name.partition(".")[0]):
        return report.agent, ""
    return folder, name


def _tell_of_folders(folders: Sequence[str]) -> None:
    if folders:
        shown = first_few([*dict.fromkeys(folders)], 3)
        warnings.warn(
            Notice(
                f"No trace and no name of a file says which agent ran in {shown}: the agent is "
                "called so after the folder. Traces of several agents are told apart by names as "
                "AGENT/TASK or AGENT_TASK."
            ),
            stacklevel=4,
        )
