"""Asking: one model in one role, whatever it is.

`live.LiveAsker` asks a provider's model, `verifier.VerifyingAsker` a classifier, `OfflineAsker` the
operation's own rule, `ReplayAsker` the run file; `EstimatingAsker` only counts. All keep or find an
exchange under the same key, so that nothing is asked twice and every score can be computed anew
from the run file alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol

from deepassay.errors import BadRunFile
from deepassay.models.operation import In, OffMenu, Operation, Out
from deepassay.models.prompt import Prompt
from deepassay.models.reading import Unreadable, read
from deepassay.models.service import LEAST
from deepassay.models.usage import Price, Usage, estimate_tokens, worst_case
from deepassay.runfile import RunFile, StoredAnswer
from deepassay.score import Cause, Json, Unscored, canonical_json, digest


@dataclass(frozen=True)
class Answer(Generic[Out]):
    """What a model said, read and checked.

    key: under which the run file holds the exchange.
    model: the name that the provider says it served, which may be more exact than ours.
    repaired: the JSON was broken and mended; no value was invented.
    reused: it stood in the run file, nothing was asked.
    """

    value: Out
    key: str
    model: str
    repaired: bool = False
    reused: bool = False


class Asker(Protocol):
    """One model in one role: judge, maker, extractor, cleaner."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """Model, endpoint and the settings that are really sent: a part of the Signature."""
        ...

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0
    ) -> Answer[Out] | Unscored:
        """Ask; a failure is a record with its cause and never an exception.

        repeat: answers to the same question with different indices are separate answers.
        """
        ...


def is_offline(identity: Mapping[str, Json]) -> bool:
    """Whether this is the offline judge."""
    return identity.get("model") == "offline"


def key_of(
    operation: Operation[In, Out], inputs: In, identity: Mapping[str, Json], repeat: int
) -> str:
    """The name of an exchange: the question, what it is about, who is asked, which repeat.

    The salt of the fences is left out, so that the same question has the same key in every run.
    """
    asked = canonical_json(operation.digest(inputs.language, offline=is_offline(identity)))
    about = ",".join(f'"{name}":{value}' for name, value in sorted(inputs.spelled.items()))
    # As canonical JSON spells a list of four, the second of them an object.
    return digest(f"[{asked},{{{about}}},{canonical_json(dict(identity))},{repeat}]")


def recall(
    operation: Operation[In, Out], inputs: In, stored: StoredAnswer
) -> Answer[Out] | Unscored:
    """What the run file holds, read again from the raw text, or the failure that it kept."""
    if stored.cause is not None:
        return Unscored(Cause(stored.cause), stored.detail)
    try:
        found = read(operation, inputs, stored.raw)
    except Unreadable as problem:  # only if it was kept by another version
        return Unscored(Cause.ANSWER_UNREADABLE, str(problem))
    model = stored.served_model or stored.model
    return Answer(found.value, stored.key, model, found.repaired, reused=True)


OFFLINE: Final[Mapping[str, Json]] = {"model": "offline"}


class ComputingAsker(ABC):
    """Computes answers on this machine and keeps them like those of any other model."""

    def __init__(self, run: RunFile, identity: Mapping[str, Json]) -> None:
        self._run = run
        self._identity = identity

    @property
    def identity(self) -> Mapping[str, Json]:
        """What computes, and how."""
        return self._identity

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0
    ) -> Answer[Out] | Unscored:
        """Compute, or give the answer that is there. Repeats are all the same."""
        key = key_of(operation, inputs, self._identity, repeat)
        stored = self._run.answer(key)
        if stored is not None:
            return recall(operation, inputs, stored)
        value = await self._compute(operation, inputs)
        problem = _problem(operation, inputs, value)
        model = str(self._identity["model"])
        stored = StoredAnswer(
            key=key,
            operation=operation.name,
            model=model,
            repeat=repeat,
            prompt_digest=operation.render(inputs, self._run.salt).digest,
            raw=operation.written(value),
            cause=Cause.ANSWER_UNREADABLE if problem else None,
            detail=problem,
            attempts=0,
        )
        await self._run.keep_answer(stored, [])
        if problem:
            return Unscored(Cause.ANSWER_UNREADABLE, problem)
        return Answer(value, key, model)

    @abstractmethod
    async def _compute(self, operation: Operation[In, Out], inputs: In) -> Out: ...


def _problem(operation: Operation[In, Out], inputs: In, value: Out) -> str:
    """Why the answer does not fit the question, as it may not on an odd text, or nothing."""
    try:
        operation.check(inputs, value)
    except OffMenu as problem:
        return f"by rule, and not to be used: {problem}"
    return ""


class OfflineAsker(ComputingAsker):
    """Answers by the operation's rule: a baseline, which says so in every signature."""

    def __init__(self, run: RunFile) -> None:
        super().__init__(run, OFFLINE)

    async def _compute(self, operation: Operation[In, Out], inputs: In) -> Out:
        return operation.offline(inputs)


class ReplayAsker:
    """The asker with this identity, as the run file remembers it, failures included."""

    def __init__(self, run: RunFile, identity: Mapping[str, Json]) -> None:
        self._run = run
        self._identity = identity

    @property
    def identity(self) -> Mapping[str, Json]:
        """That of the asker who asked."""
        return self._identity

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0
    ) -> Answer[Out] | Unscored:
        """What was answered. Raises BadRunFile if this was never asked."""
        stored = self._run.answer(key_of(operation, inputs, self._identity, repeat))
        if stored is None:
            raise BadRunFile(
                f"{self._run.path} holds no answer of "
                f"{self._identity['model']} to {operation.name}, repeat {repeat}.",
                "It was made by another version, whose prompts or offline rules differ, or was "
                "stopped before this was asked. Run `deepassay evaluate` again to complete it.",
            )
        return recall(operation, inputs, stored)


# ------------------------------------------------------------------ estimates

# The operation's offline rule stands in for the answer, so that a protocol of several steps goes
# its whole way. Where cached input has a price of its own, what a prompt has in common with an
# earlier one is reckoned as cached: `Prefixes` sees to it that a run finds it so. How long a model
# thinks, nobody can tell before.

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
            output = round(REASONS * estimate_tokens(value.model_dump_json()))
            self._add(self._read(prompt, tokens) + Usage(output=min(self._max_output, output)))
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
