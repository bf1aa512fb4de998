"""The model that needs no network and no key: each operation's own deterministic rule.

It is a baseline and says so in every signature; it never stands for a published figure.
"""

from __future__ import annotations

from collections.abc import Mapping

from deepassay.models.ask import Answer, key_of, recall
from deepassay.models.operation import In, OffMenu, Operation, Out
from deepassay.runfile import RunFile, StoredAnswer
from deepassay.score import Cause, Json, Unscored

OFFLINE: Mapping[str, Json] = {"model": "offline"}


class OfflineAsker:
    """Answers by rule, at no cost, and keeps its answers like any other model."""

    def __init__(self, run: RunFile) -> None:
        self._run = run
        self._salt = run.salt

    @property
    def identity(self) -> Mapping[str, Json]:
        """The model `offline`, without settings."""
        return OFFLINE

    async def __call__(
        self, operation: Operation[In, Out], inputs: In, *, repeat: int = 0
    ) -> Answer[Out] | Unscored:
        """Apply the rule, or give the answer that is there. Repeats are all the same."""
        key = key_of(operation, inputs, OFFLINE, repeat)
        stored = self._run.answer(key)
        if stored is not None:
            return recall(operation, inputs, stored)
        value = operation.offline(inputs)
        problem = _problem(operation, inputs, value)
        stored = StoredAnswer(
            key=key,
            operation=operation.name,
            model="offline",
            repeat=repeat,
            prompt_digest=operation.render(inputs, self._salt).digest,
            raw=operation.written(value),
            cause=Cause.ANSWER_UNREADABLE if problem else None,
            detail=problem,
            attempts=0,
        )
        await self._run.keep_answer(stored, [])
        if problem:
            return Unscored(Cause.ANSWER_UNREADABLE, problem)
        return Answer(value, key, "offline")


def _problem(operation: Operation[In, Out], inputs: In, value: Out) -> str:
    """Why the rule's answer does not fit the question, as it may not on an odd text, or nothing."""
    try:
        operation.check(inputs, value)
    except OffMenu as problem:
        return f"by rule, and not to be used: {problem}"
    return ""
