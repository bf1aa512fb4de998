"""Agents or tasks whose names differ only by a number at their end, which may count answers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from deepassay.errors import BadReports
from deepassay.intake.choices import ColumnChoice, asking
from deepassay.intake.columns import NUMBER, NamedColumns
from deepassay.intake.heads import is_head
from deepassay.reports.naming import are_numbered, without_number
from deepassay.reports.report import Report
from deepassay.run.asking.readings import loosely, only_by, read_otherwise
from deepassay.tasks.task import Task


def numbered(
    tasks: Sequence[Task], reports: tuple[Report, ...], said: NamedColumns
) -> tuple[Report, ...]:
    """The reports, of which people may say that such a number counts the answers.

    Raises BadReports, which asks, for agents as `tern_1` and `tern_2`, or `tern run 1`; and for
    names of reports that are those of tasks but for such a number.
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
    if wanted:
        said.met.add(wanted[0])
        return tuple(_without(each, wanted[1]) for each in read)
    agents = sorted({each.agent for each in read})
    bases = sorted({without_number(each)[0] for each in agents})
    if are_numbered(agents) and not (any(map(is_head, bases)) or any(e.sample > 1 for e in read)):
        one = ", ".join(bases[:3])
        raise asking(
            BadReports,
            f"{', '.join(agents[:4])}{' …' * (len(agents) > 4)} may be agents, or several answers "
            f"of {one}.",
            [
                ColumnChoice((*said.named, ("sample", "(end of agent)")), f"answers of {one}"),
                ColumnChoice((*said.named, ("sample", "")), "each is an agent"),
            ],
        )
    names = {each.task for each in reports}
    bare = [loosely(without_number(each)[0]) for each in names]
    if not any(met) and are_numbered(names) and known.keys() >= {*bare} and read is reports:
        raise asking(
            BadReports,
            "The names of reports end in numbers, and are those of tasks without them: "
            f"{', '.join(sorted(names)[:3])}.",
            [ColumnChoice((*said.named, ("sample", "(end of task)")), "answers to one task")],
        )
    return reports


def _without(report: Report, part: str) -> Report:
    """A report without the number at the end of the name of its agent or task, but counted so."""
    name, number = without_number(report.agent if part == "agent" else report.task)
    return report.but(**{part: name}, sample=int(number or 1))
