"""Where a run is to have outcomes, and why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from sys import intern

from deepassay.results.tidy import Place
from deepassay.run.showing.described import metrics_of
from deepassay.runfile import RunFile
from deepassay.score import Cause, Json, Metric, Unscored

Samples = Mapping[tuple[str, str], tuple[int, ...]]
"""Which samples there are of each agent for each task."""


def samples_of(run: RunFile, agent: str | None = None) -> Samples:
    """Those of all reports of a run, or of an agent."""
    samples: dict[tuple[str, str], tuple[int, ...]] = {}
    for name, task, sample in run.report_places(agent):
        place = intern(name), intern(task)
        samples[place] = (*samples.get(place, ()), sample)
    return samples


def expected_of(
    metric: Metric, identity: Json, tasks: Iterable[str], samples: Samples
) -> Iterator[Place]:
    """Where a protocol is to have outcomes of these tasks. identity: of its scores."""
    known = {agent for agent, _ in samples}
    agents = sorted(agent for agent in known if not metric.excuses(agent))
    for agent, task in product(agents, tasks):
        for sample in samples.get((agent, task), (1,)):
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
