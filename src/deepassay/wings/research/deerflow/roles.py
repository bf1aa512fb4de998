"""Who is asked: five roles, each with its model, limits and factor, and one ledger for all.

Every prompt is fitted and reserved before it is sent. What cannot be asked, or was not answered as
it had to be, ends research, or is done by the operation's rule, and the record says so.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Generic

from deepassay.agents.agent import Stop
from deepassay.models.ask import Answer, Asker, is_offline, key_of
from deepassay.models.client import Client
from deepassay.models.operation import In, OffMenu, Operation, Out, Prose
from deepassay.models.prices import worst_case
from deepassay.runfile import RunFile, StoredAnswer
from deepassay.score import Cause, Json, Unscored
from deepassay.wings.research.deerflow.asking import text_without_fences
from deepassay.wings.research.deerflow.budget import Amount, Clock, Ledger, Phase, Short
from deepassay.wings.research.deerflow.context import (
    RECENT,
    Caps,
    ContextOverflow,
    Factor,
    Fitted,
    PromptPart,
    Role,
    estimated_tokens,
    fit,
    fit_again,
)
from deepassay.wings.research.deerflow.safe_markdown import cut_at_paragraph

_UNUSABLE: Final = frozenset({Cause.ANSWER_UNREADABLE, Cause.ANSWER_TRUNCATED, Cause.JUDGE_REFUSED})
PATIENCE: Final = 3
"""Answers of a role, one after another, that cannot be used; then it is not asked any more."""

LONGEST_TOKEN: Final = 8
"""Characters to each token that an answer may have, before it is cut."""

_GONE: Final = frozenset({Cause.JUDGE_UNREACHABLE, Cause.TIMEOUT})
"""Causes after which the same model is not asked on: it does not answer at all."""


class ResearchEnded(Exception):
    """Research cannot go on, for this reason; what is found is written up."""

    def __init__(self, stop: Stop, detail: str) -> None:
        super().__init__(detail)
        self.stop, self.detail = stop, detail


class OutOfMoney(Exception):
    """The budget of the command is used up: the run goes on with a larger one."""


@dataclass
class RoleModel:
    """A role: who plays it. client: None for rules and for models that are not asked by us."""

    asker: Asker
    client: Client | None
    limits: Caps


@dataclass(frozen=True)
class Ask(Generic[In, Out]):
    """A question. items: what may be shortened. make: the inputs, from the text of each item."""

    operation: Operation[In, Out]
    role: Role
    make: Callable[[Sequence[str]], In]
    items: Sequence[PromptPart] = ()
    recent: int = RECENT
    repeat: int = 0

    def whole(self) -> In:
        """The inputs with nothing shortened."""
        return self.make([item.forms[0] for item in self.items])


def given(inputs: In, texts: Sequence[str]) -> In:
    """Inputs of which nothing may be shortened: `partial(given, inputs)` makes them."""
    return inputs


@dataclass
class _Sent(Generic[In, Out]):
    ask: Ask[In, Out]
    inputs: In
    fitted: Fitted
    most: Amount


@dataclass
class ResearchRoles:
    """The roles of one run.

    keep: writes down what is to be kept of the clock.
    state: of the machine, for the record. fallbacks: what was done by rule in place of a model.
    shortened: prompts in which something was shortened. cut: why writing went on by rule. useless:
    why a role is not asked any more.
    for_reading: calls of research that are left to the reader; what else they are too few for is
    done by rule.
    """

    members: Mapping[Role, RoleModel]
    ledger: Ledger
    run: RunFile
    clock: Clock
    keep: Callable[[Json], Awaitable[None]]
    state: str = ""
    fallbacks: list[dict[str, Json]] = field(default_factory=list)
    shortened: int = 0
    for_reading: int = 0
    cut: ResearchEnded | None = None
    ended: ResearchEnded | None = None
    useless: dict[Role, ResearchEnded] = field(default_factory=dict)
    usage: dict[str, int] | None = field(default_factory=dict)
    cost: float | None = 0.0
    calls: int = 0
    _factors: dict[str, Factor] = field(default_factory=dict)
    _in_vain: Counter[Role] = field(default_factory=Counter)

    async def ask(self, ask: Ask[In, Out], phase: Phase = "research") -> Out:
        """One answer. Raises Ended while research, and OutOfMoney."""
        (answer,) = await self.ask_all([ask], phase)
        if answer is None:
            assert self.ended is not None
            raise self.ended
        return answer

    async def ask_all(
        self, asks: Sequence[Ask[In, Out]], phase: Phase = "research"
    ) -> list[Out | None]:
        """Answers in their order, asked for at the same time; None where research has ended.

        While writing, what has no answer is done by rule. Raises OutOfMoney.
        """
        self.clock.moment += 1
        sent: list[_Sent[In, Out] | None] = [self._prepared(ask, phase) for ask in asks]
        outcomes = await self._outcomes([each for each in sent if each], phase)
        await self.keep(self.clock.kept())
        answers: list[Out | None] = []
        for ask, each in zip(asks, sent, strict=True):
            answer: Out | None = None
            if each is not None:
                answer = await self._settled(each, outcomes.pop(0), phase)
            elif self.ended is None or phase == "writing":
                answer = self._by_rule(ask, phase)
            answers.append(answer)
        return answers

    def take(self, most: Amount) -> Short | None:
        """Count a search or a page, unless there is no room for it."""
        self.clock.moment += 1
        if (short := self.ledger.reserve(most, "research")) is None:
            self.ledger.settle(most, most)
        elif short.what == "seconds":
            self.clock.is_late()
        return short

    def limit(self, role: Role) -> int:
        """Tokens that a prompt of a role may have, as its model counts them now."""
        return int(self.members[role].limits.input / self._factor(role).value)

    def note(self, operation: str, cause: str, detail: str) -> None:
        """Record that a rule did what a model was to do."""
        told = {"state": self.state, "operation": operation, "cause": cause}
        self.fallbacks.append({**told, "detail": detail[:300]})

    def _factor(self, role: Role) -> Factor:
        return self._factors.get(self._name(role), Factor())

    def _name(self, role: Role) -> str:
        return str(self.members[role].asker.identity["model"])

    def _prepared(self, ask: Ask[In, Out], phase: Phase) -> _Sent[In, Out] | None:
        """A question that fits and is reserved; None where it is not to be sent."""
        if self.ended is not None and phase == "research":
            return None
        if self.cut is not None and phase == "writing":
            return None
        if (useless := self.useless.get(ask.role)) is not None:
            self.note(ask.operation.name, "not_asked", useless.detail)
            return None
        left = self.ledger.left("calls", phase) or 0
        if phase == "research" and ask.role != "reader" and self.for_reading >= max(1, left):
            self.note(ask.operation.name, "budget", f"calls: {left} left, kept for reading")
            return None
        try:
            return self._reserved(ask, self._fitted(ask, None), phase)
        except ContextOverflow as problem:
            self.note(ask.operation.name, "context_overflow", str(problem))
            return None

    def _fitted(self, ask: Ask[In, Out], refused: Fitted | None) -> Fitted:
        member = self.members[ask.role]
        frame = ask.operation.render(ask.make(["" for _ in ask.items]), self.run.salt)
        bare = "\n".join((frame.system, frame.text))
        items = [PromptPart("the task and what is asked of it", (bare,), pinned=True), *ask.items]
        factor = self._factor(ask.role).value
        if refused is not None:
            return fit_again(items, refused, factor, recent=ask.recent)
        return fit(items, member.limits.input, factor, recent=ask.recent)

    def _reserved(self, ask: Ask[In, Out], fitted: Fitted, phase: Phase) -> _Sent[In, Out] | None:
        member = self.members[ask.role]
        cost: Decimal | None = Decimal(0)
        if member.client is not None:
            price = member.client.price
            cost = None
            if price is not None:
                cost = Decimal(str(worst_case(price, fitted.tokens, member.limits.output)))
        most = Amount(calls=1, tokens=fitted.tokens + member.limits.output, cost=cost)
        if short := self.ledger.reserve(most, phase):
            stop = Stop.BUDGET
            if short.what == "seconds":
                stop = Stop.TIME
                self.clock.is_late()
            self._end(ResearchEnded(stop, str(short)), phase)
            return None
        self.shortened += any(fitted.levels)
        return _Sent(ask, ask.make(fitted.texts[1:]), fitted, most)

    def _end(self, why: ResearchEnded, phase: Phase) -> None:
        if phase == "research":
            self.ended = self.ended or why
        else:
            self.cut = self.cut or why

    async def _outcomes(
        self, sent: Sequence[_Sent[Any, Any]], phase: Phase
    ) -> list[Answer[Any] | Unscored]:
        """What came of each question within the time that is left."""
        late = Unscored(Cause.TIMEOUT, f"the time for {phase} is up")
        if self.clock.moment not in self.clock.late:
            asking = [
                asyncio.ensure_future(
                    self.members[each.ask.role].asker(
                        each.ask.operation, each.inputs, repeat=each.ask.repeat, most=most
                    )
                )
                for each, most in zip(sent, self._requests(len(sent), phase), strict=True)
            ]
            try:
                async with asyncio.timeout(self._seconds(phase)):
                    return list(await asyncio.gather(*asking))
            except TimeoutError:
                self.clock.is_late()
            finally:
                for task in asking:
                    task.cancel()
                await asyncio.gather(*asking, return_exceptions=True)
        if sent:
            self._end(ResearchEnded(Stop.TIME, late.detail), phase)
        return [late for _ in sent]

    def _requests(self, questions: int, phase: Phase) -> list[int]:
        """How many each of so many questions may take: one is reserved, the rest is shared out."""
        each, rest = divmod(int(self.ledger.left("calls", phase) or 0), max(1, questions))
        return [1 + each + (place < rest) for place in range(questions)]

    @asynccontextmanager
    async def in_time(self) -> AsyncIterator[None]:
        """What is asked within ends with the time of research, which is up then: TimeoutError."""
        try:
            async with asyncio.timeout(self._seconds("research")):
                yield
        except TimeoutError:
            self.clock.is_late()
            raise

    def _seconds(self, phase: Phase) -> float | None:
        left = self.ledger.seconds_left(phase)
        return left if math.isfinite(left) else None

    async def _settled(
        self, sent: _Sent[In, Out], outcome: Answer[Out] | Unscored, phase: Phase
    ) -> Out | None:
        self._count(sent)
        self._judged(sent.ask.role, outcome)
        if isinstance(outcome, Answer):
            return self._plain(sent, outcome.value)
        if outcome.cause is Cause.BUDGET:
            raise OutOfMoney(outcome.detail)
        if outcome.cause is Cause.CONTEXT_OVERFLOW and not sent.fitted.again:
            again = self._shorter(sent, phase)
            if again is not None:
                (outcome,) = await self._outcomes([again], phase)
                return await self._settled(again, outcome, phase)
        if outcome.cause in _GONE:
            stop = Stop.TIME if "the time for" in outcome.detail else Stop.FAILED
            self._end(ResearchEnded(stop, f"{self._name(sent.ask.role)}: {outcome.detail}"), phase)
            if phase == "research":
                return None
        self.note(sent.ask.operation.name, outcome.cause.value, outcome.detail)
        return self._by_rule(sent.ask, phase)

    def _judged(self, role: Role, outcome: Answer[Any] | Unscored) -> None:
        """Count what a role says in vain; one that says nothing else is not asked any more."""
        if isinstance(outcome, Answer):
            del self._in_vain[role]
        elif outcome.cause in _UNUSABLE:
            self._in_vain[role] += 1
            if self._in_vain[role] == PATIENCE:
                told = f"{PATIENCE} answers of the {role} one after another cannot be used"
                detail = f"{self._name(role)}: {told}; the last: {outcome.detail}"
                self.useless[role] = ResearchEnded(Stop.FAILED, detail)

    def _plain(self, sent: _Sent[In, Out], answer: Out) -> Out:
        """An answer without what our prompts put around texts, which a weak model copies.

        It is no longer than what its role may answer, whatever its server lets pass.
        """
        if not isinstance(answer, Prose):
            return answer
        prompt = sent.ask.operation.render(sent.inputs, self.run.salt).text
        whole = text_without_fences(answer.text, prompt)
        text = cut_at_paragraph(whole, LONGEST_TOKEN * self.members[sent.ask.role].limits.output)
        if text != whole:
            self.note(sent.ask.operation.name, "too_long", f"{len(whole):,} characters")
        return answer.model_copy(update={"text": text})

    def _shorter(self, sent: _Sent[In, Out], phase: Phase) -> _Sent[In, Out] | None:
        """A shorter prompt for a server that refused one as too long; None if there is none."""
        name = self._name(sent.ask.role)
        self._factors[name] = self._factors.get(name, Factor()).raised()
        try:
            return self._reserved(sent.ask, self._fitted(sent.ask, sent.fitted), phase)
        except ContextOverflow:
            return None

    def _by_rule(self, ask: Ask[In, Out], phase: Phase) -> Out | None:
        """What the rule answers; None, while research, where not even that fits the question."""
        inputs = ask.whole()
        answer = ask.operation.offline(inputs)
        try:
            ask.operation.check(inputs, answer)
        except OffMenu as problem:
            if phase == "research":
                self._end(ResearchEnded(Stop.FAILED, f"{ask.operation.name}: {problem}"), phase)
                return None
        return answer

    def _count(self, sent: _Sent[Any, Any]) -> None:
        """Settle a call in the ledger, and add its tokens and cost to those of the run."""
        ask, asker = sent.ask, self.members[sent.ask.role].asker
        key = key_of(ask.operation, sent.inputs, asker.identity, ask.repeat)
        stored = self.run.answer(key)
        spent = Amount(calls=1, tokens=None, cost=None)
        if is_offline(asker.identity):
            answer = estimated_tokens(stored.raw) if stored else 0.0
            spent = Amount(calls=1, tokens=sent.fitted.tokens + math.ceil(answer))
        elif stored is not None:
            spent = self._paid(stored)
            counted = stored.usage.get("input", 0)
            if counted and stored.attempts == 1:
                name = self._name(ask.role)
                factor = self._factors.get(name, Factor())
                self._factors[name] = factor.seen(counted, sent.fitted.estimate)
        self.ledger.settle(sent.most, spent)
        self.calls += spent.calls or 0

    def _paid(self, stored: StoredAnswer) -> Amount:
        usage, cost = stored.usage, stored.cost
        if not stored.attempts:
            return Amount()
        if not usage:
            self.usage = None
        elif self.usage is not None:
            for name, count in usage.items():
                self.usage[name] = self.usage.get(name, 0) + count
        self.cost = None if cost is None or self.cost is None else self.cost + cost
        tokens = usage.get("input", 0) + usage.get("output", 0) if usage else None
        money = None if cost is None else Decimal(str(cost))
        return Amount(calls=stored.attempts, tokens=tokens, cost=money)
