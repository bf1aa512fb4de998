"""Where the questions to one model become batches, and batches become answers.

A batch is submitted when it is full, or when nothing was added for a moment: then all that is
under way waits for an answer. Whatever happens in between, what is known is on the disk: a batch
is planned before the provider hears of it, its handle is kept when it is submitted, and what comes
back is kept before anybody reads it.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from deepassay.errors import BadSetting, Notice
from deepassay.models.batches.interface import (
    MAY_EXIST,
    PACING,
    BatchInterface,
    Encoded,
    NotYetKnown,
    Pacing,
    refused,
)
from deepassay.models.batches.queue import Arrivals, Queue, Queued
from deepassay.models.budget import Budget
from deepassay.models.client import Fault, FaultKind
from deepassay.runfile import Attempt, Batch, Batching, Request
from deepassay.score import Json

LOOKS: Final = 10
"""Times that nothing may be new in a row: what is ready to run has its turn between them."""
SEARCHES: Final = 8
"""Faults in a row while it is looked for a batch of which nobody knows whether it was made."""
CREATIONS: Final = 5
"""Times that one batch is to be made before its requests fail."""


class Batcher:
    """The batches of one model. `start` it in the loop that asks.

    service: the model with its settings. most: requests in a batch at most.
    unpaid: USD set aside for requests of an earlier process whose attempts are not on record.
    """

    def __init__(
        self,
        interface: BatchInterface,
        run: Batching,
        service: str,
        budget: Budget,
        unpaid: dict[str, float],
        most: int,
        pacing: Pacing = PACING,
    ) -> None:
        self.interface = interface
        self.unpaid = unpaid
        self._budget = budget
        self._run = run
        self._service = f"{service}/{interface.kind}"
        self._pacing = pacing
        self._queue = Queue(min(most, interface.most), interface.most_bytes)
        self._arrivals = Arrivals()
        self._tasks: set[asyncio.Task[None]] = set()
        self._elsewhere: dict[int, str] = {}
        self._making = asyncio.Lock()
        self._busy = 0
        self._quiet = 0
        self._left = asyncio.Event()
        self._under_way = 0
        self._room: int | None = None
        self._retries = pacing.waits()
        self._closed_until = 0.0

    # For those who ask

    def request(self, name: str) -> Request | None:
        """A request that waits or is back."""
        return self._run.requests.get(name)

    def result(self, request: Request) -> Json:
        """What came back for a request."""
        return self._run.result(request.name)

    async def submitted(self, queued: Queued) -> Request:
        """Put a request into the next batch; done when it is back, or in none. Raises Fault."""
        self._queue.put(queued)
        self._quiet = 0
        try:
            return await self._arrivals.of(queued.request.name)
        finally:
            self._queue.remove(queued.request.name)

    async def back(self, request: Request) -> Request:
        """Wait for a request that is in a batch already; in none, if that was never made.

        Raises BadSetting if the batch is not one of this batcher.
        """
        if request.back:
            return request
        if (provider := self._elsewhere.get(request.batch or 0)) is not None:
            raise BadSetting(
                f"A question waits in batch {request.batch}, {provider}.",
                "Ask as before to collect it, with or without --batch-file.",
            )
        return await self._arrivals.of(request.name)

    async def again(self, request: Request, attempt: Attempt) -> None:
        """Note that a request came to nothing, and may be in another batch."""
        await self._run.again(request, attempt)

    # Life

    def start(self) -> None:
        """Take up the batches that are under way, and submit from now on."""
        for batch in self._run.open():
            if batch.service == self._service:
                self._under_way += 1
                self._do(self._recover(batch) if batch.handle is None else self._watch(batch))
            else:
                self._elsewhere[batch.number] = batch.provider
        self._do(self._submit_all())

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for an answer."""
        return bool(self._arrivals)

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to do but wait."""
        waits = not self._queue or not self._may_submit
        return waits and not self._busy and self._quiet >= LOOKS

    async def leave(self) -> None:
        """Submit nothing more; returns when what is being submitted is on record."""
        self._left.set()
        while self._busy:
            await asyncio.sleep(self._pacing.idle / LOOKS)

    async def aclose(self) -> None:
        """End. Batches go on at the provider."""
        await self.leave()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._arrivals.fail(error)

    # From the queue to the provider

    async def _submit_all(self) -> None:
        """Submit what is in the queue when it is full, or nothing was added for a moment."""
        while True:
            await asyncio.sleep(self._pacing.idle / LOOKS)
            self._quiet += 1
            # Once the provider had no room, what is put back is no reason to try again at once.
            while (
                self._queue
                and (self._quiet >= LOOKS or (self._queue.is_full and self._room is None))
                and self._may_submit
            ):
                self._submit()

    @property
    def _may_submit(self) -> bool:
        """Whether another batch may go to the provider now."""
        if self._left.is_set() or asyncio.get_running_loop().time() < self._closed_until:
            return False
        return self._room is None or self._under_way < self._room

    def _submit(self) -> None:
        """Take a batch from the queue, and begin to submit what is to be sent of it."""
        if taken := [each for each in self._queue.take() if not self._arrivals.refused(each)]:
            self._busy += 1  # from now on, not only once it has its turn
            self._under_way += 1
            self._do(self._submitting(taken))

    async def _submitting(self, taken: Sequence[Queued]) -> None:
        try:
            requests = [each.request._replace(sent=each.digest) for each in taken]
            batch, placed = await self._run.plan(
                self._service, self.interface.provider, requests, _time()
            )
            pairs = zip(placed, taken, strict=True)
            custom = {request.custom_id: each.encoded for request, each in pairs}
            batch = await self._created(batch, custom)
        except Exception as error:
            self._arrivals.fail(error)  # before it looks as if there were nothing left but to wait
            raise
        finally:
            self._busy -= 1
        self._do(self._watch(batch, fresh=True))  # the requests need not be held meanwhile

    async def _created(self, batch: Batch, requests: Mapping[str, Encoded]) -> Batch:
        """Make a batch. Where that failed and it may exist all the same, look before another try.

        Where it cannot be made, its requests come back refused.
        """
        waits = self._pacing.waits()
        for creation in range(1, CREATIONS + 1):
            try:
                async with self._making:  # several copies of a batch at a time, and of one alone
                    handle = await self._pacing.within(
                        self.interface.create(batch.number, requests)
                    )
                break
            except Fault as fault:
                last = fault
            except BadSetting:  # it never will be: nothing waits there
                await self._run.drop(batch, "it cannot be made")
                raise
            if last.kind in MAY_EXIST:
                handle = await self._found(batch)
                if handle is not None:
                    break
            elif last.kind is FaultKind.RATE_LIMIT and creation == CREATIONS:
                return await self._put_back(batch, last.detail, last.retry_after or 0.0)
            if not self._left.is_set():
                if not last.kind.passes or creation == CREATIONS:
                    return await self._refused(batch, last)
                await self._pause(max(next(waits), last.retry_after or 0.0))
            if self._left.is_set():
                await self._run.keep(batch := replace(batch, detail=last.detail))
                return batch
        return await self._kept(batch, handle)

    async def _kept(self, batch: Batch, handle: Json) -> Batch:
        """A batch that the provider has, with its handle on the disk."""
        times = {**batch.times, "submitted": _time()}
        batch = replace(batch, state="submitted", handle=handle, times=times, detail="")
        await self._run.keep(batch)
        return batch

    async def _refused(self, batch: Batch, fault: Fault) -> Batch:
        result = refused(fault)
        back = dict.fromkeys(self._names(batch), result)
        return await self._arrived(replace(batch, state="gone", detail=fault.detail), back)

    async def _found(self, batch: Batch) -> Json:
        """The handle of a batch of which nobody knows whether it was made; None if it was not."""
        names = [self._run.requests[name].custom_id for name in self._names(batch)]
        others = [each.handle for each in self._run.batches() if each.handle is not None]
        waits = self._pacing.waits()
        since, faults = batch.times["planned"], 0
        while faults < SEARCHES:
            try:
                return await self._pacing.within(
                    self.interface.find(batch.number, names, since, others)
                )
            except NotYetKnown:  # another batch there has to end first: that may take a day
                faults = 0
            except Fault as fault:
                self._check(batch, fault)
                faults += 1
            if self._left.is_set():
                return None
            await self._pause(next(waits))
        raise BadSetting(
            f"Batch {batch.number}, {batch.provider}: nobody there says whether it was made.",
            "Correct the address or wait; the same command goes on with it.",
        )

    async def _pause(self, seconds: float) -> None:
        """Wait so long, or until the batcher is left, of what is at work otherwise."""
        self._busy -= 1
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._left.wait(), seconds)
        finally:
            self._busy += 1

    async def _recover(self, batch: Batch) -> None:
        """Take up a batch that was planned, and whose handle was lost if it was made."""
        with self._at_work():
            handle = await self._found(batch)
            if handle is not None:
                batch = await self._kept(batch, handle)
            elif not self._left.is_set():
                await self._free(batch, "it was never made")
        await self._watch(batch)

    async def _put_back(self, batch: Batch, why: str, seconds: float = 0.0) -> Batch:
        """Have the requests of a batch wait that the provider has no room for at present.

        They go into another one when a batch of before has ended. Where there is none, this one
        may be too large, or others use the account: by half as many, after a while.
        seconds: that the provider asks for.
        """
        others = self._under_way - 1
        if self._room is None:
            told = (
                f"{self.interface.provider} takes no more questions at present: "
                f"{why.rstrip('.')}. They wait until there is room; smaller batches go in "
                "sooner (--batch-size)."
            )
            warnings.warn(Notice(told), stacklevel=2)
        self._room = max(1, others)
        if not others:
            self._queue.most = max(1, batch.requests // 2)
            now = asyncio.get_running_loop().time()
            self._closed_until = now + max(next(self._retries), seconds)
        return await self._free(batch, why)

    async def _free(self, batch: Batch, why: str) -> Batch:
        """Have the requests of a batch that comes to nothing go into another one."""
        for request in await self._run.drop(batch, why):
            held = self.unpaid.pop(request.name, None)
            if held is not None:
                self._budget.settle(held, 0.0)
            self._wake(request)
        return replace(batch, state="gone", detail=why)

    # From the provider to those who wait

    async def _watch(self, batch: Batch, *, fresh: bool = False) -> None:
        """Look at a batch until it has ended, and keep what came back."""
        waits = self._pacing.waits()
        if fresh:
            await asyncio.sleep(next(waits))
        while batch.state == "submitted":
            with self._at_work():
                batch = await self._looked_at(batch)
            if batch.state == "submitted":
                await asyncio.sleep(next(waits))
        self._under_way -= 1

    async def _looked_at(self, batch: Batch) -> Batch:
        """A batch once it was looked at, with its results on the disk if it has ended."""
        try:
            looked = await self._pacing.within(self.interface.look(batch.handle))
            if looked.no_room:
                return await self._put_back(batch, looked.no_room)
            if not looked.ended:
                return batch
            found = await self._pacing.within(self.interface.results(looked.handle))
        except Fault as fault:
            if fault.status != 404:
                self._check(batch, fault)
                return batch
            lost = {name: {"status": "lost"} for name in self._names(batch)}
            return await self._arrived(replace(batch, state="gone", detail=fault.detail), lost)
        back = {
            name: found.results.get(self._run.requests[name].custom_id, found.otherwise)
            for name in self._names(batch)
        }
        times = {**batch.times, "collected": _time()}
        if looked.deleted:
            times["deleted"] = looked.deleted
        answered = sum(each["status"] == "succeeded" for each in back.values())
        ended = replace(batch, state="collected", times=times, answered=answered)
        self._retries, self._closed_until = self._pacing.waits(), 0.0
        return await self._arrived(replace(ended, handle=looked.handle), back)

    async def _arrived(self, batch: Batch, results: Mapping[str, Json]) -> Batch:
        """Keep what came back, and wake those who wait for it."""
        await self._run.collect(batch, results)
        for name in results:
            self._wake(self._run.requests[name])
        return batch

    def _wake(self, request: Request) -> None:
        self._quiet = 0
        self._arrivals.arrived(request)

    def _names(self, batch: Batch) -> list[str]:
        return [each.name for each in self._run.requests.values() if each.batch == batch.number]

    def _check(self, batch: Batch, fault: Fault) -> None:
        """Raise BadSetting for a fault that does not pass by itself."""
        if not fault.kind.passes:
            raise BadSetting(
                f"Batch {batch.number}, {batch.provider}, cannot be looked at: {fault.detail}",
                "It goes on there. Correct that, and the same command collects it.",
            )

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Something is done that is to come to its end."""
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1


def _time() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
