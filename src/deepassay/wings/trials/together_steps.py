"""A study of criteria at once: what is asked, in how many ways, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from deepassay.errors import BadReports, BadSetting, BadTasks
from deepassay.intake.columns import NamedColumns
from deepassay.protocols.registry import parse
from deepassay.protocols.rubrics.protocol import MOST_TOGETHER, Rubrics
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.results.joined import Joined
from deepassay.run.asking.joining import join
from deepassay.run.settings import Settings
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.set_tables import set_named
from deepassay.tasks.task import Task
from deepassay.wings.people.agreement.people_files import read_rubric_verdicts
from deepassay.wings.people.agreement.published_rubrics import graded_set
from deepassay.wings.people.agreement.rubrics import CriterionPlace, named_criterion
from deepassay.wings.trials.together import TogetherArm, TogetherStudy

SIZES: Final = ("1", "5", "20", "all")


@dataclass(frozen=True)
class TogetherMaterial:
    """Tasks with rubrics, their reports, and what people said of criteria, if they did.

    protocol: by which a judge is asked. read: what became of reports and labels that were read.
    """

    tasks: tuple[Task, ...]
    reports: tuple[Report, ...]
    people: Mapping[CriterionPlace, str]
    protocol: Rubrics
    read: tuple[Joined, ...]

    def told(self) -> Iterator[str]:
        """How much there is, and what became of what was read."""
        for each in self.read:
            yield from each.lines()
        criteria = {task.id: len(task.rubric) for task in self.tasks}
        count = sum(criteria.get(each.task, 0) for each in self.reports)
        yield f"{count} criteria of {len(self.reports)} reports."

    def of_arm(self, size: int, settings: Settings, *, first: bool) -> dict[str, object]:
        """What an arm has of its own. first: the one that is asked again, for the noise."""
        repeat = max(settings.repeat, 2) if first else settings.repeat
        protocol = replace(self.protocol, together=size)
        return {"protocols": (protocol,), "repeat": repeat, "set": None}

    def left_out(self, study: TogetherStudy) -> Iterator[str]:
        """What people said that stands on none of the criteria that were asked about."""
        if self.people:
            asked = set(study.places)
            strays = [
                f"{named_criterion(place)}: not asked about."
                for place in self.people
                if place not in asked
            ]
            yield from Joined("verdicts of people", "criteria", len(self.people), strays).lines()


def material_of(
    given_tasks: Path, reports: Sequence[Path], human: Path | None, settings: Settings
) -> TogetherMaterial:
    """Tasks and reports, or a set of labels alone, which has both. Raises BadInput."""
    if not reports:
        given = graded_set(given_tasks)
        if not given.reports:
            raise BadReports(
                f"{given_tasks}: there are no reports to judge.",
                "Give reports after the tasks, or labels with a column report.",
            )
        own = _protocol(settings.set or set_of_protocol(given.protocol))
        tasks = given.tasks[: settings.limit]
        there = {task.id for task in tasks}
        of_them = tuple(each for each in given.reports if each.task in there)
        people = {place: word for place, word in given.words().items() if place.task in there}
        return TogetherMaterial(tasks, of_them, people, own, (given.joined,))
    columns = NamedColumns.of(settings.columns)
    of_set = set_named(settings.set) if settings.set else None
    wanted = load_tasks(given_tasks, columns=columns, of_set=of_set)[: settings.limit]
    known, given_reports = (
        [each for each in wanted if each.rubric],
        load_reports(reports, columns=columns),
    )
    if not known:
        raise BadTasks(f"{given_tasks}: no task has a rubric.", "`tasks rubric` makes one.")
    there = {task.id for task in known}
    joined = [each for each in join(known, given_reports)[0] if each.task in there]
    strays = [f"{each.agent}, {each.task}." for each in given_reports if each.task not in there]
    people = read_rubric_verdicts(human) if human else {}
    lines = (Joined("reports", "tasks with a rubric", len(given_reports), strays),)
    return TogetherMaterial(tuple(known), tuple(joined), people, _protocol(settings.set), lines)


def set_of_protocol(protocol: str) -> str:
    """The set that a protocol is of; none for that of ResearchRubrics."""
    (known,) = parse(protocol)
    return known.set if isinstance(known, Rubrics) else ""


def _protocol(name: str | None) -> Rubrics:
    return Rubrics(set=name or "")


def sizes_of(given: Sequence[str], tasks: Sequence[Task]) -> tuple[list[int], list[str]]:
    """So many criteria at once, ascending, and what is to be said of those that are the same.

    `all` is as many as a rubric has, at most what one question may hold. Raises BadSetting.
    """
    longest = max(len(task.rubric) for task in tasks)
    most = min(longest, MOST_TOGETHER)
    sizes: dict[int, list[str]] = {}
    for word in dict.fromkeys(given or SIZES):
        if word != "all" and not (word.isascii() and word.isdigit() and int(word) > 0):
            raise BadSetting(f"--together {word!r} is no number.", "Give one from 1 on, or all.")
        if word != "all" and int(word) > MOST_TOGETHER:
            raise BadSetting(
                f"--together {word}: that many criteria cannot be asked at once.",
                f"Give a number up to {MOST_TOGETHER}.",
            )
        sizes.setdefault(most if word == "all" else min(int(word), most), []).append(word)
    if len(sizes) < 2:
        raise BadSetting(
            f"There is one way of asking, {most} at once: no rubric is longer."
            if most == 1 or given
            else "There is one way of asking.",
            "Give --together twice or more, and rubrics with several criteria.",
        )
    told = [
        f"{', '.join(words[:-1])} and {words[-1]} are the same here: the longest rubric "
        f"has {longest} criteria."
        for words in sizes.values()
        if len(words) > 1
    ]
    if longest > MOST_TOGETHER:
        told.append(f"all: {MOST_TOGETHER} at once, of up to {longest}.")
    return sorted(sizes), told


def studied(material: TogetherMaterial, arms: Mapping[int, Settings], seed: int) -> TogetherStudy:
    """The run files of all arms, as one study."""
    rubrics = {task.id: [each.id for each in task.rubric] for task in material.tasks}
    return TogetherStudy(
        [TogetherArm.read(size, own.repeat, own.run, rubrics) for size, own in arms.items()],
        material.people,
        seed,
    )
