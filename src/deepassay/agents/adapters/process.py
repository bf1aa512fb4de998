"""A program of somebody else's, run so that it can be stopped and leaves nothing behind.

It has a process group, a home and a working folder of its own, a clean environment, and files in
place of pipes: a grandchild that keeps a pipe open would be waited for. A guard beside it ends it
where we are killed and can do nothing any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from deepassay.agents.scratch import SCRATCH
from deepassay.errors import BadSetting

MARK: Final = "DEEPASSAY_SESSION"
"""An environment variable by which what a program started is found, wherever it went."""

LARGEST_OUTPUT: Final = 32 * 1024 * 1024
"""Bytes of an output that are read."""

_GRACE = 2.0  # seconds between asking a program to end and ending it
_LOOK = 0.2  # seconds between two looks at it


@dataclass(frozen=True)
class Ended:
    """How a program ended. limit: `time` or `memory` where that ended it, else ""."""

    status: int
    limit: str
    seconds: float
    stdout: str
    stderr: str

    @property
    def last_words(self) -> str:
        """The last line that it wrote to its errors, for a message."""
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""


async def run(
    command: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    *,
    seconds: float,
    memory_mb: int | None = None,
) -> Ended:
    """Run a program to its end, or to a limit; nothing that it started is alive after that.

    folder: its working folder and home. variables: its environment besides PATH, HOME and LANG.
    memory_mb: resident, of it and all that it started. Raises BadSetting where it cannot be begun.
    """
    mark = secrets.token_hex(8)
    began = time.monotonic()
    async with _guarded(mark, folder):
        child = await _started(command, folder, {**variables, MARK: mark})
        limit = ""
        try:
            limit = await _watched(child, began + seconds, memory_mb)
        finally:
            # Also where the run is cancelled: the end of the program is waited for all the same.
            await asyncio.shield(_end(child, mark))
    return Ended(
        child.returncode if child.returncode is not None else -signal.SIGKILL,
        limit,
        time.monotonic() - began,
        read_output(folder / ".stdout"),
        read_output(folder / ".stderr"),
    )


@asynccontextmanager
async def _guarded(mark: str, folder: Path) -> AsyncIterator[None]:
    """Have what carries the mark ended if this process is killed within."""
    guard = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _GUARD, MARK, mark, str(folder)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    assert guard.stdin is not None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            guard.stdin.write(b".")
            guard.stdin.close()
        await asyncio.shield(guard.wait())


async def _started(
    command: Sequence[str], folder: Path, variables: Mapping[str, str]
) -> asyncio.subprocess.Process:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        **variables,
    }
    with (folder / ".stdout").open("wb") as out, (folder / ".stderr").open("wb") as err:
        try:
            return await asyncio.create_subprocess_exec(
                *command,
                cwd=folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise BadSetting(
                f"{command[0]}: the program cannot be started ({why}).",
                "Give its path, or install it.",
            ) from error


def read_output(path: Path) -> str:
    """The text of a file that a program wrote, up to a limit; what is no UTF-8 is replaced."""
    with path.open("rb") as file:
        return file.read(LARGEST_OUTPUT).decode("utf-8-sig", "replace")


async def _watched(child: asyncio.subprocess.Process, end: float, memory_mb: int | None) -> str:
    """Wait for the program; which limit it met, or ""."""
    waiting = asyncio.ensure_future(child.wait())
    try:
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return "time"
            await asyncio.wait({waiting}, timeout=min(left, _LOOK if memory_mb else left))
            if waiting.done():
                return ""
            if memory_mb and await asyncio.to_thread(_memory, child.pid) > memory_mb * 1024**2:
                return "memory"
    finally:
        waiting.cancel()


async def _end(child: asyncio.subprocess.Process, mark: str) -> None:
    """End the program, its group and everything else that carries its mark."""
    if child.returncode is None:
        _signal_group(child.pid, signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(child.wait(), _GRACE)
    _signal_group(child.pid, signal.SIGKILL)
    for process in await asyncio.to_thread(_marked, mark):
        with contextlib.suppress(psutil.Error):
            process.kill()
    await child.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark:
                found.append(process)
    return found


def _memory(pid: int) -> int:
    """Bytes that a process and its descendants hold."""
    total = 0
    with contextlib.suppress(psutil.Error):
        parent = psutil.Process(pid)
        for process in (parent, *parent.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
    return total


_GUARD = f"""\
import os, shutil, sys
name, mark, folder = sys.argv[1:]
if not os.read(0, 1):
    import psutil
    for _ in range(3):
        for process in psutil.process_iter():
            try:
                if process.environ().get(name) == mark:
                    process.kill()
            except (psutil.Error, OSError):
                pass
    if os.path.basename(folder).startswith({SCRATCH!r}):
        shutil.rmtree(folder, ignore_errors=True)
"""
"""The guard: it reads one byte at the end, and nothing where whoever would write it is dead."""
