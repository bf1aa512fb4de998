"""The only writer of a run file: a thread that commits what has gathered meanwhile."""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from deepassay.errors import BadRunFile
from deepassay.runfile.bodies import Bodies
from deepassay.runfile.schema import PATIENCE, connect
from deepassay.runfile.seals import keep_seals

ROWS_A_COMMIT: Final = 256
PACKED_AT_ONCE: Final = 8
"""Statements of a patient job between two looks at whether somebody else waits."""

QUIET: Final = 0.01
"""Seconds without another job before a patient one goes on."""

LONGEST_WAIT: Final = 1.0
"""Seconds after which a patient job goes on with or without quiet."""

Write = tuple[str, Sequence[Any]]
"""One SQL statement with its values; a `Body` among them is packed by whoever writes it."""


class Job(NamedTuple):
    """Statements for one transaction, and who waits for it.

    due: for a patient job, when it goes on although others come, on the monotonic clock.
    """

    writes: Sequence[Write]
    done: Future[None]
    due: float | None


class Writer:
    """Writes one file, in a thread of its own."""

    def __init__(self, path: Path, synchronous: str = "FULL") -> None:
        self._db = connect(path, write=True, synchronous=synchronous)
        _log_ahead(self._db)
        keep_seals(self._db)
        self._bodies = Bodies(path)
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._patient: deque[Job] = deque()
        self._packed: list[Write] = []  # of the first patient job
        self._pause = 0.0  # seconds without another job, before that job goes on
        self._thread = threading.Thread(target=self._run, name="run file", daemon=True)
        self._thread.start()

    def put(self, writes: Sequence[Write], *, patient: bool = False) -> Future[None]:
        """Have something written in one transaction, in its turn.

        patient: others may go ahead, who would wait long while so much is packed; of what is
        patient, and of the rest, all is written as it came. The future is done after the commit;
        it holds BadRunFile where there was none.
        """
        done: Future[None] = Future()
        self._queue.put(Job(writes, done, time.monotonic() + LONGEST_WAIT if patient else None))
        return done

    def close(self) -> None:
        """Commit what is left, fold the write-ahead log into the file, and stop."""
        self._queue.put(None)
        self._thread.join()
        # Back to one plain file that can be copied; a reader that is in it now prevents that,
        # and then the log stays beside the file.
        with suppress(sqlite3.OperationalError):
            self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()

    def _run(self) -> None:
        last = False
        while not last or self._patient:
            batch = self._gathered()
            last = last or None in batch
            jobs = [job for job in batch if job is not None]
            self._patient += [job for job in jobs if job.due is not None]
            if pressing := [job for job in jobs if job.due is None]:
                self._commit(pressing)
            waited = any(
                job.due is not None and time.monotonic() > job.due for job in self._patient
            )
            self._pause = QUIET if jobs and not (waited or last) else 0.0
            if self._patient and not self._pause:
                self._go_on(ROWS_A_COMMIT if waited else PACKED_AT_ONCE)

    def _gathered(self) -> list[Job | None]:
        """What is to be written by now; nothing only where a patient job may go on."""
        batch: list[Job | None] = []
        with suppress(queue.Empty):
            if not self._patient:
                batch.append(self._queue.get())
            elif self._pause:
                batch.append(self._queue.get(timeout=self._pause))
            while len(batch) < ROWS_A_COMMIT:
                batch.append(self._queue.get_nowait())
        return batch

    def _go_on(self, count: int) -> None:
        """Pack so many more statements of the first patient job; commit it when all are packed."""
        job, begin = self._patient[0], len(self._packed)
        try:
            for sql, values in job.writes[begin : begin + count]:
                self._packed.append((sql, [*self._bodies.columns(values)]))
        except Exception as error:  # whatever it is: who waits must hear of it
            _tell([job], _unwritten(error))
        else:
            if len(self._packed) < len(job.writes):
                return
            self._commit([job._replace(writes=self._packed)])
        self._packed = []
        self._patient.popleft()

    def _commit(self, batch: Sequence[Job]) -> None:
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
            _tell(batch, None)


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


def _tell(batch: Sequence[Job], problem: BadRunFile | None) -> None:
    """Wake those who wait; one who was cancelled meanwhile waits no longer."""
    for _, done, _ in batch:
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
