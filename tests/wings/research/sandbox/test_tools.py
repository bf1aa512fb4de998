"""The tools of MCP, asked by the SDK's own client, in a process and over HTTP."""

import pytest
from mcp import Client

from deepassay.wings.research.sandbox.tools import server_of
from tests.wings.research.sandbox.served import GONE, MILL, served

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("way", ["in a process", "over HTTP"])
async def test_search_and_fetch(way):
    async with served() as at:
        session = "" if way == "in a process" else "me"
        what = server_of(at.sandbox) if way == "in a process" else f"{at.address}/s/me/mcp"
        async with Client(what) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert sorted(tools) == ["fetch", "search"]
            assert list(tools["search"].input_schema["properties"]) == ["query", "max_results"]
            found = await client.call_tool("search", {"query": "tide mill", "max_results": 1})
            (hit,) = found.structured_content["results"]
            assert hit["id"] == hit["url"] == MILL and "turns the mill" in hit["text"]
            page = await client.call_tool("fetch", {"id": hit["id"]})
            assert "twice a day" in page.structured_content["text"]
            assert page.structured_content["metadata"] == {"date": "2025-06-01"}
            gone = await client.call_tool("fetch", {"id": GONE})
            assert gone.is_error and "status 404" in gone.content[0].text
        assert [(kind, body.get("url")) for kind, body in at.rows(session)] == [
            ("search", None),
            ("page", MILL),
            ("page", GONE),
        ]
