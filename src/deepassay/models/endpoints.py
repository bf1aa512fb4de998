"""Where a model lives: `provider:NAME` and perhaps a base URL, looked up without loading anything.

openai:gpt-5                      chat completions, the interface that compatible servers speak
openai-responses:gpt-5            OpenAI's Responses interface
anthropic:claude-sonnet-4-5       google:gemini-2.5-pro       openrouter:vendor/name
ollama:llama3.3:70b               a server on this machine
openai:qwen3-32b  --base-url http://gpu-box:8000/v1           vLLM, llama.cpp, any gateway
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from deepassay.errors import BadSetting
from deepassay.score import digest


@dataclass(frozen=True)
class Provider:
    """One way to reach models. keys: environment variables that may hold the key, best first."""

    base_url: str
    keys: tuple[str, ...]
    needs_key: bool = True


_OPENAI = Provider("https://api.openai.com/v1", ("OPENAI_API_KEY",))
PROVIDERS: Final[Mapping[str, Provider]] = {
    "openai": _OPENAI,
    "openai-responses": _OPENAI,
    "anthropic": Provider("https://api.anthropic.com", ("ANTHROPIC_API_KEY",)),
    "google": Provider(
        "https://generativelanguage.googleapis.com", ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    ),
    "openrouter": Provider("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "ollama": Provider("http://127.0.0.1:11434/v1", ("OLLAMA_API_KEY",), needs_key=False),
}

CHAT: Final = ("openai", "ollama", "openrouter")
"""Providers that speak chat completions, in which a question needs no library to be sent."""

_PORTS: Final = {"http": 80, "https": 443}
_USUAL_PATHS: Final = ("", "/v1", "/api/v1")


@dataclass(frozen=True)
class Endpoint:
    """A model at an address. own: the address is the vendor's, not one that the user gave."""

    provider: str
    model: str
    base_url: str
    own: bool

    @property
    def name(self) -> str:
        """As the user writes it, without the address."""
        return f"{self.provider}:{self.model}"

    @property
    def host(self) -> str:
        """The address without its port and path."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def place(self) -> str:
        """The address for people and signatures: two servers on one host are two judges.

        The vendor's is the host. One of the user's own has the port, and a digest of an unusual
        path or query, which may hold a token.
        """
        if self.own:
            return self.host
        parts = urlsplit(self.base_url)
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if parts.port in (None, _PORTS[parts.scheme]) else f":{parts.port}"
        rest = parts.path + (f"?{parts.query}" if parts.query else "")
        return f"{host}{port}" + (rest if rest in _USUAL_PATHS else f"/#{digest(rest)[:8]}")

    def address_of(self, path: str) -> str:
        """Where this path below the base URL is. A query stays behind it."""
        parts = urlsplit(self.base_url)
        return parts._replace(path=parts.path.rstrip("/") + path, fragment="").geturl()

    def key(self, environment: Mapping[str, str] = os.environ) -> str | None:
        """The key, from the usual variables.

        Raises BadSetting if one is needed and not there, or if it is one that cannot be sent.

        A server at an address of the user's own may do without.
        """
        provider = PROVIDERS[self.provider]
        for variable in provider.keys:
            if found := environment.get(variable, "").strip():
                if not (found.isascii() and found.isprintable()):
                    raise BadSetting(
                        f"{variable} holds characters that no key has.",
                        f"Copy the key of {self.provider} into it anew, letters and signs only.",
                    )
                return found
        if provider.needs_key and self.own:
            raise BadSetting(
                f"{self.name} needs a key, and {' or '.join(provider.keys)} is not set.",
                f"Set it: export {provider.keys[0]}=... ; or use --judge offline.",
            )
        return None


def endpoint(name: str, base_url: str | None = None) -> Endpoint:
    """The endpoint that `provider:NAME` means. Raises BadSetting, naming what there is."""
    provider, colon, model = name.partition(":")
    if not colon or provider not in PROVIDERS or not model:
        raise BadSetting(
            f"{name!r} does not name a model.",
            f"Write offline, provider:NAME with one of {', '.join(PROVIDERS)}, or module:name of "
            "Python code; for any other server openai:NAME with --base-url.",
        )
    if not model.isprintable():
        raise BadSetting(
            f"{name!r} holds characters that no name of a model has.",
            "Write the name as the server gives it.",
        )
    if provider == "openrouter" and "/" not in model:
        raise BadSetting(
            f"{name!r} does not name a model of OpenRouter.",
            "Its names have two parts: openrouter:vendor/name.",
        )
    if base_url is None:
        return Endpoint(provider, model, PROVIDERS[provider].base_url, own=True)
    return Endpoint(provider, model, _address(base_url), own=False)


def _address(base_url: str) -> str:
    """A base URL that can be used, without its last slash."""
    try:
        parts = urlsplit(base_url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if (
        not sound or not base_url.isprintable() or "@" in parts.netloc
    ):  # a key belongs into its variable
        raise BadSetting(
            f"{base_url!r} is not the address of a server.",
            "Give the part before /chat/completions, such as http://localhost:8000/v1.",
        )
    return base_url.rstrip("/")
