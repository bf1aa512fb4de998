"""Reports joined to their tasks, and the reports that others are held against."""

from __future__ import annotations

import re
import warnings
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deepassay.errors import BadReports, BadSetting, Notice
from deepassay.intake.columns import NamedColumns
from deepassay.intake.rows import as_typed
from deepassay.reports.files import Converter
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.reports.traces.endings import TURNS
from deepassay.results.joined import Joined
from deepassay.results.tables import several
from deepassay.run.asking.readings import loosely, none_answers, only_by, read_otherwise
from deepassay.run.asking.turns import AskedTasks, task_within
from deepassay.run.asking.unsigned import with_agents
from deepassay.score import ReportKey, digest, report_key
from deepassay.tasks.task import Task
from deepassay.tasks.yardsticks import EarlierVersion

_PLACEHOLDER = re.compile(r"\{\{\s*\w+\s*\}\}")


def join(
    tasks: Sequence[Task], reports: Sequence[Report], columns: Container[str] = ()
) -> tuple[tuple[Report, ...], tuple[Report, ...]]:
    """Reports that answer one of the tasks, and those that answer none.

    columns: of the tables that were read, one of which may be offered as that of identifiers.
    Joined by identifier and checked by prompt, where the report says what it was asked. One
    that says so and was written for another task of the file is joined to that: published sets
    have been numbered anew. One whose identifier is no task's is looked for without what does not
    count in it, and where by that not all answer tasks, names are read otherwise, if then all do;
    Notices tell of both.
    Raises BadReports if a prompt is none of the file's though the identifier is, if no report
    answers any task, and if most answer none though an agent lacks one for some task: where nobody
    lacks any, the tasks are a part of a set on purpose.
    """
    reports = with_agents(tasks, _asked_as_tasks(tasks, reports))
    by_id = {task.id: task for task in tasks}
    by_other = only_by(tasks, loosely)
    met = [each for each in reports if each.task in by_id or loosely(each.task) in by_other]
    if len(met) < len(reports):
        reports = read_otherwise(tasks, reports, some=bool(met)) or reports
        reports = _read_by_agent(tasks, reports, {each.agent for each in met})
    joined: dict[str, str] = {}
    renumbered: list[str] = []
    by_prompt: dict[str, list[Task]] = {}
    for each in tasks:
        by_prompt.setdefault(as_typed(each.prompt), []).append(each)
    known: list[Report] = []
    unmatched: list[Report] = []
    for report in reports:
        task = by_id.get(report.task)
        if task is None and (task := by_other.get(loosely(report.task))):
            joined[report.task] = task.id
        if (own := _asked_for(report, task, by_prompt)) and task is not None:
            renumbered.append(f"{report.task} to {own.id}")
        task = own or task
        if task is None:
            unmatched.append(report)
        elif report.prompt is not None and not _same_prompt(task.prompt, report.prompt):
            raise BadReports(
                f"{_place(report)}: the report of {report.agent} with the identifier {report.task} "
                f"was written for another prompt than task {report.task}.",
                "Give the task file that the reports were made for, or correct the identifiers.",
            )
        else:
            known.append(report if task.id == report.task else report.but(task=task.id))
    _refuse_twins(known)
    if not known:
        raise none_answers(tasks, reports, columns)
    prompts = {id: (digest(task.prompt), digest(f"{task.prompt}\n")) for id, task in by_id.items()}
    others = {each.agent for each in known if each.digest not in prompts[each.task]}
    if same := [each for each in known if each.agent not in others]:
        raise reports_are_prompts(same[0])
    _refuse_mostly_lost(tasks, known, unmatched)
    _tell_of(renumbered, "report", "joined by prompt, against what identifiers say")
    written = [f"{one} to {other}" for one, other in joined.items()]
    _tell_of(written, "identifier", "joined though written differently")
    return tuple(known), tuple(unmatched)


def reports_are_prompts(report: Report) -> BadReports:
    """What to say where the same texts were read as prompts and as reports."""
    return BadReports(
        f"The reports are the prompts themselves: {_place(report)}, of {report.agent!r}.",
        "Take those files out, or call them all prompt.md; give what was asked apart: a table with "
        "the columns id, as the files of the reports are named, and prompt; or say which column is "
        "which with --columns.",
    )


def _read_by_agent(
    tasks: Sequence[Task], reports: Sequence[Report], met: Container[str]
) -> list[Report]:
    """The reports, of which those of agents are read otherwise that answer no task as they are
    named, beside others that do. met: those agents.

    Beside reports that say what they were asked, a text that does not say so may be none.
    """
    own: dict[str, list[Report]] = {}
    for each in reports:
        own.setdefault(each.agent, []).append(each)
    if not any(agent in met for agent in own) or any(each.prompt is not None for each in reports):
        return [*reports]
    return [
        each
        for agent, those in own.items()
        for each in (agent not in met and read_otherwise(tasks, those, False, False)) or those
    ]


def _asked_as_tasks(tasks: Sequence[Task], reports: Sequence[Report]) -> list[Report]:
    """Reports of traces with the prompts of their tasks, as far as those stand in what was asked.

    Programs put words of their own around a prompt. One that holds none of a task's, and names
    its task otherwise, is not held against it. Raises BadReports for a trace about several tasks.
    """
    known = AskedTasks(tasks)

    def told(report: Report) -> Report:
        run = report.run
        if run is None or "trace" not in run.record:
            return report
        turns = run.record.get(TURNS)
        if turns is not None:
            record = {name: each for name, each in run.record.items() if name != TURNS}
            report = report.but(run=replace(run, record=record))
            if problem := known.several(**turns):
                raise BadReports(
                    f"{_place(report)}: {problem}, and one report can be read from a trace.",
                    "Give the reports, and beside them the trace with --traces, which cuts "
                    "messages at the prompts of tasks.",
                )
            if (task := known.asked(**turns)) is not None:
                return report.but(prompt=task.prompt)
        task = task_within([report.prompt or "", str(run.record.get("asked") or "")], tasks)
        return report.but(prompt=task.prompt if task else None)

    return [*map(told, reports)]


def _tell_of(joined: Sequence[str], what: str, how: str) -> None:
    if joined:
        told = f"{several(len(joined), what)} {how}: {', '.join(joined[:3])}."
        warnings.warn(Notice(told), stacklevel=3)


def _asked_for(
    report: Report, task: Task | None, by_prompt: Mapping[str, Sequence[Task]]
) -> Task | None:
    """The task that a report says it was asked, where that is another. Raises BadReports."""
    said = report.prompt
    if said is None or (task is not None and _same_prompt(task.prompt, said)):
        return None
    asked = by_prompt.get(as_typed(said), [])
    if len(asked) > 1:
        raise BadReports(
            f"{_place(report)}: {len(asked)} tasks have the prompt of this report: "
            f"{', '.join(each.id for each in asked[:3])}.",
            "Give the report the identifier of one of them.",
        )
    return asked[0] if asked else None


def _refuse_mostly_lost(
    tasks: Sequence[Task], known: Sequence[Report], unmatched: Sequence[Report]
) -> None:
    """Raise BadReports if most reports answer no task and an agent lacks one for some task."""
    lost = join_reports(tasks, known, unmatched).problem(
        "Give the tasks that the reports were made for, or correct the identifiers of one side."
    )
    agents = {report.agent for report in (*known, *unmatched)}
    if lost and len({(each.agent, each.task) for each in known}) < len(agents) * len(tasks):
        raise BadReports(lost)


def join_reports(
    tasks: Iterable[Task], known: Sequence[Report], unmatched: Sequence[Report]
) -> Joined:
    """What became of reports. tasks: those that count, as within a limit."""
    wanted = {task.id for task in tasks}
    return Joined(
        "reports",
        "tasks",
        len(known) + len(unmatched),
        [f"{each.agent} on {each.task}: there is no such task." for each in unmatched],
        by_rule=[
            f"{each.agent} on {each.task}: beyond the limit."
            for each in known
            if each.task not in wanted
        ],
    )


def _refuse_twins(reports: Sequence[Report]) -> None:
    """Raise BadReports if two reports of one agent answer the same task as the same sample."""
    seen: dict[ReportKey, Report] = {}
    for report in reports:
        place = report_key(report)
        if (first := seen.get(place)) is not None:
            raise BadReports(
                f"{_place(report)}: by its prompt this is a second report of agent "
                f"{report.agent!r} for task {report.task!r}; the first is {_place(first)}.",
                "Correct the identifiers or the prompts.",
            )
        seen[place] = report


def _place(report: Report) -> str:
    """Where a report stands, for messages."""
    return report.path or f"a report given as a value ({report.agent!r}, {report.task!r})"


def _same_prompt(template: str, prompt: str) -> bool:
    """Whether a prompt is the template, whatever stands for its dates and blanks."""
    if prompt == template:
        return True
    pieces = [as_typed(piece) for piece in _PLACEHOLDER.split(template)]
    rest = as_typed(prompt)
    if len(pieces) == 1:
        return rest == pieces[0]
    if not (rest.startswith(pieces[0]) and rest.endswith(pieces[-1])):
        return False
    position = 0
    for piece in pieces:
        position = rest.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return True


def references_of(
    named: str | None,
    tasks: Sequence[Task],
    reports: Sequence[Report],
    converter: Converter,
    columns: NamedColumns,
) -> dict[str, Report]:
    """The reference of each task: by the agent or file that is `named`, else its own.

    converter: who converts documents of the file.

    Tasks for which that has no report, or an empty one, have none: the two are never mixed.
    Raises BadSetting if there is neither such an agent nor such a file, and BadReports if the
    file does not fit the tasks or holds reports of several agents.
    """
    if named is None:
        return {task.id: Report(task.reference, "", task.id) for task in tasks if task.reference}
    return {
        task: report
        for (_, task), report in rivals_among(
            _of_one("--reference", named, tasks, reports, converter, columns)
        ).items()
    }


def baseline_reports(
    named: str | None,
    tasks: Sequence[Task],
    reports: Sequence[Report],
    converter: Converter,
    columns: NamedColumns,
) -> dict[tuple[str, str], Report]:
    """The reports that others are compared with in pairs, by agent and task.

    Those of the agent or file that is `named`, else those of every agent. Raises as
    `references_of` does, and BadReports if a file has other reports of one of the agents: by
    its name alone nobody could tell the two apart.
    """
    if named is None:
        return rivals_among(reports)
    rivals = rivals_among(_of_one("--baseline", named, tasks, reports, converter, columns))
    own, agents = rivals_among(reports), {report.agent for report in reports}
    for (agent, task), rival in rivals.items():
        known = own.get((agent, task))
        if agent in agents and (known is None or known.digest != rival.digest):
            raise BadReports(
                f"--baseline {named} holds other reports of {agent}, which is also an agent that "
                "is evaluated.",
                f"Rename its folder or file, for instance {agent}-before.",
            )
    return rivals


def tasks_with_drafts(
    named: str,
    tasks: Sequence[Task],
    reports: Sequence[Report],
    converter: Converter,
    columns: NamedColumns,
) -> tuple[Task, ...]:
    """The tasks, each with the earlier versions of its reports that a file or folder has.

    A Notice tells where some reports have none. Raises BadReports where none has.
    """
    source = f"--previous {named}"
    earlier = load_reports([Path(named)], converter, columns=columns)
    there = {report_key(each) for each in reports}
    found = [
        each for each in reports_answering(source, tasks, earlier) if report_key(each) in there
    ]
    if not found:
        have, want = ({each.agent for each in those} for those in (earlier, reports))
        raise BadReports(
            f"{source} has no earlier version of any report: it has reports of "
            f"{', '.join(sorted(have)[:5])}, and given are those of {', '.join(sorted(want)[:5])}.",
            "Name agents and tasks there as they are named here.",
        )
    if len(found) < len(there):
        told = f"{source}: {len(found)} of {len(there)} reports have an earlier version there."
        warnings.warn(Notice(told), stacklevel=2)
    drafts: dict[str, list[EarlierVersion]] = {}
    for each in found:
        draft = EarlierVersion(agent=each.agent, sample=each.sample, text=each.text)
        drafts.setdefault(each.task, []).append(draft)
    return tuple(
        task.model_copy(update={"drafts": tuple(drafts.get(task.id, ()))}) for task in tasks
    )


def tell_of_feedback(tasks: Sequence[Task], reports: Sequence[Report]) -> None:
    """A Notice of remarks that are on none of the reports, where there are any."""
    from deepassay.tasks.feedback import remarks_joined  # few runs have any

    feedback = {task.id: task.feedback for task in tasks}
    joined = remarks_joined(feedback, {(each.agent, each.task) for each in reports})
    if not joined.whole:
        warnings.warn(Notice(f"feedback: {' '.join(joined.lines())}"), stacklevel=2)


def _of_one(
    option: str,
    named: str,
    tasks: Sequence[Task],
    reports: Sequence[Report],
    converter: Converter,
    columns: NamedColumns,
) -> Sequence[Report]:
    """The reports of the agent or file that an option names."""
    found = [report for report in reports if report.agent == named]
    if not found and not Path(named).exists():
        agents = ", ".join(sorted({report.agent for report in reports})[:12])
        raise BadSetting(
            f"{option} {named}: there is neither an agent nor a file of this name.",
            f"Give one of the agents ({agents}), or a file of reports.",
        )
    if not found:
        found = reports_answering(
            f"{option} {named}", tasks, load_reports([Path(named)], converter, columns=columns)
        )
        if len(authors := sorted({report.agent for report in found})) > 1:
            raise BadReports(
                f"{option} {named} holds the reports of {len(authors)} agents "
                f"({', '.join(authors[:5])}).",
                "Give the reports of one of them.",
            )
    return found


def reports_answering(
    source: str, tasks: Sequence[Task], reports: Sequence[Report]
) -> list[Report]:
    """Those that answer one of the tasks; where others do not, a Notice tells of it.

    source: where they come from. Raises BadReports as `join` does.
    """
    known, unmatched = join(tasks, reports)
    found = join_reports(tasks, known, unmatched)
    if not found.whole:
        warnings.warn(Notice(f"{source}: {' '.join(found.lines())}"), stacklevel=2)
    return list(known)


def rivals_among(reports: Iterable[Report]) -> dict[tuple[str, str], Report]:
    """Of each agent's samples for a task the first, by agent and task; none that is empty."""
    last_first = sorted(reports, key=lambda report: report.sample, reverse=True)
    return {(report.agent, report.task): report for report in last_first if not report.is_empty}
