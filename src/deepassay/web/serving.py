"""An application on a port, until somebody stops it. Loads uvicorn: import it late."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from ipaddress import ip_address
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from deepassay.errors import BadSetting
from deepassay.stopping import signals

LOOPBACK: Final = "127.0.0.1"
GRACE: Final = 1
"""Seconds that requests are given to end in when the server does."""


class _UvicornServer(uvicorn.Server):
    """uvicorn in a loop of ours, which has handlers of signals of its own."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self.ending = asyncio.Event()

    def end(self) -> None:
        """Have it end now, and not with the next tick."""
        self.should_exit = True
        self.ending.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        while not await self.on_tick(0):  # which only brings the date of answers up to date
            with suppress(TimeoutError):
                await asyncio.wait_for(self.ending.wait(), 1)


@asynccontextmanager
async def answering_on(app: ASGIApp, listening: socket.socket) -> AsyncIterator[None]:
    """Have an application answer on a socket as long as the context lasts."""
    server = _UvicornServer(
        uvicorn.Config(
            app,
            http="h11",  # which leaves the address of a proxied request whole
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
        )
    )
    task = asyncio.create_task(server.serve(sockets=[listening]))
    ready = asyncio.create_task(server.ready.wait())
    try:
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        yield
    finally:
        ready.cancel()
        server.end()
        await task


async def until_stopped(app: ASGIApp, listening: socket.socket, tell: Callable[[], None]) -> None:
    """Have an application answer until a signal asks to stop. tell: is called once it does."""
    async with answering_on(app, listening):
        await stopped(tell)


async def stopped(tell: Callable[[], None]) -> None:
    """Wait for a signal. tell: is called once it can come."""
    asked = asyncio.Event()
    with signals(asked.set, asked.set):
        tell()
        await asked.wait()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens there."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def listener(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises BadSetting where it cannot."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=128)
        # What it accepts inherits this. Without it the body of an answer waits until the other side
        # has acknowledged the head (Nagle's rule), which may take 40 ms.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        raise BadSetting(
            f"{host}:{port} cannot be listened on ({error.strerror or error}).",
            "Choose another port with --port; 0 takes any that is free.",
        ) from error
