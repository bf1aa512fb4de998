"""Records that are read when they are looked at, those of one protocol at a time.

Half a million scores do not fit into memory with all that was said of each: a ranking needs their
values, and the tables beneath it the rest, of one protocol after the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from deepassay.errors import BadSetting, meant
from deepassay.results.records import Judged, by_protocol
from deepassay.score import Score, without_options

if TYPE_CHECKING:
    from deepassay.results.graded_rubrics import GradedRubrics


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
            raise BadSetting(
                f"Nobody was judged by {name!r}.",
                f"{meant(name, bare)}Protocols: {', '.join(sorted(bare))}.",
            )
    return [name for name in protocols if not asked or {name, bare[name]} & {*asked}]


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
        from deepassay.results.graded_rubrics import GradedRubrics  # no ranking needs them

        if protocol not in self._graded:
            self._graded[protocol] = GradedRubrics(self._own.get(protocol, ()))
        return self._graded[protocol]


def held(records: Sequence[Judged] | Records) -> Records:
    """Records in memory, unless they are read."""
    return records if isinstance(records, Records) else InMemoryRecords(records)
