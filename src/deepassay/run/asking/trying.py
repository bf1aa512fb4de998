"""Ways to read tasks and reports, tried before they are offered: each with what it comes to."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.errors import BadInput, BadSetting
from deepassay.intake.choices import ColumnChoice, Said, choices_in
from deepassay.intake.columns import SHEET, NamedColumns, option
from deepassay.intake.turns import is_far_shorter
from deepassay.reports.documents.convert import Converted
from deepassay.reports.faults import SecondReport
from deepassay.reports.report import Report
from deepassay.results.tables import several
from deepassay.run.asking.joining import join
from deepassay.run.asking.readings import loosely
from deepassay.score import report_key
from deepassay.tasks.task import Task
from deepassay.text import excerpt, first_few, natural_order

_ENOUGH: Final = 4
"""Ways that are offered."""
_MOST: Final = 24
_SHOWN: Final = 3
"""Agents that a note names."""
_WORDS: Final = 30
"""Characters of a text that a note shows."""
_STEPS: Final = 3
"""Questions that may follow one another."""

Reading = Callable[[NamedColumns], tuple[Sequence[Task], Sequence[Report]]]


class Unconverted:
    """Documents stand for themselves: to know whose they are takes no conversion."""

    abreast = 1

    def convert(self, path: Path, body: bytes) -> Converted:
        """The name of the file, in place of its text."""
        return Converted(str(path), "")


_Rank = tuple[bool, bool, int]


class Tried(NamedTuple):
    """What came of ways. certain: all that were offered, more than one, come to the same.

    refused: why the likeliest cannot be followed, if none can.
    """

    ways: Sequence[ColumnChoice]
    certain: bool
    refused: BadInput | None


def tried(ways: Sequence[ColumnChoice], read: Reading, above: Said = ()) -> Tried:
    """The ways by which tasks and reports can be read and joined, in their order, each whole.

    Of one that ends in another question there are the answers to that; of two that come to the same
    the first. Behind the others stand those by which several agents wrote the same, or less than
    they were asked, or are others than was said, or reports have other names than tasks, or tasks
    no report; and one that is likelier than all others, but refused for something else than
    columns. above: what people said of files.
    """
    found: dict[object, tuple[_Rank, _ReadByWay]] = {}
    refused: list[ColumnChoice] = []
    waiting = [(_whole(way, above), 1) for way in ways]
    known: set[Said] = set()
    faults: list[tuple[ColumnChoice, BadInput]] = []
    again: list[tuple[ColumnChoice, BadInput]] = []
    read_well = 0
    while waiting and len(known) < _MOST and sum(not any(n) for n, _ in found.values()) < _ENOUGH:
        way, step = waiting.pop(0)
        if way.said in known:
            continue
        known.add(way.said)
        said = NamedColumns(way.said)
        joins = False
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # whoever reads it in earnest tells of it
                tasks, reports = read(said)
                said.refuse_unmet()
                joins = True
                joined, _ = join(tasks, reports)
        except BadInput as fault:
            more = choices_in(fault)
            if step < _STEPS:
                waiting[:0] = [(_whole(each, way.said), step + 1) for each in more]
            if isinstance(fault.__cause__ or fault, SecondReport):
                again.append((way, fault))
            elif not more:
                faults.append((way, fault))
                if not (joins or read_well or isinstance(fault, BadSetting)):
                    refused.append(way._replace(comes_to=f"refused as yet: {fault.problem}"))
            continue
        read_well += 1
        read_as = {(*report_key(each), each.text.strip()) for each in joined}
        comes_to = (frozenset(read_as), frozenset(task.prompt for task in tasks))
        rank = _rank(way, tasks, reports, joined)
        if comes_to not in found or rank < found[comes_to][0]:
            found.pop(comes_to, None)  # it stands where the better way to it does
            found[comes_to] = rank, _ReadByWay(way, tasks, joined)
    if (faults or again) and not read_well:
        likeliest, first = [*faults, *again][0]
        problem = f"No way to read it works; by {option(likeliest.said)}: {first.problem}"
        return Tried([], False, BadInput(problem, first.remedy))
    ranked = _summed([read for _, read in sorted(found.values(), key=lambda each: each[0])])
    ranked = [*ranked[: _ENOUGH - len(refused[:1])], *refused[:1]]
    return Tried(ranked, len(ranked) == 1 < read_well == len(known), None)


def _rank(
    way: ColumnChoice, tasks: Sequence[Task], reports: Sequence[Report], joined: Sequence[Report]
) -> _Rank:
    """How far behind it stands: odd, named otherwise than the tasks, with tasks of no report."""
    agents = {each.agent for each in joined}
    said_agent = dict(way.said).get("agent")
    turned = said_agent is not None and not agents <= {each.agent for each in reports}
    alone = said_agent == SHEET and len(agents) == 1  # a sheet that is not one of several
    return (
        turned or alone or _is_odd(tasks, joined),
        not _are_named(tasks, reports),
        len(tasks) - len({each.task for each in joined}),
    )


def _is_odd(tasks: Sequence[Task], reports: Sequence[Report]) -> bool:
    """Whether agents would have written the same to a task, or less than they were asked."""
    alike = len({(each.task, each.digest) for each in reports}) < len(reports)
    asked = sum(len(each.prompt) for each in tasks) / len(tasks)
    return alike or sum(len(each.text) for each in reports) / len(reports) < asked


def _whole(way: ColumnChoice, above: Said) -> ColumnChoice:
    """An answer with what was said of files before, of which a question about one knows nothing."""
    files = [each for each in above if each[0] == "sheet" or each[1].startswith("(")]
    said = {part for part, _ in way.said}
    return way._replace(said=(*(each for each in files if each[0] not in said), *way.said))


class _ReadByWay(NamedTuple):
    """The tasks and reports that one way of reading them gives."""

    way: ColumnChoice
    tasks: Sequence[Task]
    reports: Sequence[Report]

    @property
    def summed(self) -> str:
        """What it comes to in a few words: `3 tasks, 6 reports of heron, tern`; with the shortest
        report, if it is far shorter than others.
        """
        agents = sorted({each.agent for each in self.reports})
        answered, every = len({each.task for each in self.reports}), len(self.tasks)
        some = f"{answered} of " if answered < every else ""
        read = (each.text for each in self.reports if each.text != each.path)  # see Unconverted
        texts = sorted(read, key=len)
        short = texts[0] if texts and is_far_shorter(texts[0], texts[len(texts) // 2]) else ""
        least = f", the shortest of {len(short)} characters: {excerpt(short)!r}"
        return (
            f"{some}{several(every, 'task')}, {several(len(self.reports), 'report')} of "
            f"{first_few(agents, _SHOWN)}{least if short else ''}"
        )

    @property
    def answers(self) -> dict[tuple[str, str, str], None]:
        """Who was asked, what, and what they answered."""
        prompts = {task.id: task.prompt for task in self.tasks}
        order = sorted(self.reports, key=lambda each: natural_order(each.path or ""))
        return dict.fromkeys((each.agent, prompts[each.task], each.text) for each in order)


def _summed(every: Sequence[_ReadByWay]) -> list[ColumnChoice]:
    """The ways with what they come to; where several have the same words, with what tells them
    apart: the first question and answer that another has not.
    """
    ways = []
    for read in every:
        others = [e.answers for e in every if e is not read and e.summed == read.summed]
        own = next((each for each in read.answers if others and each not in others[0]), None)
        words = "; {} on {!r}: {!r}".format(*(excerpt(e, _WORDS) for e in own)) if own else ""
        ways.append(read.way._replace(comes_to=f"{read.summed}{words}"))
    return ways


def _are_named(tasks: Sequence[Task], reports: Sequence[Report]) -> bool:
    """Whether all reports say what they were asked, or they or their folders are named as tasks."""
    names = {loosely(task.id) for task in tasks}
    return all(
        each.prompt is not None or not names.isdisjoint((loosely(each.task), loosely(each.agent)))
        for each in reports
    )
