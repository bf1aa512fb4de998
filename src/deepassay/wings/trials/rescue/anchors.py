"""Reports that a living judge scores, drawn by chance so that they stand for all."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepassay.errors import BadReports
from deepassay.intake.columns import NamedColumns
from deepassay.reports.loaders import load_reports
from deepassay.reports.report import Report
from deepassay.results.joined import Joined
from deepassay.run.asking.joining import join
from deepassay.run.settings import Settings
from deepassay.tasks.loaders import load_tasks
from deepassay.tasks.task import Task
from deepassay.wings.trials.rescue.reading import JudgedSide


@dataclass(frozen=True)
class DrawnAnchors:
    """What is to be scored. settings: of the run. joined: what became of the reports."""

    tasks: tuple[Task, ...]
    reports: tuple[Report, ...]
    settings: Settings
    joined: Joined

    def told(self) -> Iterator[str]:
        """How many were drawn, and what was left out."""
        yield from self.joined.lines()
        yield f"Anchors: {len(self.reports)} reports on {len(self.tasks)} tasks."


def draw_anchors(
    old: JudgedSide,
    tasks: Path,
    paths: Sequence[Path],
    number: int,
    seed: int,
    settings: Settings,
) -> DrawnAnchors:
    """Reports of agents that were scored, on tasks drawn by chance, the same for all agents.

    A reference that all reports are compared with stays, so that the new judge has it too. Raises
    BadInput.
    """
    columns = NamedColumns.of(settings.columns)
    given = load_tasks(tasks, columns=columns)
    reports = join(given, load_reports(paths, columns=columns))[0]
    references = {settings.reference, *old.references}
    scored = {task for own in old.scores.values() for task in own}
    known = [each for each in reports if each.agent in old.scores and each.task in scored]
    if not known:
        there = ", ".join(sorted({each.agent for each in reports})[:5]) or "none"
        raise BadReports(
            f"None of these reports was published with a score: they are of {there}; scores are "
            f"of {', '.join(sorted(old.scores)[:5])}.",
            "Name agents alike: reports AGENT/TASK.md or AGENT.jsonl, scores AGENT.jsonl.",
        )
    possible = sorted({each.task for each in known})
    drawn = set(random.Random(seed).sample(possible, min(number, len(possible))))
    wanted = [
        each
        for each in reports
        if each.task in drawn and (each in known or each.agent in references)
    ]
    strays = [
        f"{each.agent}, {each.task}: no published score."
        for each in reports
        if each not in known and each.agent not in references
    ]
    rule = [f"{each.agent}, {each.task}: not drawn." for each in known if each.task not in drawn]
    return DrawnAnchors(
        tuple(each for each in given if each.id in drawn),
        tuple(wanted),
        settings.model_copy(update={"protocols": ("race",)}),
        Joined("reports", "published scores", len(reports), strays, (), rule),
    )
