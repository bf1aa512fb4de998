"""Bodies to texts, in worker processes under limits of memory and time.

A process that dies takes no other job with it. Not concurrent.futures: there, one killed child
breaks every job that waits, and all to come.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import struct
import sys
from contextlib import suppress
from typing import Self

from deepassay.errors import DeepAssayError
from deepassay.score import Json
from deepassay.sources.page import ExtractedPage, Failure, NoText


class Extractor:
    """Reads bodies as text; to be used in `async with`, by any number of tasks.

    processes: how many bodies are read at a time; the others wait. Each is started when it is
    needed. seconds: for one body, of clock and processor.
    """

    def __init__(self, processes: int = 2, seconds: float = 20.0) -> None:
        self._seconds = seconds
        self._all = [_ExtractionProcess(seconds) for _ in range(processes)]
        # Last in, first out: few bodies warm up few workers.
        self._free: asyncio.LifoQueue[_ExtractionProcess] = asyncio.LifoQueue()
        for worker in self._all:
            self._free.put_nowait(worker)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        for worker in self._all:
            await worker.stop()

    async def extract(self, body: bytes, media: str, url: str) -> ExtractedPage | NoText:
        """The text of a body and its title, or why there is none. Never raises for a body.

        body: without the encodings of the transport. media: the content type as served, with
        its charset. url: where it was found.
        """
        try:
            about = {"media": media, "url": url}
            reply = await self._ask(about, body)
        except TimeoutError:
            detail = f"The page could not be read within {self._seconds:g} s."
            return NoText(Failure.TIMEOUT, detail)
        except WorkerDied as death:
            return _died(death.status)
        if "failure" in reply:
            return NoText(Failure(reply["failure"]), reply["detail"])
        return ExtractedPage(reply["text"], reply["title"], reply["said"])

    async def _ask(self, about: dict[str, str], body: bytes) -> Json:
        """The reply of the next free worker. Raises TimeoutError or WorkerDied for this body."""
        worker = await self._free.get()
        try:
            return await worker.ask(about, body)
        finally:
            self._free.put_nowait(worker)


# Killed from outside, as systems do that run out of memory; or how C programs end which are
# denied it.
_OUT_OF_MEMORY = (-signal.SIGKILL, -signal.SIGABRT, -signal.SIGTRAP, -signal.SIGILL)


def _died(status: int) -> NoText:
    if status == -signal.SIGXCPU:
        return NoText(Failure.TIMEOUT, "The page takes more processor time than it may.")
    if status in _OUT_OF_MEMORY:
        detail = f"The page needs more memory than it may (its parser: {_name(status)})."
        return NoText(Failure.TOO_LARGE, detail)
    return NoText(Failure.NOT_TEXT, f"The page made its parser crash ({_name(status)}).")


def _name(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"status {status}"


PAGES = 200  # after so many a worker is replaced: parsers leak
START = 60.0  # seconds for the interpreter to come up
MOST_REPLY = 100_000_000  # bytes; more than any text that `document.read` lets through


class WorkerDied(Exception):
    """A worker ended in the middle of a job. `status`: minus the signal, as subprocess has it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _ExtractionProcess:
    """One process at a time that runs `deepassay.sources.worker`.

    It is replaced after it was killed, died, or has done its share.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: asyncio.subprocess.Process | None = None
        self._served = 0

    async def ask(self, about: dict[str, str], body: bytes) -> Json:
        if self._served >= PAGES or (self._process and self._process.returncode is not None):
            await self.stop()
        answered = False
        try:
            process = self._process or await self._start()
            async with asyncio.timeout(self._seconds):
                reply = await _exchange(process, about, body)
            answered = True
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise WorkerDied(await self.stop()) from error
        finally:
            if not answered:  # it still works on the job, which nobody waits for
                await self.stop()
        self._served += 1
        return json.loads(reply)

    async def _start(self) -> asyncio.subprocess.Process:
        self._served = 0
        self._process = process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-m", "deepassay.sources.worker", str(int(self._seconds) + 1)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us, who end them
            env={"PATH": os.environ.get("PATH", os.defpath), "MALLOC_ARENA_MAX": "2"},
            limit=1 << 20,
        )
        try:
            async with asyncio.timeout(START):
                await _reply(process)
        except (asyncio.IncompleteReadError, TimeoutError) as error:
            raise DeepAssayError(
                "The process that reads pages does not start.",
                f"Run `{sys.executable} -I -m deepassay.sources.worker 1` to see why.",
            ) from error
        return process

    async def stop(self) -> int:
        """End the process, if there is one. Gives its exit status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        if process.returncode is None:
            with suppress(ProcessLookupError):
                # Not `process.kill()`: it polls first, and so takes the status of a child that
                # has just died away from whoever waits for it.
                os.kill(process.pid, signal.SIGKILL)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        # What it has written is read to the end: else its pipe stays open, and with it the wait.
        while await process.stdout.read(1 << 20):
            pass
        return await process.wait()


async def _exchange(
    process: asyncio.subprocess.Process, about: dict[str, str], body: bytes
) -> bytes:
    head = json.dumps(about).encode()
    assert process.stdin is not None
    process.stdin.write(struct.pack(">II", len(head), len(body)) + head)
    process.stdin.write(body)
    await process.stdin.drain()
    return await _reply(process)


async def _reply(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    length = struct.unpack(">I", await process.stdout.readexactly(4))[0]
    if length > MOST_REPLY:
        raise ConnectionError("a reply longer than any text")
    return await process.stdout.readexactly(length)
