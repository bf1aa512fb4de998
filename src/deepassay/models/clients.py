"""Connections to the providers' models.

The libraries take longer to load than all else before the first question. They are loaded when a
model is connected to that is asked through them, or of which they alone know what it takes.
One HTTP client serves all models of one endpoint; it lives as long as the `Clients` it came from.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Self

from deepassay.models.client import LARGEST_ANSWER, AdaptivePace, Client, ModelSettings
from deepassay.score import Json

if TYPE_CHECKING:
    from pathlib import Path

    import httpx2
    from openai import AsyncOpenAI

    from deepassay.models.batches.interface import BatchInterface
    from deepassay.models.endpoints import Endpoint
    from deepassay.models.prices import OwnPrice
    from deepassay.models.schema import Dialect
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

_ACCOUNT: Final = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""Headers that say who pays, and the variables that they come from, as in OpenAI's library."""

STRUCTURED: Final = 2
"""Version of the schemas that are sent, which is part of recipes."""

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
        self._paces: dict[tuple[str, str | None], AdaptivePace] = {}
        self._https: dict[tuple[str, str | None], httpx2.AsyncClient] = {}
        self._posts: dict[tuple[str, str | None], Post] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        for http in self._https.values():
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
        from deepassay.models.endpoints import CHAT, endpoint
        from deepassay.models.prices import price_of, window_of

        settings = settings or ModelSettings()
        place = endpoint(name, base_url)
        key = place.key() if self._keys else None
        price = price_of(place.model, place.base_url, self._prices, place.name, batch=self._batches)
        alike: dict[str, Any] = {
            "pace": self._pace(place, key),
            "price": price,
            "max_output": settings.max_output,
            "key": key,
            "finish_may_be_unknown": not place.own or place.provider == "ollama",
        }
        if settings.structured:
            alike["schemas"] = _dialect(place)
        if place.provider in CHAT:
            from deepassay.models.chat import ChatClient, plain_body

            body = plain_body(place, settings)
            if body is None:
                from deepassay.models.vendors import composed

                body = await composed(place, settings)
            window = settings.context_window or window_of(
                place.model, place.base_url, place.provider
            )
            return ChatClient(
                post=self._post(place, key),
                composed=body,
                identity=_identity(place, settings, body),
                context_window=window,
                **alike,
            )
        from deepassay.models.vendors import composed, direct_client

        body = await composed(place, settings)
        alike["identity"] = _identity(place, settings, body)
        return direct_client(place, settings, self._http(place, key), body, **alike)

    def interface(
        self, name: str, client: Client, base_url: str | None = None, folder: Path | None = None
    ) -> BatchInterface:
        """How a client that was connected to is asked in batches. Raises BadSetting if it is not.

        folder: for files of requests that somebody else carries out.
        """
        from deepassay.models.batches.interfaces import interface_of
        from deepassay.models.endpoints import endpoint

        place = endpoint(name, base_url)
        key = place.key() if self._keys else None

        def sdk() -> AsyncOpenAI:
            from deepassay.models.vendors import sdk_of

            return sdk_of(place, key, self._http(place, key))

        return interface_of(place, client, sdk, folder)

    def _pace(self, place: Endpoint, key: str | None) -> AdaptivePace:
        new = AdaptivePace(self._max_connections)
        return self._paces.setdefault((place.base_url, key), new)

    def _http(self, place: Endpoint, key: str | None) -> httpx2.AsyncClient:
        from deepassay.models.direct import http_client

        if (place.base_url, key) not in self._https:
            largest = LARGEST_RESULTS if self._batches else LARGEST_ANSWER
            self._https[place.base_url, key] = http_client(self._seconds, CONNECT, largest)
        return self._https[place.base_url, key]

    def _post(self, place: Endpoint, key: str | None) -> Post:
        from deepassay.models.wire import Post

        if (place.base_url, key) not in self._posts:
            account = {name: os.environ.get(each, "") for name, each in _ACCOUNT.items()}
            self._posts[place.base_url, key] = Post(
                place.address_of("/chat/completions"),
                {
                    "Authorization": f"Bearer {key or 'none'}",
                    **{name: value for name, value in account.items() if value},
                },
                seconds=self._seconds,
                connect=CONNECT,
            )
        return self._posts[place.base_url, key]


def _identity(place: Endpoint, settings: ModelSettings, body: Json) -> dict[str, Json]:
    """Who is asked, and how, as the body of a question has it.

    What nobody asked for is not mentioned.
    """
    sent = {name: body[name] for name in sorted(body) if name not in _NO_SETTINGS}
    identity: dict[str, Json] = {"model": place.name, "endpoint": place.place, "settings": sent}
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
