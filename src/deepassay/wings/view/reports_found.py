"""What is known of reports once all of them were read: how they stand, and what cost them most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.wings.view.board import CHOICES, Reports, TableRow
from deepassay.wings.view.judges import Differences, differences
from deepassay.wings.view.losses import Losses, losses
from deepassay.wings.view.room import Place
from deepassay.wings.view.side import SideFile


@dataclass(frozen=True)
class FoundReports:
    """The table of reports, worst first. rows: those that are shown; count: of all.

    choices: what can be chosen of each term. labels: of the tasks of each run, a line each.
    lost: what most of them lost points by. apart: where judges differ.
    """

    rows: Sequence[TableRow]
    count: int
    protocols: Sequence[str]
    choices: dict[str, list[str]]
    labels: dict[tuple[int, str], str]
    lost: Losses
    apart: Differences

    @property
    def more(self) -> bool:
        """Whether some are not shown."""
        return self.count > len(self.rows)


class StandingReports:
    """Reports by how they stand, worst first; those that were never written among them."""

    def __init__(self, side: SideFile) -> None:
        self._side = side
        self._reports = Reports(side)
        self._order = [number for (number,) in side.rows(f"SELECT id {_SORTED}")]
        self.written = [
            Place(*row)
            for row in side.rows(
                f"SELECT run, agent, task, sample FROM (SELECT * {_SORTED}) "
                "WHERE digest IS NOT NULL AND standing IS NOT NULL"
            )
        ]

    def __len__(self) -> int:
        return len(self._order)

    def found(self, protocols: Sequence[str], most: int) -> FoundReports:
        """The table, with as many rows as it may have at once."""
        choices = self._reports.choices()
        choices["label"] = [" ".join(each.split()) for each in choices["label"]]
        tasks = self._side.rows("SELECT DISTINCT task FROM tasks ORDER BY 1 LIMIT ?", CHOICES)
        labels: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
        for run, task, name, value in self._side.rows("SELECT run, task, name, value FROM labels"):
            labels[run, task].append(" ".join(f"{name}={value}".split()))
        return FoundReports(
            self.rows(0, most),
            len(self),
            protocols,
            choices | {"task": [task for (task,) in tasks]},
            {task: "\n".join(own) for task, own in labels.items()},
            losses(self._side, "", ()),
            differences(self._side),
        )

    def rows(self, start: int, most: int, agent: str | None = None) -> list[TableRow]:
        """Rows from `start` on. agent: of whom alone."""
        numbers = self._order
        if agent is not None:
            sql = f"SELECT id FROM (SELECT * {_SORTED}) WHERE agent=?"
            numbers = [number for (number,) in self._side.rows(sql, agent)]
        return [*self._reports.rows(numbers[start : start + most])]

    def neighbours(self) -> dict[Place, tuple[Place | None, Place | None]]:
        """Of every report the one that is a little worse, and the one that is a little better."""
        around = [None, *self.written, None]
        return {at: (around[number], around[number + 2]) for number, at in enumerate(self.written)}


_SORTED: Final = "FROM reports ORDER BY standing IS NULL, standing, id"
