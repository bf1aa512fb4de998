"""The reports of runs in the order in which files have them: by task, then by agent and sample."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from deepassay.score import ReportKey
from deepassay.wings.view.links import prefix_of
from deepassay.wings.view.reading import ReadReport
from deepassay.wings.view.room import Place, Room


class NumberedReports:
    """Every report with its number, from 1.

    by_key: where each is, by agent, task and sample; in the first run that has it.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._places: dict[tuple[int, str], list[Place]] = {}
        for run in room:
            order: dict[str, list[Place]] = {task: [] for task in run.tasks}
            for agent, task, sample in run.file.report_places():
                order[task].append(Place(run.number, agent, task, sample))
            self._places |= {(run.number, task): sorted(own) for task, own in order.items()}
        places = [place for own in self._places.values() for place in own]
        self.numbers = {place: number for number, place in enumerate(places, start=1)}
        self.by_key: dict[ReportKey, Place] = {}
        for place in places:
            self.by_key.setdefault((place.agent, place.task, place.sample), place)

    def keep(self, places: Collection[Place]) -> None:
        """Leave out all others; where every report is, `by_key`, stays known."""
        self.numbers = {place: own for place, own in self.numbers.items() if place in places}
        for own in self._places.values():
            own[:] = [place for place in own if place in places]

    def number(self, place: Place) -> int:
        """By which the file of a report is named, or its anchors."""
        return self.numbers[place]

    def read(self, prefixed: bool) -> Iterator[ReadReport]:
        """Every report with all that was said of it. prefixed: whether they share a file."""
        for run in self._room:
            for task in run.tasks:
                places = self._places[run.number, task]
                records = run.by_report(task) if places else {}
                for place in places:
                    if (text := run.report(place)) is not None:
                        own = records.get((place.agent, place.sample), [])
                        prefix = prefix_of(self.number(place)) if prefixed else ""
                        yield ReadReport(run, place, text, own, prefix=prefix)

    def others(self, at: Place, most: int = 12) -> list[Place]:
        """Other reports for the task."""
        own = self._places[at.run, at.task]
        return [place for place in own if place != at][:most]
