"""What stands before every page that is served: who may ask, and what a browser may do with it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_BODY: Final = 400_000
"""Bytes of a request."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    # Under no-referrer, Chromium sends `Origin: null` with the forms of the page itself.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_SAFE: Final = frozenset({"GET", "HEAD"})
_FOLLOWED: Final = ("navigate", "document")
"""How a browser asks for what becomes a page of its own, in no frame of another one."""


class PageGuard:
    """Hands on what comes from a page of its own, under a name that it is known by.

    A page elsewhere cannot ask by another name for this address (rebinding), nor send a form here.
    hosts: `name:port` under which it answers; origins: where its forms come from. entrance: the
    path of the one page that a link elsewhere may lead to. linked: such a link may lead to any
    page, where somebody follows it: nothing that asks by itself is let in.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str],
        origins: Collection[str],
        entrance: str = "",
        *,
        linked: bool = False,
    ) -> None:
        self._entrance = entrance
        self._linked = linked
        self._app = app
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *own]
            await send(message)

        if why := self._refusal(scope):
            await PlainTextResponse(f"{why}\n", 403)(scope, receive, with_headers)
            return
        body = b""
        more = scope["method"] not in _SAFE
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > LONGEST_BODY:
                text = "That is more than an answer takes.\n"
                await PlainTextResponse(text, 413)(scope, receive, with_headers)
                return
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def read() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, read, with_headers)

    def _refusal(self, scope: Scope) -> str:
        """Why a request is not let in, or nothing."""
        names = [name for name, _ in scope["headers"]]
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        if names.count(b"host") != 1 or headers["host"] not in self._hosts:
            return "This address is not served here."
        follows = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == _FOLLOWED
        entering = scope["method"] in _SAFE and (
            scope["path"] == self._entrance or (self._linked and follows)
        )
        foreign = headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
        if foreign and not entering:
            return "Another page asked for this."
        if scope["method"] not in _SAFE and headers.get("origin") not in self._origins:
            return "This form was sent from elsewhere."
        return ""
