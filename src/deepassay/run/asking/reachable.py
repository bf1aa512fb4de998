"""Judges that can be reached from here: by keys in the environment, on servers of this machine.

Nobody is asked a question. A server on a well-known port of loopback is asked which models it has,
as every server that speaks OpenAI's interface can be; no other address is looked at.
"""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import httpx2

from deepassay.models.endpoints import PROVIDERS
from deepassay.score import Json

SUGGESTED: Final[Mapping[str, str]] = {
    "openai": "gpt-5-mini",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
    "openrouter": "openai/gpt-5-mini",
}
"""A model of each provider to begin with: cheap, and its price is known."""

PORTS: Final[Mapping[int, str]] = {
    11434: "Ollama",
    8000: "vLLM",
    8080: "llama.cpp",
    1234: "LM Studio",
    30000: "SGLang",
}
"""Where programs that serve models listen unless they are told otherwise."""

PATIENCE: Final = 1.0
"""Seconds that a server of this machine has for its list."""

OK: Final = 200
"""The status of an answer with a list."""

LONGEST_LIST: Final = 1_000_000
"""Bytes of a list of models."""

MOST_NAMED: Final = 3


@dataclass(frozen=True)
class ReachableJudge:
    """One that could be asked. base_url: of a server of this machine. how: it was found."""

    judge: str
    how: str
    base_url: str | None = None

    @property
    def options(self) -> str:
        """What a command is given to ask it; a server names its models as it likes."""
        named = ["--judge", self.judge]
        return shlex.join(named + (["--base-url", self.base_url] if self.base_url else []))


def reachable_judges(
    environment: Mapping[str, str], ports: Mapping[int, str] = PORTS
) -> list[ReachableJudge]:
    """Those whose key is set, then those of servers that listen on these ports of loopback."""
    return [*_by_key(environment), *asyncio.run(_by_server(ports))]


def _by_key(environment: Mapping[str, str]) -> Iterator[ReachableJudge]:
    for provider, model in SUGGESTED.items():
        for variable in PROVIDERS[provider].keys:
            if environment.get(variable, "").strip():
                yield ReachableJudge(f"{provider}:{model}", f"{variable} is set")
                break


async def _by_server(ports: Mapping[int, str]) -> list[ReachableJudge]:
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as http:
        found = await asyncio.gather(*(_models(http, port) for port in ports))
    return [
        ReachableJudge(*_named(port, model, ports[port]))
        for port, models in zip(ports, found, strict=True)
        for model in models[:MOST_NAMED]
    ]


def _named(port: int, model: str, program: str) -> tuple[str, str, str | None]:
    how = f"a server lists it at 127.0.0.1:{port}, where {program} listens as a rule"
    if program == "Ollama":
        return f"ollama:{model}", how, None
    return f"openai:{model}", how, f"http://127.0.0.1:{port}/v1"


async def _models(http: httpx2.AsyncClient, port: int) -> list[str]:
    """The names that a server lists; none where nobody listens, or something else answers."""
    raw = b""
    with suppress(httpx2.HTTPError, TimeoutError):
        async with (
            asyncio.timeout(2 * PATIENCE),
            http.stream("GET", f"http://127.0.0.1:{port}/v1/models") as response,
        ):
            if response.status_code != OK:
                return []
            async for piece in response.aiter_bytes():
                raw += piece
                if len(raw) > LONGEST_LIST:
                    return []
    return [*_listed(raw)]


def _listed(raw: bytes) -> Iterator[str]:
    listed: Json = None
    with suppress(ValueError, RecursionError):
        listed = json.loads(raw)
    data = listed.get("data") if isinstance(listed, dict) else None
    for each in data if isinstance(data, list) else ():
        name = each.get("id") if isinstance(each, dict) else None
        if isinstance(name, str) and name.isprintable() and " " not in name and name:
            yield name
