"""Records that are read when they are looked at, those of one protocol at a time.

Half a million scores do not fit into memory with all that was said of each: a ranking needs their
values, and the tables beneath it the rest, of one protocol after the other. What reads items and
counts failures is loaded where it is asked for: most protocols have no graded rubrics.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from deepassay.errors import BadSetting, meant
from deepassay.results.records import Judged, by_agent, by_protocol
from deepassay.results.tables import cause_counts
from deepassay.score import Score, Unscored, without_options

if TYPE_CHECKING:
    from deepassay.results.rubric_failures import AgentFailures
    from deepassay.results.rubric_items import Reading


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
        from deepassay.results.rubric_items import readings

        return {agent: readings(judged) for agent, judged in self.agents.items()}

    @cached_property
    def failures(self) -> Mapping[str, AgentFailures]:
        """The failures in every agent's reports."""
        from deepassay.results.rubric_failures import AgentFailures

        return {agent: AgentFailures(own) for agent, own in self.readings.items()}

    @cached_property
    def of_one_recipe(self) -> bool:
        """Whether these are graded rubrics of one recipe: unequal recipes make no table."""
        from deepassay.results.rubric_items import are_criteria, outcomes_by_judge

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


class Records(ABC):
    """The judgements of runs. protocols: the most important first, equal ones by name.

    labels: names of the labels of tasks.
    """

    protocols: Sequence[str]
    labels: Collection[str]

    @abstractmethod
    def agents(self) -> set[str]:
        """Who was judged by these protocols."""

    @abstractmethod
    def for_ranks(self, protocol: str, agents: Collection[str] = ()) -> Sequence[Judged]:
        """Judgements by a protocol, as means, ranks and tests need them: without parts and items.

        agents: of these alone; of all if none is named.
        """

    @abstractmethod
    def for_figures(self, protocol: str) -> GradedRubrics:
        """Judgements by a protocol, as tables and figures need them: with parts and items."""

    def one_by_one(self, protocol: str) -> Iterable[Judged]:
        """Judgements of all agents, as ranks need them, read as they are asked for.

        Most who look stop at the first.
        """
        return self.for_ranks(protocol)

    def everything(self) -> Sequence[Judged]:
        """Judgements by all protocols, as ranks need them."""
        return [each for protocol in self.protocols for each in self.for_ranks(protocol)]

    @property
    def has_scores(self) -> bool:
        """Whether any report has a score that somebody gave; a reference of RACE has none such."""
        return any(
            isinstance(each.outcome, Score) and not each.is_reference
            for protocol in self.protocols
            for each in self.one_by_one(protocol)
        )

    def only(self, asked: Collection[str]) -> None:
        """Keep those by these protocols, all if none is named; options may be left out.

        Raises BadSetting for a protocol that nobody was judged by.
        """
        self.protocols = chosen(self.protocols, asked)


def chosen(protocols: Sequence[str], asked: Collection[str]) -> list[str]:
    """The protocols that are asked for, see `Records.only`."""
    bare = {name: without_options(name) for name in protocols}
    for name in asked:
        if name not in bare and name not in bare.values():
            raise judged_by_none(name, protocols)
    return [name for name in protocols if not asked or {name, bare[name]} & {*asked}]


def judged_by_none(name: str, protocols: Collection[str]) -> BadSetting:
    """What to say where nobody was judged by a protocol that is asked for.

    protocols: those by which somebody was; none in the file of a run that was stopped at once.
    """
    if not protocols:
        return BadSetting("Nobody was judged yet.", "Run `deepassay evaluate`.")
    return BadSetting(
        f"Nobody was judged by {name!r}.",
        f"{meant(name, protocols)}Protocols: {', '.join(sorted(protocols))}.",
    )


class InMemoryRecords(Records):
    """Records that are all in memory."""

    def __init__(self, records: Sequence[Judged]) -> None:
        self._own = by_protocol(records)
        self._graded: dict[str, GradedRubrics] = {}
        self.protocols = [*self._own]
        self.labels = {name for each in records for name in each.labels}

    def agents(self) -> set[str]:
        """Who was judged, in memory."""
        return {each.agent for name in self.protocols for each in self.for_ranks(name)}

    def for_ranks(self, protocol: str, agents: Collection[str] = ()) -> Sequence[Judged]:
        """Judgements in memory, as ranks need them."""
        own = self._own[protocol]
        return [each for each in own if each.agent in agents] if agents else own

    def for_figures(self, protocol: str) -> GradedRubrics:
        """Judgements in memory, with parts and items."""
        if protocol not in self._graded:
            self._graded[protocol] = GradedRubrics(self._own.get(protocol, ()))
        return self._graded[protocol]


def held(records: Sequence[Judged] | Records) -> Records:
    """Records in memory, unless they are read."""
    return records if isinstance(records, Records) else InMemoryRecords(records)
