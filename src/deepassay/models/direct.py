"""One model of a provider, asked through pydantic-ai. Loads the library: import it late.

Its requests go over httpx2, with the settings of those over aiohttp (see `wire`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from http.cookiejar import DefaultCookiePolicy
from typing import Final, Literal

import httpx2
from pydantic_ai import exceptions as pa
from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from deepassay.files import without_surrogates
from deepassay.models.client import LARGEST_ANSWER, AdaptivePace, Call, Completion, Fault, FaultKind
from deepassay.models.faults import NO_SERVER, TOO_SLOW, empty, fault_of, proxy_refused
from deepassay.models.prices import Price
from deepassay.models.schema import Dialect
from deepassay.models.usage import Usage, believed
from deepassay.network import KEPT, causes, is_plain, trust, unusable_proxy
from deepassay.score import Json
from deepassay.text import unkeyed

EXPECTED: Final = (pa.ModelAPIError, pa.UnexpectedModelBehavior, IndexError, AttributeError)
"""What an answer that is none makes the library raise."""

_KINDS: Final = {
    pa.ModelQuotaExceededError: FaultKind.ACCESS,
    pa.ModelContextWindowExceededError: FaultKind.OVERFLOW,
    pa.ModelTimeoutError: FaultKind.TIMEOUT,
    pa.ModelRequestTimeout: FaultKind.TIMEOUT,
    pa.ModelConnectionError: FaultKind.CONNECTION,
}

CALL: Final[ContextVar[Call | None]] = ContextVar("CALL", default=None)
"""The call whose request is being sent in this task."""


@dataclass
class DirectClient:
    """A `Client`. finish_may_be_unknown: a server of one's own that does not say why it ended.

    tools: what the model may use on the provider's side; such a client is asked for no schema.
    """

    model: Model
    identity: Mapping[str, Json]
    pace: AdaptivePace
    price: Price | None
    settings: ModelSettings
    max_output: int
    context_window: int | None = None
    schemas: Dialect | None = None
    key: str | None = field(default=None, repr=False)
    finish_may_be_unknown: bool = False
    tools: ModelRequestParameters | None = None

    async def complete(self, call: Call) -> Completion:
        """Send one request, once. Raises Fault."""
        CALL.set(call)
        try:
            response = await model_request(
                self.model,
                self.messages(call),
                model_settings=self.settings,
                model_request_parameters=self.parameters(call),
                instrument=False,
            )
        except Exception as error:  # of whichever kind: a server has said or done something
            raise library_fault(error, self.key) from None  # what caused it holds the key
        return self.completion(response, call, lambda: bytes(call.received))

    def messages(self, call: Call) -> list[ModelMessage]:
        """The conversation so far, the question last."""
        prompt = call.prompt
        question = UserPromptPart(prompt.text)
        if self.model.system == "anthropic" and prompt.material and prompt.question:
            question = UserPromptPart([prompt.material, CachePoint(), prompt.question])
        house = [SystemPromptPart(prompt.system)] if prompt.system else []
        messages: list[ModelMessage] = [ModelRequest(parts=[*house, question])]
        for answer, reason in call.again:
            messages.append(ModelResponse(parts=[TextPart(answer)]))
            messages.append(ModelRequest(parts=[UserPromptPart(reason)]))
        return messages

    def parameters(self, call: Call) -> ModelRequestParameters | None:
        """Tools, or the form of the answer."""
        schema = self.schemas and call.schema(self.schemas, self.max_output)
        if not schema:
            return self.tools
        answer = OutputObjectDefinition(json_schema=schema, name="answer", strict=True)
        return ModelRequestParameters(output_mode="native", output_object=answer)

    def completion(
        self, response: ModelResponse, call: Call, body: Callable[[], bytes]
    ) -> Completion:
        """What came back. body: as the provider wrote it. Raises Fault."""
        asked = call.prompt.system + call.prompt.text + "".join(map("".join, call.again))
        completion = self._read(response, len(asked.encode("utf-8", "replace")))
        if call.whole and completion.finish != "refusal":
            return replace(completion, text=self._told(body().decode("utf-8", "replace")))
        return completion

    def _read(self, response: ModelResponse, sent: int) -> Completion:
        text = self._told(response.text)
        details = response.provider_details or {}
        thought = sum(
            len(part.content) for part in response.parts if isinstance(part, ThinkingPart)
        )
        counted = response.usage
        usage = Usage(
            input=counted.input_tokens,
            output=counted.output_tokens,
            cached=counted.cache_read_tokens,
            cache_write=counted.cache_write_tokens,
            reasoning=counted.details.get("reasoning_tokens", 0)
            or counted.details.get("thoughts_tokens", 0),
        )
        served = self._told(response.model_name)
        known, note = believed(usage if usage != Usage() else None, sent, self.max_output)
        finish = self._finish(response, text, thought, known)
        if finish == "refusal":
            text = self._told(details.get("refusal") or text)
        return Completion(text, finish, known, served, thought, note)

    def _told(self, said: object) -> str:
        """What a server said, as it may be kept."""
        return unkeyed(without_surrogates(str(said or "")), self.key)

    def _finish(
        self, response: ModelResponse, text: str, thought: int, usage: Usage | None
    ) -> Literal["stop", "length", "refusal"]:
        """Why the answer ended. Raises Fault where there is no answer and no reason."""
        match response.finish_reason:
            case "content_filter":
                return "refusal"
            case "length":
                return "length"
            case "stop" if text.strip():
                return "stop"
            case None if text.strip() and self.finish_may_be_unknown:
                return "stop"
            case "stop":
                raise empty(thought, usage)
        raise Fault(
            FaultKind.GARBLED,
            f"an answer of {len(text)} characters that ended with {response.finish_reason!r}",
            status=200,
            usage=usage,
        )


def library_fault(error: Exception, key: str | None) -> Fault:
    """The fault that an exception of pydantic-ai or of a vendor's library stands for.

    It quotes without the key. The exception is to be dropped: what caused it holds the request.
    """
    told = (kind for library, kind in _KINDS.items() if isinstance(error, library))
    return not_connected(error) or fault_of(error, key, next(told, None))


def not_connected(error: Exception) -> Fault | None:
    """What the HTTP client of the libraries says of the way to the server; None if it got there."""
    for cause in causes(error):
        match cause:
            case httpx2.ProxyError():
                status = re.match(r"[1-9]\d\d\b", str(cause))
                return proxy_refused(int(status[0]) if status else 502)
            case httpx2.InvalidURL():
                return Fault(FaultKind.ACCESS, NO_SERVER)
            case httpx2.ConnectTimeout():
                return Fault(FaultKind.TIMEOUT, TOO_SLOW)
    return None


def http_client(
    seconds: float, connect: float, largest: int = LARGEST_ANSWER
) -> httpx2.AsyncClient:
    """A client for the libraries. seconds: of silence; connect: for reaching the server.

    largest: bytes of an answer.

    It notes the digest of the body of each CALL as it is sent, and bounds the answers. Raises
    BadSetting for a proxy of the environment that cannot be used.
    """
    try:
        http = httpx2.AsyncClient(
            verify=trust(),
            timeout=httpx2.Timeout(seconds, connect=connect),
            limits=httpx2.Limits(keepalive_expiry=KEPT),
            headers={"Accept-Encoding": "identity"},
            event_hooks={"request": [_note], "response": [partial(_bound, largest)]},
        )
    except (ImportError, ValueError) as error:
        raise unusable_proxy(error) from None
    # An empty list of domains: the jar keeps nothing and sends nothing.
    http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return http


async def _note(request: httpx2.Request) -> None:
    if (call := CALL.get()) is not None:
        call.body_digest = hashlib.sha256(await request.aread()).hexdigest()


async def _bound(largest: int, response: httpx2.Response) -> None:
    if not is_plain(response.headers.get("content-encoding", "")):
        raise httpx2.ReadError("the server compressed an answer that was to be plain")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    call = CALL.get()
    kept = call.received if call is not None and call.whole else None
    response.stream = _Bounded(response.stream, kept, largest)


class _Bounded(httpx2.AsyncByteStream):
    """A stream that ends in an error once it is longer than any answer. kept: gets what comes."""

    def __init__(self, inner: httpx2.AsyncByteStream, kept: bytearray | None, largest: int) -> None:
        self._inner = inner
        self._kept = kept
        self._largest = largest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for piece in self._inner:
            length += len(piece)
            if length > self._largest:
                raise httpx2.ReadError(f"the answer is larger than {self._largest} bytes")
            if self._kept is not None:
                self._kept += piece
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
