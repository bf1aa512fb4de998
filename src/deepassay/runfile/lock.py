"""Who writes a run file: one process at a time, which others can see."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import IO, Final

from deepassay.errors import BadRunFile

_TRIES: Final = 5
_PAUSE: Final = 0.02


class Lock:
    """One process writes a run file at a time: an advisory lock on a file beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + ".lock")
        while True:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file: IO[str] = self._path.open("a+", encoding="ascii")
            except OSError as error:
                raise BadRunFile(
                    f"{path}: the run cannot be written there ({error.strerror}).",
                    "Choose a folder that you may write to with --run FILE.",
                ) from error
            try:
                self._take()
            except BlockingIOError as error:
                self._file.seek(0)
                holder = self._file.read().strip() or "unknown"
                self._file.close()
                raise BadRunFile(
                    f"{path} is in use by process {holder}.",
                    "Wait until it ends or stop it, or name another file (--run; of a study, "
                    "--study).",
                ) from error
            except OSError as error:
                self._file.close()
                raise BadRunFile(
                    f"{path}: nothing can be locked there ({error.strerror}).",
                    "Two processes could write to it at once: keep runs on a disk that has locks.",
                ) from error
            if self._is_current():
                break
            self._file.close()
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def _take(self) -> None:
        """Lock the file. Raises OSError. Whoever looks who writes holds it for a moment."""
        for left in reversed(range(_TRIES)):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not left:
                    raise
                time.sleep(_PAUSE)
            else:
                return

    def release(self) -> None:
        """Let go, and leave no file behind."""
        self._path.unlink(missing_ok=True)
        self._file.close()

    def _is_current(self) -> bool:
        """Whether the locked file is still the one at the path: its holder may have removed it."""
        try:
            return self._path.stat().st_ino == os.fstat(self._file.fileno()).st_ino
        except FileNotFoundError:
            return False


def writer_of(path: Path) -> str:
    """The number of the process that carries out a run in this file now, or nothing."""
    try:
        with path.with_name(path.name + ".lock").open(encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return file.read().strip() or "unknown"
    except OSError:  # there is none
        pass
    return ""
