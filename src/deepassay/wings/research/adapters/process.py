"""A program of somebody else's, run so that it can be stopped and leaves nothing behind.

It has a home and a working folder of its own, a clean environment, and files in place of pipes: a
grandchild that keeps a pipe open would be waited for. Its parent is a keeper (`keeper.py`), which
ends it and all that it started, also where we are killed and can do nothing any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import psutil

from deepassay.errors import BadSetting
from deepassay.score import Json
from deepassay.wings.research.adapters import keeper
from deepassay.wings.research.adapters.output_files import (
    LARGEST,
    UnreadableOutput,
    read_end,
    read_whole,
)
from deepassay.wings.research.scratch import SCRATCH

MARK: Final = "DEEPASSAY_SESSION"
"""An environment variable by which what a program started is found where its keeper is gone."""

_LOOK = 0.2  # seconds between two looks at its memory
_PATIENCE = 20.0  # seconds that a keeper is given to end everything
_SWEEPS = 200  # rounds in which what carries the mark is ended, a twentieth of a second each
_LAST_WORDS = 64 * 1024  # bytes at the end of its errors
_PASSED_ON = ("PATH", "LANG", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")


@dataclass(frozen=True)
class ProgramEnd:
    """How a program ended. limit: `time` or `memory` where that ended it, else "".

    stdout: None where it cannot be read, `unread` says why. stderr: its end.
    """

    status: int
    limit: str
    seconds: float
    stdout: str | None
    stderr: str
    unread: str = ""

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
) -> ProgramEnd:
    """Run a program to its end, or to a limit; nothing that it started is alive after that.

    folder: its working folder and home. variables: its environment besides PATH, HOME and LANG.
    memory_mb: resident, of it and all that it started. Raises BadSetting where it cannot be begun.
    """
    keeper.keep_to_itself()  # the keys of whoever started us stand in our environment
    mark = secrets.token_hex(8)
    began = time.monotonic()
    # Without a name: no program can put something else in the place of what it wrote.
    with tempfile.TemporaryFile(dir=folder) as out, tempfile.TemporaryFile(dir=folder) as err:
        kept = await _kept(command, folder, {**variables, MARK: mark}, out, err)
        limit = ""
        try:
            limit = await _watched(kept, began + seconds, memory_mb)
        finally:
            # Also where the run is cancelled: the end of the program is waited for all the same.
            status = await asyncio.shield(_end(kept, mark, command[0]))
        stdout, unread = None, ""
        try:
            stdout = await asyncio.to_thread(read_whole, out.fileno(), "its output", LARGEST)
        except UnreadableOutput as problem:
            unread = str(problem)
        stderr = await asyncio.to_thread(read_end, err.fileno(), _LAST_WORDS)
    return ProgramEnd(status, limit, time.monotonic() - began, stdout, stderr, unread)


async def _kept(
    command: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    out: IO[bytes],
    err: IO[bytes],
) -> asyncio.subprocess.Process:
    """A keeper that was told what to start."""
    handles = (out.fileno(), err.fileno())
    kept = await asyncio.create_subprocess_exec(
        *(sys.executable, "-PS", keeper.__file__, *map(str, handles)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        pass_fds=handles,
        start_new_session=True,
    )
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        **variables,
    }
    given = {
        "command": list(command),
        "folder": str(folder),
        "environment": environment,
        "remove": folder.name.startswith(SCRATCH),
    }
    assert kept.stdin is not None
    # Not among its arguments, which every user of the machine can read.
    kept.stdin.write(json.dumps(given).encode() + b"\n")
    return kept


async def _watched(kept: asyncio.subprocess.Process, end: float, memory_mb: int | None) -> str:
    """Wait for the program; which limit it met, or ""."""
    waiting = asyncio.ensure_future(kept.wait())
    try:
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return "time"
            await asyncio.wait({waiting}, timeout=min(left, _LOOK if memory_mb else left))
            if waiting.done():
                return ""
            if memory_mb and await asyncio.to_thread(_memory, kept.pid) > memory_mb * 1024**2:
                return "memory"
    finally:
        waiting.cancel()


async def _end(kept: asyncio.subprocess.Process, mark: str, program: str) -> int:
    """Have the keeper end the program; with which status it ended. Raises BadSetting.

    What carries the mark is ended besides: a program can kill its keeper.
    """
    assert kept.stdin is not None and kept.stdout is not None
    with contextlib.suppress(OSError):
        kept.stdin.write(b".")
        kept.stdin.close()
    told = b""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            told = await kept.stdout.read(4096)
            await kept.wait()
    with contextlib.suppress(ProcessLookupError):
        kept.kill()
    for _ in range(_SWEEPS):
        if not (marked := await asyncio.to_thread(_marked, mark)):
            break
        for process in marked:
            with contextlib.suppress(psutil.Error):
                process.kill()
        await asyncio.sleep(0.05)
    await kept.wait()
    said: Json = {}
    with contextlib.suppress(ValueError):  # nothing, where the keeper was killed
        said = json.loads(told)
    if "error" in said:
        raise BadSetting(
            f"{program}: the program cannot be started ({said['error']}).",
            "Give its path, or install it.",
        )
    status = said.get("status")
    return -9 if status is None else int(status)


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark:
                found.append(process)
    return found


def _memory(pid: int) -> int:
    """Bytes that the descendants of a process hold."""
    total = 0
    with contextlib.suppress(psutil.Error):
        for process in psutil.Process(pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
    return total
