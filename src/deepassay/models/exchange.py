"""An exchange with a provider's model: one question, until there is an answer or no hope for one.

It has three loops, one inside the other: a request that fails for a passing reason is sent
again; an answer that cannot be used is sent back with the reason; and all of it ends with the
deadline of the question.

The record of each request is on the disk before the next one is sent, and with it an answer that
is sent back: whoever asks the question again after a kill goes on from there. Under a budget, the
worst case of a request is there before the request itself is sent, so that a kill leaves no call
uncounted. An answer has its slot until it is on the disk: a kill loses no more than have one.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Final, Generic

from deepassay.errors import OverBudget
from deepassay.models.ask import Answers
from deepassay.models.budget import Reservation
from deepassay.models.client import Call, Completion, Fault, FaultKind, NotSent, Overdue
from deepassay.models.fence import fenced
from deepassay.models.operation import In, Operation, Out
from deepassay.models.prompt import Prompt, ask_again
from deepassay.models.reading import ReadAnswer, Unreadable, read_reply
from deepassay.models.service import ModelSession
from deepassay.models.usage import Usage, estimate_tokens, most_tokens
from deepassay.runfile import Attempt, SentBack
from deepassay.score import Cause, Unscored
from deepassay.stopping import begin

Corrections = list[tuple[str, str]]
"""Answers that could not be used, each with the reason that the model is given."""

UNFINISHED: Final = "unfinished"
"""The kind of an attempt of which nothing is known yet, or ever will be."""

STOPPED: Final = "stopped"
"""The kind of an attempt that was broken off as the run was stopped, by whoever stopped it."""

SENT_BACK: Final = "sent_back"
"""The kind of an answer that stood and was asked for again: what it gave would be dropped."""

UNQUOTED: Final = "unquoted"
"""The kind of an answer that was asked for again because a quote was not found."""


@dataclass
class Exchange(Generic[In, Out]):
    """A question, and the record of what came of it, which `converse` fills.

    Whoever has kept the answer calls `release`.
    run: keeps what comes of it. attempts: every request, those of an earlier process too.
    sent_back: the answers that were. last: the last answer, usable or not. doubted: the answer that
    the model was asked to correct although it stands. batched: of requests that waited in batches,
    their names in the run file. wrong: what was, with the last answer that could not be used.
    most: requests that it may take, if there is a limit.
    """

    service: ModelSession
    key: str
    operation: Operation[In, Out]
    inputs: In
    run: Answers
    attempts: list[Attempt] = field(default_factory=list)
    sent_back: list[SentBack] = field(default_factory=list)
    last: Completion | None = None
    doubted: tuple[Completion, ReadAnswer[Out]] | None = None
    batched: list[str] = field(default_factory=list)
    wrong: str = ""
    most: int | None = None
    _began: float | None = None
    _slot: AsyncExitStack = field(default_factory=AsyncExitStack)

    @cached_property
    def prompt(self) -> Prompt:
        """The question as it is sent, with the fences of the run."""
        return self.operation.render(self.inputs, self.run.salt)

    async def converse(self) -> ReadAnswer[Out] | Unscored:
        """Ask until there is an answer, or no hope for one."""
        try:
            end = await self._usable()
        except Fault as fault:
            if self._began is not None:
                self.service.record_failure(fault, self._began)
            end = Unscored(fault.kind.cause, self._in_all(fault.detail))
        except OverBudget as error:
            end = Unscored(Cause.BUDGET, error.problem)
        if self.attempts:
            said = self.last.text if self.last else ""
            self.service.record_reading(self.operation.name, self.key, end, said, self.wrong)
        return end

    async def release(self) -> None:
        """Let the next question have the slot of the last answer, if there was one."""
        await self._slot.aclose()

    async def _usable(self) -> ReadAnswer[Out] | Unscored:
        """The first answer that can be used, or why there is none; unusable ones are sent back.

        One with something to correct, that stands all the same, is used if no better one comes.
        """
        corrections: Corrections = []
        before = iter(await self.run.sent_back(self.key))
        while True:
            first = len(self.attempts)
            kept = next(before, None)
            standing = self.doubted
            end: ReadAnswer[Out] | Unscored | str
            try:
                answer = await self._answer(corrections) if kept is None else self._again(kept)
                self.last = answer
                end = self._read_answer(answer)
            except (Fault, OverBudget):
                if standing is None:
                    raise
                end = ""  # what stands is used
            if standing is not None and not isinstance(end, ReadAnswer):
                self.last, end = standing  # asked to correct what stood, it spoilt it
            if not isinstance(end, str):
                return end
            self.wrong = end
            if self._is_last(answer, corrections):
                unreadable = Unscored(Cause.ANSWER_UNREADABLE, self._in_all(end))
                return self.doubted[1] if self.doubted else unreadable
            # It may quote the answer, and the answer untrusted text.
            quoted = fenced("reason", end, self.prompt.digest)
            reason = ask_again(self.inputs.language, quoted, self.operation.again)
            corrections = [*corrections, (answer.text, reason)]
            requests = tuple(self.attempts[first:])
            back = SentBack(answer.text, answer.finish, answer.served_model, requests)
            self.sent_back.append(back)
            if kept is None:
                await self._keep_sent_back()
            await self.release()

    def _is_last(self, answer: Completion, corrections: Corrections) -> bool:
        """Whether the model is not asked again after this answer, whatever is wrong with it."""
        if len(corrections) == self.service.retries.corrections or self._took_all:
            return True
        # Told what is amiss, it says the same: it would a third time.
        return self.most is not None and bool(corrections) and corrections[-1][0] == answer.text

    def _again(self, kept: SentBack) -> Completion:
        """An answer that an earlier process was given."""
        self.attempts += kept.attempts
        return Completion(kept.text, kept.finish, None, kept.served_model)

    async def _keep_sent_back(self) -> None:
        await self.run.keep_sent_back(self.key, self.sent_back)

    def _read_answer(self, answer: Completion) -> ReadAnswer[Out] | Unscored | str:
        """An answer as it was read, or why the question ends without one.

        A text is what the model is to correct, where it is asked again.
        """
        if answer.finish == "refusal":
            self._rename("refusal")
            detail = answer.text[:300] or "the provider's filter stopped the answer"
            return Unscored(Cause.JUDGE_REFUSED, detail)
        if answer.finish == "length" and not (self.operation.in_prose and answer.text.strip()):
            self._rename("truncated")
            detail = f"the answer is cut at {self.service.client.max_output} tokens"
            if answer.thought and not answer.text.strip():
                detail += ", all of them thought: raise --max-output or lower --effort"
            return Unscored(Cause.ANSWER_TRUNCATED, detail)
        try:
            found = read_reply(self.operation, self.inputs, answer.text)
        except Unreadable as problem:
            self._rename("unreadable", str(problem))
            return str(problem)
        kind, doubt = self._complaint(found.value) if self.doubted is None else ("", "")
        if not doubt:
            return found
        self._rename(kind, doubt)
        self.doubted = answer, found
        return doubt

    def _complaint(self, answer: Out) -> tuple[str, str]:
        """What is to be corrected in an answer that stands, if anything, behind its kind."""
        if doubt := self.operation.soft_check(self.inputs, answer):
            return SENT_BACK, doubt
        wanted = self.service.client.identity.get("quotes", False)
        return UNQUOTED, self.operation.quotes(self.inputs, answer) if wanted else ""

    async def _answer(self, corrections: Corrections) -> Completion:
        """One answer. Faults that pass are waited out; a rate limit may last until the deadline."""
        retries = self.service.retries
        failures = limited = 0
        last: Fault | None = None
        while True:
            try:
                return await self._request(corrections)
            except NotSent:
                raise
            except Overdue:
                if last is None or last.kind is not FaultKind.RATE_LIMIT:
                    raise
                raise last from None
            except Fault as fault:
                last = fault
            if last.kind is FaultKind.RATE_LIMIT:
                limited += 1
            else:
                failures += 1
            wait = retries.wait(failures + limited, last.retry_after, self.service.chance.random())
            if not last.kind.passes or failures >= retries.attempts or self._took_all:
                raise last
            if wait >= self._left():
                raise last.too_long()
            self._rename(last.kind.label, f"{last.detail}; waited {wait:.2f} s")
            await self.run.keep_attempt(self.attempts[-1])
            await asyncio.sleep(wait)

    async def _request(self, corrections: Corrections) -> Completion:
        """One request: the window, a slot, money for the worst case, the deadline."""
        service = self.service
        most = self._most_tokens(corrections)
        async with AsyncExitStack() as slot:
            await slot.enter_async_context(service.client.pace.slot(retry=bool(self.attempts)))
            worst = service.worst_cost(most)
            async with service.budget.reserve(worst or 0.0) as reservation:
                worst_case = reservation.cost
                reservation.cost = 0.0  # which it is if nothing is sent
                if (not_sent := self._closed() or self._overdue()) is not None:
                    raise not_sent
                begin()
                reservation.cost = worst_case
                end = await self._sent(corrections, worst, reservation)
                service.record(end, most)
            if isinstance(end, Fault):
                raise end
            self._slot = slot.pop_all()
        return end

    async def _sent(
        self, corrections: Corrections, worst: float | None, reservation: Reservation
    ) -> Completion | Fault:
        """What a request comes to, noted with its cost."""
        self.attempts.append(Attempt(self.key, len(self.attempts) + 1, UNFINISHED, cost=worst))
        call = self._call(corrections)
        began: float | None = None
        try:
            if self.service.budget.cap is not None and worst is not None:
                await self.run.keep_attempt(self.attempts[-1])
            began = now()
            self._began = self._began or began
            end = await self._end(call)
        except asyncio.CancelledError:
            stopped = Fault(FaultKind.CONNECTION, "the run was stopped")
            if began is None:
                reservation.cost = 0.0
                self._note(call, 0.0, stopped, 0.0)
            else:  # we hang up, but the provider may charge for it all the same
                self._note(call, now() - began, stopped, self.service.cost(stopped, worst))
            self._rename(STOPPED, stopped.detail)
            raise
        cost = self.service.cost(end, worst)
        reservation.cost = cost or 0.0
        self._note(call, now() - began, end, cost)
        return end

    def _call(self, corrections: Corrections) -> Call:
        form = None if self.operation.in_prose else partial(self.operation.form, self.inputs)
        return Call(self.prompt, form, corrections, whole=self.operation.raw)

    def _overdue(self) -> Overdue | None:
        if self._left() <= 0.0:
            return Overdue(FaultKind.TIMEOUT, "no answer before the deadline of the question")
        return None

    def _closed(self) -> NotSent | None:
        if (closed := self.service.closed_for(self.operation.name)) is None:
            return None
        return NotSent(closed.kind, f"not asked any more: {closed.detail}")

    async def _end(self, call: Call) -> Completion | Fault:
        """What a request comes to before its deadline."""
        left, most = self._left(), self.service.retries.request_seconds
        seconds = min(most, left)
        try:
            async with asyncio.timeout(seconds):
                return await self.service.client.complete(call)
        except TimeoutError:
            ended = Overdue if left < most else Fault
            return ended(FaultKind.TIMEOUT, f"no answer within {seconds:.3g} seconds")
        except Fault as fault:
            return fault

    def _most_tokens(self, corrections: Corrections) -> int:
        """How many tokens go in at most. Raises Fault if the model cannot take so many.

        0 where nobody knows a window or a price: then nothing depends on it.
        """
        if self.service.client.context_window is None and self.service.client.price is None:
            return 0
        prompt = self.prompt
        texts = [prompt.system, prompt.material, prompt.question]
        texts += [text for correction in corrections for text in correction]
        window = self.service.client.context_window
        tokens = sum(map(estimate_tokens, texts))
        if window is not None and tokens > window:
            raise Fault(
                FaultKind.OVERFLOW,
                f"about {tokens} tokens do not fit into the model's {window}; nothing was sent",
            )
        return sum(map(most_tokens, texts))

    @property
    def _took_all(self) -> bool:
        return self.most is not None and len(self.attempts) >= self.most

    def _left(self) -> float:
        """Seconds until the deadline of the item, which begins with its first request."""
        whole = self.service.retries.deadline
        return whole if self._began is None else max(0.0, self._began + whole - now())

    def _note(
        self, call: Call, seconds: float, end: Completion | Fault, cost: float | None
    ) -> None:
        fault = end if isinstance(end, Fault) else None
        self.attempts[-1] = replace(
            self.attempts[-1],
            kind=fault.kind.label if fault else "answered",
            status=fault.status if fault else 200,
            detail=end.detail if isinstance(end, Fault) else end.note,
            seconds=seconds,
            usage=(end.usage or Usage()).as_dict(),
            cost=cost,
            body_digest=call.body_digest,
        )

    def _rename(self, kind: str, detail: str = "") -> None:
        self.attempts[-1] = replace(self.attempts[-1], kind=kind, detail=detail)

    def _in_all(self, detail: str) -> str:
        """The last reason on one line, and how often it was tried."""
        line, count = detail.replace("\n", "; "), len(self.attempts)
        return line if count < 2 else f"{line} (after {count} requests)"


def now() -> float:
    """The clock of the loop, in seconds."""
    return asyncio.get_running_loop().time()
