"""The cited pages of a run, for protocols that read them: kept ones, and a reader for the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from deepassay.protocols.protocol import Sources
from deepassay.run.plan import Plan
from deepassay.run.settings import Settings
from deepassay.runfile import RunFile
from deepassay.runfile.captures import Captures
from deepassay.sources.page import Pages
from deepassay.sources.snapshots import Snapshots


@asynccontextmanager
async def open_sources(plan: Plan, settings: Settings, run: RunFile) -> AsyncIterator[Sources]:
    """Pages and verdicts for a plan. Nothing is opened or fetched if no protocol reads pages."""
    async with AsyncExitStack() as stack:
        pages = Snapshots(run.captures)
        if any(protocol.reads_pages for protocol in plan.protocols):
            reader = None
            if not settings.offline_sources:
                from deepassay.run.readers import open_reader  # loads what the network needs

                opened = open_reader(
                    settings.reader, allow_hosts=settings.allow_host, proxy=settings.page_proxy
                )
                reader = await stack.enter_async_context(opened)
            shared = _shared(settings, stack)
            pages = Snapshots(run.captures, shared, reader, retry=settings.retry_unscored)
        yield Sources(pages, run.verdicts)


def kept_pages(settings: Settings, run: RunFile, stack: AsyncExitStack) -> Pages:
    """Pages that are there already, in the run or in the shared file."""
    there = settings.snapshots is not None and settings.snapshots.exists()
    return Snapshots(run.captures, _shared(settings, stack) if there else None)


def _shared(settings: Settings, stack: AsyncExitStack) -> Captures | None:
    path = settings.snapshots
    if path is None or path.resolve() == settings.run.resolve():
        return None
    return stack.enter_context(RunFile.share(path)).captures
