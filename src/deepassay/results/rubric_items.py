"""Graded rubrics as results see them: which criterion was met, by whose word.

Every score of `rubrics` keeps a line for each criterion under `details["items"]`, also where no
verdict came back. What results count is made of these lines alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.evidence import EvidenceItem, JudgeOutcome, reading_of
from deepassay.results.records import Judged, by_agent, judges_of
from deepassay.results.tables import cause_counts
from deepassay.results.weighing import GradedCriterion
from deepassay.score import Unscored


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


@dataclass(frozen=True)
class GradedRubrics:
    """Judgements of one protocol, and what is read of them as graded rubrics: once for all uses."""

    records: Sequence[Judged]

    @cached_property
    def agents(self) -> Mapping[str, Sequence[Judged]]:
        """The judgements of each agent, agents by their names."""
        return by_agent(self.records)

    @cached_property
    def readings(self) -> Mapping[str, Sequence[Reading]]:
        """What was read of every agent's reports."""
        return {agent: readings(judged) for agent, judged in self.agents.items()}

    @cached_property
    def of_one_recipe(self) -> bool:
        """Whether these are graded rubrics of one recipe: unequal recipes make no table."""
        one_recipe = len({each.signature.digest for each in self.records}) == 1
        # Scores of one recipe keep items of one kind: the first that has any tells.
        kept = (own.evidence for each in self.records for own in _by_judge(each).values())
        first = next((each for each in kept if each.item_count), None)
        return one_recipe and first is not None and _is_graded(first.items)

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """A note for each agent of whose criteria some have no verdict."""
        return tuple(
            note
            for agent, judged in self.agents.items()
            for note in _missing(agent, judged, self.readings[agent])
        )


def _missing(agent: str, judged: Sequence[Judged], own: Sequence[Reading]) -> Iterator[str]:
    causes = Counter(line.cause for each in own for line in each.lines if line.verdict is None)
    if causes:
        lacking = f"{causes.total()} of {sum(len(each.lines) for each in own)} criteria"
        yield f"{agent}: {lacking} have no verdict ({cause_counts(causes)})."
    read = {(*each.place, each.repeat) for each in own}
    unread = [each for each in judged if (each.task, each.sample, each.repeat) not in read]
    if unread:
        failed = (each.outcome for each in unread if isinstance(each.outcome, Unscored))
        why = cause_counts(Counter(str(each.cause) for each in failed))
        yield f"{agent}: {len(unread)} of {len(judged)} reports not graded at all ({why})."


def is_binary(protocol: str) -> bool:
    """Whether a protocol, named with its options, has its judges answer on the binary scale."""
    return "scale='binary'" in protocol


def _of_judges(record: Judged) -> Iterator[Reading]:
    for judge, own in _by_judge(record).items():
        if _is_graded(items := own.evidence.items):
            yield Reading(
                *(record.agent, record.task, record.sample, record.repeat, judge),
                record.labels,
                tuple([item.graded for item in items]),
            )


def _by_judge(record: Judged) -> Mapping[str, JudgeOutcome]:
    whole = reading_of(record.outcome)
    return whole.evidence.judges or {(judges_of(record.signature) or [""])[0]: whole}


def _is_graded(items: Sequence[EvidenceItem]) -> bool:
    """Whether items are criteria of a rubric; those of other protocols have no axis or weight."""
    return bool(items) and all(item.of_rubric for item in items)
