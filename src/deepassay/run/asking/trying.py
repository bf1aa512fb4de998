"""Ways to read tasks and reports, tried before they are offered: each with what it comes to."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from deepassay.errors import BadInput, BadReports, BadSetting
from deepassay.intake.choices import ColumnChoice, Said, choices_in
from deepassay.intake.columns import NamedColumns
from deepassay.reports.documents.convert import Converted
from deepassay.reports.report import Report
from deepassay.run.asking.joining import join
from deepassay.score import report_key
from deepassay.tasks.task import Task

_ENOUGH: Final = 6
"""Ways that can be read, as a message shows."""
_MOST: Final = 24
_SHOWN: Final = 3
"""Agents that a note names."""
_STEPS: Final = 3
"""Questions that may follow one another."""

Reading = Callable[[NamedColumns], tuple[Sequence[Task], Sequence[Report]]]


class Unconverted:
    """Documents stand for themselves: to know whose they are takes no conversion."""

    abreast = 1

    def convert(self, path: Path, body: bytes) -> Converted:
        """The name of the file, in place of its text."""
        return Converted(str(path), "")


def tried(ways: Sequence[ColumnChoice], read: Reading) -> tuple[list[ColumnChoice], bool]:
    """The ways by which tasks and reports can be read and joined, in their order, each whole; and
    whether all that were offered, more than one, come to the same.

    Of one that ends in another question there are the answers to that; of two that come to the same
    the first. Behind the others stand those by which several agents wrote the same, or less than
    they were asked, and those that are refused for something else than columns.
    """
    found: dict[object, tuple[int, ColumnChoice]] = {}
    waiting = [(way, 1) for way in ways]
    known: set[Said] = set()
    read_well = 0
    while waiting and len(known) < _MOST and sum(not n for n, _ in found.values()) < _ENOUGH:
        way, step = waiting.pop(0)
        if way.said in known:
            continue
        known.add(way.said)
        said = NamedColumns(way.said)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # whoever reads it in earnest tells of it
                tasks, reports = read(said)
                said.refuse_unmet()
        except BadSetting:
            continue
        except BadInput as fault:
            more = choices_in(fault)
            if step < _STEPS:
                waiting[:0] = [(each, step + 1) for each in more]
            if not more:
                found[way.said] = 2, _noted(way, f"refused as yet: {fault.problem}")
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                joined, _ = join(tasks, reports)
        except BadReports:
            continue
        read_well += 1
        read_as = {(*report_key(each), each.text.strip()) for each in joined}
        comes_to = (frozenset(read_as), frozenset(task.prompt for task in tasks))
        found.setdefault(comes_to, (_is_odd(tasks, joined), _noted(way, _summed(tasks, joined))))
    ranked = [way for _, way in sorted(found.values(), key=lambda each: each[0])]
    return ranked, len(ranked) == 1 < read_well == len(known)


def _is_odd(tasks: Sequence[Task], reports: Sequence[Report]) -> bool:
    """Whether agents would have written the same to a task, or less than they were asked."""
    alike = len({(each.task, each.digest) for each in reports}) < len(reports)
    asked = sum(len(each.prompt) for each in tasks) / len(tasks)
    return alike or sum(len(each.text) for each in reports) / len(reports) < asked


def _noted(way: ColumnChoice, note: str) -> ColumnChoice:
    return way._replace(note="; ".join(filter(None, (way.note, note))))


def _summed(tasks: Sequence[Task], reports: Sequence[Report]) -> str:
    """What was read, in a few words: `3 tasks, 6 reports of heron, tern`."""
    agents = sorted({each.agent for each in reports})
    named = ", ".join(agents[:_SHOWN]) + (
        f" and {len(agents) - _SHOWN} more" if agents[_SHOWN:] else ""
    )
    return f"{len(tasks)} tasks, {len(reports)} reports of {named}"
