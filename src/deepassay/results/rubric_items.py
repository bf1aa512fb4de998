"""Graded rubrics as results see them: which criterion was met, by whose word.

Every score of `rubrics` keeps a line for each criterion under `details["items"]`, also where no
verdict came back. What results count is made of these lines alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from deepassay.results.aggregate import Leaf, task_means
from deepassay.results.evidence import Evidence, EvidenceItem, Said, judges_of, said
from deepassay.results.records import Judged, by_agent
from deepassay.results.tables import counted
from deepassay.results.weighing import MERITS, NOT, PARTIAL, SATISFIED, Level, level_of
from deepassay.score import Unscored

OFF_SCALE: Final = "verdict off the scale"
NO_AXIS: Final = "(none)"


@dataclass(frozen=True)
class GradedCriterion:
    """One criterion of one report. weight: negative for a fault. verdict: None if none came.

    cause: why there is no verdict.
    """

    key: str
    axis: str
    weight: float
    mandatory: bool
    verdict: str | None
    cause: str = ""

    @cached_property
    def penalty(self) -> bool:
        """Whether it describes a fault."""
        return self.weight < 0

    @cached_property
    def level(self) -> Level:
        """What its weight means (Table 4)."""
        return level_of(self.weight)

    @cached_property
    def obligation(self) -> str:
        """`mandatory` or `optional`."""
        return "mandatory" if self.mandatory else "optional"

    @cached_property
    def passed(self) -> bool | None:
        """Whether the report is as it should be: a merit wholly there, a fault not at all."""
        if self.verdict is None:
            return None
        return self.verdict == (NOT if self.penalty else SATISFIED)

    def mark(self, *, binary: bool) -> float | None:
        """How far the criterion is met, in [0, 1]; `binary` takes partly for not."""
        return None if self.verdict is None else MERITS[collapsed(self.verdict, binary=binary)]


@dataclass(frozen=True)
class Reading:
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


def collapsed(verdict: str, *, binary: bool) -> str:
    """The verdict on the binary scale: partly satisfied is not satisfied (section 4.1)."""
    return NOT if binary and verdict == PARTIAL else verdict


def readings(records: Iterable[Judged]) -> list[Reading]:
    """What every judge made of every report; without those of which no line was kept."""
    return [reading for record in records for reading in _of_judges(record)]


def mean_over_tasks(leaves: Sequence[Leaf]) -> float | None:
    """The mean over tasks of what hangs at (task, sample); None without any."""
    means = task_means(leaves).values()
    return sum(means) / len(means) if means else None


def of_one_rubric(records: Sequence[Judged]) -> bool:
    """Whether the records are graded rubrics of one recipe: unequal recipes make no table."""
    one_recipe = len({each.signature.digest for each in records}) == 1
    # Scores of one recipe keep items of one kind: the first that has any tells.
    kept = (evidence for each in records for evidence in _by_judge(each).values())
    first = next((each for each in kept if each.evidence.item_count), None)
    return one_recipe and first is not None and _is_graded(first.evidence)


def graded_by_agent(records: Iterable[Judged]) -> dict[str, list[Reading]]:
    """What was read of every agent's reports."""
    return {agent: readings(judged) for agent, judged in by_agent(records).items()}


def what_is_missing(
    records: Iterable[Judged], graded: Mapping[str, Sequence[Reading]]
) -> Iterator[str]:
    """A note for each agent of whose criteria some have no verdict.

    graded: what `graded_by_agent` read of these records.
    """
    for agent, judged in by_agent(records).items():
        own = graded.get(agent, ())
        lines = [line for reading in own for line in reading.lines]
        causes = Counter(line.cause for line in lines if line.verdict is None)
        if causes:
            lacking = f"{causes.total()} of {len(lines)} criteria have no verdict"
            yield f"{agent}: {lacking} ({counted(causes)})."
        read = {(*each.place, each.repeat) for each in own}
        unread = [each for each in judged if (each.task, each.sample, each.repeat) not in read]
        if unread:
            failed = (each.outcome for each in unread if isinstance(each.outcome, Unscored))
            why = counted(Counter(str(each.cause) for each in failed))
            yield f"{agent}: {len(unread)} of {len(judged)} reports not graded at all ({why})."


def is_binary(protocol: str) -> bool:
    """Whether a protocol, named with its options, has its judges answer on the binary scale."""
    return "scale='binary'" in protocol


def _of_judges(record: Judged) -> list[Reading]:
    return [
        Reading(
            *(record.agent, record.task, record.sample, record.repeat, judge),
            labels=record.labels,
            lines=tuple(map(_line, own.evidence.items)),
        )
        for judge, own in _by_judge(record).items()
        if _is_graded(own.evidence)
    ]


def _by_judge(record: Judged) -> Mapping[str, Said]:
    whole = said(record.outcome)
    return whole.evidence.judges or {(judges_of(record) or [""])[0]: whole}


def _is_graded(evidence: Evidence) -> bool:
    """Whether items are criteria of a rubric; those of other protocols have no axis or weight."""
    return evidence.item_count > 0 and all(item.of_rubric for item in evidence.items)


def _line(item: EvidenceItem) -> GradedCriterion:
    """The line of an item. Edition `code` keeps verdicts as judges wrote them."""
    verdict = str(item.verdict) if item.verdict in MERITS else None
    cause = "" if verdict else item.cause if item.cause is not None else OFF_SCALE
    axis, weight = item.axis or NO_AXIS, item.weight or 0.0
    return _GRADED(item.key, axis, weight, bool(item.mandatory), verdict, cause)


_GRADED: Final = lru_cache(maxsize=100_000, typed=True)(GradedCriterion)
"""Reports for one task have the same lines, but for a few verdicts."""
