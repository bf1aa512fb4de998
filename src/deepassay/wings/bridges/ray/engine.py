"""`--engine ray`: the workers of a run on a cluster, ready and held against the driver."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Final

from deepassay import __version__
from deepassay.errors import BadSetting, Notice
from deepassay.run.asking.connecting import Connected, shared_captures
from deepassay.run.asking.execute import Hands
from deepassay.run.asking.plan import Plan, identity_of
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.score import Json
from deepassay.sources.snapshots import Snapshots
from deepassay.wings.bridges.ray.actor import OPTIONS, Actor, RayLink
from deepassay.wings.bridges.ray.cluster import joined_cluster, nodes, noise_into
from deepassay.wings.bridges.ray.documents import RemoteConverter, agreed, last_line
from deepassay.wings.bridges.ray.fleet import Fleet, Lost, ReadyLink, recipe_differences
from deepassay.wings.bridges.ray.wire import Message
from deepassay.wings.bridges.ray.worker import brief_of

START: Final = 120.0
"""Seconds for workers to be ready. A busy cluster places them late."""


@contextmanager
def engine(settings: Settings) -> Iterator[RayEngine]:
    """The engine, connected when it has something to do. Raises BadSetting, MissingExtra then."""
    with ExitStack() as stack:
        yield RayEngine(settings, stack)


class RayEngine:
    """A cluster at work: see `run.evaluate.Engine`. stack: ends what is begun on it."""

    def __init__(self, settings: Settings, stack: ExitStack) -> None:
        self._settings = settings
        self._stack = stack

    @cached_property
    def _ray(self) -> ModuleType:
        noise = self._stack.enter_context(noise_into(log_of(self._settings.run)))
        return self._stack.enter_context(
            joined_cluster(self._settings.address, self._settings.ray_temp_dir, noise)
        )

    @cached_property
    def converter(self) -> RemoteConverter:
        """Who converts documents: the nodes."""
        return RemoteConverter(lambda: self._ray, self._settings.workers)

    @asynccontextmanager
    async def engaged(
        self, plan: Plan, settings: Settings, run: RunFile, asked: Connected
    ) -> AsyncIterator[Hands]:
        """Workers that carry out the cases of a plan. Raises BadSetting, MissingExtra."""
        if asked.batchers is not None:
            raise BadSetting(
                "A batch is one process waiting: workers have nothing to do for it.",
                "Leave --engine ray away, or --batch.",
            )
        with ExitStack() as stack:
            links = _links(self._ray, settings, stack)
            async with crewed(links, plan, settings, run, asked) as fleet:
                yield fleet


@asynccontextmanager
async def crewed(
    links: Sequence[ReadyLink],
    plan: Plan,
    settings: Settings,
    run: RunFile,
    asked: Connected,
) -> AsyncIterator[Fleet]:
    """The workers behind these links, briefed and held against this process.

    Raises BadSetting where one cannot score, or would by another recipe.
    """
    with ExitStack() as stack:
        shared = shared_captures(settings, stack)
        pages = Snapshots(run.captures, shared, retry=settings.retry_unscored)
        shares = shared_out(settings.max_connections, len(links))
        briefs = [brief_of(plan, settings, run.salt, asked.budget, each) for each in shares]
        identities = {
            str(each): identity_of(plan, each, asked.panels[str(each)]) for each in plan.protocols
        }
        await _started(links, briefs, identities)
        fleet = Fleet(links, run, pages, asked.budget, shares)
        try:
            yield fleet
        finally:
            await fleet.close()
        if fleet.lost:
            warnings.warn(
                Notice(
                    f"Lost on the way: {', '.join(fleet.lost)}. Others carried out what they had; "
                    f"{log_of(settings.run)} has what Ray said."
                ),
                stacklevel=2,
            )


def shared_out(connections: int, workers: int) -> list[int]:
    """How many calls each worker makes at a time: together all, no two more than one apart."""
    each, rest = divmod(connections, workers)
    return [each + (place < rest) for place in range(workers)]


def log_of(run: Path) -> Path:
    """The file beside a run that has what Ray printed in the meantime."""
    return run.with_name(f"{run.name}.ray.log")


def _links(ray: ModuleType, settings: Settings, stack: ExitStack) -> list[RayLink]:
    """Actors on the nodes in turn, ended with the stack whatever comes."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    there = nodes(ray)
    number = min(settings.workers or len(there), settings.max_connections)  # each makes a call
    remote = ray.remote(**OPTIONS)(Actor)
    links = []
    for place in range(number):
        node = there[place % len(there)]
        # soft: one that goes meanwhile is replaced by any other.
        where = NodeAffinitySchedulingStrategy(node.id, soft=True)
        actor = remote.options(scheduling_strategy=where).remote()
        links.append(RayLink(f"worker {place + 1} on {node.host}", actor))
    for link in links:
        stack.callback(link.kill)
    return links


async def _started(
    links: Sequence[ReadyLink], briefs: Sequence[Json], identities: Mapping[str, Json]
) -> None:
    """Make all workers ready. Raises BadSetting where one would score otherwise, or cannot."""
    try:
        async with asyncio.timeout(START):
            replies = await asyncio.gather(
                *(
                    link.start(Message("brief", 0, brief))
                    for link, brief in zip(links, briefs, strict=True)
                )
            )
    except TimeoutError:
        raise BadSetting(
            f"Not every worker has started within {START:.0f} s; {len(links)} were asked for.",
            "See `ray status`, or ask for fewer --workers. Where a node is busy with other work, "
            "start it with RAY_worker_niceness=0: workers of Ray give way to all else.",
        ) from None
    except Lost as lost:
        raise BadSetting(
            f"A worker could not be started: {last_line(lost)}",
            f"Every node needs deepassay[ray] {__version__} under the same Python: `deepassay "
            "doctor --engine ray` says which has what.",
        ) from lost
    for link, reply in zip(links, replies, strict=True):
        _check(link.name, reply.value, identities)


def _check(name: str, reply: Json, identities: Mapping[str, Json]) -> None:
    agreed(name, reply)
    for protocol, ours in identities.items():
        if parts := recipe_differences(ours, reply["identities"].get(protocol, {})):
            raise BadSetting(
                f"On {name} {protocol} would be scored by another recipe; these differ: {parts}.",
                "Install the same packages, and set the same variables, on every node.",
            )
