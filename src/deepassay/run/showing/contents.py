"""What a run file is to hold by its own account, and how much of it: protocols, outcomes, shards.

A place is where an outcome is expected: a protocol, agent, task, sample and repeat.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from sys import intern
from typing import NamedTuple

from deepassay.errors import BadInput, Notice
from deepassay.results.tidy import Place
from deepassay.runfile import RunFile, StoredScore
from deepassay.score import Cause, Json, Metric, ReportKey, Signature, Unscored, from_json


def metrics_of(run: RunFile) -> dict[str, Metric]:
    """What is known of every protocol of a run: what its file says, else what is installed.

    Of one that neither knows there is only the name.
    """
    kept = run.metrics()
    return {name: kept.get(name) or _installed(name) for name in run.protocols()}


def _installed(name: str) -> Metric:
    from deepassay.protocols.registry import installed  # files of today describe their protocols

    protocol = installed(name)
    return protocol.describe() if protocol else Metric(name)


class RunSamples(NamedTuple):
    """Which samples there are of each agent for each task: those with a report, and the others.

    lacking: of runs of agents that ended without a report.
    """

    written: Mapping[tuple[str, str], tuple[int, ...]]
    lacking: Mapping[tuple[str, str], tuple[int, ...]]

    @property
    def agents(self) -> set[str]:
        """Who wrote a report, or was to."""
        return {agent for each in self for agent, _ in each}

    def of(self, agent: str, task: str) -> tuple[int, ...]:
        """Those that are expected of an agent for a task, in order; one where there is none."""
        place = agent, task
        return tuple(sorted((*self.written.get(place, ()), *self.lacking.get(place, ())))) or (1,)

    def has_report(self, agent: str, task: str, sample: int) -> bool:
        """Whether there is a report of an agent for a task as this sample."""
        return sample in self.written.get((agent, task), ())


def samples_of(run: RunFile, agent: str | None = None) -> RunSamples:
    """Those of a run, or of an agent in it."""
    written = _by_place(run.report_places(agent))
    return RunSamples(written, _by_place(run.answering.unwritten(agent)))


def _by_place(keys: Iterable[ReportKey]) -> dict[tuple[str, str], tuple[int, ...]]:
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    for name, task, sample in keys:
        place = intern(name), intern(task)
        found[place] = (*found.get(place, ()), sample)
    return found


def expected_of(
    metric: Metric, identity: Json, tasks: Iterable[str], samples: RunSamples
) -> Iterator[Place]:
    """Where a protocol is to have outcomes of these tasks. identity: of its scores."""
    agents = sorted(agent for agent in samples.agents if not metric.excuses(agent))
    for agent, task in product(agents, tasks):
        for sample in samples.of(agent, task):
            for repeat in range(identity["repeats"]):
                yield metric.name, agent, task, sample, repeat


def why_none(has_report: bool) -> Unscored:
    """Why there is no outcome yet where one is expected."""
    if has_report:
        return Unscored(Cause.NOT_ASKED, "the run was stopped before it came to this report")
    return Unscored(Cause.MISSING_INPUT, "the agent has no report for this task")


def expected(run: RunFile) -> Iterator[Place]:
    """Where the run is to have outcomes, also for tasks for which an agent has no report."""
    samples = samples_of(run)
    tasks = [identifier for identifier, _ in run.tasks()]
    metrics = metrics_of(run)
    for protocol, identity in run.protocols().items():
        yield from expected_of(metrics[protocol], identity, tasks, samples)


class Covered(NamedTuple):
    """The share of the judgements expected of an agent by a protocol that were scored."""

    share: float
    protocol: str
    agent: str


def coverage_of(run: RunFile) -> list[Covered]:
    """The shares of scored judgements of all agents and protocols of a run, the lowest first.

    Outcomes are read only where several judged: of one judge alone, the file says beside the
    outcome whether it is a score. Raises BadInput where none was expected.
    """
    judges = {name: len(identity["judges"]) for name, identity in run.protocols().items()}
    scored: Counter[tuple[str, str]] = Counter()
    whole: Counter[tuple[str, str]] = Counter()
    lacking = Counter((protocol, agent) for protocol, agent, *_ in expected(run))
    for protocol, agent, outcomes, scores, places in run.score_counts():
        lacking[protocol, agent] -= places
        if judges[protocol] == 1:
            whole[protocol, agent] += outcomes
            scored[protocol, agent] += scores
    for protocol, number in judges.items():
        for score in run.scores([protocol]) if number > 1 else ():
            verdicts = _scored_by_panel(score)
            whole[protocol, score.agent] += len(verdicts)
            scored[protocol, score.agent] += sum(verdicts)
    for (protocol, agent), places in (+lacking).items():
        whole[protocol, agent] += places * judges[protocol]
    if not whole:
        raise BadInput("Nothing was judged, so there is no coverage.", "Check the run file.")
    return sorted(Covered(scored[whose] / count, *whose) for whose, count in whole.items())


def _scored_by_panel(score: StoredScore) -> list[bool]:
    """Of every judge, whether it came to a score."""
    from deepassay.results.aggregate import verdicts_of
    from deepassay.results.records import Judged

    place = (score.protocol, score.agent, score.task, score.sample, score.repeat)
    record = Judged(*place, {}, from_json(score.outcome), Signature(score.identity))
    return [not isinstance(verdict, Cause) for verdict in verdicts_of(record)]


def tell_of_missing_shards(run: RunFile) -> None:
    """Say that a file holds a part of its run alone: its tasks look like all that there are."""
    for command, parts in run.parts().items():
        if parts.missing:
            from deepassay.results.joined import SHOWN

            shown = ", ".join(parts.missing[:SHOWN]) + (" …" if len(parts.missing) > SHOWN else "")
            warnings.warn(
                Notice(
                    f"{run.path} holds {len(parts.numbers)} of {parts.count} shards of "
                    f"`{command}`; not {shown}: what is said of it is of its own tasks alone."
                ),
                stacklevel=2,
            )
