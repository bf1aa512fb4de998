"""Graded rubrics as results see them: which criterion was met, by whose word.

Every score of `rubrics` keeps a line for each criterion under `details["items"]`, also where no
verdict came back. What results count is made of these lines alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.evidence import EvidenceItem, JudgeOutcome, reading_of
from deepassay.results.records import Judged, judges_of
from deepassay.results.weighing import GradedCriterion


class Reading(NamedTuple):
    """One report as one judge graded it. labels: of the task."""

    agent: str
    task: str
    sample: int
    repeat: int
    judge: str
    labels: Mapping[str, str]
    lines: tuple[GradedCriterion, ...]

    @property
    def place(self) -> tuple[str, int]:
        """Where a number of this reading hangs: task, and which answer to it."""
        return self.task, self.sample


def readings(records: Iterable[Judged]) -> list[Reading]:
    """What every judge made of every report; without those of which no line was kept."""
    return [reading for record in records for reading in _of_judges(record)]


def mean_over_tasks(leaves: Sequence[Leaf]) -> float | None:
    """The mean over tasks of what hangs at (task, sample); None without any."""
    means = task_means(leaves).values()
    return sum(means) / len(means) if means else None


def is_binary(protocol: str) -> bool:
    """Whether a protocol, named with its options, has its judges answer on the binary scale."""
    return "scale='binary'" in protocol


def _of_judges(record: Judged) -> Iterator[Reading]:
    for judge, own in outcomes_by_judge(record).items():
        if are_criteria(items := own.evidence.items):
            yield Reading(
                *(record.agent, record.task, record.sample, record.repeat, judge),
                record.labels,
                tuple([item.graded for item in items]),
            )


def outcomes_by_judge(record: Judged) -> Mapping[str, JudgeOutcome]:
    """What each judge of a panel came to, or the only one."""
    whole = reading_of(record.outcome)
    return whole.evidence.judges or {(judges_of(record.signature) or [""])[0]: whole}


def are_criteria(items: Sequence[EvidenceItem]) -> bool:
    """Whether items are criteria of a rubric; those of other protocols have no axis or weight."""
    return bool(items) and all(item.of_rubric for item in items)
