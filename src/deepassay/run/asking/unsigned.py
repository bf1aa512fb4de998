"""Traces in place of reports that do not say which agent ran: names of files and folders do."""

from __future__ import annotations

import re
import warnings
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
    """The reports; traces called after their folders may be of other agents, as their files say.

    Where the names of files are not those of tasks, as in AGENT/TASK.messages.json, they are read
    as those of reports are, if by that reading each answers what it was asked. Else a Notice tells
    that folders were taken for agents. reports: with the prompts of tasks, or none.
    """
    known = only_by(tasks, loosely)
    named = {at: own for at, each in enumerate(reports) if (own := _by_name(each, known))}
    if not named:
        return [*reports]
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
        _tell_of_folders([*named.values()])
    return [
        each.but(agent=agreed[at].agent, task=agreed[at].task, sample=1) if at in agreed else each
        for at, each in enumerate(reports)
    ]


def _by_name(report: Report, known: Mapping[str, Task]) -> Report | None:
    """A trace by what its name says alone, if its agent is only the folder and its file no task."""
    if report.run is None or "trace" not in report.run.record or not report.path:
        return None
    path = Path(_PART.sub("", report.path))
    agent, name, _ = whose(path, ending_of(path, ENDINGS))
    if report.agent != agent or loosely(name) in known:
        return None
    return report.but(task=name, sample=1, prompt=None)


def _tell_of_folders(traces: Sequence[Report]) -> None:
    agents = [*dict.fromkeys(each.agent for each in traces)]
    warnings.warn(
        Notice(
            f"No trace and no name of a file says which agent ran in {first_few(agents, 3)}: the "
            "agent is called so after the folder. Traces of several agents are told apart by "
            "names as AGENT/TASK or AGENT_TASK."
        ),
        stacklevel=3,
    )
