"""The sandbox as a web application. Loads Starlette: import it late."""

from __future__ import annotations

import base64
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final
from urllib.parse import parse_qsl, unquote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from deepassay.files import strangers_json
from deepassay.score import Json
from deepassay.wings.research.sandbox import dialects
from deepassay.wings.research.sandbox.sandbox import RequestOrigin, Sandbox
from deepassay.wings.research.search.corpus import CorpusPage

LONGEST_BODY: Final = 1 << 20
"""Bytes of a request."""

_ABSOLUTE: Final = re.compile(r"https?://([^/]*)", re.IGNORECASE)
_SESSION: Final = re.compile(r"/s/([^/]+)(?=/|\Z)")
_LOCAL: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_NO_TUNNEL: Final = (
    "The sandbox is a proxy for http only: it opens no tunnel, so https pages cannot be read "
    "through it. Ask for a page of the corpus as {base}/w/ADDRESS.\n"
)
_GUIDE: Final = (
    "A sandbox of DeepAssay: {pages} pages.\n"
    "Search: /search (SearXNG, Tavily, Exa, Serper), /res/v1/web/search (Brave), /mcp (MCP).\n"
    "Pages: /w/ADDRESS, /extract (Tavily), /contents (Exa), or as a proxy for http.\n"
)


class Application:
    """Puts a request into its session, and hands it to whoever answers it.

    `/s/NAME/...` is what `...` is, for the session NAME. Through the proxy the user of
    `http://NAME@...` names it. any_host: answer under other names than those of this machine.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        mcp: tuple[ASGIApp, AbstractAsyncContextManager[None]] | None,
        *,
        any_host: bool,
    ) -> None:
        self._sandbox = sandbox
        self._any_host = any_host
        answers = _SandboxHandlers(sandbox)
        opened = mcp[1] if mcp else None

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            if opened is None:
                yield
                return
            async with opened:
                yield

        self._router = Starlette(
            routes=[
                Route("/", answers.search, methods=["GET", "POST"]),
                Route("/search", answers.search, methods=["GET", "POST"]),
                Route("/res/v1/web/search", answers.search, methods=["GET", "POST"]),
                Route("/extract", answers.extract, methods=["POST"]),
                Route("/contents", answers.contents, methods=["POST"]),
                Route("/w/{address:path}", answers.page, methods=["GET"]),
                Route("/mcp", mcp[0] if mcp else _NoTools()),
            ],
            exception_handlers={HTTPException: _as_json},
            lifespan=lifespan,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of an agent, as an ASGI application."""
        if scope["type"] != "http":
            await self._router(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        raw: str = scope["raw_path"].decode("latin-1")
        host, port = scope["server"] or ("127.0.0.1", 0)
        base = f"{scope['scheme']}://{headers.get('host') or f'{host}:{port}'}"
        user = self._session(_user(headers))
        if scope["method"] == "CONNECT" and user is not None:
            place = RequestOrigin(user, f"http://{host}:{port}", "proxy")
            await self._sandbox.refuse(f"https://{raw}", place, 501, "connect")
            refused = PlainTextResponse(_NO_TUNNEL.format(base=place.base), 501)
            await refused(scope, receive, send)
            return
        way: str = "prefix"
        session: str | None = ""
        if (absolute := _ABSOLUTE.match(raw)) is not None:
            if _is_here(absolute[1], port, host):
                raw = raw[absolute.end() :] or "/"
            else:
                way, session = "proxy", user
                raw = f"/w/{raw}"
        elif not self._any_host and re.sub(r":\d+\Z", "", headers.get("host", "")) not in {
            *_LOCAL,
            host,
        }:
            # A page in somebody's browser must not read the corpus under a name of its own.
            await PlainTextResponse("Unknown host.\n", 421)(scope, receive, send)
            return
        if way == "prefix" and (named := _SESSION.match(raw)) is not None:
            session = self._session(unquote(named[1]))
            base, raw = base + named[0], raw[named.end() :] or "/"
        if session is None or scope["method"] == "CONNECT":
            await PlainTextResponse("There is no such session.\n", 403)(scope, receive, send)
            return
        if not raw.startswith("/w/"):
            raw = raw.rstrip("/") or "/"
        inner = {
            **scope,
            "path": unquote(raw),
            "raw_path": raw.encode("latin-1"),
            "place": RequestOrigin(session, base, way),
        }
        await self._router(inner, receive, send)

    def _session(self, told: str) -> str | None:
        """The session that is meant, "" where nothing was said, None for one that is not there."""
        return self._sandbox.session(told) if told else ""


def origin_of(request: Request) -> RequestOrigin:
    """From where a request comes."""
    place = request.scope["place"]
    assert isinstance(place, RequestOrigin)
    return place


def _is_here(netloc: str, port: int, host: str) -> bool:
    """Whether a client asks the sandbox for itself, through the sandbox as its proxy."""
    return netloc in {f"{name}:{port}" for name in (*_LOCAL, host)}


def _user(headers: Mapping[str, str]) -> str:
    """The user whom a client names to its proxy."""
    kind, _, given = headers.get("proxy-authorization", "").partition(" ")
    if kind.lower() != "basic":
        return ""
    try:
        text = base64.b64decode(given, validate=True).decode()
    except ValueError:
        return ""
    return unquote(text.partition(":")[0])


class _SandboxHandlers:
    """What stands behind each path."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def search(self, request: Request) -> Response:
        parameters = dict(request.query_params)
        body: Json = None
        if request.method == "POST":
            given = await _body(request)
            if "json" in request.headers.get("content-type", ""):
                body = _json(given)
            else:
                text = given.decode("utf-8", "replace")
                parameters |= dict(parse_qsl(text)) if "{" not in text[:1] else {}
                body = _json(given) if text[:1] == "{" else None
        elif request.url.path == "/" and "q" not in parameters:
            return PlainTextResponse(_GUIDE.format(pages=len(self._sandbox.corpus.pages)))
        asked = dialects.search_query_of(request.scope["path"], parameters, body, request.headers)
        if asked is None:
            raise HTTPException(400, "There is no query: `q`, or `query` in a JSON body.")
        results = await self._sandbox.search(asked, origin_of(request))
        return JSONResponse(dialects.answer(asked, results))

    async def extract(self, request: Request) -> Response:
        return JSONResponse(dialects.extracted_pages(await self._pages(request, "tavily")))

    async def contents(self, request: Request) -> Response:
        return JSONResponse(dialects.contents(await self._pages(request, "exa")))

    async def _pages(self, request: Request, way: str) -> dict[str, CorpusPage | None]:
        wanted = dialects.addresses_wanted(_json(await _body(request)))
        if not wanted:
            raise HTTPException(400, "There is no address: `urls` in a JSON body.")
        place = origin_of(request)
        return {url: await self._sandbox.page(url, place, way) for url in wanted}

    async def page(self, request: Request) -> Response:
        raw: str = request.scope["raw_path"].decode("latin-1").removeprefix("/w/")
        query = request.scope["query_string"].decode("latin-1")
        address = f"{raw}?{query}" if query else raw
        if request.method == "HEAD":  # nothing is read by it
            _, page = await self._sandbox.find(address)
        else:
            place = origin_of(request)
            page = await self._sandbox.page(address, place, place.way)
        if page is None:
            return PlainTextResponse("404 Not Found: the corpus has no such page.\n", 404)
        return Response(page.body, page.status, media_type=page.media)


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > LONGEST_BODY:
                raise HTTPException(413, f"A request has {LONGEST_BODY:,} bytes at most.")
    except ClientDisconnect:
        raise HTTPException(400, "The body ends before its end.") from None
    return bytes(body)


def _json(body: bytes) -> Json:
    try:
        told = strangers_json(body.decode())
    except ValueError:
        raise HTTPException(400, "The body is no JSON.") from None
    return told if told is not None else {}


async def _as_json(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    told = {"error": error.detail, "detail": error.detail}
    return JSONResponse(told, error.status_code, headers=error.headers)


class _NoTools:
    """In place of MCP where its package is missing."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        why = "MCP needs more than is installed: pip install 'deepassay[mcp]'."
        await JSONResponse({"error": why}, 501)(scope, receive, send)
