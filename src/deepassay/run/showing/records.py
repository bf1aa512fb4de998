"""What run files hold, as results are made of it: judgements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import groupby, product
from pathlib import Path
from sys import intern
from typing import Any

from deepassay.errors import BadRow, BadRunFile
from deepassay.protocols.registry import installed
from deepassay.reports.report import Report
from deepassay.results.outlines import READ, Extent, Outlines
from deepassay.results.records import Judged
from deepassay.run.asking.plan import current
from deepassay.run.showing.shards import tell_of_missing_shards
from deepassay.run.showing.yardsticks import About, about, metrics_of
from deepassay.runfile import RunFile, StoredScore
from deepassay.runfile.rows import bad_row, torn
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
    report_key,
)

_FIRST = ("protocol", "edition", "judges")

_STRANGE = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""What comes of columns that no run wrote."""


def records_of(paths: Sequence[Path], extent: Extent = Extent.WORDS) -> list[Judged]:
    """The records of several run files, one after the other.

    Raises BadRunFile for a copy of another one: its judgements must not count twice.
    """
    return [record for run in each_run(paths) for record in Judgements(run).every(extent)]


def each_run(paths: Sequence[Path]) -> Iterator[RunFile]:
    """The run files, one after the other, open while it is its turn.

    Raises BadRunFile for a copy of another one.
    """
    seen: dict[str, Path] = {}
    for path in paths:
        with RunFile.read(path) as run:
            if (other := seen.setdefault(run.salt, path)) != path or paths.count(path) > 1:
                raise BadRunFile(f"{path} and {other} are the same run.", "Give each run once.")
            tell_of_missing_shards(run)
            yield run


def judged(run: RunFile) -> Iterator[Judged]:
    """Every outcome that the run is to have, also those that it has not come to.

    A task for which an agent has no report at all is expected all the same, and unscored.
    """
    yield from Judgements(run).every()


class Judgements:
    """The records of a run, read one after the other: all of them, or those of one task."""

    def __init__(self, run: RunFile) -> None:
        self._run = run
        self._metrics = metrics_of(run)
        self._whole = about(run, self._metrics)
        self._protocols = run.protocols()
        self._bases = _bases(run, self._whole, self._metrics)
        self._recipes = {
            name: Signature(_ordered(each) | self._bases[name])
            for name, each in self._protocols.items()
        }
        self._recorded: dict[tuple[str, str, str], Signature] = {}
        self._samples = _samples(run)

    def every(self, extent: Extent = Extent.WORDS) -> Iterator[Judged]:
        """Every judgement, then what is expected and lacking; extent: how much of each is read."""
        missing: dict[str, list[Place]] = {}
        count, before = 0, self._run.passed_over
        for protocol, own in groupby(self._kept(extent), key=lambda each: each.protocol):
            there: set[Place] = set()
            for each in own:
                count += 1
                there.add(_place_of(each))
                yield each
            missing[protocol] = [
                place for place in self._expected(protocol, self._whole.tasks) if place not in there
            ]
        self._refuse_if_most_are_lost(count, before)
        for protocol in self._protocols:
            for place in missing.get(protocol, self._expected(protocol, self._whole.tasks)):
                yield self._lacking(place)

    def of(self, protocol: str, extent: Extent, agents: Collection[str] = ()) -> Iterator[Judged]:
        """Judgements by one protocol. agents: of these alone, if any is named."""
        if protocol not in self._protocols:
            return
        there: set[Place] = set()
        before = self._run.passed_over
        for each in self._kept(extent, protocol, *agents):
            there.add(_place_of(each))
            yield each
        self._refuse_if_most_are_lost(len(there), before)
        for place in self._expected(protocol, self._whole.tasks):
            if place not in there and (not agents or place[1] in agents):
                yield self._lacking(place)

    def metrics(self) -> list[Metric]:
        """The protocols that anything is expected of."""
        tasks = self._whole.tasks
        return [self._metrics[name] for name in self._protocols if any(self._expected(name, tasks))]

    def agents(self, protocol: str) -> set[str]:
        """Of whom a protocol is expected to have outcomes."""
        metric = self._metrics.get(protocol)
        return {agent for agent, _ in self._samples if metric and not metric.excuses(agent)}

    def labels(self) -> set[str]:
        """The names of the labels of tasks."""
        return {name for task in self._whole.tasks.values() for name in task.labels}

    def reopened(self, run: RunFile) -> Judgements:
        """These judgements, read from `run`, the same file opened anew."""
        again = copy(self)
        again._run = run
        return again

    def of_task(self, task: str) -> Iterator[Judged]:
        """Judgements of one task by all protocols, then what of it is lacking."""
        there: set[Place] = set()
        for score in self._run.scores_of(task):
            if self._is_of_run(score.protocol, task):
                there.add(score.place)
                yield self._of_score(score)
        known = [task] if task in self._whole.tasks else []
        for protocol in self._protocols:
            for place in self._expected(protocol, known):
                if place not in there:
                    yield self._lacking(place)

    def since(
        self, number: int = 0, again: Collection[int] = ()
    ) -> Iterator[tuple[int, bool, Judged]]:
        """What came after an outcome, see `RunFile.since`: number, whether it may change, what."""
        for place, score in self._run.since(number, again):
            if self._is_of_run(score.protocol, score.task):
                yield place, score.end.mark > 0, self._of_score(score)

    def _kept(self, extent: Extent, protocol: str | None = None, *agents: str) -> Iterator[Judged]:
        """What the file has, in its order.

        Of one protocol without a word about tasks that the run does not have: they came while the
        file was being read.
        """
        if extent is Extent.WORDS:
            for score in self._run.scores(protocol, *agents):
                if self._is_of_run(score.protocol, score.task):
                    yield self._of_score(score)
            return
        outlines = Outlines(extent, self._run.shared)
        for row in self._run.columns(READ[extent], protocol, *agents):
            name, task = (
                (row.protocol, row.task)
                if isinstance(row, StoredScore)
                else (row["protocol"], row["task"])
            )
            known = name in self._recipes and task in self._whole.tasks
            if known or (protocol is None and self._is_of_run(name, task)):
                try:
                    each = (
                        self._of_score(row)
                        if isinstance(row, StoredScore)
                        else self._of_row(row, self._outline(outlines, row))
                    )
                except BadRow:
                    with self._run.passing():
                        raise
                    continue
                yield each

    def _outline(self, outlines: Outlines, row: Mapping[str, Any]) -> Score | Unscored:
        try:
            if not outlines.quotes(row):
                return outlines.of(row)
        except _STRANGE:
            pass  # reading all of it says what is wrong
        return from_json(self._run.whole(row["key"]).outcome)

    def _of_row(self, row: Mapping[str, Any], outcome: Score | Unscored) -> Judged:
        """Recipes are equal where their names are, and so are records."""
        protocol, agent, task = intern(row["protocol"]), intern(row["agent"]), intern(row["task"])
        recipe, record = row["recipe"], row["record"]
        signature = self._recorded.get((protocol, recipe, record))
        if signature is None:
            shared = self._run.shared
            signature = self._signature(protocol, shared[recipe], shared[record])
            self._recorded[protocol, recipe, record] = signature
        return self._record(
            (protocol, agent, task, row["sample"], row["repeat"]), outcome, signature
        )

    def _of_score(self, score: StoredScore) -> Judged:
        signature = self._signature(score.protocol, score.identity, score.record)
        return self._record(score.place, from_json(score.outcome), signature)

    def _signature(
        self, protocol: str, identity: Mapping[str, Json], record: Mapping[str, Json]
    ) -> Signature:
        if identity != self._protocols[protocol]:
            return Signature(_ordered(identity) | self._bases[protocol], record)
        return replace(self._recipes[protocol], record=record)

    def _refuse_if_most_are_lost(self, read: int, before: int) -> None:
        """Raise BadRunFile where more scores were passed over, since `before`, than read."""
        lost = self._run.passed_over - before
        if lost > read:
            raise torn(self._run.path, f"{lost} scores cannot be read, and {read} can")

    def _is_of_run(self, protocol: str, task: str) -> bool:
        """Whether a score is of a protocol and a task of the run; said of one that is not."""
        known = protocol in self._recipes and task in self._whole.tasks
        if not known:
            with self._run.passing():
                what = f"a score of {protocol} for task {task}, which the run does not have"
                raise bad_row(self._run.path, what)
        return known

    def _expected(self, protocol: str, tasks: Iterable[str]) -> Iterator[Place]:
        identity = self._protocols[protocol]
        return _expected(self._metrics[protocol], identity, tasks, self._samples)

    def _lacking(self, place: Place) -> Judged:
        why = _why(has_report=place[1:3] in self._samples)
        return self._record(place, why, self._recipes[place[0]])

    def _record(self, place: Place, outcome: Score | Unscored, signature: Signature) -> Judged:
        protocol, _, task, *_ = place
        references = self._whole.references
        reference = bool(references) and _is_reference(
            references, self._bases, place, outcome.details
        )
        labels = self._whole.tasks[task].labels
        return Judged(*place, labels, outcome, signature, self._metrics[protocol], reference)


Place = tuple[str, str, str, int, int]
"""Protocol, agent, task, sample and repeat."""


def _place_of(each: Judged) -> Place:
    return each.protocol, each.agent, each.task, each.sample, each.repeat


def _bases(run: RunFile, whole: About, metrics: Mapping[str, Metric]) -> dict[str, dict[str, Json]]:
    """What decides the scores of each protocol besides their identity, over all tasks."""
    kept = run.metrics()
    made = _made(run, [name for name, each in metrics.items() if "maker" in each.roles])
    return {
        name: {
            "tasks": whole.digest,
            **(metric.basis if name in kept else _basis(whole, name)),
            **made.get(name, {}),
        }
        for name, metric in metrics.items()
    }


def _is_reference(
    references: Mapping[str, Report],
    bases: Mapping[str, Mapping[str, Json]],
    place: Place,
    details: Mapping[str, Json],
) -> bool:
    """Whether a report is the one that a protocol scores the others of its task against.

    It is by the name of its agent, or where the score was not asked for because both are one text.
    """
    protocol, agent, task, *_ = place
    reference = references.get(task) if "reference" in bases[protocol] else None
    return reference is not None and (reference.agent == agent or "not_asked" in details)


def expected(run: RunFile) -> Iterator[Place]:
    """Where the run is to have outcomes, also for tasks for which an agent has no report."""
    samples = _samples(run)
    tasks = [identifier for identifier, _ in run.tasks()]
    metrics = metrics_of(run)
    for protocol, identity in run.protocols().items():
        yield from _expected(metrics[protocol], identity, tasks, samples)


def _basis(whole: About, name: str) -> dict[str, str]:
    """What older run files do not say, from the protocol that is installed."""
    protocol = installed(name)
    return whole.basis(protocol) if protocol else {}


def _made(run: RunFile, protocols: Collection[str]) -> dict[str, dict[str, Json]]:
    """What decides the scores of protocols and was made in the run, over all tasks."""
    found: dict[str, dict[str, dict[str, str]]] = {name: {} for name in protocols}
    for name in protocols:
        protocol = installed(name)
        for score in run.scores(name):
            made = score.record.get("made")
            if made is None and protocol is not None:  # older run files do not say
                made = protocol.made_basis(score.outcome["details"])
            for what, value in (made or {}).items():
                found[name].setdefault(what, {})[score.task] = value
    return {
        name: {what: digest(by_task)[:12] for what, by_task in made.items()}
        for name, made in found.items()
    }


def _ordered(identity: Mapping[str, Json]) -> dict[str, Json]:
    """The identity with what people look for first at its head; the file keeps no order."""
    identity = current(identity)
    return {key: identity[key] for key in (*_FIRST, *sorted(set(identity) - set(_FIRST)))}


Samples = Mapping[tuple[str, str], tuple[int, ...]]
"""Which samples there are of each agent for each task."""


def _samples(run: RunFile) -> Samples:
    samples: dict[tuple[str, str], tuple[int, ...]] = {}
    for agent, task, sample in run.report_places():
        place = intern(agent), intern(task)
        samples[place] = (*samples.get(place, ()), sample)
    return samples


def _expected(
    metric: Metric, identity: Json, tasks: Iterable[str], samples: Samples
) -> Iterator[Place]:
    agents = sorted({agent for agent, _ in samples})
    for agent, task in product(agents, tasks):
        if metric.excuses(agent):
            continue
        for sample in samples.get((agent, task), (1,)):
            for repeat in range(identity["repeats"]):
                yield metric.name, agent, task, sample, repeat


def _why(has_report: bool) -> Unscored:
    if has_report:
        return Unscored(Cause.NOT_ASKED, "the run was stopped before it came to this report")
    return Unscored(Cause.MISSING_INPUT, "the agent has no report for this task")


def as_lines(run: RunFile) -> Iterator[dict[str, Json]]:
    """Every outcome as a JSON object, in a fixed order: the content of `export`."""
    for score in run.scores():
        signature = Signature(_ordered(score.identity), score.record)
        yield {
            "protocol": score.protocol,
            "agent": score.agent,
            "task": score.task,
            "sample": score.sample,
            "repeat": score.repeat,
            **score.outcome,
            "signature": str(signature),
            "record": score.record,
        }


def rejudged(old: Path, new: Path) -> tuple[list[Judged], list[Judged], int]:
    """The records of both, without reports whose text differs, and how many of those there are.

    Raises BadRunFile if one is a copy of the other.
    """
    with RunFile.read(old) as before, RunFile.read(new) as after:
        if before.salt == after.salt:
            raise BadRunFile(f"{old} and {new} are the same run.", "Give the runs of two judges.")
        for run in (before, after):
            tell_of_missing_shards(run)
        texts, others = (digests_of(run) for run in (before, after))
        changed = {place for place in texts.keys() & others.keys() if texts[place] != others[place]}
        sides = [
            [each for each in judged(run) if report_key(each) not in changed]
            for run in (before, after)
        ]
    return sides[0], sides[1], len(changed)


def digests_of(run: RunFile) -> dict[ReportKey, str]:
    """The digests of all reports of a run."""
    return {report_key(each): digest(each.text) for each in run.reports()}
