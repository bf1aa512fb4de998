"""The only writer of a run file: a thread that commits, in turn, what has gathered meanwhile."""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from deepassay.errors import BadRunFile
from deepassay.runfile.bodies import Bodies
from deepassay.runfile.schema import PATIENCE, connect
from deepassay.runfile.seals import keep_seals

JOBS_A_COMMIT: Final = 256

Write = tuple[str, Sequence[Any]]
"""One SQL statement with its values; a `Body` among them is packed by the writer."""


class _Job(NamedTuple):
    """Statements for one transaction, and who waits for it."""

    writes: Sequence[Write]
    done: Future[None]


class Writer:
    """Writes one file, in a thread of its own."""

    def __init__(self, path: Path, synchronous: str = "FULL") -> None:
        self._path = path
        self._db = connect(path, write=True, synchronous=synchronous)
        self._file = _identity_of(path)
        _log_ahead(self._db)
        keep_seals(self._db)
        self._bodies = Bodies(path)
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="run file", daemon=True)
        self._thread.start()

    def put(self, writes: Sequence[Write]) -> Future[None]:
        """Have something written in one transaction, in its turn.

        The future is done after the commit; it holds BadRunFile where there was none.
        """
        done: Future[None] = Future()
        self._queue.put(_Job(writes, done))
        return done

    def close(self) -> None:
        """Commit what is left, fold the write-ahead log into the file, and stop.

        Raises BadRunFile if the file is not where it was; what it holds is in another one then.
        """
        self._queue.put(None)
        self._thread.join()
        try:
            if self._is_gone():
                raise self._rescued()
        finally:
            # Back to one plain file that can be copied; a reader that is in it now prevents that,
            # and then the log stays beside the file.
            with suppress(sqlite3.OperationalError):
                self._db.execute("PRAGMA journal_mode=DELETE")
            self._db.close()

    def _run(self) -> None:
        last = False
        while not last:
            batch = [self._queue.get()]
            with suppress(queue.Empty):
                while len(batch) < JOBS_A_COMMIT:
                    batch.append(self._queue.get_nowait())
            last = None in batch
            self._commit([job for job in batch if job is not None])

    def _commit(self, batch: Sequence[_Job]) -> None:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for job in batch:
                for sql, values in job.writes:
                    self._db.execute(sql, [*self._bodies.columns(values)])
            self._db.execute("COMMIT")
        except Exception as error:  # whatever it is: those who wait must hear of it
            with suppress(sqlite3.Error):  # which it says where SQLite has rolled back by itself
                self._db.execute("ROLLBACK")
            if len(batch) > 1:
                for job in batch:  # what cannot be written must not take the rest with it
                    self._commit([job])
            else:
                _tell(batch, _unwritten(error))
        else:
            _tell(batch, _gone(self._path, "Stop the run.") if self._is_gone() else None)

    def _is_gone(self) -> bool:
        """Whether we write to a file that has no name any more, which SQLite does not mind."""
        return _identity_of(self._path) != self._file

    def _rescued(self) -> BadRunFile:
        """The error for a file that is gone, once what it held is in another one, if it can be."""
        copy = self._path.with_name(f"{self._path.name}.rescued-{os.getpid()}")
        try:
            self._db.execute("VACUUM INTO ?", [str(copy)])
        except sqlite3.Error as error:
            return _gone(self._path, f"What it held is lost ({error}); start anew.")
        return _gone(
            self._path,
            f"What it held is in {copy}: give that file its name, then run the same command "
            "again: it resumes.",
        )


def _gone(path: Path, remedy: str) -> BadRunFile:
    return BadRunFile(
        f"{path} was removed, moved or replaced while a run was writing to it.", remedy
    )


def _identity_of(path: Path) -> tuple[int, int] | None:
    """Device and inode of a file, or None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _log_ahead(db: sqlite3.Connection) -> None:
    """Switch to write-ahead logging; SQLite does not wait for whoever is doing the same."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


def _tell(batch: Sequence[_Job], problem: BadRunFile | None) -> None:
    """Wake those who wait; one who was cancelled meanwhile waits no longer."""
    for _, done in batch:
        if done.set_running_or_notify_cancel():
            if problem is None:
                done.set_result(None)
            else:
                done.set_exception(problem)


def _unwritten(error: Exception) -> BadRunFile:
    remedy = "Make room on the disk, then run the same command again: it resumes."
    if not isinstance(error, sqlite3.Error):
        remedy = "No disk is to blame: it holds a value that no run file can. Please report it."
    return BadRunFile(f"The run file cannot be written ({error}).", remedy)
