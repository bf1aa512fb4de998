"""Counting what a model would be asked, before it is asked.

What an answer is like, `Expected` says: how long, and what a protocol goes on with where further
questions depend on it. Where the price of cached input is known, what a prompt has in common with
an earlier one is taken as cached: `Prefixes` sees to it that a run finds it so. In a batch nobody
does: all of it is cached at the least, nothing most likely, and at the most everything is written
to a cache that nobody reads. How long a model thinks, nobody can tell before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from pydantic import ValidationError

from deepassay.models.ask import Answer, kept_answer, key_of
from deepassay.models.operation import Expected, In, Operation, Out
from deepassay.models.prices import Price, worst_case
from deepassay.models.prompt import Prompt
from deepassay.models.reading import Unreadable, without_thoughts
from deepassay.models.service import LEAST
from deepassay.models.usage import Range, Usage, token_range
from deepassay.runfile import RunFile, StoredAnswer
from deepassay.score import Cause, Json, Unscored

SHORTEST_CACHED: Final = 1_024
"""Tokens that a beginning must have before providers keep it."""


class Scenario(IntEnum):
    """What is taken for granted of answers and pages that are not there yet."""

    LOW = 0
    TYPICAL = 1
    HIGH = 2


EVERY: Final = tuple(Scenario)

LEARNED_FROM: Final = 500
"""Answers of one kind, of those that are kept, that are looked at for a rate."""


@dataclass
class Reckoning:
    """Questions to one model. usage: tokens expected. cost, worst: USD, None where unpriced.

    kept: questions that need not be asked: what came of them stands in the run file. too_long:
    questions that exceed the window of the model, which are not among the calls. worst: if every
    answer had the longest length allowed. again: calls that may be made a second time for a quote.
    """

    calls: int = 0
    kept: int = 0
    too_long: int = 0
    again: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    worst: float | None = 0.0


@dataclass
class _ScenarioCount:
    """What was counted in one scenario. beginnings: of prompts, where cached input has a price."""

    scenario: Scenario
    beginnings: set[int] | None
    reckoning: Reckoning = field(default_factory=Reckoning)
    counted: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _QuestionTokens:
    """Tokens of one question.

    shared: of what other prompts may begin with, 0 where it is too short for a cache. beginning:
    identifies it. again: whether it may be asked a second time for a quote.
    """

    input: Range
    output: Range
    shared: int
    beginning: int
    again: bool


class EstimatingAsker:
    """Counts what the asker with this identity would be asked.

    scenarios: in which of them questions are counted, the one in the middle deciding what is
    answered. deciding: what of the answers to these questions decides how many follow. reckonings:
    one for each scenario, whose tokens are the least, the most likely and the most. batched:
    whether questions go into batches.
    """

    def __init__(
        self,
        identity: Mapping[str, Json],
        run: RunFile | None,
        *,
        price: Price | None,
        max_output: int,
        context_window: int | None = None,
        retry: bool = False,
        batched: bool = False,
    ) -> None:
        self._identity = identity
        self._run = run
        self._price = price
        self._max_output = max_output
        self._context_window = context_window
        self._retry = retry
        self._batched = batched
        self._measured: dict[str, _QuestionTokens] = {}
        caches = _tells_cached(price)
        self._ledgers = [_ScenarioCount(each, set() if caches else None) for each in EVERY]
        self.scenarios: Sequence[Scenario] = EVERY
        self._learned: dict[str, tuple[float, int]] = {}
        self.deciding: set[str] = set()

    @property
    def identity(self) -> Mapping[str, Json]:
        """That of the asker who would ask."""
        return self._identity

    @property
    def reckonings(self) -> Sequence[Reckoning]:
        """What was counted, by scenario."""
        return [each.reckoning for each in self._ledgers]

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0, most: int | None = None
    ) -> Answer[Out] | Unscored:
        """Count the question once; the answer is what was kept, or what is supposed."""
        key = key_of(operation, inputs, self._identity, repeat)
        stored = self._run.answer(key) if self._run is not None else None
        if stored is not None and (stored.cause is None or not self._asks_again(stored)):
            for ledger in self._new_in(key):
                ledger.reckoning.kept += 1
            return kept_answer(operation, inputs, stored)
        expected = operation.expected
        if key not in self._measured:
            again = operation.asks_for_quotes and bool(self._identity.get("quotes"))
            prompt = operation.render(inputs, salt="")
            self._measured[key] = _measured(prompt, expected, inputs, again)
        question = self._measured[key]
        most = self._context_window
        if most is not None and question.input.typical > most:
            for ledger in self._new_in(key):
                ledger.reckoning.too_long += 1
            tokens = f"about {question.input.typical:.0f} tokens would not be sent"
            return Unscored(Cause.CONTEXT_OVERFLOW, tokens)
        for ledger in self._new_in(key):
            self._add(ledger, question)
        value = _simulated(operation, inputs, expected, self._rate(operation, expected, inputs))
        if value is None:
            return Unscored(Cause.JUDGE_UNREACHABLE, "This is an estimate.")
        return Answer(value, key, str(self._identity["model"]))

    def _rate(self, operation: Operation[In, Out], expected: Expected, inputs: In) -> float:
        """How often, or how many, in this scenario; most likely as in the answers that are kept."""
        scenario = self.scenarios[len(self.scenarios) // 2]
        if not expected.decides:
            return expected.rate[scenario]
        rate, number = self._learned.get(operation.name) or self._learn(operation, expected)
        so_far = f" (likely as in {number} answers that are there)" if number else ""
        self.deciding.add(f"{expected.decides}{so_far}")
        if scenario is not Scenario.TYPICAL:
            return expected.rate[scenario]
        return rate if number else min(rate, expected.most(inputs))

    def _learn(self, operation: Operation[In, Out], expected: Expected) -> tuple[float, int]:
        """The likely rate, and in how many answers it was seen. What is supposed counts as one."""
        part, whole, number = expected.rate.typical, 1.0, 0
        if self._run is not None and expected.told is not None:
            model = str(self._identity["model"])
            for each in self._run.exchanges((operation.name, model), LEARNED_FROM):
                with suppress(ValidationError, Unreadable):  # of another version
                    text = without_thoughts(each.raw)
                    answer = text[text.find("{") : text.rfind("}") + 1]
                    more, of = expected.told(operation.gives.model_validate_json(answer))
                    part, whole, number = part + more, whole + of, number + 1
        self._learned[operation.name] = part / whole, number
        return self._learned[operation.name]

    def _new_in(self, key: str) -> Sequence[_ScenarioCount]:
        """The ledgers of these scenarios that have not counted the question yet; now they have."""
        ledgers = [self._ledgers[each] for each in self.scenarios]
        new = [each for each in ledgers if key not in each.counted]
        for each in new:
            each.counted.add(key)
        return new

    def _asks_again(self, failure: StoredAnswer) -> bool:
        """Whether a question that failed would be asked again, as `LiveAsker` would."""
        return self._retry or failure.cause == Cause.BUDGET

    def _add(self, ledger: _ScenarioCount, question: _QuestionTokens) -> None:
        reckoning = ledger.reckoning
        asked, answered = (
            round(each[ledger.scenario]) for each in (question.input, question.output)
        )
        tokens = _billed(ledger, question, asked, self._batched)
        answered = min(self._max_output, answered)
        tokens += Usage(output=answered)
        reckoning.calls += 1
        reckoning.again += question.again
        if question.again and ledger.scenario is Scenario.HIGH:
            tokens += Usage(input=asked + answered, output=answered)
        reckoning.usage += tokens
        if self._price is None or reckoning.cost is None or reckoning.worst is None:
            reckoning.cost = reckoning.worst = None
        else:
            reckoning.cost += self._price(tokens)
            reckoning.worst += worst_case(self._price, tokens.input, self._max_output)


def _simulated(
    operation: Operation[In, Out], inputs: In, expected: Expected, rate: float
) -> Out | None:
    """An answer to go on with, if any question depends on it."""
    if expected.by_rule:
        return operation.offline(inputs)
    simulated = expected.simulated(inputs, rate)
    return None if simulated is None else operation.gives.model_validate(simulated)


def _measured(prompt: Prompt, expected: Expected, inputs: object, again: bool) -> _QuestionTokens:
    texts = (prompt.system, prompt.material, prompt.question)
    system, material, question = map(token_range, texts)
    shared = round(system.typical + material.typical)
    if shared < SHORTEST_CACHED or len(prompt.material) < LEAST:
        shared = 0
    whole = system + material + question
    return _QuestionTokens(whole, expected.tokens(inputs), shared, prompt.beginning, again)


def _billed(ledger: _ScenarioCount, question: _QuestionTokens, tokens: int, batched: bool) -> Usage:
    """The tokens of a prompt, divided as the provider will bill them."""
    if ledger.beginnings is None or not question.shared:
        return Usage(input=tokens)
    shared = min(tokens, round(question.shared * tokens / question.input.typical))
    if batched and ledger.scenario is not Scenario.LOW:
        return Usage(input=tokens, cache_write=shared if ledger.scenario is Scenario.HIGH else 0)
    if question.beginning in ledger.beginnings:
        return Usage(input=tokens, cached=shared)
    ledger.beginnings.add(question.beginning)
    return Usage(input=tokens, cache_write=shared)


def _tells_cached(price: Price | None) -> bool:
    """Whether cached input is known to cost less."""
    some = 1_000_000
    return price is not None and price(Usage(input=some, cached=some)) < price(Usage(input=some))
