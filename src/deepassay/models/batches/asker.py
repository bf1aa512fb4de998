"""Asking in batches, under the same keys and with the same reading of answers as asking live.

What a batch answered a live run finds, and the other way round. An answer that cannot be used goes
back with the reason in the next batch.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Generic

from deepassay.models.batches.batcher import Batcher
from deepassay.models.batches.interface import outcome_of_result
from deepassay.models.batches.queue import Queued
from deepassay.models.budget import Reservation
from deepassay.models.client import Client, Completion, Fault
from deepassay.models.exchange import Corrections, Exchange, now
from deepassay.models.live import LiveAsker
from deepassay.models.operation import In, Operation, Out
from deepassay.models.reading import ReadAnswer
from deepassay.runfile import Attempt, Request, RunFile, StoredAnswer
from deepassay.score import Unscored, digest
from deepassay.stopping import begin

TRIES: Final = 3
"""Batches that a request may be in before what it failed with is the answer."""


@dataclass
class BatchExchange(Exchange[In, Out], Generic[In, Out]):
    """An exchange whose every turn is a request in a batch."""

    run: RunFile
    batcher: Batcher = field(kw_only=True)

    async def _answer(self, corrections: Corrections) -> Completion:
        """One answer, from a batch of this process or of one before it."""
        name = digest([self.run.salt, self.key, corrections])[:32]
        if corrections and self.doubted is None:
            self.service.unread.setdefault(self.operation.name, set()).add(self.key)
        self.batched.append(name)
        self._began = self._began or now()
        while True:
            request, end = await self._in_a_batch(name, corrections)
            if isinstance(end, Completion):
                return end
            if not end.kind.passes or request.tries + 1 >= TRIES:
                raise end
            await self.batcher.again(request, self.attempts[-1])

    async def _in_a_batch(
        self, name: str, corrections: Corrections
    ) -> tuple[Request, Completion | Fault]:
        """What a request comes to in one batch, noted with its cost."""
        service, batcher, began = self.service, self.batcher, now()
        most = self._most_tokens(corrections)
        worst = service.worst_cost(most)
        async with self._money(name, worst or 0.0) as reservation:
            request = batcher.request(name) or Request(name, self.key)
            while not request.back:
                if request.batch is not None:
                    request = await batcher.back(request)
                else:
                    request = await self._submitted(request._replace(cost=worst), corrections)
            call = self._call(corrections)
            end = outcome_of_result(batcher.interface, batcher.result(request), call)
            call.body_digest = request.sent
            self.attempts.append(
                Attempt(self.key, len(self.attempts) + 1, "", id=request.custom_id)
            )
            cost = service.cost(end, worst)
            reservation.cost = cost or 0.0
            self._note(call, now() - began, end, cost)
            service.record(end, most)
        return request, end

    async def _keep_sent_back(self) -> None:
        await self.run.keep_sent_back(self.key, self.sent_back, self.batched)

    async def _submitted(self, request: Request, corrections: Corrections) -> Request:
        """A request once it is back from the next batch."""
        if (closed := self._closed()) is not None:
            raise closed
        begin()
        encoded = await self.batcher.interface.encode(self._call(corrections))
        del self.prompt  # thousands wait; it is rendered anew for whoever needs it

        def not_sent() -> Fault | None:
            if corrections:  # what came back together was read by now
                self.service.stop_unread(self.operation.name, corrections[-1][0], self.wrong)
            return self._closed()

        return await self.batcher.submitted(Queued(request, encoded, not_sent))

    @asynccontextmanager
    async def _money(self, name: str, worst: float) -> AsyncIterator[Reservation]:
        """Money for a request: that which was set aside for it already, if it was."""
        budget, request = self.service.budget, self.batcher.request(name)
        if request is None or request.batch is None:
            async with budget.reserve(worst) as reservation:
                reservation.cost = 0.0  # until it is known
                yield reservation
            return
        held = self.batcher.unpaid.pop(name, None)
        reservation = Reservation(held or 0.0)
        try:
            yield reservation
        finally:
            if held is not None:  # otherwise its attempt counts already
                budget.settle(held, reservation.cost)


class BatchAsker(LiveAsker):
    """One client in one role, asked in batches. The rest as `LiveAsker`."""

    def __init__(
        self,
        batcher: Batcher,
        client: Client,
        run: RunFile,
        **given: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(client, run, **given)
        self._batcher = batcher
        self._file = run

    async def _keep(self, stored: StoredAnswer, exchange: Exchange[In, Out]) -> None:
        await self._file.keep_answer(stored, exchange.attempts, exchange.batched)

    def _exchange(self, key: str, operation: Operation[In, Out], inputs: In) -> Exchange[In, Out]:
        given = (self._service, key, operation, inputs, self._file)
        return BatchExchange(*given, batcher=self._batcher)

    async def _exchanged(self, exchange: Exchange[In, Out]) -> ReadAnswer[Out] | Unscored:
        # No question waits for another: each would wait for a whole batch. What a question that
        # is broken off has cost is on record with its request.
        return await exchange.converse()
