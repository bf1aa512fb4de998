"""The SQLite file under a run, opened: one writer with group commit, readers that never wait."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from deepassay.errors import BadRunFile
from deepassay.runfile.bodies import Bodies, torn
from deepassay.runfile.schema import PATIENCE, connect, stand_in
from deepassay.runfile.seals import Verified, keep_seals, verify
from deepassay.score import Json

ROWS_A_COMMIT: Final = 256
PACKED_AT_ONCE: Final = 8
"""Statements of a patient job between two looks at whether somebody else waits."""

PAUSE: Final = 0.2
"""Seconds that a patient job waits for another to go ahead, at most."""

Write = tuple[str, Sequence[Any]]
"""One SQL statement with its values; a `Body` among them is packed by whoever writes it."""

Table = Literal["answers", "scores", "verdicts"]
"""Where records lie that can be come by anew."""

DAMAGE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged file ends in; the second where SQLite quotes what is no text any more."""


class Job(NamedTuple):
    """Statements for one transaction, and who waits for it.

    patient: whether others may go ahead, who would wait long while so much is packed.
    """

    writes: Sequence[Write]
    done: Future[None]
    patient: bool


class Writer:
    """The only writer of a run file: a thread that commits what has gathered meanwhile."""

    def __init__(self, path: Path, synchronous: str = "FULL") -> None:
        self._db = connect(path, write=True, synchronous=synchronous)
        _log_ahead(self._db)
        keep_seals(self._db)
        self._bodies = Bodies(path)
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._patient: deque[Job] = deque()
        self._packed: list[Write] = []  # of the first patient job
        self._holding = False  # whether that job waits, so as not to slow down who asks first
        self._thread = threading.Thread(target=self._run, name="run file", daemon=True)
        self._thread.start()

    def put(self, writes: Sequence[Write], *, patient: bool = False) -> Future[None]:
        """Have something written in one transaction, after all that came before it.

        patient: after all that was so before it; what comes later may go ahead. The future is
        done after the commit; it holds BadRunFile where there was none.
        """
        done: Future[None] = Future()
        self._queue.put(Job(writes, done, patient))
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
            patient = [job for job in jobs if job.patient]
            self._holding = not last and not self._patient and any(job.writes for job in patient)
            self._patient += patient
            if pressing := [job for job in jobs if not job.patient]:
                self._commit(pressing)
            if (
                self._patient and not self._holding
            ):  # a little, also where there is no end of others
                self._go_on()

    def _gathered(self) -> list[Job | None]:
        """What is to be written by now; nothing only if there is a patient job to go on with."""
        batch: list[Job | None] = []
        with suppress(queue.Empty):
            if not self._patient:
                batch.append(self._queue.get())
            elif self._holding:
                batch.append(self._queue.get(timeout=PAUSE))
            while len(batch) < ROWS_A_COMMIT:
                batch.append(self._queue.get_nowait())
        return batch

    def _go_on(self) -> None:
        """Pack a little more of the first patient job, or commit it when all of it is packed."""
        job, begin = self._patient[0], len(self._packed)
        try:
            for sql, values in job.writes[begin : begin + PACKED_AT_ONCE]:
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


class Store:
    """An open run file: rows out of it, statements into it."""

    def __init__(self, path: Path, writer: Writer | None = None) -> None:
        self.path = path
        self.bodies = Bodies(path)
        self.forgotten = 0
        self._writer = writer
        self._db = connect(path, write=False)
        stand_in(self._db)

    def rows(self, sql: str, *values: Json) -> list[Any]:
        """The rows that a query finds. Raises BadRunFile if the file is damaged."""
        try:
            return self._db.execute(sql, values).fetchall()
        except DAMAGE as error:
            raise torn(self.path, str(error)) from error

    def each(self, sql: str, *values: Json) -> Iterator[Any]:
        """The same rows, read one after the other as they are asked for."""
        try:
            yield from self._db.execute(sql, values)
        except DAMAGE as error:
            raise torn(self.path, str(error)) from error

    def record(self, table: Table, key: str, body: bytes, sha256: str) -> Json | None:
        """What a row of a table holds.

        One that is damaged is forgotten where the file is open to write: only what it held is
        come by anew. Raises BadRunFile where the file is open to read.
        """
        try:
            return self.bodies.unpack(f"{table[:-1]} {key[:12]}", body, sha256)
        except BadRunFile:
            if self._writer is None:
                raise
            self.forgotten += 1
            self.write([(f"DELETE FROM {table} WHERE key=?", [key])])
            return None

    def verify(self) -> Verified:
        """Look at every row. Raises BadRunFile if the file cannot be read so far."""
        try:
            with closing(connect(self.path, write=False)) as db:
                return verify(db, self.path)
        except DAMAGE as error:
            raise torn(self.path, str(error)) from error

    def put(self, writes: Sequence[Write], *, patient: bool = False) -> Future[None]:
        """Have something written in one transaction, in its turn; see `Writer.put`."""
        if self._writer is None:
            raise RuntimeError(f"{self.path} was opened to read")
        return self._writer.put(writes, patient=patient)

    def write(self, writes: Sequence[Write]) -> None:
        """Write in one transaction; returns once it is on the disk."""
        if writes:
            self.put(writes).result()

    async def write_later(self, writes: Sequence[Write]) -> None:
        """The same, without blocking the event loop."""
        if writes:
            await asyncio.wrap_future(self.put(writes))

    def close(self) -> None:
        """Commit what is left and let go of the file."""
        self._db.close()
        if self._writer is not None:
            self._writer.close()
