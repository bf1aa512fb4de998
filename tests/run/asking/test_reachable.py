"""Which judges are found: by keys, and on servers of this machine, which are asked no question."""

from __future__ import annotations

import json
import shlex
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from deepassay.models.prices import price_of
from deepassay.run.asking.reachable import SUGGESTED, reachable_judges

LIST = json.dumps({"object": "list", "data": [{"id": "qwen3:8b"}, {"id": "llama-3.3"}]}).encode()


@contextmanager
def serving(body, status=200):
    """A server on loopback, and what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(f"GET {self.path}")
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            asked.append(f"POST {self.path}")

        def log_message(self, *told):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        server.server_close()


def test_a_key_that_is_set_is_a_judge_and_a_blank_one_is_none():
    found = reachable_judges({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": " "}, {})
    assert [(each.judge, each.how) for each in found] == [
        ("openai:gpt-5-mini", "OPENAI_API_KEY is set")
    ]
    several = reachable_judges({"GEMINI_API_KEY": "k", "OPENROUTER_API_KEY": "k"}, {})
    assert [each.judge.partition(":")[0] for each in several] == ["google", "openrouter"]


def test_no_key_is_told():
    (found,) = reachable_judges({"OPENAI_API_KEY": "sk-secret"}, {})
    assert "secret" not in f"{found} {found.options}"


@pytest.mark.parametrize(("provider", "model"), SUGGESTED.items())
def test_the_price_of_every_judge_that_is_suggested_is_known(provider, model):
    from deepassay.models.endpoints import endpoint

    place = endpoint(f"{provider}:{model}")
    assert price_of(place.model, place.base_url, None, place.name) is not None


def test_models_of_a_server_are_listed_and_it_is_asked_nothing_else():
    with serving(LIST) as (port, asked):
        found = reachable_judges({}, {port: "vLLM"})
    assert [each.options for each in found] == [
        f"--judge openai:qwen3:8b --base-url http://127.0.0.1:{port}/v1",
        f"--judge openai:llama-3.3 --base-url http://127.0.0.1:{port}/v1",
    ]
    assert asked == ["GET /v1/models"]


def test_a_model_that_is_named_as_a_command_is_one_word_of_a_command():
    name = "$(touch${IFS}gone);rm"
    with serving(json.dumps({"data": [{"id": name}]}).encode()) as (port, _):
        (found,) = reachable_judges({}, {port: "Ollama"})
    assert shlex.split(found.options) == ["--judge", f"ollama:{name}"]
    assert found.options == f"--judge 'ollama:{name}'"


def test_ollama_has_a_name_of_its_own():
    with serving(LIST) as (port, _):
        first, _ = reachable_judges({}, {port: "Ollama"})
    assert first.options == "--judge ollama:qwen3:8b"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<html>a shop</html>", 200),
        (b"[1, 2]", 200),
        (b'{"data": 5}', 200),
        (b'{"data": [{"id": 5}, {"id": "two words"}, {"id": "x\\u001b[31m"}, "name", {}]}', 200),
        (b"[" * 100_000, 200),
        (b" " * 1_000_001 + LIST, 200),
        (b"no", 500),
        (LIST, 404),
    ],
)
def test_whatever_else_listens_there_is_no_judge(body, status):
    with serving(body, status) as (port, _):
        assert reachable_judges({}, {port: "vLLM"}) == []


def test_where_nobody_listens_nothing_is_found():
    with serving(LIST) as (port, _):
        pass
    assert reachable_judges({}, {port: "vLLM"}) == []
