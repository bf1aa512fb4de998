"""The sandbox on a port. Loads Starlette and uvicorn: import it late."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from importlib.util import find_spec

from deepassay.errors import BadSetting, MissingExtra
from deepassay.wings.research.sandbox.sandbox import Sandbox

try:
    from deepassay.web.serving import LOOPBACK, answering_on, is_loopback, listener, stopped
    from deepassay.wings.research.sandbox.app import Application
except ImportError as error:
    raise MissingExtra("A sandbox", "web") from error


@asynccontextmanager
async def serving(
    sandbox: Sandbox, host: str = LOOPBACK, port: int = 0, *, exposed: bool = False
) -> AsyncIterator[str]:
    """Serve as long as the context lasts; its address, without a slash at the end.

    port: 0 for any that is free. exposed: whether others than this machine may ask.
    Raises BadSetting for a port that is taken, and for a host that needs `exposed`.
    """
    if not exposed and not is_loopback(host):
        raise BadSetting(
            f"--host {host}: other machines could read the corpus.",
            "Add --expose if they may, or leave the host out.",
        )
    with closing(listener(host, port)) as listening:
        tools = None
        if has_tools():
            from deepassay.wings.research.sandbox.tools import application

            tools = application(sandbox)
        app = Application(sandbox, tools, any_host=exposed)
        async with answering_on(app, listening):
            shown = f"[{host}]" if ":" in host else host
            yield f"http://{shown}:{listening.getsockname()[1]}"


def has_tools() -> bool:
    """Whether MCP can be served."""
    return find_spec("mcp") is not None


async def serve(
    sandbox: Sandbox, host: str, port: int, *, exposed: bool, tell: Callable[[str], None]
) -> None:
    """Serve until a signal asks to stop. tell: is told the address once it answers."""
    async with serving(sandbox, host, port, exposed=exposed) as address:
        await stopped(partial(tell, address))
