"""Names of agents that differ only by a number at their end, which may be answers of one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from deepassay.errors import BadReports
from deepassay.intake.choices import ColumnChoice, asking
from deepassay.intake.columns import NamedColumns
from deepassay.reports.files import WRITTEN
from deepassay.reports.naming import are_numbered, without_number
from deepassay.reports.report import Report
from deepassay.run.asking.readings import loosely, only_by, read_otherwise
from deepassay.tasks.task import Task


def refuse_numbered(
    tasks: Sequence[Task], reports: Sequence[Report], given: Sequence[object], said: NamedColumns
) -> None:
    """Raise BadReports, which asks, for agents as `tern_1` and `tern_2`, or `tern_run1`.

    That is where files or folders are named so; and where names of files are those of tasks but for
    such a number. given: the folders that the reports are from. said: of columns.
    """
    files = [each for each in reports if Path(each.path or "").suffix.lower() in WRITTEN]
    if said.named_as("sample") or not files:
        return
    known = only_by(tasks, loosely)
    met = [loosely(each.task) in known for each in files]
    read: Sequence[Report] = files
    if not all(met):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whoever joins them tells of it
            read = read_otherwise(tasks, files, some=any(met)) or files
    agents = sorted({each.agent for each in read})
    if are_numbered(agents) and (level := _level_of(read[0], given)):
        one = ", ".join(sorted({without_number(each)[0] for each in agents})[:3])
        raise asking(
            BadReports,
            f"{', '.join(agents[:4])}{' …' * (len(agents) > 4)} may be agents, or several answers "
            f"of {one}.",
            [
                ColumnChoice((*said.named, ("sample", f"(end of {level})")), f"answers of {one}"),
                ColumnChoice((*said.named, ("sample", "")), "each is an agent"),
            ],
        )
    names = {each.task for each in files}
    bare = [loosely(without_number(each)[0]) for each in names]
    if not any(met) and are_numbered(names) and known.keys() >= {*bare} and read is files:
        raise asking(
            BadReports,
            "The names of reports end in numbers, and are those of tasks without them: "
            f"{', '.join(sorted(names)[:3])}.",
            [ColumnChoice((*said.named, ("sample", "(end of file)")), "answers to one task")],
        )


def _level_of(report: Report, given: Sequence[object]) -> str:
    """Where the agent's name stands: as that of a folder below what is given, or in the file's."""
    path = Path(report.path or "")
    if path.stem.endswith(report.agent):
        return "file"
    for each in map(Path, filter(lambda each: isinstance(each, str | Path), map(str, given))):
        names = path.relative_to(each).parts[:-1] if path.is_relative_to(each) else ()
        if report.agent in names:
            return f"folder {names.index(report.agent) + 1}"
    return ""
