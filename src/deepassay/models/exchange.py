"""One question put to one client until it is answered, or for good is not.

Three loops, one inside the other: a request that fails for a passing reason is sent again; an
answer that cannot be used is sent back with the reason, as the next turn of the same
conversation; and all of it ends with the deadline of the item.

The record of each request is on the disk before the next one is sent. Under a budget, the worst
case of a request is on the disk before the request itself is sent, so that a kill at any moment
leaves no call uncounted. An answer has its slot until it is on the disk, so that a kill loses no
more of them than there are slots.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Final, Generic

from deepassay.errors import OverBudget
from deepassay.models.budget import Reservation
from deepassay.models.client import Call, Completion, Fault, FaultKind
from deepassay.models.fence import fenced
from deepassay.models.line import Line
from deepassay.models.operation import In, Operation, Out
from deepassay.models.prompt import Prompt, ask_again
from deepassay.models.reading import Read, Unreadable, read
from deepassay.models.usage import Usage, estimate_tokens, most_tokens
from deepassay.runfile import Attempt
from deepassay.score import Cause, Unscored
from deepassay.stopping import begin

Turns = list[tuple[str, str]]
"""Answers that could not be used, each with what was said to it."""

UNFINISHED: Final = "unfinished"
"""The kind of an attempt of which nothing is known yet, or ever will be."""


class Hopeless(Fault):
    """Nothing was sent and nothing will be, so that there is nothing to wait for."""


@dataclass
class Exchange(Generic[In, Out]):
    """A question, and the record of what came of it, which `hold` fills.

    Whoever has kept the answer calls `release`.
    keep: writes an attempt, and returns once it is on the disk.
    attempts: every request. last: the last answer, usable or not.
    """

    line: Line
    key: str
    operation: Operation[In, Out]
    inputs: In
    prompt: Prompt
    keep: Callable[[Attempt], Awaitable[None]]
    attempts: list[Attempt] = field(default_factory=list)
    last: Completion | None = None
    _began: float | None = None
    _slot: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def hold(self) -> Read[Out] | Unscored:
        """Ask until there is an answer, or no hope for one."""
        try:
            return await self._converse()
        except Fault as fault:
            if self._began is not None:
                self.line.gave_up(fault, self._began)
            return Unscored(fault.kind.cause, self._in_all(fault.detail))
        except OverBudget as error:
            return Unscored(Cause.BUDGET, error.problem)

    async def release(self) -> None:
        """Let the next question have the slot of the last answer, if there was one."""
        await self._slot.aclose()

    async def _converse(self) -> Read[Out] | Unscored:
        """Answers until one can be used."""
        turns: Turns = []
        while True:
            self.last = await self._answer(turns)
            if self.last.finish == "refusal":
                self._rename("refusal")
                said = self.last.text[:300] or "the provider's filter stopped the answer"
                return Unscored(Cause.JUDGE_REFUSED, said)
            if self.last.finish == "length" and not (
                self.operation.in_prose and self.last.text.strip()
            ):
                self._rename("truncated")
                most = self.line.client.max_output
                return Unscored(Cause.ANSWER_TRUNCATED, f"the answer is cut at {most} tokens")
            try:
                return read(self.operation, self.inputs, self.last.text)
            except Unreadable as problem:
                self._rename("unreadable", str(problem))
                if len(turns) == self.line.patience.again:
                    return Unscored(Cause.ANSWER_UNREADABLE, self._in_all(str(problem)))
                # It may quote the answer, which may quote a stranger.
                quoted = fenced("reason", str(problem), self.prompt.digest)
                reason = ask_again(self.inputs.language, quoted)
                turns = [*turns, (self.last.text, reason)]
                await self.keep(self.attempts[-1])
                await self.release()

    async def _answer(self, turns: Turns) -> Completion:
        """One answer; faults that pass are waited out."""
        patience = self.line.patience
        failures = limited = 0
        while True:
            try:
                return await self._request(turns)
            except Hopeless:
                raise
            except Fault as fault:
                last = fault
            if last.kind is FaultKind.RATE_LIMIT:
                limited += 1
            else:
                failures += 1
            wait = patience.wait(failures + limited, last.retry_after, self.line.chance.random())
            if not last.kind.passes or failures >= patience.attempts:
                raise last
            if wait >= self._left():
                raise _too_long(last)
            self._rename(last.kind.label, f"{last.detail}; waited {wait:.2f} s")
            await self.keep(self.attempts[-1])
            await asyncio.sleep(wait)

    async def _request(self, turns: Turns) -> Completion:
        """One request: the window, a slot, money for the worst case, the deadline."""
        line = self.line
        most = self._most_tokens(turns)
        async with AsyncExitStack() as slot:
            await slot.enter_async_context(line.client.pace.slot(retry=bool(self.attempts)))
            worst = line.worst(most)
            async with line.budget.reserve(worst or 0.0) as held:
                worst_case, held.cost = held.cost, 0.0  # which it is if nothing is sent
                if (hopeless := self._hopeless()) is not None:
                    raise hopeless
                begin()
                held.cost = worst_case
                end = await self._sent(turns, worst, held)
                line.hear(end, most)
            if isinstance(end, Fault):
                raise end
            self._slot = slot.pop_all()
        return end

    async def _sent(
        self, turns: Turns, worst: float | None, held: Reservation
    ) -> Completion | Fault:
        """What a request comes to, noted with its cost."""
        self.attempts.append(Attempt(self.key, len(self.attempts) + 1, UNFINISHED, cost=worst))
        call = Call(self.prompt, self.operation.gives, turns)
        began: float | None = None
        try:
            if self.line.budget.cap is not None and worst is not None:
                await self.keep(self.attempts[-1])
            began = _now()
            self._began = self._began or began
            end = await self._end(call)
        except asyncio.CancelledError:
            stopped = Fault(FaultKind.CONNECTION, "the run was stopped")
            if began is None:
                held.cost = 0.0
                self._note(call, 0.0, stopped, 0.0)
            else:  # we hang up, but the provider may charge for it all the same
                self._note(call, _now() - began, stopped, self.line.cost(stopped, worst))
            raise
        cost = self.line.cost(end, worst)
        held.cost = cost or 0.0
        self._note(call, _now() - began, end, cost)
        return end

    def _hopeless(self) -> Hopeless | None:
        """Why nothing is to be sent any more, now that it is our turn."""
        if (closed := self.line.closed) is not None:
            return Hopeless(closed.kind, f"not asked any more: {closed.detail}")
        if self._left() <= 0.0:
            return Hopeless(FaultKind.TIMEOUT, "no answer before the deadline of the question")
        return None

    async def _end(self, call: Call) -> Completion | Fault:
        """What a request comes to before its deadline."""
        seconds = min(self.line.patience.attempt, self._left())
        try:
            async with asyncio.timeout(seconds):
                return await self.line.client.complete(call)
        except TimeoutError:
            return Fault(FaultKind.TIMEOUT, f"no answer within {seconds:.3g} seconds")
        except Fault as fault:
            return fault

    def _most_tokens(self, turns: Turns) -> int:
        """How many tokens go in at most. Raises Fault if the model cannot take so many.

        0 where nobody knows a window or a price: then nothing depends on it.
        """
        if self.line.client.context_window is None and self.line.client.price is None:
            return 0
        prompt = self.prompt
        texts = [prompt.system, prompt.material, prompt.question]
        texts += [text for turn in turns for text in turn]
        window = self.line.client.context_window
        tokens = sum(map(estimate_tokens, texts))
        if window is not None and tokens > window:
            raise Fault(
                FaultKind.OVERFLOW,
                f"about {tokens} tokens do not fit into the model's {window}; nothing was sent",
            )
        return sum(map(most_tokens, texts))

    def _left(self) -> float:
        """Seconds until the deadline of the item, which begins with its first request."""
        whole = self.line.patience.seconds
        return whole if self._began is None else max(0.0, self._began + whole - _now())

    def _note(
        self, call: Call, seconds: float, end: Completion | Fault, cost: float | None
    ) -> None:
        fault = end if isinstance(end, Fault) else None
        usage = end.usage if isinstance(end, Completion) else None
        self.attempts[-1] = replace(
            self.attempts[-1],
            kind=fault.kind.label if fault else "answered",
            status=fault.status if fault else 200,
            detail=fault.detail if fault else "",
            seconds=seconds,
            usage=(usage or Usage()).as_dict(),
            cost=cost,
            body_digest=call.body_digest,
        )

    def _rename(self, kind: str, detail: str = "") -> None:
        self.attempts[-1] = replace(self.attempts[-1], kind=kind, detail=detail)

    def _in_all(self, detail: str) -> str:
        """The last reason on one line, and how often it was tried."""
        line, count = detail.replace("\n", "; "), len(self.attempts)
        return line if count < 2 else f"{line} (after {count} requests)"


def _too_long(fault: Fault) -> Fault:
    """The fault that ends a question, with the wait that the provider asked for."""
    if fault.retry_after is None:
        return fault
    asked = f"{fault.detail}; the provider asks to wait {fault.retry_after:.0f} s"
    return Fault(fault.kind, asked, status=fault.status, retry_after=fault.retry_after)


def _now() -> float:
    return asyncio.get_running_loop().time()
