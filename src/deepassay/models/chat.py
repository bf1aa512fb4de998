"""A model behind the chat-completions interface, asked with a plain request.

Where the form of a request hangs on which model it is, pydantic-ai composes one when the model is
connected to, and all others are sent in its form. Its own way from a question to the socket takes
several times the processor time of the request itself.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from pydantic_core import PydanticSerializationError, to_json

from deepassay.files import without_surrogates
from deepassay.models.client import (
    AdaptivePace,
    Call,
    Completion,
    Fault,
    FaultKind,
    ModelSettings,
)
from deepassay.models.endpoints import Endpoint
from deepassay.models.faults import HttpError, empty, fault_of
from deepassay.models.prices import Price
from deepassay.models.schema import Dialect
from deepassay.models.usage import Usage, believed
from deepassay.models.wire import Post
from deepassay.score import Json
from deepassay.text import unkeyed

Finish = Literal["stop", "length", "refusal"]

_FINISHES: Final[Mapping[str, Finish]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "refusal",
}
_NO_ANSWER: Final = ("error", "function_call", "tool_calls")
"""Why an answer ended that is none; other words than these and those above tell nothing."""

_FAMILY: Final = re.compile(r"(?:.*/)?(o\d|gpt-)")
"""Names of OpenAI's own models: some take no temperature, others no message of the system."""


def plain_body(place: Endpoint, settings: ModelSettings) -> dict[str, Json] | None:
    """The body of a request, but for its texts; None where the library has to compose it.

    It knows which families of models think, how much, and what they then do not take. All others
    are sent what was set.
    """
    family = _FAMILY.match(place.model)
    if settings.effort is not None or settings.thinking is not None:
        return None
    if family and (family[1] != "gpt-" or settings.temperature is not None):
        return None
    most = "max_completion_tokens" if place.provider == "openai" else "max_tokens"
    body: dict[str, Json] = {
        "model": place.model,
        "stream": False,
        "messages": [{"role": "system"}, {"role": "user"}],
        most: settings.max_output,
    }
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.search is not None:
        body["web_search_options"] = {"search_context_size": settings.search}
    return body


@dataclass
class ChatClient:
    """A `Client`. composed: the body of a request, of whose messages the roles count.

    finish_may_be_unknown: a server of one's own that does not say why it ended, or in words of
    its own. schemas: in which words the endpoint takes the form of an answer; None to send none.
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
    schemas: Dialect | None = None

    async def complete(self, call: Call) -> Completion:
        """Send one request, once. Raises Fault."""
        content = self.body(call)
        try:
            posted = await self.post.send(content)
        except Fault as fault:
            raise self._fault(fault.kind, fault.detail) from None
        finally:  # not before: there is time while nothing has come back
            call.body_digest = hashlib.sha256(content).hexdigest()
        answered = 200 <= posted.status < 300
        try:
            answer: Json = json.loads(posted.body)
        except (ValueError, RecursionError):
            answer = posted.body[:2000].decode("utf-8", "replace")
            if answered:
                page = "a web page, perhaps to log in" if "<" in answer[:200] else "no JSON"
                raise self._garbled(f"the server answered with {page}: {answer}") from None
        if not answered:
            raise fault_of(HttpError(posted.status, posted.headers, answer), self.key)
        return self.completion(answer, call, posted.body, len(content))

    def completion(self, answer: Json, call: Call, body: bytes, sent: int) -> Completion:
        """What came back with status 200, and the `body` that it was read from. Raises Fault.

        sent: bytes of the question.
        """
        completion = self._read(answer, sent)
        if call.whole and completion.finish != "refusal":
            whole = without_surrogates(body.decode("utf-8", "replace"))
            return replace(completion, text=unkeyed(whole, self.key))
        return completion

    def body(self, call: Call) -> bytes:
        """The JSON of the request for a call: model, messages and settings, in UTF-8."""
        system, user = (message["role"] for message in self.composed["messages"])
        messages = [
            {"role": system, "content": call.prompt.system},
            {"role": user, "content": call.prompt.text},
        ][not call.prompt.system :]
        for answer, reason in call.again:
            messages.append({"role": "assistant", "content": answer})
            messages.append({"role": user, "content": reason})
        body = {**self.composed, "messages": messages}
        if self.schemas is not None and (schema := call.schema(self.schemas, self.max_output)):
            answer_form = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": answer_form}
        try:
            return to_json(body)  # in a fifth of the time that `json` takes
        except PydanticSerializationError:  # a lone surrogate is no UTF-8
            text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
            return text.encode("utf-8", "replace")

    def _read(self, answer: Json, sent: int) -> Completion:
        try:
            if wrong := answer.get("error"):  # so say gateways that sent their 200 early
                code = wrong.get("code") if isinstance(wrong, dict) else None
                status = code if type(code) is int and 400 <= code < 600 else 500
                raise fault_of(HttpError(status, {}, answer), self.key)
            choice = answer["choices"][0]
            message = choice["message"]
            refusal, content = message.get("refusal"), message.get("content")
            text = unkeyed(without_surrogates(refusal or _text(content)), self.key)
            thought = len(str(message.get("reasoning_content") or message.get("reasoning") or ""))
            usage, note = believed(_usage(answer.get("usage")), sent, self.max_output)
            named = unkeyed(without_surrogates(str(answer.get("model") or "")), self.key)
            reason = choice.get("finish_reason")
            finish = "refusal" if refusal else self._finish(reason, text, thought, usage)
        except (AttributeError, IndexError, KeyError, TypeError):
            raise self._garbled(f"this is no completion: {answer!r:.2000}") from None
        return Completion(text, finish, usage, named, thought, note)

    def _finish(self, reason: Json, text: str, thought: int, usage: Usage | None) -> Finish:
        """Why the answer ended. Raises Fault where there is no answer and no reason."""
        finish = _FINISHES.get(reason) if isinstance(reason, str) else None
        if finish is None and reason not in _NO_ANSWER and self.finish_may_be_unknown:
            finish = "stop"
        if finish == "stop" and not text.strip():
            raise empty(thought, usage)
        if finish is None:
            detail = f"an answer of {len(text)} characters that ended with {reason!r:.40}"
            raise self._garbled(detail, usage)
        return finish

    def _garbled(self, detail: str, usage: Usage | None = None) -> Fault:
        """The fault of an answer that is none. usage: of it, where the server says."""
        return self._fault(FaultKind.GARBLED, detail, 200, usage)

    def _fault(
        self, kind: FaultKind, detail: str, status: int | None = None, usage: Usage | None = None
    ) -> Fault:
        """A fault that says less: a server may have sent back the key in what is quoted."""
        told = " ".join(unkeyed(detail, self.key).split())[:300]
        return Fault(kind, told, status=status, usage=usage)


def _text(content: Json) -> str:
    """The text of a message; some servers send it in parts, their thinking beside it."""
    if not isinstance(content, list):
        return content or ""
    return "".join(part["text"] for part in content if part.get("type") == "text")


def _usage(counted: Json) -> Usage | None:
    """The counts of a completion; None where the server gives none."""
    usage = Usage(
        input=_count(counted, "prompt_tokens"),
        output=_count(counted, "completion_tokens"),
        cached=_count(counted, "prompt_tokens_details", "cached_tokens"),
        reasoning=_count(counted, "completion_tokens_details", "reasoning_tokens"),
    )
    return usage if any(vars(usage).values()) else None


def _count(counted: Json, *names: str) -> int:
    """A number of tokens, 0 where what stands under these names is none."""
    for name in names:
        counted = counted.get(name) if isinstance(counted, dict) else None
    return counted if type(counted) is int else 0
