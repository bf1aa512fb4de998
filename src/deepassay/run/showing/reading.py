"""The judgements of run files, read for ranks together, and for figures a protocol at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from deepassay.results.outlines import Extent
from deepassay.results.reading import GradedRubrics, Records
from deepassay.results.records import Judged
from deepassay.run.showing.records import Judgements, each_run
from deepassay.runfile import RunFile

MOST_HELD: Final = 600_000
"""Judgements that are held as ranks need them, some 120 MB; more are read again."""

MOST_GRADED: Final = 5_000
"""Judgements with their parts and items that are held; of more, those of one protocol at a time."""


class RunRecords(Records):
    """Those of several run files, read together, or a protocol at a time where they are many.

    published: others that stand behind them. Raises BadRunFile for a copy of another run.
    """

    def __init__(self, paths: Sequence[Path], published: Sequence[Judged] = ()) -> None:
        self._runs = [(run.path, Judgements(run)) for run in each_run(paths)]
        self._published = published
        self._graded: dict[str, GradedRubrics] = {}
        self._held: Sequence[Judged] = ()
        self._ranked: dict[str, list[Judged]] = {}
        importance = dict.fromkeys((each.protocol for each in published), 0)
        for _, each in self._runs:
            for metric in each.metrics():
                importance[metric.name] = max(
                    metric.importance, importance.get(metric.name, metric.importance)
                )
        self.protocols = sorted(importance, key=lambda name: (-importance[name], name))
        self.labels = {name for _, each in self._runs for name in each.labels()}

    def agents(self) -> set[str]:
        """Who was judged, of the runs and of what is published."""
        own = (each.agents(name) for _, each in self._runs for name in self.protocols)
        return set().union(*own, (each.agent for each in self._of_published(self.protocols)))

    def for_ranks(self, protocol: str, agents: Collection[str] = ()) -> Sequence[Judged]:
        """Judgements of the runs and of what is published, as ranks need them.

        Unless they are too many, those by all protocols are read together, and held for what is
        said of rankings first.
        """
        if agents:
            return [*self._read([protocol], Extent.RANKS, agents)]
        if protocol not in self._ranked:
            self._hold(self.protocols if self._size() <= MOST_HELD else [protocol])
        return self._ranked[protocol]

    def everything(self) -> Sequence[Judged]:
        """Judgements by all protocols, as ranks need them, in the order of the runs; held."""
        if not self._ranked.keys() >= {*self.protocols}:
            self._hold(self.protocols)
        return self._held

    def _hold(self, protocols: Sequence[str]) -> None:
        self._held = [*self._read(protocols, Extent.RANKS)]
        self._ranked = {name: [] for name in protocols}
        for each in self._held:
            self._ranked[each.protocol].append(each)

    def one_by_one(self, protocol: str) -> Iterator[Judged]:
        """Judgements as ranks need them, read as they are asked for unless they are held."""
        return iter(self._ranked.get(protocol) or self._read([protocol], Extent.RANKS))

    def for_figures(self, protocol: str) -> GradedRubrics:
        """Judgements of the runs and of what is published, with parts and items."""
        if protocol not in self._graded:
            if self._size() > MOST_GRADED:
                self._graded.clear()  # before there is another
            self._graded[protocol] = GradedRubrics([*self._read([protocol], Extent.FIGURES)])
        return self._graded[protocol]

    def with_words(self) -> Iterator[Judged]:
        """Judgements with all that was said, one after the other: too much to be held."""
        return self._read(self.protocols, Extent.WORDS)

    def _size(self) -> int:
        """How many judgements the runs are to have."""
        return sum(run.size(self.protocols) for _, run in self._runs)

    def _read(
        self, protocols: Collection[str], extent: Extent, agents: Collection[str] = ()
    ) -> Iterator[Judged]:
        for path, each in self._runs:
            with RunFile.read(path) as run:
                yield from each.reopened(run).every(extent, protocols, agents)
        yield from self._of_published(protocols, agents)

    def _of_published(
        self, protocols: Collection[str], agents: Collection[str] = ()
    ) -> Iterator[Judged]:
        for each in self._published:
            if each.protocol in protocols and (not agents or each.agent in agents):
                yield each
