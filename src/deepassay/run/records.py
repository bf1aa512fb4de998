"""What run files hold, as results are made of it: judgements, and the lengths of reports."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final

from deepassay.errors import BadRunFile
from deepassay.models.usage import estimate_tokens
from deepassay.protocols.registry import installed
from deepassay.reports.report import Report
from deepassay.results.lengths import Length, MeasuredReport
from deepassay.results.records import Judged
from deepassay.run.about import About, about, metrics_of
from deepassay.run.plan import current
from deepassay.runfile import RunFile
from deepassay.score import Cause, Json, Metric, Signature, Unscored, digest, from_json
from deepassay.text import count_words, match_url

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
    is_reference = partial(_is_reference, whole.references, shared)
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
            is_reference=is_reference(place, score.outcome["details"]),
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
            is_reference=is_reference(place, {}),
        )


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
    identity = current(identity)
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


def rejudged(old: Path, new: Path) -> tuple[list[Judged], list[Judged], int]:
    """The records of both, without reports whose text differs, and how many of those there are.

    Raises BadRunFile if one is a copy of the other.
    """
    with RunFile.read(old) as before, RunFile.read(new) as after:
        if before.salt == after.salt:
            raise BadRunFile(f"{old} and {new} are the same run.", "Give the runs of two judges.")
        texts, others = (_texts(run) for run in (before, after))
        changed = {place for place in texts.keys() & others.keys() if texts[place] != others[place]}
        sides = [
            [each for each in judged(run) if (each.agent, each.task, each.sample) not in changed]
            for run in (before, after)
        ]
    return sides[0], sides[1], len(changed)


def _texts(run: RunFile) -> dict[tuple[str, str, int], str]:
    return {(each.agent, each.task, each.sample): digest(each.text) for each in run.reports()}


_BEGINS: Final = re.compile(r"https?://|www\.", re.IGNORECASE)


def measured(paths: Sequence[Path]) -> list[MeasuredReport]:
    """Every report of the run files; one that stands in several of them counts once."""
    found: dict[tuple[str, str, int, str], MeasuredReport] = {}
    for path in paths:
        with RunFile.read(path) as run:
            tasks = about(run).tasks
            for stored in run.reports():
                report = Report(stored.text, stored.agent, stored.task, stored.sample)
                key = (report.agent, report.task, report.sample, report.digest)
                if key not in found:
                    found[key] = measure(report, dict(tasks[report.task].labels))
    return list(found.values())


def measure(report: Report, labels: dict[str, str]) -> MeasuredReport:
    """The lengths of one report. labels: of its task."""
    return MeasuredReport(
        agent=report.agent,
        task=report.task,
        sample=report.sample,
        labels=labels,
        whole=length_of(report.text),
        bare=length_of(without_addresses(report.text)),
        citations=len(report.citations),
        references=len(report.references),
    )


def length_of(text: str) -> Length:
    """Characters, words and estimated tokens; each East Asian character is a word."""
    return Length(len(text), count_words(text), estimate_tokens(text) if text else 0)


def without_addresses(text: str) -> str:
    """The text with every web address taken out, also those that links lead to."""
    kept: list[str] = []
    at = begin = 0
    while found := _BEGINS.search(text, begin):
        begin = found.end()
        stop = match_url(text, found.start(), len(text))
        if stop is not None:
            kept.append(text[at : found.start()])
            at = begin = stop
    return "".join([*kept, text[at:]])
