"""A run file that all samples which our judge scores share while Inspect scores them.

Inspect tells a scorer neither when the first sample comes nor when the last one has gone: whoever
comes first opens the file, and whoever goes last closes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting
from deepassay.protocols.protocol import Protocol, RoleAskers, Sources
from deepassay.run.asking.connecting import budget_of, connected, open_sources
from deepassay.run.asking.execute import register
from deepassay.run.asking.plan import AskedModel, Plan, identity_of
from deepassay.run.settings import Settings
from deepassay.run.showing.yardsticks import keep_descriptions
from deepassay.runfile import RunFile
from deepassay.score import Json
from deepassay.sources.page import Failure, NoPage, Page, Pages
from deepassay.sources.snapshots import Snapshots
from deepassay.text import canonical


@dataclass(frozen=True)
class Bench:
    """A panel with the pages that it may look at and the recipe of its scores."""

    panel: Sequence[RoleAskers]
    sources: Sources
    identity: Mapping[str, Json]


class SharedRun:
    """One run file with its budget, and the benches that sit over it now."""

    def __init__(self, settings: Settings) -> None:
        self.run = RunFile.create(settings.run)
        self.users = 0
        self._budget = budget_of(settings, self.run)
        self._benches: dict[tuple[Protocol, tuple[AskedModel, ...]], Bench] = {}
        self._stack = AsyncExitStack()
        self._one_at_a_time = asyncio.Lock()

    @property
    def day(self) -> date | None:
        """The day that the run began with, if it has begun."""
        kept = self.run.configuration.get("date")
        return date.fromisoformat(kept) if kept else None

    async def bench(self, plan: Plan, settings: Settings) -> Bench:
        """The panel of a plan of one protocol, connected to once; the plan is kept.

        Raises BadSetting, and ConfigurationChanged where the file was made otherwise.
        """
        if settings.cap != self._budget.cap:
            raise BadSetting(
                f"Two scorers give {settings.run} different budgets.", "Give all the same."
            )
        (protocol,) = plan.protocols
        async with self._one_at_a_time:
            if (bench := self._benches.get((protocol, plan.judges))) is None:
                enter = self._stack.enter_async_context
                asked = await enter(connected(plan, settings, self.run, self._budget))
                panel = asked.panels[str(protocol)]
                sources = await enter(open_sources(plan, settings, self.run))
                bench = Bench(panel, sources, identity_of(plan, protocol, panel))
                self._benches[protocol, plan.judges] = bench
            # One after the other: each looks at what is there before it adds to it.
            await asyncio.wrap_future(register(plan, self.run, {str(protocol): bench.identity}))
        return bench

    async def disconnect(self) -> None:
        """Close the connections, and describe what was scored to who reads the file."""
        stack, self._stack = self._stack, AsyncExitStack()
        protocols = [protocol for protocol, _ in self._benches]
        self._benches = {}
        keep_descriptions(self.run, protocols)
        await stack.aclose()


_OPEN: Final[dict[Path, SharedRun]] = {}


@asynccontextmanager
async def shared_run(settings: Settings) -> AsyncIterator[SharedRun]:
    """The run file of the settings, open as long as anybody uses it. Raises BadRunFile."""
    place = settings.run.resolve()
    shared = _OPEN.get(place) or SharedRun(settings)
    _OPEN[place] = shared
    shared.users += 1
    try:
        yield shared
    finally:
        shared.users -= 1
        if not shared.users:
            await shared.disconnect()
        if not shared.users and _OPEN.get(place) is shared:  # nobody came meanwhile
            del _OPEN[place]
            shared.run.close()


class _NoPages:
    """What a log of Inspect has of the pages that its reports cite."""

    async def get(self, url: str) -> Page | NoPage:
        """Always the failure that no snapshots were given."""
        return NoPage(canonical(url), Failure.NOT_ARCHIVED, "No snapshots were given.")


@contextmanager
def pages_of_file(snapshots: Path | None) -> Iterator[Pages]:
    """Pages as a run file or a file of snapshots has them; nothing is fetched."""
    if snapshots is None:
        yield _NoPages()
        return
    with RunFile.read(snapshots) as run:
        yield Snapshots(run.captures)
