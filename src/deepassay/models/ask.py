"""Asking: one model in one role, whatever it is.

`live.LiveAsker` asks a provider's model, `verifier.VerifyingAsker` a classifier, `OfflineAsker` the
operation's own rule, `ReplayAsker` the run file; `estimating.EstimatingAsker` only counts. All keep
or find an exchange under the same key, so that nothing is asked twice and every score can be
computed anew from the run file alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol

from deepassay.errors import BadRunFile
from deepassay.models.operation import In, OffMenu, Operation, Out
from deepassay.runfile import Attempt, RunFile, SentBack, StoredAnswer
from deepassay.score import Cause, Json, Unscored, canonical_json, digest


@dataclass(frozen=True)
class Answer(Generic[Out]):
    """What a model said, read and checked.

    key: under which the run file holds the exchange.
    model: the name that the provider says it served, which may be more exact than ours.
    repaired: the JSON was broken and mended; no value was invented.
    batched: it came in a batch.
    """

    value: Out
    key: str
    model: str
    repaired: bool = False
    batched: bool = False


class Answers(Protocol):
    """Where exchanges are kept: a `RunFile`, or the way to one that another process writes."""

    @property
    def salt(self) -> str:
        """Random text of the run, from which fences are derived."""
        ...

    async def look_up(self, key: str) -> StoredAnswer | None:
        """The answer or failure under this key. Who is told of none asks, and keeps what comes."""
        ...

    async def keep_answer(self, answer: StoredAnswer, attempts: Sequence[Attempt]) -> None:
        """Keep an answer and its attempts; returns once they are on the disk."""
        ...

    async def sent_back(self, key: str) -> Sequence[SentBack]:
        """What was answered before to a question without an end yet, and sent back."""
        ...

    async def keep_sent_back(self, key: str, answers: Sequence[SentBack]) -> None:
        """Keep that, the last of it with its attempts; returns once it is on the disk."""
        ...

    async def keep_attempt(self, attempt: Attempt) -> None:
        """Keep an attempt before the next one, or what one may cost before it is sent."""
        ...

    def keep_attempts(self, attempts: Sequence[Attempt]) -> None:
        """Keep the attempts at a question that was broken off without an answer."""
        ...


class Asker(Protocol):
    """One model in one role: judge, maker, extractor, cleaner."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """Model, endpoint and the settings that are really sent: a part of the Signature."""
        ...

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0, most: int | None = None
    ) -> Answer[Out] | Unscored:
        """Ask; a failure is a record with its cause and never an exception.

        repeat: answers to the same question with different indices are separate answers.
        most: requests that it may take, corrections and repetitions among them. Who counts them
        spends none on a model that answers a correction with the very same.
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


def kept_answer(
    operation: Operation[In, Out], inputs: In, stored: StoredAnswer
) -> Answer[Out] | Unscored:
    """What the run file holds, read again from the raw text, or the failure that it kept."""
    if stored.cause is not None:
        return Unscored(Cause(stored.cause), stored.detail)
    from deepassay.models.reading import Unreadable, read_reply  # what is new needs no reading

    try:
        found = read_reply(operation, inputs, stored.raw)
    except Unreadable as problem:  # only if it was kept by another version
        return Unscored(Cause.ANSWER_UNREADABLE, str(problem))
    model = stored.served_model or stored.model
    return Answer(found.value, stored.key, model, found.repaired, stored.batched)


OFFLINE: Final[Mapping[str, Json]] = {"model": "offline"}


class ComputingAsker(ABC):
    """Computes answers on this machine and keeps them like those of any other model."""

    def __init__(self, run: Answers, identity: Mapping[str, Json]) -> None:
        self._run = run
        self._identity = identity

    @property
    def identity(self) -> Mapping[str, Json]:
        """The model that answers and the settings it is asked with, as recipes hold them."""
        return self._identity

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0, most: int | None = None
    ) -> Answer[Out] | Unscored:
        """Compute, or give the answer that is there. Repeats are all the same."""
        key = key_of(operation, inputs, self._identity, repeat)
        stored = await self._run.look_up(key)
        if stored is not None:
            return kept_answer(operation, inputs, stored)
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

    def __init__(self, run: Answers) -> None:
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
        """The model that answered and the settings it was asked with, as recipes hold them."""
        return self._identity

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0, most: int | None = None
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
        return kept_answer(operation, inputs, stored)
