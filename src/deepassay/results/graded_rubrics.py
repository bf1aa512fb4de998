"""Graded rubrics of one protocol: what is read and counted of them, once for all uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from deepassay.results.records import Judged, by_agent
from deepassay.results.rubric_failures import AgentFailures
from deepassay.results.rubric_items import Reading, are_criteria, outcomes_by_judge, readings
from deepassay.results.tables import cause_counts
from deepassay.score import Unscored


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
    def failures(self) -> Mapping[str, AgentFailures]:
        """The failures in every agent's reports."""
        return {agent: AgentFailures(own) for agent, own in self.readings.items()}

    @cached_property
    def of_one_recipe(self) -> bool:
        """Whether these are graded rubrics of one recipe: unequal recipes make no table."""
        one_recipe = len({each.signature.digest for each in self.records}) == 1
        # Scores of one recipe keep items of one kind: the first that has any tells.
        kept = (own.evidence for each in self.records for own in outcomes_by_judge(each).values())
        first = next((each for each in kept if each.item_count), None)
        return one_recipe and first is not None and are_criteria(first.items)

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
