"""Whose a request is: only what was given out opens a record, and nobody writes another's."""

import asyncio
import base64

import pytest
from mcp import Client, MCPError

from deepassay.agents.sandbox.sandbox import Sandbox
from deepassay.agents.sandbox.server import serving
from deepassay.score import digest
from tests.agents.sandbox.served import MILL, Served, served

pytestmark = pytest.mark.asyncio

GUESSES = [
    "heron/a/1",
    "heron%2Fa%2F1",
    digest("heron/a/1")[:16],
    digest("heron/a/1")[:32],
    digest("heron/a/1"),
    "0" * 32,
    "..",
    "%2e%2e",
    "me",
    "a" * 5000,
    "%00",
    "{token}x",
    "{TOKEN}",
]


def _as(user):
    told = base64.b64encode(f"{user}:x".encode()).decode()
    return f"Proxy-Authorization: Basic {told}\r\n"


async def _sent(at, head):
    host, port = at.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(head.encode() + b"Connection: close\r\n\r\n")
    told = await reader.read()
    writer.close()
    return int(told.split()[1])


@pytest.mark.parametrize("guess", GUESSES)
@pytest.mark.parametrize("way", ["path", "page", "proxy", "connect", "through"])
async def test_a_name_that_was_not_given_out_is_refused(guess, way):
    async with served() as open_to_all:
        sandbox = Sandbox(
            open_to_all.sandbox.corpus, open_to_all.run.answering, prefix=True, by_token=True
        )
        async with serving(sandbox) as address:
            at = Served(sandbox, address, open_to_all.run, open_to_all.client)
            token = sandbox.token("heron/a/1")
            guess = guess.replace("{token}", token).replace("{TOKEN}", token.upper())
            host = address.removeprefix("http://")
            lines = {
                "path": f"GET /s/{guess}/search?q=mill HTTP/1.1\r\nHost: {host}\r\n",
                "page": f"GET /s/{guess}/w/{MILL} HTTP/1.1\r\nHost: {host}\r\n",
                "proxy": "GET http://mills.example/x HTTP/1.1\r\nHost: mills.example\r\n"
                + _as(guess),
                "connect": "CONNECT mills.example:443 HTTP/1.1\r\nHost: m\r\n" + _as(guess),
                "through": f"GET {address}/s/{guess}/search?q=mill HTTP/1.1\r\nHost: {host}\r\n",
            }
            assert await _sent(at, lines[way]) in (403, 404, 421)
            assert at.rows("heron/a/1") == [] == [*at.run.answering.served()]
            # And who was given one is served.
            assert (await at.get(f"/s/{token}/search?q=mill"))[0] == 200
            assert len(at.rows("heron/a/1")) == 1


async def test_a_token_is_new_each_time_and_the_one_before_opens_nothing():
    async with served() as at:
        sandbox = Sandbox(at.sandbox.corpus, at.run.answering, prefix=True, by_token=True)
        tokens = [sandbox.token("heron/a/1") for _ in range(50)]
        other = sandbox.token("crow/a/1")
        assert len({*tokens, other}) == 51 and all(len(each) == 32 for each in tokens)
        assert [sandbox.session(each) for each in tokens] == [None] * 49 + ["heron/a/1"]
        assert sandbox.session(other) == "crow/a/1"


@pytest.mark.parametrize("path", ["/search", "/", "/res/v1/web/search"])
@pytest.mark.parametrize("words", ["word ", "w", "水", "\n", "word\t"])
async def test_a_query_of_half_a_million_characters_is_cut(path, words):
    async with served() as at:
        body = {"q": "mill " + words * (500_000 // len(words.encode()))}
        status, told = await asyncio.wait_for(at.post(f"/s/me{path}", body), 20)
        assert status == 200 and told
        (_, row), *_ = at.rows("me")
        assert len(row["query"]) <= 2000 and row["query"].startswith("mill")


async def test_prompts_and_resources_that_are_not_there_are_errors_of_the_protocol(caplog):
    async with served() as at, Client(f"{at.address}/s/me/mcp") as client:
        for name in ("x", "", "../..", "\n" * 50, "a" * 10_000):
            with pytest.raises(MCPError, match="There is no prompt"):
                await client.get_prompt(name)
        found = await client.call_tool("search", {"query": "mill " * 130_000})
        assert found.structured_content["results"]
    assert "Traceback" not in caplog.text
