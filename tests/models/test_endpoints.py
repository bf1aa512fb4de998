from __future__ import annotations

import subprocess
import sys

import httpx2
import pytest

from deepassay.errors import BadSetting, MissingExtra
from deepassay.models.chat import plain_body
from deepassay.models.client import ModelSettings
from deepassay.models.clients import Clients
from deepassay.models.endpoints import CHAT, PROVIDERS, endpoint
from deepassay.models.prices import window_of
from deepassay.models.vendors import _model, composed


@pytest.mark.parametrize(
    ("name", "provider", "model", "host"),
    [
        ("openai:gpt-5", "openai", "gpt-5", "api.openai.com"),
        ("openai-responses:gpt-5", "openai-responses", "gpt-5", "api.openai.com"),
        ("anthropic:claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5", "api.anthropic.com"),
        ("google:gemini-2.5-pro", "google", "gemini-2.5-pro", "generativelanguage.googleapis.com"),
        ("openrouter:openai/gpt-5", "openrouter", "openai/gpt-5", "openrouter.ai"),
        ("ollama:llama3.3:70b", "ollama", "llama3.3:70b", "127.0.0.1"),
    ],
)
def test_names(name: str, provider: str, model: str, host: str) -> None:
    place = endpoint(name)
    assert (place.provider, place.model, place.host, place.own) == (provider, model, host, True)
    assert place.name == name


@pytest.mark.parametrize("name", ["gpt-5", "openai:", "azure:gpt-5", ":x", "", "OpenAI:gpt-5"])
def test_a_name_that_is_none_lists_what_there_is(name: str) -> None:
    with pytest.raises(BadSetting) as caught:
        endpoint(name)
    assert all(provider in caught.value.remedy for provider in PROVIDERS)


@pytest.mark.parametrize("name", ["openai:m\udce9", "openai:a\nb"])
def test_a_name_that_cannot_be_sent_is_refused(name: str) -> None:
    with pytest.raises(BadSetting, match="no name of a model"):
        endpoint(name)


def test_openrouter_wants_a_vendor() -> None:
    with pytest.raises(BadSetting, match="vendor/name"):
        endpoint("openrouter:gpt-5")


def test_an_address_of_ones_own() -> None:
    place = endpoint("openai:qwen3", "https://gpu.example.org:8443/v1/")
    assert (place.base_url, place.host) == (
        "https://gpu.example.org:8443/v1",
        "gpu.example.org",
    )
    assert not place.own


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:8000/v1", "127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8001/v1", "127.0.0.1:8001/v1"),
        ("https://GPU.example.org:443/v1/", "gpu.example.org/v1"),
        ("http://[::1]:8000", "[::1]:8000"),
    ],
)
def test_two_servers_on_one_host_are_two_places(url: str, shown: str) -> None:
    assert endpoint("openai:m", url).place == shown


def test_a_path_that_may_hold_a_token_is_told_apart_but_not_shown() -> None:
    one = endpoint("openai:m", "https://gateway.example/t0ken/v1").place
    other = endpoint("openai:m", "https://gateway.example/t1ken/v1").place
    assert one.startswith("gateway.example/") and one != other
    assert "t0ken" not in one


def test_the_place_of_a_vendor_is_its_host() -> None:
    assert endpoint("openai:m").place == "api.openai.com"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://a.example/v1/", "http://a.example/v1/chat/completions"),
        ("http://a.example", "http://a.example/chat/completions"),
        ("http://a.example/x?version=2", "http://a.example/x/chat/completions?version=2"),
        ("http://a.example/x/?version=2#top", "http://a.example/x/chat/completions?version=2"),
    ],
)
def test_a_path_goes_before_the_query_of_a_base_url(url: str, address: str) -> None:
    assert endpoint("openai:m", url).address_of("/chat/completions") == address


@pytest.mark.parametrize("key", ["schlüssel", "k\udce9y", "sk-1\nsk-2", "“sk-1”"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(BadSetting, match="OPENAI_API_KEY holds characters") as caught:
        endpoint("openai:m").key({"OPENAI_API_KEY": key})
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000/v1",
        "ftp://x/v1",
        "http://",
        "http://[::1",
        "http://x:99999",
        "http://k:v@x/v1",
        "http://x/\udce9",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(BadSetting, match="is not the address of a server"):
        endpoint("openai:m", url)


def test_keys_come_from_the_usual_variables() -> None:
    assert endpoint("openai:m").key({"OPENAI_API_KEY": " k1 "}) == "k1"
    both = {"GEMINI_API_KEY": "old", "GOOGLE_API_KEY": "new"}
    assert endpoint("google:m").key(both) == "new"
    assert endpoint("google:m").key({"GEMINI_API_KEY": "old"}) == "old"
    assert endpoint("ollama:m").key({}) is None
    assert endpoint("openai:m", "http://localhost/v1").key({}) is None


@pytest.mark.parametrize("name", ["openai:m", "anthropic:m", "google:m", "openrouter:v/m"])
def test_a_missing_key_is_named(name: str) -> None:
    with pytest.raises(BadSetting) as caught:
        endpoint(name).key({"OPENAI_API_KEY": ""})
    assert PROVIDERS[name.partition(":")[0]].keys[0] in str(caught.value)


@pytest.mark.asyncio
@pytest.mark.parametrize("provider", ["anthropic", "google"])
async def test_a_missing_library_names_its_extra(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, f"pydantic_ai.models.{provider}", None)
    async with Clients(keys=False) as clients:
        with pytest.raises(MissingExtra, match=rf"deepassay\[{provider}\]"):
            await clients.connect(f"{provider}:m")


@pytest.mark.asyncio
async def test_an_effort_that_is_none_lists_what_there_is() -> None:
    async with Clients(keys=False) as clients:
        with pytest.raises(BadSetting, match="minimal, low, medium, high"):
            await clients.connect("openai:gpt-5", ModelSettings(effort="hard"))


def test_nothing_heavy_is_loaded_before_a_model_is_connected_to() -> None:
    program = (
        "import sys, deepassay.models.live, deepassay.models.clients, deepassay.models.panel\n"
        "heavy = {'aiohttp', 'pydantic_ai', 'openai', 'httpx2', 'numpy', 'genai_prices',\n"
        "    'json_repair'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


FAMILIES = (
    *("m", "qwen3-32b", "gpt-oss-120b", "llama3.3:70b", "gpt-4o", "gpt-5", "gpt-5-chat-latest"),
    *("o1-mini", "o3", "o4-mini", "openai/gpt-5", "openai/o1-mini", "anthropic/claude-opus-4.7"),
    *("~openai/gpt-sol-latest", "google/gemini-3-pro", "meta/muse-spark-1.1", "served/o3-alike"),
)
SETTINGS = (
    ModelSettings(),
    ModelSettings(temperature=0.0, max_output=77),
    ModelSettings(search="low", temperature=0.5),
)


@pytest.mark.asyncio
@pytest.mark.parametrize("settings", SETTINGS, ids=["bare", "temperature", "search"])
@pytest.mark.parametrize("provider", CHAT)
async def test_what_is_sent_without_the_library_is_what_it_composes(
    provider: str, settings: ModelSettings
) -> None:
    """Of every family of names; where it is asked after all is left to `plain`."""
    without = 0
    for name in FAMILIES:
        if provider == "openrouter" and "/" not in name:
            continue
        place = endpoint(f"{provider}:{name}")
        body = plain_body(place, settings)
        if body is None:
            continue
        without += 1
        known = await composed(place, settings)
        known["messages"] = [{"role": each["role"]} for each in known["messages"]]
        assert list(body.items()) == list(known.items()), name
    assert without >= 3


NOWHERE = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda request: httpx2.Response(400)))


@pytest.mark.parametrize("name", FAMILIES)
def test_the_context_of_a_model_is_what_the_library_knows(name: str) -> None:
    for provider in CHAT:
        if provider != "openrouter" or "/" in name:
            place = endpoint(f"{provider}:{name}")
            model = _model(place, None, NOWHERE)
            known = window_of(place.model, place.base_url, place.provider)
            assert known == model.context_window, place.name


def test_a_plain_question_is_sent_without_the_libraries() -> None:
    program = (
        "import asyncio, sys\n"
        "from deepassay.models.client import ModelSettings\n"
        "from deepassay.models.clients import Clients\n"
        "async def connect():\n"
        "    async with Clients(keys=False) as clients:\n"
        "        for name in 'openai:gpt-5', 'openai:qwen3-32b', 'ollama:m', 'openrouter:v/m':\n"
        "            await clients.connect(name)\n"
        "        await clients.connect('openai:qwen3-32b', ModelSettings(temperature=0.0))\n"
        "asyncio.run(connect())\n"
        "print(sorted({'pydantic_ai', 'openai', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
