"""A model behind the chat-completions interface, asked with a plain request.

pydantic-ai composes one request when the model is connected to, and all others are sent in its
form. Its way from a question to the socket takes six times the processor time of the request
itself, which with fifty connections is what a run waits for; see `benchmarks/race_asked.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from deepassay.models.client import Call, Completion, Fault, FaultKind, Price
from deepassay.models.direct import sound
from deepassay.models.faults import HttpError, fault_of
from deepassay.models.pace import AdaptivePace
from deepassay.models.post import Post, Posted
from deepassay.models.usage import Usage
from deepassay.score import Json

_FINISHES: Final[Mapping[str, Literal["stop", "length", "refusal"]]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "refusal",
}


@dataclass
class ChatClient:
    """A `Client`. composed: the body of a request as the library composed it, messages and all.

    finish_may_be_unknown: a server of one's own that does not say why it ended.
    """

    post: Post
    composed: Mapping[str, Json]
    identity: Mapping[str, Json]
    pace: AdaptivePace
    price: Price | None
    max_output: int
    context_window: int | None
    key: str | None = field(default=None, repr=False)
    finish_may_be_unknown: bool = False

    async def complete(self, call: Call) -> Completion:
        """Send one request, once. Raises Fault."""
        content = self._body(call)
        call.body_digest = hashlib.sha256(content).hexdigest()
        posted = await self.post.send(content)
        answer = _json(posted)
        if posted.status != 200:
            raise fault_of(HttpError(posted.status, posted.headers, answer), self.key)
        return self._completion(answer)

    def _body(self, call: Call) -> bytes:
        system, user = (message["role"] for message in self.composed["messages"])
        messages = [
            {"role": system, "content": call.prompt.system},
            {"role": user, "content": call.prompt.text},
        ]
        for answer, reason in call.again:
            messages.append({"role": "assistant", "content": answer})
            messages.append({"role": user, "content": reason})
        body = {**self.composed, "messages": messages}
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")  # a lone surrogate is no UTF-8

    def _completion(self, answer: Json) -> Completion:
        """What a body of status 200 holds. Raises Fault where it is no completion."""
        try:
            if isinstance(answer.get("error"), dict):  # so say gateways that sent their 200 early
                error = answer["error"]
                status = error.get("code") if isinstance(error.get("code"), int) else 500
                raise fault_of(HttpError(status, {}, answer), self.key)
            choice = answer["choices"][0]
            message = choice["message"]
            refusal, content = message.get("refusal"), message.get("content")
            text = sound(refusal or content or "")
            usage = _usage(answer.get("usage") or {})
            named = sound(str(answer.get("model") or ""))
            finish = "refusal" if refusal else self._finish(choice.get("finish_reason"), text)
        except (AttributeError, IndexError, KeyError, TypeError):
            raise Fault(
                FaultKind.GARBLED, f"this is no completion: {answer!r:.200}", status=200
            ) from None
        return Completion(text, finish, usage, named)

    def _finish(self, said: Json, text: str) -> Literal["stop", "length", "refusal"]:
        """Why the answer ended. Raises Fault where there is no answer and no reason."""
        finish = _FINISHES.get(said) if isinstance(said, str) else None
        if not said and self.finish_may_be_unknown:
            finish = "stop"
        if finish is None or (finish == "stop" and not text.strip()):
            raise Fault(
                FaultKind.GARBLED,
                f"an answer of {len(text)} characters that ended with {said!r:.40}",
                status=200,
            )
        return finish


def _json(posted: Posted) -> Json:
    """The body of an answer; of one that is no JSON its beginning as text."""
    try:
        return json.loads(posted.body)
    except (ValueError, RecursionError):
        text = posted.body[:2000].decode("utf-8", "replace")
        if posted.status == 200:
            raise Fault(FaultKind.GARBLED, f"the answer is no JSON: {text:.200}") from None
        return text


def _usage(counted: Mapping[str, Json]) -> Usage | None:
    """The counts of a completion; None where the server gives none."""
    read = counted.get("prompt_tokens_details") or {}
    wrote = counted.get("completion_tokens_details") or {}
    usage = Usage(
        input=counted.get("prompt_tokens") or 0,
        output=counted.get("completion_tokens") or 0,
        cached=read.get("cached_tokens") or 0,
        reasoning=wrote.get("reasoning_tokens") or 0,
    )
    return usage if usage.input > 0 or usage.output > 0 else None
