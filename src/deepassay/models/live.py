"""Asking a provider's model, through the run file: nothing is asked twice, nothing is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from deepassay.models.ask import Answer, Answers, kept_answer, key_of
from deepassay.models.budget import Budget
from deepassay.models.client import Client
from deepassay.models.exchange import Exchange
from deepassay.models.operation import In, Operation, Out
from deepassay.models.reading import ReadAnswer
from deepassay.models.service import ModelSession, Prefixes, RetryPolicy
from deepassay.runfile import StoredAnswer
from deepassay.score import Cause, Json, Unscored

if TYPE_CHECKING:
    from numpy.random import Generator


class LiveAsker:
    """One client in one role.

    chance: for spreading the waits between attempts.
    retry: ask again, once, for what failed before this asker came. Otherwise a failure that is
    kept is the answer, as an outcome may rest on it; only one of the budget is none.
    Raises BadSetting if the budget has a cap and the client no price, unless `allow_unpriced`.
    """

    def __init__(
        self,
        client: Client,
        run: Answers,
        *,
        chance: Generator,
        budget: Budget | None = None,
        retries: RetryPolicy | None = None,
        allow_unpriced: bool = False,
        retry: bool = False,
    ) -> None:
        self._run, self._retry = run, retry
        self._service = ModelSession(
            client, budget or Budget(), retries or RetryPolicy(), chance, allow_unpriced
        )
        self._prefixes = Prefixes()
        self._asking: dict[str, asyncio.Future[Any]] = {}
        self._failed: set[str] = set()

    @property
    def identity(self) -> Mapping[str, Json]:
        """Model, endpoint and the settings that are really sent."""
        return self._service.client.identity

    @property
    def is_asking(self) -> bool:
        """Whether a question is on its way."""
        return bool(self._asking)

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0, most: int | None = None
    ) -> Answer[Out] | Unscored:
        """Ask, or give the answer that is there. Those who ask the same meanwhile share it."""
        key = key_of(operation, inputs, self.identity, repeat)
        while (underway := self._asking.get(key)) is not None:
            shared: Answer[Out] | Unscored | None = await asyncio.shield(underway)
            if shared is not None:
                return shared
        underway = self._asking[key] = asyncio.get_running_loop().create_future()
        outcome = None
        try:
            stored = await self._run.look_up(key)
            if stored is not None and self._is_settled(stored):
                if stored.cause is None:
                    self._service.read.add(operation.name)
                outcome = kept_answer(operation, inputs, stored)
            else:
                outcome = await self._ask(key, operation, inputs, repeat, most)
        finally:
            del self._asking[key]
            underway.set_result(outcome)  # None: we were stopped, somebody else may go on
        return outcome

    def _is_settled(self, stored: StoredAnswer) -> bool:
        """Whether this question is not to be asked any more.

        Two reports with the same text share a question: what failed for the first of them must
        not be answered for the second, or the outcome of the first would rest on nothing.
        """
        if stored.cause is None or stored.key in self._failed:
            return True
        return stored.cause != Cause.BUDGET and not self._retry

    async def _ask(
        self,
        key: str,
        operation: Operation[In, Out],
        inputs: In,
        repeat: int,
        most: int | None,
    ) -> Answer[Out] | Unscored:
        exchange = self._exchange(key, operation, inputs)
        exchange.most = most
        try:
            end = await self._exchanged(exchange)
            stored = _stored(exchange, end, str(self.identity["model"]), repeat)
            await self._keep(stored, exchange)
        finally:
            await exchange.release()
        if isinstance(end, Unscored):
            if end.cause is not Cause.BUDGET:
                self._failed.add(key)
            return end
        served = stored.served_model or stored.model
        return Answer(end.value, key, served, end.repaired, batched=stored.batched)

    async def _keep(self, stored: StoredAnswer, exchange: Exchange[In, Out]) -> None:
        await self._run.keep_answer(stored, exchange.attempts)

    def _exchange(self, key: str, operation: Operation[In, Out], inputs: In) -> Exchange[In, Out]:
        """A question, about to be asked."""
        return Exchange(self._service, key, operation, inputs, self._run)

    async def _exchanged(self, exchange: Exchange[In, Out]) -> ReadAnswer[Out] | Unscored:
        try:
            async with self._prefixes.await_cached_prefix(exchange.prompt):
                return await exchange.converse()
        except asyncio.CancelledError:
            self._run.keep_attempts(exchange.attempts)  # what they cost counts for the budget
            raise


def _stored(
    exchange: Exchange[In, Out], end: ReadAnswer[Out] | Unscored, model: str, repeat: int
) -> StoredAnswer:
    """The row for the run file: the raw answer, or the failure and why."""
    failure, last = end if isinstance(end, Unscored) else None, exchange.last
    usage = sum((Counter(attempt.usage) for attempt in exchange.attempts), Counter[str]())
    costs = [attempt.cost for attempt in exchange.attempts if attempt.cost is not None]
    return StoredAnswer(
        key=exchange.key,
        operation=exchange.operation.name,
        model=model,
        repeat=repeat,
        prompt_digest=exchange.prompt.digest,
        raw=last.text if last else "",
        cause=failure.cause if failure else None,
        detail=end.detail if isinstance(end, Unscored) else end.note,
        usage=dict(usage),
        cost=sum(costs) if costs else None,
        served_model=last.served_model if last else None,
        finish_reason=last.finish if last else None,
        attempts=len(exchange.attempts),
        repaired=isinstance(end, ReadAnswer) and end.repaired,
        batched=bool(exchange.batched),
    )
