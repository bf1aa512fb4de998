"""What is known of reports once all of them were read: how they stand, and what cost them most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deepassay.wings.view.board import CHOICES, Reports, TableRow
from deepassay.wings.view.judges import Differences, where_judges_differ
from deepassay.wings.view.losses import Losses, losses
from deepassay.wings.view.room import Place
from deepassay.wings.view.side import SideFile


@dataclass(frozen=True)
class FoundReports:
    """The table of reports, worst first. rows: those that are shown; count: of all that have a
    page; left_out: how many have none. missing: of those counted, how many were never written.

    choices: what can be chosen of each term. labels: of the tasks of each run, a line each.
    lost: what most of them lost points by. apart: where judges differ.
    """

    rows: Sequence[TableRow]
    count: int
    left_out: int
    missing: int
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
    """Reports by how they stand, worst first; those that were never written among them.

    most: of each agent, 0 for all. written: those that are shown and have a text and a score.
    ranked: those among them that have a standing, which a report has not that others are only
    scored against. everything: all that have a text and a score, shown or not, those without a
    standing first. missing: of all that are shown, how many were never written.
    """

    def __init__(self, side: SideFile, most: int = 0) -> None:
        self._side = side
        self._reports = Reports(side)
        self._shown: list[tuple[int, str]] = []
        self.written: list[Place] = []
        self.ranked: list[Place] = []
        self.missing = 0
        seen: Counter[str] = Counter()
        standing: list[Place] = []
        unranked: list[Place] = []
        for own, is_ranked, is_read, is_missing, *place in side.rows(
            f"SELECT id, standing IS NOT NULL, digest IS NOT NULL AND {_IS_SCORED}, digest IS NULL,"
            " run, agent, task, sample FROM reports ORDER BY standing IS NULL, standing, id"
        ):
            at = Place(*place)
            seen[at.agent] += 1
            if is_read:
                (standing if is_ranked else unranked).append(at)
            if not most or seen[at.agent] <= most:
                self._shown.append((own, at.agent))
                self.missing += is_missing
                if is_read:
                    self.written.append(at)
                    if is_ranked:
                        self.ranked.append(at)
        self.everything = [*unranked, *standing]
        self.count = seen.total()

    def __len__(self) -> int:
        return len(self._shown)

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
            self.count - len(self),
            self.missing,
            protocols,
            choices | {"task": [task for (task,) in tasks]},
            {task: "\n".join(own) for task, own in labels.items()},
            losses(self._side, "", ()),
            where_judges_differ(self._side),
        )

    def rows(self, start: int, most: int, agent: str | None = None) -> list[TableRow]:
        """Rows from `start` on. agent: of whom alone."""
        numbers = [own for own, whose in self._shown if agent in (None, whose)]
        return [*self._reports.rows(numbers[start : start + most])]


_IS_SCORED: Final = (
    "EXISTS (SELECT 1 FROM scores WHERE scores.report=reports.id AND value IS NOT NULL)"
)
