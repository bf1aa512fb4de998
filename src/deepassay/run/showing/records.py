"""What run files hold, as results are made of it: judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from sys import intern
from typing import Any, Final, TypeVar

from deepassay.errors import BadRow
from deepassay.results.item_columns import items_of_row, read_items
from deepassay.results.outlines import READ, STRANGE, Extent, Outlines
from deepassay.results.records import Judged
from deepassay.results.tidy import JSON_COLUMNS, Place, Tabled, place_of, said_in
from deepassay.run.showing.contents import (
    expected_of,
    metrics_of,
    samples_of,
    tell_of_missing_shards,
    why_none,
)
from deepassay.run.showing.recipes import bases_of, ordered, task_labels
from deepassay.runfile import RunFile, StoredScore
from deepassay.runfile.rows import bad_row, same_run, torn
from deepassay.runfile.scores import REST, Columns
from deepassay.score import (
    Cause,
    Json,
    Metric,
    ReportKey,
    Score,
    Signature,
    Unscored,
    digest,
    from_json,
    is_possible,
    report_key,
)

T = TypeVar("T")

MOST_PARSED: Final = 20_000
"""Texts of columns that are held as parsed: few checks have few outcomes."""

Row = Columns | StoredScore
"""An outcome as the file has it."""

AT_A_TIME: Final = 2_000
"""Outcomes that are made of columns at a time."""


def records_of(paths: Sequence[Path], extent: Extent = Extent.WORDS) -> list[Judged]:
    """The records of several run files, one after the other.

    Raises BadRunFile for a copy of another one: its judgements must not count twice.
    """
    return [record for run in each_run(paths) for record in Judgements(run).every(extent)]


def each_run(paths: Sequence[Path], *, states: bool = False) -> Iterator[RunFile]:
    """The run files, one after the other, open while it is its turn.

    states: one may be a copy of another that went on. Raises BadRunFile for any other copy.
    """
    seen: dict[str, Path] = {}
    for path in paths:
        with RunFile.read(path) as run:
            other = seen.setdefault(run.salt, path)
            is_state = states and not path.samefile(other)
            if paths.count(path) > 1 or (other != path and not is_state):
                raise same_run(path, other)
            tell_of_missing_shards(run)
            yield run


def judged(run: RunFile) -> Iterator[Judged]:
    """Every outcome that the run is to have, also those that it has not come to.

    A task for which an agent has no report at all is expected all the same, and unscored.
    """
    yield from Judgements(run).every()


def _refuse_no_outcome(row: Mapping[str, Any], columns: Sequence[str]) -> None:
    """Raise ValueError where what was read of an outcome is neither a score nor a known cause."""
    if "cause" in row:
        Cause(row["cause"])
    bounds = (row["lowest"], row["highest"]) if {"lowest", "highest"} <= row.keys() else None
    if not is_possible(row.get("value", 0), bounds if "value" in row else None):
        raise ValueError("a value that no score has")
    if {"value", "cause"} <= {*columns} and ("value" in row) == ("cause" in row):
        raise ValueError("a score and a cause, or neither")


def _protocol_of(row: Row) -> str:
    return row.protocol if isinstance(row, StoredScore) else str(row[1])


class Judgements:
    """The records of a run, read one after the other: all of them, or those of one task.

    agent: whose alone those of a task are, None for all agents.
    """

    def __init__(self, run: RunFile, agent: str | None = None) -> None:
        self._run = run
        self._agent = agent
        self._metrics = metrics_of(run)
        self._tasks = task_labels(run)
        self._references = {task: agent for task, agent, _ in run.judged_by("reference")}
        self._protocols = run.protocols()
        self._bases = bases_of(run, self._metrics)
        self._recipes = {
            name: Signature(ordered(each) | self._bases[name])
            for name, each in self._protocols.items()
        }
        self._recorded: dict[tuple[str, str, str], Signature] = {}
        self._samples = samples_of(run, agent)

    def every(
        self,
        extent: Extent = Extent.WORDS,
        protocols: Collection[str] = (),
        agents: Collection[str] = (),
    ) -> Iterator[Judged]:
        """Every judgement, then what is expected and lacking.

        extent: how much of each is read. protocols, agents: of these alone, if any is named.
        """
        kept = self._kept(extent, protocols, agents)
        return self._completed(kept, place_of, lambda lacking: lacking, protocols, agents)

    def tabled(self, columns: Sequence[str]) -> Iterator[Tabled]:
        """Every judgement as `every` has it, of which these columns alone are read."""
        kept = ([each] for each in self._tabled(columns))
        return self._completed(kept, attrgetter("place"), Tabled.of)

    def _completed(
        self,
        kept: Iterable[Sequence[T]],
        place_in: Callable[[T], Place],
        made_of: Callable[[Judged], T],
        protocols: Collection[str] = (),
        agents: Collection[str] = (),
    ) -> Iterator[T]:
        """What the file has, in its order, then what is lacking. made_of: of what is lacking.

        kept: some of one protocol at a time.
        """
        missing: dict[str, list[Place]] = {}
        read, before = Counter[str](), self._run.passed_over
        for protocol, own in groupby(kept, key=lambda some: place_in(some[0])[0]):
            there: set[Place] = set()
            for some in own:
                read[protocol] += len(some)
                there.update(map(place_in, some))
                yield from some
            missing[protocol] = [
                place for place in self._expected(protocol, self._tasks) if place not in there
            ]
        self._refuse_if_most_are_lost(read, before)
        for protocol in self._protocols:
            if protocols and protocol not in protocols:
                continue
            for place in missing.get(protocol, self._expected(protocol, self._tasks)):
                if not agents or place[1] in agents:
                    yield made_of(self._lacking(place))

    def metrics(self) -> list[Metric]:
        """The protocols that anything is expected of."""
        tasks = self._tasks
        return [self._metrics[name] for name in self._protocols if any(self._expected(name, tasks))]

    def size(self, protocols: Collection[str]) -> int:
        """How many outcomes of its reports there are to be by these protocols."""
        reports = sum(map(len, self._samples.written.values()))
        return sum(
            reports * int(self._protocols[name]["repeats"])
            for name in protocols
            if name in self._protocols
        )

    def agents(self, protocol: str) -> set[str]:
        """Of whom a protocol is expected to have outcomes."""
        metric = self._metrics.get(protocol)
        known = self._samples.agents
        return {agent for agent in known if metric and not metric.excuses(agent)}

    def labels(self) -> set[str]:
        """The names of the labels of tasks."""
        return {name for labels in self._tasks.values() for name in labels}

    def reopened(self, run: RunFile) -> Judgements:
        """These judgements, read from `run`, the same file opened anew."""
        again = copy(self)
        again._run = run
        return again

    def of_task(self, task: str, agent: str | None = None) -> Iterator[Judged]:
        """Judgements of a task, or of what an agent has for it, then what of them is lacking."""
        whose = agent or self._agent
        there: set[Place] = set()
        for score in self._run.scores_of(task, whose):
            if self._is_of_run(score.protocol, task):
                there.add(score.place)
                yield self._of_score(score)
        known = [task] if task in self._tasks else []
        for protocol in self._protocols:
            for place in self._expected(protocol, known):
                if place not in there and whose in (None, place[1]):
                    yield self._lacking(place)

    def since(
        self, number: int = 0, again: Collection[int] = ()
    ) -> Iterator[tuple[int, bool, Judged]]:
        """What came after an outcome, see `RunFile.since`: number, whether it may change, what."""
        for place, score in self._run.since(number, again):
            if self._is_of_run(score.protocol, score.task):
                yield place, score.end.mark > 0, self._of_score(score)

    def _kept(
        self, extent: Extent, protocols: Collection[str] = (), agents: Collection[str] = ()
    ) -> Iterator[Sequence[Judged]]:
        """What the file has, in its order, some of one protocol at a time."""
        if extent is Extent.WORDS:
            for score in self._run.scores(protocols, agents):
                if self._is_of_run(score.protocol, score.task):
                    yield [self._of_score(score)]
            return
        outlines = Outlines(extent, self._run.shared)
        rows = self._of_run(self._run.columns(READ[extent], protocols, agents), bool(protocols))
        for _, own in groupby(rows, _protocol_of):
            while some := [*islice(own, AT_A_TIME)]:
                quoted = {*outlines.quoted}
                try:
                    yield self._of_rows(some, outlines)
                except BadRow:
                    outlines.quoted = quoted  # all of them are made once more
                    for row in some:  # it costs that row alone
                        with self._run.passing(_protocol_of(row)):
                            yield self._of_rows([row], outlines)

    def _of_run(self, rows: Iterable[Row], silently: bool) -> Iterator[Row]:
        """Those of a protocol and a task of the run.

        silently: without a word about tasks that it does not have: where protocols are named, they
        came while the file was being read.
        """
        for row in rows:
            if isinstance(row, StoredScore):
                protocol, task = row.protocol, row.task
            else:
                protocol, task = row[1], row[3]
            known = protocol in self._recipes and task in self._tasks
            if known or (not silently and self._is_of_run(protocol, task)):
                yield row

    def _of_rows(self, rows: Sequence[Row], outlines: Outlines) -> Sequence[Judged]:
        found: list[Judged] = []
        for kind, own in groupby(rows, type):
            if kind is tuple:
                found += self._of_columns(zip(*own, strict=True), outlines)
            else:
                found += [self._of_score(each) for each in own if isinstance(each, StoredScore)]
        return found

    def _of_columns(self, columns: Iterable[Sequence[Any]], outlines: Outlines) -> Iterator[Judged]:
        """Judgements, all of them a column at a time, which takes a third of the time."""
        keys, protocols, agents, tasks, samples, repeats, recipes, records, *said = columns
        protocols, agents, tasks = ([*map(intern, own)] for own in (protocols, agents, tasks))
        outcomes = [
            from_json(self._run.whole(key).outcome) if outcome is None else outcome
            for key, outcome in zip(keys, outlines.of(protocols, agents, said), strict=True)
        ]
        places = zip(protocols, agents, tasks, samples, repeats, strict=True)
        return map(
            Judged,
            *(protocols, agents, tasks, samples, repeats),
            map(self._tasks.__getitem__, tasks),
            outcomes,
            map(self._recipe_of, protocols, recipes, records),
            map(self._metrics.__getitem__, protocols),
            map(self._is_reference, places, (each.details for each in outcomes)),
        )

    def _tabled(self, columns: Sequence[str]) -> Iterator[Tabled]:
        parsed = lru_cache(MOST_PARSED)(said_in)
        same = lru_cache(MOST_PARSED)(lambda name: read_items(self._run.shared[name]))
        for row in self._run.columns(columns):
            if isinstance(row, StoredScore):
                if self._is_of_run(row.protocol, row.task):
                    yield Tabled.of(self._of_score(row))
                continue
            key, protocol, agent, task, sample, repeat, recipe, record, *values = row
            place = protocol, agent, task, sample, repeat
            if not self._is_of_run(protocol, task):
                continue
            named = zip(columns, values, strict=True)
            found = {name: each for name, each in named if each is not None}
            try:
                _refuse_no_outcome(found, columns)
                found |= {name: parsed(name, found[name]) for name in JSON_COLUMNS if name in found}
                if REST in columns:
                    found |= items_of_row(found, found[REST], same)
                reference = self._is_reference(place, found.get("said", {}))
            except STRANGE:
                with self._run.passing(protocol):  # reading all of it says what is wrong
                    yield Tabled.of(self._of_score(self._run.whole(key)))
                continue
            yield Tabled(place, found, self._recipe_of(protocol, recipe, record), reference)

    def _recipe_of(self, protocol: str, recipe: str, record: str) -> Signature:
        """Recipes are equal where their names are, and so are records."""
        names = protocol, recipe, record
        found = self._recorded.get(names)
        if found is None:
            shared = self._run.shared
            found = self._recorded[names] = self._signature(
                protocol, shared[recipe], shared[record]
            )
        return found

    def _of_score(self, score: StoredScore) -> Judged:
        signature = self._signature(score.protocol, score.identity, score.record)
        return self._record(score.place, from_json(score.outcome), signature)

    def _signature(
        self, protocol: str, identity: Mapping[str, Json], record: Mapping[str, Json]
    ) -> Signature:
        if identity != self._protocols[protocol]:
            return Signature(ordered(identity) | self._bases[protocol], record)
        return replace(self._recipes[protocol], record=record)

    def _refuse_if_most_are_lost(self, read: Counter[str], before: Counter[str]) -> None:
        """Raise BadRunFile where more scores by a protocol were passed over than read."""
        for protocol, lost in (self._run.passed_over - before).items():
            there = read[protocol] if protocol else read.total()
            if lost > there:
                raise torn(self._run.path, f"{lost} scores cannot be read, and {there} can")

    def _is_of_run(self, protocol: str, task: str) -> bool:
        """Whether a score is of a protocol and a task of the run; said of one that is not."""
        known = protocol in self._recipes and task in self._tasks
        if not known:
            with self._run.passing():
                what = f"a score of {protocol} for task {task}, which the run does not have"
                raise bad_row(self._run.path, what)
        return known

    def _expected(self, protocol: str, tasks: Iterable[str]) -> Iterator[Place]:
        identity = self._protocols[protocol]
        return expected_of(self._metrics[protocol], identity, tasks, self._samples)

    def _lacking(self, place: Place) -> Judged:
        why = why_none(self._samples.has_report(*place[1:4]))
        return self._record(place, why, self._recipes[place[0]])

    def _record(self, place: Place, outcome: Score | Unscored, signature: Signature) -> Judged:
        protocol, _, task, *_ = place
        labels, metric = self._tasks[task], self._metrics[protocol]
        reference = self._is_reference(place, outcome.details)
        return Judged(*place, labels, outcome, signature, metric, reference)

    def _is_reference(self, place: Place, details: Mapping[str, Json]) -> bool:
        """Whether a report is the one that a protocol scores the others of its task against.

        It is by the name of its agent, or where the score was not asked for because both are one
        text.
        """
        protocol, agent, task, *_ = place
        if task not in self._references or "reference" not in self._bases[protocol]:
            return False
        return self._references[task] == agent or "not_asked" in details


def as_lines(run: RunFile) -> Iterator[dict[str, Json]]:
    """Every outcome as a JSON object, in a fixed order: the content of `export`."""
    bases = bases_of(run, metrics_of(run))
    for score in run.scores():
        yield {
            "protocol": score.protocol,
            "agent": score.agent,
            "task": score.task,
            "sample": score.sample,
            "repeat": score.repeat,
            **score.outcome,
            "signature": str(Signature(ordered(score.identity) | bases.get(score.protocol, {}))),
            "record": score.record,
        }


def digests_of(run: RunFile) -> dict[ReportKey, str]:
    """The digests of all reports of a run."""
    return {report_key(each): digest(each.text) for each in run.reports()}
