"""Connections to the providers' models, through pydantic-ai's `direct` interface.

The library is loaded when the first model is connected to, never when this file is imported.
One HTTP client serves all models of one endpoint; it lives as long as the `Clients` it came from.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self

from deepassay.errors import BadSetting, MissingExtra
from deepassay.models.client import LARGEST_ANSWER, AdaptivePace, Client, ModelSettings
from deepassay.models.endpoints import Endpoint, endpoint
from deepassay.models.schema import Dialect
from deepassay.models.usage import OwnPrice, price_of
from deepassay.score import Json

if TYPE_CHECKING:
    from pathlib import Path

    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.settings import ModelSettings as LibrarySettings

    from deepassay.models.batches.interface import BatchInterface
    from deepassay.models.wire import Post

_NO_SETTINGS = (
    "model",
    "messages",
    "input",
    "contents",
    "system",
    "instructions",
    "systemInstruction",
    "stream",
)


LARGEST_RESULTS: Final = 2**31
"""Bytes of a file of results; a batch may have 50,000 of them."""

_CHAT: Final = ("openai", "ollama", "openrouter")
"""Providers that speak chat completions, in which a question needs no library to be sent."""

ACCOUNT: Final = ("openai-organization", "openai-project")
"""Headers that say who pays, which OpenAI's library takes from the environment."""

STRUCTURED: Final = 2
"""Version of the schemas that are sent, which is part of recipes."""

EFFORTS: Final = ("minimal", "low", "medium", "high", "xhigh", "max")

# It knows the older name only, and would let an answer grow without end.
_OLLAMA: Final[OpenAIModelProfile] = {"openai_chat_supports_max_completion_tokens": False}


CONNECT: Final = 10.0
"""Seconds for reaching a server."""


class Clients:
    """All connections of a run. Use it as `async with`, inside the loop that asks.

    max_connections: calls at a time at one endpoint. seconds: of silence that one call may
    meet. keys: False where nothing will be sent.
    batches: whether models are asked in batches, at the price of those.
    """

    def __init__(
        self,
        max_connections: int = 16,
        *,
        seconds: float = 300.0,
        prices: Mapping[str, OwnPrice] | None = None,
        keys: bool = True,
        batches: bool = False,
    ) -> None:
        self._max_connections = max_connections
        self._seconds = seconds
        self._prices = prices
        self._keys = keys
        self._batches = batches
        self._shared: dict[tuple[str, str | None], tuple[httpx2.AsyncClient, AdaptivePace]] = {}
        self._posts: dict[tuple[str, str | None], Post] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        for http, _ in self._shared.values():
            await http.aclose()
        for post in self._posts.values():
            await post.aclose()

    async def connect(
        self, name: str, settings: ModelSettings | None = None, base_url: str | None = None
    ) -> Client:
        """A client for `provider:NAME`. Nothing is sent yet.

        Raises BadSetting for an unknown provider or a missing key, MissingExtra where the
        provider's library is not installed.
        """
        settings = settings or ModelSettings()
        place = endpoint(name, base_url)
        key = place.key() if self._keys else None
        http, pace = self._http(place, key)
        wanted = _wanted(place, settings, http)
        tools = _tools(place, settings)
        composed, account = await _composed(place, wanted, tools)
        sent = {name: composed[name] for name in sorted(composed) if name not in _NO_SETTINGS}
        if "temperature" in wanted and not _holds(sent, "temperature"):
            del wanted["temperature"]  # dropped by the library, with a warning at each call
        model = _model(place, key, http)
        alike: dict[str, Any] = {
            "identity": _identity(place, settings, sent),
            "pace": pace,
            "price": price_of(
                place.model, place.base_url, self._prices, place.name, batch=self._batches
            ),
            "max_output": settings.max_output,
            "context_window": settings.context_window or model.context_window,
            "key": key,
            "finish_may_be_unknown": not place.own or place.provider == "ollama",
        }
        if settings.structured:
            alike["schemas"] = _dialect(place)
        if place.provider in _CHAT:
            from deepassay.models.chat import ChatClient

            post = self._post(place, key, account)
            return ChatClient(post=post, composed=composed, **alike)
        from deepassay.models.direct import DirectClient

        return DirectClient(model=model, settings=wanted, tools=tools, **alike)

    def interface(
        self, name: str, client: Client, base_url: str | None = None, folder: Path | None = None
    ) -> BatchInterface:
        """How a client that was connected to is asked in batches. Raises BadSetting if it is not.

        folder: for files of requests that somebody else carries out.
        """
        from deepassay.models.batches.interfaces import interface_of

        place = endpoint(name, base_url)
        key = place.key() if self._keys else None

        def sdk() -> AsyncOpenAI:
            return _sdk(place, key, self._http(place, key)[0])

        return interface_of(place, client, sdk, folder)

    def _http(self, place: Endpoint, key: str | None) -> tuple[httpx2.AsyncClient, AdaptivePace]:
        from deepassay.models.direct import http_client

        if (place.base_url, key) not in self._shared:
            largest = LARGEST_RESULTS if self._batches else LARGEST_ANSWER
            http = http_client(self._seconds, CONNECT, largest)
            self._shared[place.base_url, key] = http, AdaptivePace(self._max_connections)
        return self._shared[place.base_url, key]

    def _post(self, place: Endpoint, key: str | None, account: Mapping[str, str]) -> Post:
        from deepassay.models.wire import Post

        if (place.base_url, key) not in self._posts:
            self._posts[place.base_url, key] = Post(
                place.address_of("/chat/completions"),
                {"Authorization": f"Bearer {key or 'none'}", **account},
                seconds=self._seconds,
                connect=CONNECT,
            )
        return self._posts[place.base_url, key]


def _wanted(place: Endpoint, settings: ModelSettings, http: httpx2.AsyncClient) -> LibrarySettings:
    """The library's names for our settings; its own retries are off, ours are recorded."""
    wanted: LibrarySettings = {"max_tokens": settings.max_output}
    if place.provider in ("anthropic", "google"):  # those of OpenAI's kind have it in the client
        wanted["max_retries"] = 0
    if place.provider == "google":  # takes one number only
        wanted["timeout"] = http.timeout.read or 0.0
    else:
        wanted["timeout"] = http.timeout  # type: ignore[typeddict-item]
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
    if place.provider in _CHAT and settings.search is not None:
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
    if settings.search is None or place.provider in _CHAT:
        return None
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.native_tools import WebSearchTool

    most = settings.searches if place.provider == "anthropic" else None  # the others take none
    search = WebSearchTool(search_context_size=settings.search, max_uses=most)
    return ModelRequestParameters(native_tools=[search])


async def _composed(
    place: Endpoint, wanted: LibrarySettings, tools: ModelRequestParameters | None
) -> tuple[dict[str, Json], dict[str, str]]:
    """Body and ACCOUNT headers of a request, seen by building one that goes nowhere.

    Libraries drop, rename and add settings, some with a warning and some without. Raises
    BadSetting if the library refuses them.
    """
    import httpx2
    from pydantic_ai.direct import model_request
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

    from deepassay.models.faults import EXPECTED

    body: dict[str, Any] = {}
    account: dict[str, str] = {}

    def nowhere(request: httpx2.Request) -> httpx2.Response:
        body.update(json.loads(request.content))
        account.update((name, request.headers[name]) for name in ACCOUNT if name in request.headers)
        return httpx2.Response(400, json={"error": {"message": "this request goes nowhere"}})

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(nowhere), timeout=60) as http:
        with warnings.catch_warnings(), suppress(*EXPECTED):
            warnings.simplefilter("ignore")
            try:
                await model_request(
                    _model(place, "nobody", http),
                    [ModelRequest(parts=[SystemPromptPart("?"), UserPromptPart("?")])],
                    model_settings=wanted,
                    model_request_parameters=tools,
                    instrument=False,
                )
            except UserError as error:
                raise BadSetting(
                    f"{place.name} cannot be asked like this: {error}",
                    "Change the settings of the model, or its name.",
                ) from None
    return body, account


def _identity(place: Endpoint, settings: ModelSettings, sent: Json) -> dict[str, Json]:
    """Who is asked, and how; what nobody asked for is not mentioned."""
    identity = {"model": place.name, "endpoint": place.place, "settings": sent}
    if settings.structured:
        identity["structured"] = STRUCTURED
    if settings.quotes:
        identity["quotes"] = True
    if settings.context_window is not None:
        identity["context_window"] = settings.context_window
    return identity


def _dialect(place: Endpoint) -> Dialect:
    """The words of JSON Schema that an endpoint takes."""
    if place.provider in ("anthropic", "google"):
        return "anthropic" if place.provider == "anthropic" else "google"
    return "openai" if place.own and place.provider != "ollama" else "full"


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
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.models.openrouter import OpenRouterModel
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openrouter import OpenRouterProvider

    sdk = _sdk(place, key, http)
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


def _sdk(place: Endpoint, key: str | None, http: httpx2.AsyncClient) -> AsyncOpenAI:
    """OpenAI's library, which asks once and no more."""
    from openai import AsyncOpenAI

    return AsyncOpenAI(
        base_url=place.base_url, api_key=key or "none", http_client=http, max_retries=0
    )
