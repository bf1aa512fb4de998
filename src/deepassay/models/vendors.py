"""Models as pydantic-ai has them, and what it sends for our settings. Loads it: import it late.

Libraries drop, rename and add settings, by families of models that they know and we do not.
"""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from typing import Any, Final

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openrouter import OpenRouterProvider
from pydantic_ai.settings import ModelSettings as LibrarySettings

from deepassay.errors import BadSetting, MissingExtra
from deepassay.models.client import ModelSettings
from deepassay.models.direct import EXPECTED, DirectClient
from deepassay.models.endpoints import CHAT, Endpoint
from deepassay.score import Json

EFFORTS: Final = ("minimal", "low", "medium", "high", "xhigh", "max")

# It knows the older name only, and would let an answer grow without end.
_OLLAMA: Final[OpenAIModelProfile] = {"openai_chat_supports_max_completion_tokens": False}


def direct_client(
    place: Endpoint,
    settings: ModelSettings,
    http: httpx2.AsyncClient,
    body: Json,
    *,
    key: str | None,
    **alike: Any,  # noqa: ANN401 - fields that all clients have
) -> DirectClient:
    """A client that asks through the library. body: as `composed` found it."""
    wanted = _wanted(place, settings)
    if "temperature" in wanted and not _holds(body, "temperature"):
        del wanted["temperature"]  # dropped by the library, with a warning at each call
    if place.provider == "google":  # takes one number only
        wanted["timeout"] = http.timeout.read or 0.0
    else:
        wanted["timeout"] = http.timeout  # type: ignore[typeddict-item]
    model = _model(place, key, http)
    window = settings.context_window or model.context_window
    return DirectClient(
        model=model,
        settings=wanted,
        tools=_tools(place, settings),
        context_window=window,
        key=key,
        **alike,
    )


async def composed(place: Endpoint, settings: ModelSettings) -> dict[str, Json]:
    """The body of a request, seen by building one that goes nowhere.

    Raises BadSetting for settings that we or the library refuse, and MissingExtra.
    """
    body: dict[str, Any] = {}

    def nowhere(request: httpx2.Request) -> httpx2.Response:
        body.update(json.loads(request.content))
        return httpx2.Response(400, json={"error": {"message": "this request goes nowhere"}})

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(nowhere), timeout=60) as http:
        with warnings.catch_warnings(), suppress(*EXPECTED):
            warnings.simplefilter("ignore")
            try:
                await model_request(
                    _model(place, "nobody", http),
                    [ModelRequest(parts=[SystemPromptPart("?"), UserPromptPart("?")])],
                    model_settings=_wanted(place, settings),
                    model_request_parameters=_tools(place, settings),
                    instrument=False,
                )
            except UserError as error:
                raise BadSetting(
                    f"{place.name} cannot be asked like this: {error}",
                    "Change the settings of the model, or its name.",
                ) from None
    return body


def _wanted(place: Endpoint, settings: ModelSettings) -> LibrarySettings:
    """The library's names for our settings; its own retries are off, ours are recorded."""
    wanted: LibrarySettings = {"max_tokens": settings.max_output}
    if place.provider in ("anthropic", "google"):  # those of OpenAI's kind have it in the client
        wanted["max_retries"] = 0
    own = _own_words(place, settings)
    if settings.effort is not None:
        if settings.effort not in EFFORTS:
            raise BadSetting(
                f"{settings.effort!r} is not an effort of thinking.",
                f"Give one of {', '.join(EFFORTS)}.",
            )
        if not own.keys() - {"extra_body"}:  # one number, and not a word besides
            wanted["thinking"] = settings.effort  # type: ignore[typeddict-item]
    thinks = place.provider == "anthropic" and (settings.effort or settings.thinking) is not None
    if settings.temperature is not None and not thinks:  # Claude does not take both
        wanted["temperature"] = settings.temperature
    wanted.update(own)  # type: ignore[typeddict-item]
    return wanted


def _own_words(place: Endpoint, settings: ModelSettings) -> dict[str, Any]:
    """Search and thinking, where they are no tools, in the words of a provider's interface."""
    words: dict[str, Any] = {}
    extra: dict[str, Json] = {}
    if place.provider in CHAT and settings.search is not None:
        extra["web_search_options"] = {"search_context_size": settings.search}
    if settings.thinking is not None:
        match place.provider:
            case "anthropic":
                words["anthropic_thinking"] = {
                    "type": "enabled",
                    "budget_tokens": settings.thinking,
                }
            case "google":
                words["google_thinking_config"] = {"thinking_budget": settings.thinking}
            case "openrouter":
                words["openrouter_reasoning"] = {"max_tokens": settings.thinking}
    return {**words, "extra_body": extra} if extra else words


def _tools(place: Endpoint, settings: ModelSettings) -> ModelRequestParameters | None:
    """The provider's own search, where it is a tool."""
    if settings.search is None or place.provider in CHAT:
        return None
    most = settings.searches if place.provider == "anthropic" else None  # the others take none
    search = WebSearchTool(search_context_size=settings.search, max_uses=most)
    return ModelRequestParameters(native_tools=[search])


def _holds(value: Json, name: str) -> bool:
    """Whether a setting occurs anywhere in a body."""
    if not isinstance(value, dict):
        return False
    return name in value or any(_holds(each, name) for each in value.values())


def _model(place: Endpoint, key: str | None, http: httpx2.AsyncClient) -> Model:
    """The library's model object. Raises MissingExtra."""
    url = place.base_url
    if place.provider == "anthropic":
        try:
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider
        except ImportError:
            raise MissingExtra(place.name, "anthropic") from None
        claude = AnthropicProvider(api_key=key or "none", base_url=url, http_client=http)
        return AnthropicModel(place.model, provider=claude)
    if place.provider == "google":
        try:
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider
        except ImportError:
            raise MissingExtra(place.name, "google") from None
        gemini = GoogleProvider(api_key=key or "none", base_url=url, http_client=http)
        return GoogleModel(place.model, provider=gemini)
    return _model_of_openai_kind(place, key, http)


def _model_of_openai_kind(place: Endpoint, key: str | None, http: httpx2.AsyncClient) -> Model:
    """A model that is reached through the OpenAI library."""
    sdk = sdk_of(place, key, http)
    match place.provider:
        case "openrouter":
            router = OpenRouterProvider(openai_client=sdk)
            return OpenRouterModel(place.model, provider=router)
        case "ollama":
            local = OllamaProvider(openai_client=sdk)
            return OllamaModel(place.model, provider=local, profile=_OLLAMA)
        case "openai-responses":
            return OpenAIResponsesModel(place.model, provider=OpenAIProvider(openai_client=sdk))
    return OpenAIChatModel(place.model, provider=OpenAIProvider(openai_client=sdk))


def sdk_of(place: Endpoint, key: str | None, http: httpx2.AsyncClient) -> AsyncOpenAI:
    """OpenAI's library, which asks once and no more."""
    return AsyncOpenAI(
        base_url=place.base_url, api_key=key or "none", http_client=http, max_retries=0
    )
