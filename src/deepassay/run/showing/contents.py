"""What a run file is to hold by its own account: protocols, places of outcomes, shards.

A place is where an outcome is expected: a protocol, agent, task, sample and repeat.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from sys import intern

from deepassay.errors import Notice
from deepassay.results.tidy import Place
from deepassay.runfile import RunFile
from deepassay.score import Cause, Json, Metric, Unscored


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
