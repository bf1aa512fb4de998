"""The runs that are looked at, open to read, and where each thing in them stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.reports.report import Report
from deepassay.results.records import Judged
from deepassay.run.showing.explaining import RunArchive
from deepassay.run.showing.records import Judgements
from deepassay.run.showing.yardsticks import about
from deepassay.runfile import RunFile
from deepassay.runfile.rows import same_run
from deepassay.score import digest
from deepassay.tasks.task import Task
from deepassay.wings.view.judged_text import JudgedText, judged_text

RECENT: Final = 8
"""Reports of a run that are kept as they were read: each stands beside others of its task too."""


class Place(NamedTuple):
    """A report of a run. run: its number, from 1."""

    run: int
    agent: str
    task: str
    sample: int


class OpenRun:
    """One run file, open to read as long as the room is."""

    def __init__(self, number: int, path: Path) -> None:
        self.number = number
        self.file = RunFile.read(path)
        self.path = path
        self.archive = RunArchive([self.file])
        self._texts: dict[Place, JudgedText] = {}

    @cached_property
    def judgements(self) -> Judgements:
        """What was judged. It knows the reports and protocols of when it was asked for."""
        return Judgements(self.file)

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The tasks by their identifiers, in their order."""
        return dict(about(self.file).tasks)

    @cached_property
    def references(self) -> dict[str, str]:
        """By task: what the report is told by that others are scored against."""
        return {task: digest(text) for task, _, text in self.file.judged_by("reference")}

    def forget(self) -> None:
        """Read anew what the run is about, because it may have grown."""
        for name in ("judgements", "tasks", "references"):
            vars(self).pop(name, None)

    def report(self, place: Place) -> JudgedText | None:
        """A report with its mechanical findings and statements, if it is there."""
        found = self._texts.get(place)
        if found is None and (kept := self.file.report(place.agent, place.task, place.sample)):
            found = judged_text(Report(kept.text, place.agent, place.task, place.sample))
            if len(self._texts) >= RECENT:
                self._texts.clear()
            self._texts[place] = found
        return found

    def digest_of(self, place: Place) -> str:
        """What a report is told from others by; empty where it is not there."""
        kept = self.file.report(place.agent, place.task, place.sample)
        return "" if kept is None else digest(kept.text)

    def by_report(self, task: str, agent: str | None = None) -> dict[tuple[str, int], list[Judged]]:
        """The judgements of each report for a task, or of those of an agent, by agent and sample.

        Those that are expected and lacking are among them.
        """
        found: dict[tuple[str, int], list[Judged]] = {}
        for each in self.judgements.of_task(task, agent):
            found.setdefault((each.agent, each.sample), []).append(each)
        for own in found.values():
            own.sort(key=lambda each: (-each.importance, each.protocol, each.repeat))
        return found

    def judged(self, place: Place) -> list[Judged]:
        """Every judgement of a report."""
        return self.by_report(place.task, place.agent).get((place.agent, place.sample), [])


class Room:
    """Several runs that are looked at together."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.runs: list[OpenRun] = []
        for number, path in enumerate(paths, start=1):
            run = OpenRun(number, path)
            self.runs.append(run)
            same = next((each for each in self.runs[:-1] if each.file.salt == run.file.salt), None)
            if same is not None:
                self.close()
                raise same_run(path, same.path)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, in the order of their numbers."""
        return tuple(run.path for run in self.runs)

    def run(self, number: int) -> OpenRun | None:
        """The run of this number, from 1."""
        return self.runs[number - 1] if 1 <= number <= len(self.runs) else None

    @cached_property
    def names(self) -> dict[int, str]:
        """What each run is called: its file, with as many folders as tell it from the others."""
        paths = [each.path.resolve() for each in self.runs]
        shown = [path.name for path in paths]
        depth = 1
        while len({*shown}) < len(shown) and depth < 9:
            depth += 1
            shown = ["/".join(path.parts[-depth:]) for path in paths]
        return dict(enumerate(shown, start=1))

    def __iter__(self) -> Iterator[OpenRun]:
        return iter(self.runs)

    def close(self) -> None:
        """Let go of all of the files."""
        for each in self.runs:
            each.file.close()
