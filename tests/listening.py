"""A server on 127.0.0.1 with a loop and a thread of its own: what the fake judge and site share."""

from __future__ import annotations

import asyncio
import ssl
import threading
import weakref
from abc import ABC, abstractmethod
from typing import Self


class Listening(ABC):
    """Listens from entering to leaving; whoever derives from it answers in `_exchange`."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.port = 0
        self.connections = 0
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._open: set[asyncio.Task[None]] = set()
        self._failed: list[Exception] = []
        self._writers: weakref.WeakSet[asyncio.StreamWriter] = weakref.WeakSet()

    @abstractmethod
    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its reply; whether the connection stays open."""

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Hang up. Raises what was wrong with an answer: the client saw only a dead line."""
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if self._failed and kind is None:
            raise self._failed[0]

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _hang_up(self) -> None:
        """Close all that is open, also what was accepted at this moment: nothing is left to lie."""
        await _turns()  # what was accepted gets its stream: a closed server gives it none
        self._server.close()
        await _turns()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        for writer in [*self._writers]:
            writer.transport.abort()
        await _turns()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        task = self._loop.create_task(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        except Exception as error:
            self._failed.append(error)
        finally:
            writer.close()


async def _turns() -> None:
    """Let the loop make known what has happened: it takes a few turns from socket to stream."""
    for _ in range(5):
        await asyncio.sleep(0)
