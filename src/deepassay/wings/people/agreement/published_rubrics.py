"""Verdicts that a published set has of judges and people on rubrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deepassay.reports.report import Report
from deepassay.results.weighing import NOT, SATISFIED
from deepassay.tasks.judgment_bench import graded_answers
from deepassay.tasks.task import Task
from deepassay.wings.people.agreement.rubrics import (
    CriterionPlace,
    RubricComparison,
    compare_rubric_verdicts,
)
from deepassay.wings.people.agreement.runs import named_records

# ------------------------------------------------------------------ rubrics


@dataclass(frozen=True)
class GradedSet:
    """Answers whose rubrics people filled in, as reports of an agent for each of their levels."""

    tasks: tuple[Task, ...]
    reports: tuple[Report, ...]
    labels: Mapping[CriterionPlace, str]

    def compared(self, run: Path) -> list[RubricComparison]:
        """The verdicts of a run file against those of people."""
        return compare_rubric_verdicts(self.labels, *named_records([run]))


def graded_set(folder: Path) -> GradedSet:
    """JudgmentBench's. Raises BadTasks, naming file, line and field, for another layout."""
    graded = graded_answers(folder)
    return GradedSet(
        tuple({each.task.id: each.task for each in graded}.values()),
        tuple(Report(each.text, each.level, each.task.id, each.number) for each in graded),
        {
            CriterionPlace(each.level, each.task.id, each.number, item): SATISFIED if met else NOT
            for each in graded
            for item, met in each.met.items()
        },
    )
