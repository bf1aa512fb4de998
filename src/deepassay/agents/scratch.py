"""Folders that one run of an agent has for itself, and that go with it.

Each is locked as long as the process lives that made it. So what a killed one left is known, and
whoever comes next removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SCRATCH: Final = "deepassay-agent-"
"""What their names begin with."""


@contextmanager
def scratch() -> Iterator[Path]:
    """An empty folder."""
    is_there = False
    while not is_there:  # before it is locked, it may be taken for one that was left
        with tempfile.TemporaryDirectory(prefix=SCRATCH, ignore_cleanup_errors=True) as name:
            folder = Path(name)
            with _locked(folder, fcntl.LOCK_EX):
                if is_there := folder.exists():
                    yield folder


def remove_abandoned() -> None:
    """Remove those that killed processes left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*"):
        with _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB) as is_ours:
            if is_ours:
                shutil.rmtree(folder, ignore_errors=True)


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
