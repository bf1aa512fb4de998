"""The sandbox as tools of the Model Context Protocol. Loads the SDK: import it late."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, GetPromptResult
from starlette.types import ASGIApp

from deepassay.files import without_surrogates
from deepassay.score import Json
from deepassay.wings.research.sandbox.app import origin_of
from deepassay.wings.research.sandbox.dialects import SearchQuery
from deepassay.wings.research.sandbox.sandbox import RequestOrigin, Sandbox


class _ToolServer(MCPServer[Any]):
    """The SDK's, which prints its own traceback where a client asks for what is not there."""

    async def get_prompt(self, name: str, *given: Any, **more: Any) -> GetPromptResult:  # noqa: ANN401
        """Nothing: there are no prompts."""
        raise MCPError(INVALID_PARAMS, f"There is no prompt {name[:80]!r}; this server has none.")


def server_of(sandbox: Sandbox) -> MCPServer[Any]:
    """A server with the tools `search` and `fetch`, whose answers are those that ChatGPT expects.

    Without a request of HTTP, as in a process, nobody says whose session it is.
    """
    server = _ToolServer("deepassay-sandbox", log_level="WARNING")

    @server.tool()
    async def search(
        query: str, context: Context[Any, Any], max_results: int = 10
    ) -> dict[str, Json]:
        """Search the pages. Each result has an id, which `fetch` takes, a title and a snippet."""
        asked = SearchQuery("mcp", without_surrogates(query), min(max(1, max_results), 50))
        results = await sandbox.search(asked, _place(context))
        return {
            "results": [
                {"id": each.url, "title": each.hit.title, "url": each.url, "text": each.hit.snippet}
                for each in results
            ]
        }

    @server.tool()
    async def fetch(id: str, context: Context[Any, Any]) -> dict[str, Json]:
        """Read a page in full. id: of a result of `search`, or the address of a page."""
        page = await sandbox.page(without_surrogates(id), _place(context), "mcp")
        if page is None or page.capture.failure:
            raise ToolError(f"{id}: it cannot be read, status {page.status if page else 404}.")
        dated = {"date": page.date} if page.date else {}
        return {"id": id, "title": page.title, "text": page.text, "url": id, "metadata": dated}

    return server


def application(sandbox: Sandbox) -> tuple[ASGIApp, AbstractAsyncContextManager[None]]:
    """What answers `/mcp`, and the context in which it does."""
    server = server_of(sandbox)
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    # Every request stands for itself, so that clients of all ages are served alike. Which hosts
    # may be named, `Application` has decided.
    app = server.streamable_http_app(
        stateless_http=True, json_response=True, transport_security=security
    )
    return app, server.session_manager.run()


def _place(context: Context[Any, Any]) -> RequestOrigin:
    request = context.request_context.request
    return RequestOrigin("", "") if request is None else origin_of(request)
