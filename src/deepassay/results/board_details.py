"""What stands beneath a ranking: the judgements that it is of, and the tables made of them.

They are read when something beneath it is asked for, which a first screen never does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from deepassay.results.citations import CountedReport, counted_by_agent
from deepassay.results.evidence import EvidenceItem, baseline_of, panel_then_judges
from deepassay.results.reading import GradedRubrics, InMemoryRecords, Records
from deepassay.results.records import UNLABELLED, Judged
from deepassay.results.tables import Table

if TYPE_CHECKING:
    from deepassay.results.rubric_failures import AgentFailures
    from deepassay.results.rubric_items import Reading
    from deepassay.results.winrate import WinRecord

MIXED: Final = "MIXED: these numbers were not made by one recipe."

Label = tuple[str, str]
"""Name and value of a label of tasks, as `("topic", "law")`."""


@dataclass(frozen=True)
class BoardDetails:
    """The judgements of one protocol, and what tables and figures read of them, each once.

    read: has those of all tasks. of_one_recipe: whether one recipe made all scores. label: name
    and value by which the tasks were picked. run: the same over all tasks, of every protocol by
    its name.
    """

    read: Records = field(default_factory=lambda: InMemoryRecords(()))
    protocol: str = ""
    of_one_recipe: bool = True
    label: Label | None = None
    run: Mapping[str, BoardDetails] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Sequence[Judged]) -> BoardDetails:
        """Of judgements that are in memory."""
        alike = len({each.signature.digest for each in records}) == 1
        return cls(InMemoryRecords(records), records[0].protocol, alike)

    @property
    def graded(self) -> GradedRubrics:
        """The judgements, and what is read of them as graded rubrics."""
        whole = self.read.for_figures(self.protocol)
        if not self.label:
            return whole
        return GradedRubrics(self._picked(whole.records))

    def of_agent(self, agent: str) -> Sequence[Judged]:
        """The judgements of one agent."""
        return self._picked(self.read.for_figures(self.protocol).agents.get(agent, ()))

    def _picked(self, records: Sequence[Judged]) -> Sequence[Judged]:
        if self.label is None:
            return records
        name, value = self.label
        return [each for each in records if each.labels.get(name, UNLABELLED) == value]

    @cached_property
    def counted(self) -> Mapping[str, Sequence[CountedReport]]:
        """The counts of citations in the reports of each agent; nothing where none are counted."""
        return counted_by_agent(self.graded.records)

    @cached_property
    def win_records(self) -> Mapping[str, WinRecord]:
        """What became of each agent against the baseline."""
        from deepassay.results.winrate import win_records  # few protocols compare pairs

        return win_records(self.graded.records)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """What there is to say of the judgements. Of several recipes, every table says so."""
        tables = self._own
        if self.readings:
            records = self._picked(self.read.for_ranks(self.protocol))
            run = sorted(self.run.items())
            counted = {name: each.counted for name, each in run if each.of_one_recipe}
            from deepassay.results.score_and_citations import citations_beside

            tables = (*tables, *citations_beside(records, counted, self.label))
        if self.of_one_recipe:
            return tables
        return tuple(replace(table, notes=(MIXED, *table.notes)) for table in tables)

    @cached_property
    def _own(self) -> tuple[Table, ...]:
        """The tables for which no other protocol is looked at."""
        from deepassay.results.beneath import tables_beneath  # a first screen shows none

        wins = self.win_records if baseline_of(self.graded.records) else {}
        return tables_beneath(self.graded, self.counted, wins, self.label)

    @cached_property
    def readings(self) -> Mapping[str, Sequence[Reading]]:
        """What was read of graded rubrics of one recipe, by agent; nothing where there are none."""
        graded = self.graded
        return graded.readings if graded.of_one_recipe else {}

    @property
    def failures(self) -> Mapping[str, AgentFailures]:
        """The failures in graded rubrics of one recipe, by agent; nothing where there are none."""
        graded = self.graded
        return graded.failures if graded.of_one_recipe else {}

    @cached_property
    def quoted(self) -> Mapping[str, Sequence[EvidenceItem]]:
        """The items of the first score of each agent that has any, with their words."""
        return {
            agent: next(
                filter(
                    None,
                    (own.evidence.items for each in judged for _, own in panel_then_judges(each)),
                ),
                (),
            )
            for agent, judged in self.graded.agents.items()
        }

    def hold(self) -> None:
        """Make at once what a page shows of the judgements, so that they are read only once."""
        _ = self._own, self.readings, self.quoted
