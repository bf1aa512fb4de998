"""What stands beside each report in files: its neighbours in rank, the best other one for its task,
and what it was in an earlier run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from deepassay.errors import BadInput
from deepassay.wings.view.changes import RunChanges, run_changes
from deepassay.wings.view.filling import filled_room
from deepassay.wings.view.links import SINCE
from deepassay.wings.view.pair import ReportPair
from deepassay.wings.view.reading import ReadReport, read_report
from deepassay.wings.view.reports_found import StandingReports
from deepassay.wings.view.room import Place, Room

RIVAL = "beside"
"""The anchor of a report beside the best other one."""


class ShownPair(NamedTuple):
    """Two reports side by side. told: what they are. names: of both, where agents do not tell."""

    anchor: str
    told: str
    names: tuple[str, str] | None
    pair: ReportPair


class EarlierRun:
    """A run that others are held against. Its number is the one after theirs."""

    def __init__(self, path: Path, paths: Sequence[Path]) -> None:
        self._room = Room([*paths, path])
        self._number = len(self._room.runs)
        self.names = self._room.names

    @cached_property
    def changes(self) -> list[RunChanges]:
        """What is other in each run. Raises BadInput where none has a score in common with it."""
        with closing(filled_room(self._room)) as side:
            found = [run_changes(side, self._number, new) for new in range(1, self._number)]
        if not any(each.common for each in found):
            raise BadInput(
                f"{self.names[self._number]} has no scored report in common with the others.",
                "Give an earlier run of the same agents and tasks, or leave --since out.",
            )
        return found

    def pair(self, report: ReadReport) -> ShownPair | None:
        """A report beside what it was; None where it was not there, or is all the same."""
        run = self._room.run(self._number)
        assert run is not None
        before = read_report(run, report.at._replace(run=self._number))
        if before is None:
            return None
        pair = ReportPair(before, report)
        if pair.same_text and not pair.criteria and all(not e.better for e in pair.scores):
            return None
        names = self.names[self._number], self.names[report.at.run]
        return ShownPair(SINCE, f"What changed since {names[0]}", names, pair)

    def close(self) -> None:
        """Let go of the files of all its runs."""
        self._room.close()


class Besides:
    """What stands beside the reports of a room. standing: worst first."""

    def __init__(self, room: Room, standing: StandingReports, earlier: EarlierRun | None) -> None:
        self._room = room
        self._earlier = earlier
        around = [None, *standing.ranked, None]
        self._around = {at: (around[n], around[n + 2]) for n, at in enumerate(standing.ranked)}
        self._best: defaultdict[tuple[int, str], list[Place]] = defaultdict(list)
        for at in reversed(standing.everything):
            if len(own := self._best[at.run, at.task]) < 2:
                own.append(at)
        self._read: dict[Place, ReadReport] = {}

    def neighbours(self, at: Place) -> tuple[Place | None, Place | None]:
        """The reports that are a little worse and a little better."""
        return self._around.get(at, (None, None))

    def pairs(self, report: ReadReport) -> Iterator[ShownPair]:
        """What a report stands beside: itself of before, and the best other one for its task."""
        if self._earlier is not None and (since := self._earlier.pair(report)):
            yield since
        at = report.at
        other = next((each for each in self._best[at.run, at.task] if each != at), None)
        if other is not None and (read := self._of(other)):
            told = f"Beside {other.agent}, the best other report for this task"
            yield ShownPair(RIVAL, told, None, ReportPair(report, read))

    def _of(self, at: Place) -> ReadReport | None:
        """The best of a task are asked for again by all its other reports."""
        if at not in self._read:
            run = self._room.run(at.run)
            read = read_report(run, at) if run else None
            if read is None:
                return None
            if any(each.task != at.task for each in self._read):
                self._read.clear()
            self._read[at] = read
        return self._read[at]
