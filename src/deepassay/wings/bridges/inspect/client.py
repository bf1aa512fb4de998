"""Models of Inspect as judges: its connections, retries, cache and limits; our questions.

Nothing is kept but in Inspect's log, where each request is a model event with the judge's role.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    Model,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.util import LimitExceededError

from deepassay.errors import OverBudget
from deepassay.models.ask import Answers
from deepassay.models.client import AdaptivePace, Call, Completion, Fault, FaultKind
from deepassay.models.direct import library_fault
from deepassay.models.endpoints import Endpoint
from deepassay.models.faults import empty
from deepassay.models.live import LiveAsker
from deepassay.models.service import RetryPolicy
from deepassay.models.usage import Usage
from deepassay.runfile import Attempt, SentBack, StoredAnswer, StoredVerdict
from deepassay.runfile.captures import Turns
from deepassay.score import Json

_THEIRS: Final = RetryPolicy(request_seconds=7 * 24 * 3600.0, attempts=1)
"""Inspect waits and tries again as it was told to; only an unusable answer is ours to send back."""

_NO_LIMIT: Final = 1_000_000
"""Calls at a time: Inspect holds them back."""

_OPERATIONAL: Final = {
    "max_retries",
    "timeout",
    "attempt_timeout",
    "stream_idle_timeout",
    "max_connections",
    "adaptive_connections",
    "cache",
    "cache_prompt",
    "batch",
    "fail_on_refusal",
    "extra_headers",
}
"""Settings of a model that decide no answer, and headers, which may hold a key."""


class InspectClient:
    """One model of Inspect as a `Client`, with the settings of its role."""

    price = None
    context_window = None

    def __init__(self, model: Model) -> None:
        self._model = model
        self.pace = AdaptivePace(_NO_LIMIT)
        most = model.config.max_tokens or model.api.max_tokens_for_config(model.config)
        self.max_output = most or model.api.max_tokens() or 0

    @property
    def identity(self) -> Mapping[str, Json]:
        """The model as Inspect writes it, its address if it is not the provider's, its settings."""
        model = self._model
        sent = model.config.model_dump(mode="json", exclude_none=True, exclude=_OPERATIONAL)
        url = model.api.base_url
        own = {"endpoint": Endpoint("", "", url, own=False).place} if url else {}
        return {"model": str(model), **own, "settings": sent, "through": "inspect"}

    async def complete(self, call: Call) -> Completion:
        """Have Inspect generate. Raises Fault for an error that it gave up on, and OverBudget."""
        messages: list[ChatMessage] = [ChatMessageUser(content=call.prompt.text)]
        if call.prompt.system:
            messages.insert(0, ChatMessageSystem(content=call.prompt.system))
        for answer, reason in call.again:
            messages.append(ChatMessageAssistant(content=answer))
            messages.append(ChatMessageUser(content=reason))
        try:
            output = await self._model.generate(messages)
        except LimitExceededError as error:
            raise OverBudget(f"Inspect's limit is reached: {error.message}") from None
        except Exception as error:  # of whichever provider: a judgement that fails is a record
            raise self._given_up(error) from None
        return self._completion(output)

    def _given_up(self, error: Exception) -> Fault:
        """The fault that an error stands for; a rate limit is none that we wait out once more."""
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        fault = library_fault(cause, getattr(self._model.api, "api_key", None))
        kind = FaultKind.SERVER if fault.kind is FaultKind.RATE_LIMIT else fault.kind
        return Fault(kind, fault.detail, status=fault.status)

    def _completion(self, output: ModelOutput) -> Completion:
        """What Inspect's output says. Raises Fault where it is no answer."""
        text = output.completion
        if output.error:
            raise Fault(FaultKind.REFUSED, " ".join(output.error.split())[:300])
        reason = output.stop_reason if output.choices else "unknown"
        if reason == "model_length":
            raise Fault(FaultKind.OVERFLOW, " ".join(text.split())[:300] or "the context is full")
        if reason == "max_tokens" and output.usage is not None:
            self.max_output = output.usage.output_tokens
        parts = output.message.content if output.choices else ""
        parts = [] if isinstance(parts, str) else parts
        thought = sum(len(part.reasoning) for part in parts if isinstance(part, ContentReasoning))
        refused = any(part.refusal for part in parts if isinstance(part, ContentText))
        if reason == "content_filter" or refused:
            return Completion(text, "refusal", _usage(output.usage), output.model, thought)
        if reason == "max_tokens":
            return Completion(text, "length", _usage(output.usage), output.model, thought)
        if not text.strip():
            raise empty(thought, _usage(output.usage))
        return Completion(text, "stop", _usage(output.usage), output.model, thought)


def _usage(counted: ModelUsage | None) -> Usage | None:
    """Inspect's counts, whose input leaves the cached tokens out."""
    if counted is None:
        return None
    cached, written = counted.input_tokens_cache_read or 0, counted.input_tokens_cache_write or 0
    thought = counted.reasoning_tokens or 0
    return Usage(
        counted.input_tokens + cached + written, counted.output_tokens, cached, written, thought
    )


class Memory:
    """Answers and verdicts of one sample, as long as it is scored.

    salt: of the fences. Inspect's identifier of the sample serves: whoever wrote the report did
    not know it, and when the sample is scored again its cache finds the same questions.
    """

    def __init__(self, salt: str) -> None:
        self.salt = salt
        self._answers: dict[str, StoredAnswer] = {}
        self._verdicts: dict[str, StoredVerdict] = {}
        self.turn = Turns()

    async def look_up(self, key: str) -> StoredAnswer | None:
        """The answer or failure under this key."""
        return self._answers.get(key)

    async def keep_answer(self, answer: StoredAnswer, attempts: Sequence[Attempt]) -> None:
        """Keep an answer; Inspect has noted the attempts."""
        self._answers[answer.key] = answer

    async def sent_back(self, key: str) -> Sequence[SentBack]:
        """Nothing: a sample that is scored again is asked anew, and Inspect's cache knows it."""
        return []

    async def keep_sent_back(self, key: str, answers: Sequence[SentBack]) -> None:
        """Keep nothing: Inspect has noted the answers in its log."""

    async def keep_attempt(self, attempt: Attempt) -> None:
        """Keep nothing: Inspect has noted the request in its log."""

    def keep_attempts(self, attempts: Sequence[Attempt]) -> None:
        """Keep nothing: Inspect has noted the requests in its log."""

    async def find_all(self, keys: Iterable[str]) -> dict[str, StoredVerdict]:
        """The verdicts under these keys, as far as there are any."""
        return {key: self._verdicts[key] for key in keys if key in self._verdicts}

    async def keep(self, verdicts: Sequence[StoredVerdict]) -> None:
        """Keep verdicts; one that is there already stays as it is."""
        for each in verdicts:
            self._verdicts.setdefault(each.key, each)


def asker_of(client: InspectClient, answers: Answers) -> LiveAsker:
    """A model of Inspect that answers operations, with corrections as for any other model."""
    # Spreading waits decides no score, and here nothing waits.
    return LiveAsker(client, answers, chance=np.random.default_rng(), retries=_THEIRS)
