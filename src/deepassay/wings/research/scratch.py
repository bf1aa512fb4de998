"""Folders that one run of an agent has for itself, and that go with it.

Each is locked as long as the process lives that made it. So what a killed one left is known, and
whoever comes next removes it.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

SCRATCH: Final = "deepassay-agent-"
"""What their names begin with."""


@asynccontextmanager
async def scratch() -> AsyncIterator[Path]:
    """An empty folder that is locked, and removed when the context ends."""
    is_there = False
    while not is_there:  # before it is locked, it may be taken for one that was left
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH))
        try:
            with _locked(folder, fcntl.LOCK_EX):
                if is_there := folder.exists():
                    yield folder
        finally:
            await asyncio.shield(asyncio.to_thread(_remove, folder))


def remove_abandoned() -> None:
    """Remove those that killed processes left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*"):
        with _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB) as is_ours:
            if is_ours:
                _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, whatever stands in it.

    By the system's own programs: Python's `rmtree` goes one call deeper for each folder in a
    folder, and an agent can make thousands. A second time for folders without rights.
    """
    for command in (["rm", "-rf", "--"], ["chmod", "-R", "u+rwX", "--"], ["rm", "-rf", "--"]):
        subprocess.run([*command, str(folder)], capture_output=True, check=False)
        if not os.path.lexists(folder):
            return


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[bool]:
    """Whether the lock was had; not on a file system that has none."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # gone, or of somebody else
        yield False
        return
    try:
        try:
            fcntl.flock(handle, how)
            is_ours = True
        except OSError:
            is_ours = False
        yield is_ours
    finally:
        os.close(handle)
