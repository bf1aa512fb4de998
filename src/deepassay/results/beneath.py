"""What stands beneath a ranking: the judgements that it is of, and the tables made of them.

They are read when something beneath it is asked for, which a first screen never does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from deepassay.results.citations import (
    CountedReport,
    citation_tables,
    citations_beside,
    counted_by_agent,
    error_tables,
)
from deepassay.results.cited_pages import page_tables
from deepassay.results.funnel import funnel_tables
from deepassay.results.judge_pairs import judge_tables
from deepassay.results.records import UNLABELLED, Judged
from deepassay.results.released_live import released_tables
from deepassay.results.rubric_compliance import compliance_tables
from deepassay.results.rubric_failures import failure_tables
from deepassay.results.rubric_items import GradedRubrics
from deepassay.results.tables import Table
from deepassay.results.winrate import win_rate_tables

MIXED: Final = "MIXED: these numbers were not made by one recipe."

Label = tuple[str, str]
"""Name and value of a label of tasks, as `("topic", "law")`."""

Maker = Callable[[Sequence[Judged], Label | None], tuple[Table, ...]]
"""From judgements of one protocol, and the label by which tasks were picked, to its tables.

None where the judgements hold nothing that it counts. The order in `MAKERS` is that on the page; a
table that few readers want is marked as `detail`: text and Markdown show it only with all parts.
"""

MAKERS: Final[tuple[Maker, ...]] = (
    page_tables,
    funnel_tables,
    win_rate_tables,
    error_tables,
    judge_tables,
    released_tables,
)
"""Between the tables of citations and those of rubrics."""


@dataclass(frozen=True)
class Beneath:
    """The judgements of one protocol, and what tables and figures read of them, each once.

    read: has those of all tasks. of_one_recipe: whether one recipe made all scores. label: name
    and value by which the tasks were picked. run: the same over all tasks, of every protocol by
    its name.
    """

    read: Callable[[], GradedRubrics] = lambda: GradedRubrics(())
    of_one_recipe: bool = True
    label: Label | None = None
    run: Mapping[str, Beneath] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Sequence[Judged]) -> Beneath:
        """Of judgements that are in memory."""
        graded = GradedRubrics(records)
        return cls(lambda: graded, len({each.signature.digest for each in records}) == 1)

    @property
    def graded(self) -> GradedRubrics:
        """The judgements, and what is read of them as graded rubrics."""
        whole = self.read()
        return GradedRubrics(self._picked(whole.records)) if self.label else whole

    def of_agent(self, agent: str) -> Sequence[Judged]:
        """The judgements of one agent."""
        return self._picked(self.read().agents.get(agent, ()))

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
    def tables(self) -> tuple[Table, ...]:
        """What there is to say of the judgements. Of several recipes, every table says so."""
        graded = self.graded
        if not (records := graded.records):
            return ()
        beside = self._counted() if graded.of_one_recipe else {}  # else nobody looks at them
        tables = (
            *citation_tables(records, self.counted, self.label),
            *(table for make in MAKERS for table in make(records, self.label)),
            *compliance_tables(graded, self.label),
            *failure_tables(graded, self.label),
            *citations_beside(graded, beside, self.label),
        )
        if self.of_one_recipe:
            return tables
        return tuple(replace(table, notes=(MIXED, *table.notes)) for table in tables)

    def _counted(self) -> dict[str, Mapping[str, Sequence[CountedReport]]]:
        """The counts of all protocols of one recipe."""
        run = sorted(self.run.items())
        return {name: each.counted for name, each in run if each.of_one_recipe}
