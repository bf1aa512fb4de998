"""What stands beneath a ranking: the judgements that it is of, and the tables made of them."""

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
from deepassay.results.records import Judged
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

    label: name and value by which the tasks were picked. run: the same over all tasks, of every
    protocol by its name.
    """

    records: Sequence[Judged] = ()
    label: Label | None = None
    run: Mapping[str, Beneath] = field(default_factory=dict)

    @cached_property
    def graded(self) -> GradedRubrics:
        """What is read of graded rubrics."""
        return GradedRubrics(self.records)

    @cached_property
    def counted(self) -> Mapping[str, Sequence[CountedReport]]:
        """The counts of citations in the reports of each agent; nothing where none are counted."""
        return counted_by_agent(self.records)

    @cached_property
    def of_one_recipe(self) -> bool:
        """Whether one recipe made all scores."""
        return len({each.signature.digest for each in self.records}) == 1

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """What there is to say of the judgements. Of several recipes, every table says so."""
        if not self.records:
            return ()
        counted = {
            name: each.counted for name, each in sorted(self.run.items()) if each.of_one_recipe
        }
        tables = (
            *citation_tables(self.records, self.counted, self.label),
            *(table for make in MAKERS for table in make(self.records, self.label)),
            *compliance_tables(self.graded, self.label),
            *failure_tables(self.graded, self.label),
            *citations_beside(self.graded, counted, self.label),
        )
        if self.of_one_recipe:
            return tables
        return tuple(replace(table, notes=(MIXED, *table.notes)) for table in tables)
