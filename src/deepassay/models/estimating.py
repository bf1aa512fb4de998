"""What asking would take: the same questions, counted instead of asked.

The operation's offline rule stands in for the answer, so that a protocol of several steps goes
its whole way. Thinking is not in the estimate: how long a model thinks, nobody can tell before.

Where the price tells cached input from other input, what a prompt has in common with an earlier
one is reckoned as cached: `prefixes` sees to it that a run finds it so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from deepassay.models.ask import Answer, key_of, recall
from deepassay.models.operation import In, Operation, Out
from deepassay.models.prompt import Prompt
from deepassay.models.service import LEAST
from deepassay.models.usage import Price, Usage, estimate_tokens, worst_case
from deepassay.runfile import RunFile, StoredAnswer
from deepassay.score import Cause, Json, Unscored

SHORTEST_CACHED: Final = 1_024
"""Tokens that a beginning must have before providers keep it."""

REASONS: float = 2.0
"""Models give their reasons at about this many times the length of the offline rule's."""


@dataclass
class Reckoning:
    """Questions to one model. usage: tokens expected. cost, worst: USD, None where unpriced.

    kept: questions that need not be asked: what came of them stands in the run file. too_long:
    questions that exceed the window of the model, which are not among the calls.
    """

    calls: int = 0
    kept: int = 0
    too_long: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    worst: float | None = 0.0


class EstimatingAsker:
    """Counts what the asker with this identity would be asked."""

    def __init__(
        self,
        identity: Mapping[str, Json],
        run: RunFile | None,
        *,
        price: Price | None,
        max_output: int,
        context_window: int | None = None,
        retry: bool = False,
    ) -> None:
        self._identity = identity
        self._run = run
        self._price = price
        self._max_output = max_output
        self._context_window = context_window
        self._retry = retry
        self._counted: set[str] = set()
        self._beginnings: set[int] | None = set() if _tells_cached(price) else None
        self.reckoning = Reckoning()

    @property
    def identity(self) -> Mapping[str, Json]:
        """That of the asker who would ask."""
        return self._identity

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0
    ) -> Answer[Out] | Unscored:
        """Count the question once; the answer is what was kept, or that of the offline rule."""
        key = key_of(operation, inputs, self._identity, repeat)
        is_new = key not in self._counted
        self._counted.add(key)
        stored = self._run.answer(key) if self._run is not None else None
        if stored is not None and (stored.cause is None or not self._asks_again(stored)):
            self.reckoning.kept += is_new
            return recall(operation, inputs, stored)
        prompt = operation.render(inputs, salt="")
        tokens = sum(map(estimate_tokens, (prompt.system, prompt.material, prompt.question)))
        if self._context_window is not None and tokens > self._context_window:
            self.reckoning.too_long += is_new
            return Unscored(Cause.CONTEXT_OVERFLOW, f"about {tokens} tokens would not be sent")
        value = operation.offline(inputs)
        if is_new:
            said = round(REASONS * estimate_tokens(value.model_dump_json()))
            self._add(self._read(prompt, tokens) + Usage(output=min(self._max_output, said)))
        return Answer(value, key, str(self._identity["model"]))

    def _asks_again(self, failure: StoredAnswer) -> bool:
        """Whether a question that failed would be asked again, as `LiveAsker` would."""
        return self._retry or failure.cause == Cause.BUDGET

    def _read(self, prompt: Prompt, tokens: int) -> Usage:
        """The tokens of a prompt, divided as the provider will bill them."""
        shared = estimate_tokens(prompt.system) + estimate_tokens(prompt.material)
        is_kept = shared >= SHORTEST_CACHED and len(prompt.material) >= LEAST
        if self._beginnings is None or not is_kept:
            return Usage(input=tokens)
        if prompt.beginning in self._beginnings:
            return Usage(input=tokens, cached=shared)
        self._beginnings.add(prompt.beginning)
        return Usage(input=tokens, cache_write=shared)

    def _add(self, tokens: Usage) -> None:
        reckoning = self.reckoning
        reckoning.calls += 1
        reckoning.usage += tokens
        if self._price is None or reckoning.cost is None or reckoning.worst is None:
            reckoning.cost = reckoning.worst = None
        else:
            reckoning.cost += self._price(tokens)
            reckoning.worst += worst_case(self._price, tokens.input, self._max_output)


def _tells_cached(price: Price | None) -> bool:
    """Whether cached input is known to cost less."""
    some = 1_000_000
    return price is not None and price(Usage(input=some, cached=some)) < price(Usage(input=some))
