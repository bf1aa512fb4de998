"""The cited pages of a run, for protocols that read them: kept ones, and a reader for the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from deepassay.protocols.protocol import Sources
from deepassay.run.plan import Plan
from deepassay.run.request import Request
from deepassay.runfile import RunFile
from deepassay.runfile.captures import Captures
from deepassay.sources.page import Pages
from deepassay.sources.snapshots import Snapshots


@asynccontextmanager
async def open_sources(plan: Plan, request: Request, run: RunFile) -> AsyncIterator[Sources]:
    """Pages and verdicts for a plan. Nothing is opened or fetched if no protocol reads pages."""
    async with AsyncExitStack() as stack:
        pages = Snapshots(run.captures)
        if any(protocol.reads_pages for protocol in plan.protocols):
            reader = None
            if not request.offline_sources:
                from deepassay.run.readers import open_reader  # loads what the network needs

                opened = open_reader(
                    request.reader, allow_hosts=request.allow_hosts, proxy=request.page_proxy
                )
                reader = await stack.enter_async_context(opened)
            shared = _shared(request, stack)
            pages = Snapshots(run.captures, shared, reader, retry=request.retry_unscored)
        yield Sources(pages, run.verdicts)


def kept_pages(request: Request, run: RunFile, stack: AsyncExitStack) -> Pages:
    """Pages that are there already, in the run or in the shared file."""
    there = request.snapshots is not None and request.snapshots.exists()
    return Snapshots(run.captures, _shared(request, stack) if there else None)


def _shared(request: Request, stack: AsyncExitStack) -> Captures | None:
    path = request.snapshots
    if path is None or path.resolve() == request.run.resolve():
        return None
    return stack.enter_context(RunFile.share(path)).captures
