"""What a run file holds, as the records that findings are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from deepassay.errors import BadRunFile
from deepassay.protocols.registry import installed
from deepassay.results.records import Judged
from deepassay.run.about import About, about, metrics_of
from deepassay.runfile import RunFile
from deepassay.score import Cause, Json, Metric, Signature, Unscored, digest, from_json

_FIRST = ("protocol", "edition", "judges")

Place = tuple[str, str, str, int, int]
"""Protocol, agent, task, sample and repeat."""


def records_of(paths: Sequence[Path]) -> list[Judged]:
    """The records of several run files, one after the other.

    Raises BadRunFile for a copy of another one: its judgements must not count twice.
    """
    return [record for run in each_run(paths) for record in judged(run)]


def each_run(paths: Sequence[Path]) -> Iterator[RunFile]:
    """The run files, one after the other, open while it is its turn.

    Raises BadRunFile for a copy of another one.
    """
    seen: dict[str, Path] = {}
    for path in paths:
        with RunFile.read(path) as run:
            if (other := seen.setdefault(run.salt, path)) != path or paths.count(path) > 1:
                raise BadRunFile(f"{path} and {other} are the same run.", "Give each run once.")
            yield run


def judged(run: RunFile) -> Iterator[Judged]:
    """Every outcome that the run is to have, also those that it has not come to.

    A task for which an agent has no report at all is expected all the same, and unscored.
    """
    metrics = metrics_of(run)
    whole = about(run, metrics)
    tasks = whole.tasks
    protocols = run.protocols()
    kept = run.metrics()
    made = _made(run, [name for name, each in metrics.items() if "maker" in each.roles])
    shared = {
        name: {
            "tasks": whole.digest,
            **(metrics[name].basis if name in kept else _basis(whole, name)),
            **made.get(name, {}),
        }
        for name in protocols
    }
    there: set[Place] = set()
    for score in run.scores():
        place = (score.protocol, score.agent, score.task, score.sample, score.repeat)
        there.add(place)
        yield Judged(
            *place,
            labels=tasks[score.task].labels,
            outcome=from_json(score.outcome),
            signature=Signature(_ordered(score.identity) | shared[score.protocol], score.record),
            metric=metrics[score.protocol],
        )
    samples = _samples(run)
    for place in expected(run):
        if place in there:
            continue
        protocol, agent, task, *_ = place
        yield Judged(
            *place,
            labels=tasks[task].labels,
            outcome=_why(has_report=(agent, task) in samples),
            signature=Signature(_ordered(protocols[protocol]) | shared[protocol]),
            metric=metrics[protocol],
        )


def expected(run: RunFile) -> Iterator[Place]:
    """Where the run is to have outcomes, also for tasks for which an agent has no report."""
    samples = _samples(run)
    tasks = [identifier for identifier, _ in run.tasks()]
    metrics = metrics_of(run)
    for protocol, identity in run.protocols().items():
        yield from _expected(metrics[protocol], identity["repeats"], tasks, samples)


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
    return {key: identity[key] for key in (*_FIRST, *sorted(set(identity) - set(_FIRST)))}


def _samples(run: RunFile) -> dict[tuple[str, str], set[int]]:
    """Which samples there are of each agent for each task."""
    samples: dict[tuple[str, str], set[int]] = {}
    for agent, task, sample in run.report_places():
        samples.setdefault((agent, task), set()).add(sample)
    return samples


def _expected(
    metric: Metric, repeats: int, tasks: Iterable[str], samples: Mapping[tuple[str, str], set[int]]
) -> Iterator[Place]:
    agents = sorted({agent for agent, _ in samples})
    for agent, task in product(agents, tasks):
        if metric.excuses(agent):
            continue
        for sample in sorted(samples.get((agent, task), {1})):
            for repeat in range(repeats):
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
