"""Whose a request is: only what was given out opens a record, and nobody writes another's."""

import asyncio
import base64
import json

import pytest
from mcp import Client, MCPError

from deepassay.score import digest
from deepassay.wings.research.sandbox.sandbox import Sandbox
from deepassay.wings.research.sandbox.server import serving
from tests.wings.research.sandbox.served import MILL, Served, served

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


def _request(way, user, address):
    host = address.removeprefix("http://")
    return {
        "path": f"GET /s/{user}/search?q=mill HTTP/1.1\r\nHost: {host}\r\n",
        "page": f"GET /s/{user}/w/{MILL} HTTP/1.1\r\nHost: {host}\r\n",
        "proxy": f"GET http://mills.example/x HTTP/1.1\r\nHost: mills.example\r\n{_as(user)}",
        "connect": f"CONNECT mills.example:443 HTTP/1.1\r\nHost: m\r\n{_as(user)}",
        "through": f"GET {address}/s/{user}/search?q=mill HTTP/1.1\r\nHost: {host}\r\n",
    }[way]


@pytest.mark.parametrize("way", ["path", "page", "proxy", "connect", "through"])
async def test_a_name_that_was_not_given_out_is_refused(way):
    async with served() as open_to_all:
        sandbox = Sandbox(
            open_to_all.sandbox.corpus, open_to_all.run.answering, prefix=True, by_token=True
        )
        async with serving(sandbox) as address:
            at = Served(sandbox, address, open_to_all.run, open_to_all.client)
            token = sandbox.token("heron/a/1")
            for before, form in enumerate(GUESSES):
                guess = form.replace("{token}", token).replace("{TOKEN}", token.upper())
                assert await _sent(at, _request(way, guess, address)) in (403, 404, 421), guess
                assert len([*at.run.answering.served()]) == before, guess
                # And who was given one is served.
                assert (await at.get(f"/s/{token}/search?q=mill"))[0] == 200, guess
                assert len(at.rows("heron/a/1")) == before + 1, guess


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
        status, told = await asyncio.wait_for(at.post(f"/s/me{path}", body), 60)
        assert status == 200 and told
        (_, row), *_ = at.rows("me")
        assert len(row["query"]) <= 2000 and row["query"].startswith("mill")


async def test_prompts_and_resources_that_are_not_there_are_errors_of_the_protocol(capfd):
    async with served() as at, Client(f"{at.address}/s/me/mcp") as client:
        for name in ("x", "", "../..", "\n" * 50, "a" * 10_000):
            with pytest.raises(MCPError, match="There is no prompt"):
                await client.get_prompt(name)
        found = await client.call_tool("search", {"query": "mill " * 130_000})
        assert found.structured_content["results"]
    assert "Traceback" not in "".join(capfd.readouterr())


def _posted(path, body, more=""):
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


def _told(method, **params):
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    accepts = "Accept: application/json, text/event-stream\r\n"
    return _posted("/mcp", json.dumps(body).encode(), accepts)


CHUNKED = b"POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
REQUESTS = {
    "half a character": _posted("/search", b'{"q": "\xff"}'),
    "brackets": _posted("/search", b"[" * 100_000),
    "a count that is none": _posted("/search", b'{"query": "mill", "max_results": NaN}'),
    "a count of 5,000 digits": _posted(
        "/search", b'{"query": "mill", "max_results": %s}' % (b"9" * 5000)
    ),
    "a count of lists": _posted("/search", b'{"query": "mill", "max_results": [[1]]}'),
    "a query of the index": _posted("/search", b'{"query": "\\"mill OR (* NEAR/9 ^: -x {}"}'),
    "5,000 quotes": _posted("/search", json.dumps({"query": '"' * 5000}).encode()),
    "null bytes": _posted("/search", b'{"query": "\\u0000mill"}'),
    "a chunk that is none": CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n",
    "two lengths": _posted("/search", b"{}", "Content-Length: 3\r\n"),
    "odd addresses": _posted(
        "/extract", b'{"urls": ["//", "http://[::1", "\\ud800", "http://a:99999/"]}'
    ),
    "addresses by name": _posted("/extract", b'{"urls": {"a": 1}}'),
    "a page of odd bytes": b"GET /w/\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a page in pages": b"GET " + b"/w/" * 500 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a session of odd bytes": b"GET /s/%ED%A0%80/search?q=x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a user of odd bytes": b"GET http://m/ HTTP/1.1\r\nHost: m\r\n"
    b"Proxy-Authorization: Basic \xff\r\n\r\n",
    "no tool": _told("tools/call", name="nobody", arguments={}),
    "a query that is a number": _told("tools/call", name="search", arguments={"query": 5}),
    "results without an end": _told(
        "tools/call", name="search", arguments={"query": "mill", "max_results": 10**400}
    ),
    "a file of ours": _told("resources/read", uri="file:///etc/passwd"),
    "no method": _told("no/such"),
    "completions of no prompt": _told("completion/complete", ref={"type": "x"}),
}


@pytest.mark.parametrize("name", REQUESTS)
async def test_odd_requests_are_answered_without_a_traceback(name, capfd):
    async with served() as at:
        host, port = at.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(REQUESTS[name])
        status = (await asyncio.wait_for(reader.readline(), 60)).split()[1]  # a guard only
        writer.close()
        assert 200 <= int(status) < 500
        assert (await at.get("/search?q=mill"))[0] == 200, "it serves on"
    assert "Traceback" not in "".join(capfd.readouterr())
