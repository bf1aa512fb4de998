"""Reports whose names are not written as those of the tasks: other readings of a name.

None is a guess at one report: a reading is taken only if by it every report answers a task, no two
the same one, and of it a Notice tells. Where names of agents or tasks differ only by a number at
their end, which may count answers, it is asked.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import product
from pathlib import PurePath
from typing import Final

from deepassay.errors import BadReports, Notice
from deepassay.intake.choices import ColumnChoice, asking
from deepassay.intake.columns import NUMBER, NamedColumns, option
from deepassay.intake.heads import is_head
from deepassay.intake.proposals import names_part
from deepassay.intake.rows import made_id, same_words
from deepassay.reports.given_files import GIVEN
from deepassay.reports.naming import are_numbered, counted, is_day
from deepassay.reports.report import Report
from deepassay.results.tables import several
from deepassay.score import report_key
from deepassay.tasks.task import Task
from deepassay.text import brief, excerpt

_ENDING: Final = re.compile(r"\.(md|markdown|txt|html?|pdf|docx|json)\Z", re.IGNORECASE)
"""What the name of a report's file has behind the identifier."""
_MOST_NAMED: Final = 20
"""Agents that a message names."""
_LONG_NAME: Final = 20
"""Characters of a name that may be the beginning of a prompt."""


def loosely(id: str) -> str:
    """An identifier without what does not count: an ending, capitals, marks, zeros in front."""
    bare = re.sub(r"(?<=\d)\.0\Z", "", _ENDING.sub("", id).strip())
    plain = re.sub(r"[\W_]+", " ", bare.casefold()).strip()
    plain = re.sub(r"(?<=[^\W\d]) (?=\d)", "", plain)
    return re.sub(r"\d+", lambda digits: str(int(digits[0])), plain)


def only_by(tasks: Iterable[Task], name: Callable[[str], str]) -> dict[str, Task]:
    """The tasks by another name of theirs, as far as no two share it."""
    found: dict[str, Task | None] = {}
    for task in tasks:
        key = name(task.id)
        found[key] = None if key in found else task
    return {key: task for key, task in found.items() if task is not None and key}


def read_otherwise(
    tasks: Sequence[Task], reports: Sequence[Report], some: bool, renamed: bool = True
) -> list[Report] | None:
    """The reports as the first reading has them by which each answers a task; a Notice says which.

    For reports of which none says what was asked. some: answer tasks by their own names; the others
    are read only so that those stay what they are. renamed: a name may also say another agent.
    """
    if not reports or any(each.prompt is not None for each in reports):
        return None
    named_by = _by_names(tasks)
    alike = _numbered_alike(tasks, reports), "files are named after agent and number of the task"
    # Any number at the end of a name may be meant then.
    numbers = all(name.isdecimal() for known in named_by for name in known)
    every = (*_FOLDERS, alike, *_NAMES) if numbers else (*_FOLDERS, *_NAMES, alike)
    for (reading, told), known in product(_FOLDERS[:2] if some else every, named_by):
        read = [reading(each, tasks, known) for each in reports]
        there = [each for each in read if each is not None]
        if not renamed and {each.agent for each in there} != {each.agent for each in reports}:
            continue
        counted = reading in (_by_position, _exchanged, alike[0]) and _are_unnamed(tasks)
        answered = {each.task for each in there}
        if counted and len(answered) < len(tasks) and tasks[-1].id not in answered:
            continue  # where one is missing, the others may have been numbered without it
        if len(there) == len(reports) == len({report_key(each) for each in there}):
            names = sorted({each.agent for each in there})
            named = ", ".join(names[:_MOST_NAMED]) + (" and more" * (len(names) > _MOST_NAMED))
            how = f"{several(len(there), 'report')} joined by another reading"
            said = f"{how}: {told}. Agents: {named}."
            warnings.warn(Notice(said), stacklevel=3)
            return there
    return None


Known = Mapping[str, Task]
_Reading = Callable[[Report, Sequence[Task], Known], Report | None]


def _by_names(tasks: Sequence[Task]) -> list[Known]:
    """The tasks by identifier, loosely; where they have none, also by the labels of one column
    after the other, that no two share: names out of two columns are hardly names of tasks.
    """
    known = only_by(tasks, loosely)
    columns = dict.fromkeys(column for task in tasks for column in task.labels)
    if not _are_unnamed(tasks) or not columns:
        return [known]
    found: list[Known] = []
    for column in columns:
        owners: dict[str, list[Task]] = {}
        for task in tasks:
            owners.setdefault(loosely(task.labels.get(column, "")), []).append(task)
        found.append(known | {n: own[0] for n, own in owners.items() if n and len(own) == 1})
    return found


def _are_unnamed(tasks: Sequence[Task]) -> bool:
    """Whether the identifiers of tasks are made of their prompts."""
    return all(task.id == made_id(task.prompt) for task in tasks)


_UUID: Final = re.compile(r"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}", re.IGNORECASE)


def name_of(task: Task) -> str:
    """A task as a message names it: by its first words, where an identifier tells nobody which."""
    unsaid = task.id == made_id(task.prompt) or _UUID.fullmatch(task.id)
    return repr(excerpt(task.prompt, 40)) if unsaid else task.id


def _by_beginning(report: Report, tasks: Sequence[Task], known: Known) -> Report | None:
    """The only task whose identifier the name is, or begins with: `Task 7 - final` is task_07."""
    task = _begun_by(loosely(report.task), known)
    return report.but(task=task.id) if task else None


def _begun_by(name: str, known: Known) -> Task | None:
    if same := known.get(name):
        return same
    found = [task for key, task in known.items() if name.startswith(f"{key} ")]
    return found[0] if len(found) == 1 else None


def _by_position(report: Report, tasks: Sequence[Task], known: Known) -> Report | None:
    """Of tasks without identifiers, that at the number with which the name begins: `Q1 final`."""
    task = _at_number(report.task, tasks)
    return report.but(task=task.id) if task else None


def _at_number(name: str, tasks: Sequence[Task]) -> Task | None:
    if not _are_unnamed(tasks):
        return None
    number = re.match(r"[^\W\d]{0,10}(\d+)\b", loosely(name))
    at = int(number[1]) if number else 0
    return tasks[at - 1] if 1 <= at <= len(tasks) else None


def _by_number(report: Report, tasks: Sequence[Task], known: Known) -> Report | None:
    """The only task with the one number that the name has, as of `q1` the task 1, but of `run1`."""
    if names_part(re.sub(r"\d+", " ", report.task), "sample"):
        return None
    task = only_by(tasks, _one_number).get(_one_number(report.task))
    return report.but(task=task.id) if task else None


def _one_number(name: str) -> str:
    numbers = re.findall(r"\d+", loosely(name))
    return numbers[0] if len(numbers) == 1 else ""


def _by_label(report: Report, tasks: Sequence[Task], known: Known) -> Report | None:
    """The task of this name: of one without an identifier, a label that no other has."""
    task = known.get(loosely(report.task))
    return report.but(task=task.id) if task else None


def _by_prompt(report: Report, tasks: Sequence[Task], known: Known) -> Report | None:
    """The task whose prompt is the name, or begins with it where file systems cut it."""
    name = loosely(report.task)
    whole = [task for task in tasks if loosely(task.prompt) == name]
    begun = [task for task in tasks if loosely(task.prompt).startswith(name)]
    found = whole or (begun if len(name) >= _LONG_NAME else [])
    return report.but(task=found[0].id) if len(found) == 1 else None


def _exchanged(report: Report, tasks: Sequence[Task], known: Known) -> Report | None:
    """A folder for each task, called so or by its number, and a file for each agent.

    Behind an identifier stand words of the task: `01 Heat` is not task 1 if that is about gulls.
    """
    name = loosely(report.agent)
    task = known.get(name) or _at_number(report.agent, tasks)
    if task is None and (begun := _begun_by(name, known)):
        words = f" {loosely(' '.join((begun.id, begun.prompt, *begun.labels.values())))} "
        task = begun if all(f" {each} " in words for each in name.split()) else None
    return report.but(task=task.id, agent=report.task) if task else None


def _within(report: Report, tasks: Sequence[Task], known: Known) -> Report | None:
    """A folder for each agent, one for each task in it, and a file of any name."""
    folders = PurePath(report.path or "").parts[-3:-1]
    if len(folders) < 2:
        return None
    agent, name = folders
    task = known.get(loosely(name)) or known.get(loosely(re.split(r"[\s_-]", name)[0]))
    return report.but(task=task.id, agent=agent) if task else None


def _of_both(report: Report, tasks: Sequence[Task], known: Known) -> Report | None:
    """Files named `AGENT_TASK` or `TASK_AGENT`."""
    found = []
    for match in re.finditer(r"[\s_.-]+", report.task):
        before, behind = report.task[: match.start()], report.task[match.end() :]
        for name, agent in ((behind, before), (before, behind)):
            if agent and (task := known.get(loosely(name))):
                found.append((task.id, agent))
    if len({*found}) != 1:
        return None
    return report.but(task=found[0][0], agent=found[0][1])


_NUMBERED: Final = re.compile(r"([^\W\d_]{0,10})[\s_.-]?(\d+)")
"""What may be called a task by its number alone: `Q1`, `task-1`, `1`."""


def _numbered_alike(tasks: Sequence[Task], reports: Sequence[Report]) -> _Reading:
    """The reading of names as `Q1_AGENT` or `AGENT_1`, which write the number of the task alike.

    That is with the same word before it, on the same side of the agent. Of several ways to do so
    it is the one that tells most tasks apart: `Q1_GPT-5` and `Q2_GPT-5` are not both of task 5; of
    those the one with a word: of `tern_task-1` the agent is tern.
    """
    by_place = {str(number): task for number, task in enumerate(tasks, start=1)}
    own = by_place if _are_unnamed(tasks) else only_by(tasks, _one_number)
    parts = [_numbered_parts(each.task) for each in reports]
    ways = {
        way: len({each[way][0] for each in parts})
        for way in parts[0]
        if all(way in each and each[way][0] in own for each in parts)
    }
    best = [way for way, number in ways.items() if number == max(ways.values())]
    best = [way for way in best if way[0]] or best

    def reading(report: Report, tasks: Sequence[Task], known: Known) -> Report | None:
        if len(best) != 1:
            return None
        number, agent = _numbered_parts(report.task)[best[0]]
        return report.but(task=own[number].id, agent=agent)

    return reading


def _numbered_parts(name: str) -> dict[tuple[str, bool], tuple[str, str]]:
    """The number and the agent in a name, by the word before the number and whether it is first."""
    found: dict[tuple[str, bool], tuple[str, str]] = {}
    name = _ENDING.sub("", name)
    for match in re.finditer(r"[\s_.-]+", name):
        before, behind = name[: match.start()], name[match.end() :]
        for part, agent, first in ((before, behind, True), (behind, before, False)):
            if agent and (numbered := _NUMBERED.fullmatch(part)):
                way = numbered[1].casefold(), first
                found.setdefault(way, (str(int(numbered[2])), agent))
    return found


_FOLDERS: Final = (
    (_by_label, "the names of the reports stand in another column of the tasks"),
    (_by_beginning, "names of reports begin with those of tasks"),
    (
        _by_position,
        "the names of the reports begin with the numbers of the prompts, in their order",
    ),
    (_by_prompt, "the reports are named as their prompts are"),
    (_exchanged, "folders are named after tasks, and files after agents"),
)
_NAMES: Final = (
    (_of_both, "files are named after agent and task"),
    (_within, "folders are named after agents, and those in them after tasks"),
    (_by_number, "names of reports and of tasks have one number in common"),
)


_VERSION: Final = re.compile(r"(?:(?:\A|[\W_])v(?:ersion)?[ _.-]?|\d\.)\d+\Z", re.IGNORECASE)
"""How names end of what has versions, as agents do: `scout-v2`, `scout 4.1`."""


def numbers_counted(
    tasks: Sequence[Task], reports: tuple[Report, ...], said: NamedColumns
) -> tuple[Report, ...]:
    """The reports, of which people may say that such a number counts the answers.

    Raises BadReports, which asks, for agents as `tern_1` and `tern_2`, `tern run 1`, or `tern` with
    the days of runs; for names of reports that are those of tasks but for such a number; and for
    files named after agent and task in the folders of several runs.
    """
    wanted = NUMBER.fullmatch(next(iter(said.named_as("sample")), ""))
    if said.named_as("sample") and not wanted:
        return reports
    known = only_by(tasks, loosely)
    met = [loosely(each.task) in known for each in reports]
    read: Sequence[Report] = reports
    if not all(met):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whoever joins them tells of it
            read = read_otherwise(tasks, reports, some=any(met)) or reports
            runs = [] if any(met) or read is not reports else _answers_of_runs(tasks, reports)
        if runs:
            raise asking(
                BadReports,
                f"{', '.join(runs[:3])} hold answers of the same agents to the same tasks.",
                [ColumnChoice((*said.named, ("sample", "(folder 1)")), "each folder is a run")],
            )
    if wanted:
        said.met.add(wanted[0])
        return _without_numbers(read, wanted[1])
    agents = sorted({each.agent for each in read})
    bases = sorted({base for base, _ in counted(agents).values()})
    if are_numbered(agents) and not (any(map(is_head, bases)) or any(e.sample > 1 for e in read)):
        one = ", ".join(bases[:3])
        ways = [
            ColumnChoice((*said.named, ("sample", "(end of agent)")), f"answers of {one}"),
            ColumnChoice((*said.named, ("sample", "")), "each is an agent"),
        ]
        raise asking(
            BadReports,
            f"{', '.join(agents[:4])}{' …' * (len(agents) > 4)} may be agents, or several answers "
            f"of {one}.",
            ways[::-1] if all(map(_VERSION.search, agents)) else ways,
        )
    names = {each.task for each in reports}
    bare = [loosely(base) for base, _ in counted(names).values()]
    if not any(met) and are_numbered(names) and known.keys() >= {*bare} and read is reports:
        raise asking(
            BadReports,
            "The names of reports end in numbers, and are those of tasks without them: "
            f"{', '.join(sorted(names)[:3])}.",
            [ColumnChoice((*said.named, ("sample", "(end of task)")), "answers to one task")],
        )
    return reports


def _answers_of_runs(tasks: Sequence[Task], reports: Sequence[Report]) -> list[str]:
    """The folders, called as runs, in each of which names of files say agent and task, where some
    say the same.
    """
    folders: dict[str, list[Report]] = {}
    for each in reports:
        folders.setdefault(each.agent, []).append(each)
    called = (is_day(each) or names_part(re.sub(r"\d+", " ", each), "sample") for each in folders)
    if not all(called):
        return []
    read = [read_otherwise(tasks, those, some=False) or () for those in folders.values()]
    keys = [report_key(each) for those in read for each in those]
    return sorted(folders) if all(read) and len({*keys}) < len(keys) else []


def _without_numbers(reports: Sequence[Report], part: str) -> tuple[Report, ...]:
    """Reports without the numbers at the end of names of agents or tasks, but counted so."""
    of_agent = part == "agent"
    names = counted(each.agent if of_agent else each.task for each in reports)
    found = []
    for each in reports:
        name, number = names[each.agent if of_agent else each.task]
        found.append(each.but(**{part: name}, sample=number or 1))
    return tuple(found)


def none_answers(
    tasks: Sequence[Task], reports: Sequence[Report], columns: Container[str]
) -> BadReports:
    """What to say where no report answers any task. columns: those of the tables that were read."""
    if not reports:
        return BadReports("No report is given.", GIVEN)
    there = ", ".join(sorted({report.task for report in reports})[:3])
    made = [task for task in tasks[:2] if task.id == made_id(task.prompt)]
    wanted = ", ".join(
        f"{task.id} ({brief(same_words(task.prompt))})" if task in made else task.id
        for task in tasks[:3]
    )
    remedy = (
        "A report is joined to its task by identifier: the name of its file, or the field `id`."
    )
    if made:
        remedy += (
            " Those of the tasks are made of their prompts: number the files in the order of the "
            "prompts (1.md, 2.md and so on, one for each, an empty one where there is no answer); "
            "or, if a table says which file answers what, give that table as the reports, whose "
            "column of files is read."
        )
    names = {loosely(report.task) for report in reports}
    for column in dict.fromkeys(column for task in tasks for column in task.labels):
        those = {loosely(task.labels.get(column, "")) for task in tasks}
        if column in columns and names <= those and len(those) == len(tasks):
            line = option([("id", column)])
            remedy += f" These names stand in the column {column!r} of the tasks: {line}."
    return BadReports(
        f"No report answers any of the tasks: the reports are named {there} …, "
        f"the tasks {wanted} ….",
        remedy,
    )
