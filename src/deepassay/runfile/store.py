"""The SQLite file under a run: one thread with one queue writes, and readers never wait.

The thread commits what has gathered while it committed what came before. Nobody is told that
something is written before it is on the disk.
"""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from deepassay.errors import BadRow, BadRunFile, Notice, NotKept
from deepassay.runfile.door import names_in
from deepassay.runfile.rows import MOST_TOLD, Bodies, bad_row, torn
from deepassay.runfile.schema import (
    BUSY_SECONDS,
    VERSION,
    checked_version,
    connect,
    make,
    only_read,
    upgrade,
)
from deepassay.runfile.seals import KEYS, Verified, keep_seals, verify_rows
from deepassay.runfile.shapes import BadShape, Shape, T, check_shape, shaped
from deepassay.score import Json

if TYPE_CHECKING:
    import asyncio

Table = Literal["answers", "outcomes", "scores", "verdicts", "searches", "sent_back"]
"""Where records lie that can be come by anew."""

DAMAGE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged file ends in; the second where SQLite quotes what is no text any more."""

JOBS_A_COMMIT: Final = 256

Waiting: TypeAlias = "Future[None] | asyncio.Future[None]"
"""Who waits in a thread or in an event loop."""

Write = tuple[str, Sequence[Any]]
"""One SQL statement with its values; a `Body` among them is packed by the writer."""


class Store:
    """An open run file: rows out of it, statements into it.

    strict: no row is passed over that cannot be read.
    """

    def __init__(self, path: Path, writer: Writer | None = None, *, strict: bool = False) -> None:
        self.path = path
        self._strict = strict
        self.bodies = Bodies(path)
        self.forgotten = 0
        self.passed_over: Counter[str] = Counter()
        self._passed: set[str] = set()
        self._writer = writer
        self._db = connect(path, write=False)
        self.version, self._lookout = only_read(self._db, path)

    def rows(self, sql: str, *values: Json) -> list[Any]:
        """The rows that a query finds. Raises BadRunFile if the file is damaged."""
        try:
            self._lookout.guard(sql)
            return self._db.execute(sql, values).fetchall()
        except DAMAGE as error:
            raise self._damaged(error) from error

    def each(self, sql: str, *values: Json) -> Iterator[Any]:
        """The rows that a query finds, read one after the other as they are asked for."""
        try:
            self._lookout.guard(sql)
            yield from self._db.execute(sql, values)
        except DAMAGE as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> BadRunFile:
        """Of a statement that failed: the row that was refused, or else what SQLite says."""
        strange = self._lookout.found
        return strange.pop() if strange else torn(self.path, str(error))

    def record(self, kind: type[T], name: str, body: bytes, sha256: str, **columns: Json) -> T:
        """What a row holds, as a record of this class. Raises BadRow, naming the row.

        columns: what it holds besides its body.
        """
        kept = self.bodies.unpack(name, body, sha256)
        if columns:
            kept = {**self.shaped(dict, name, kept), **columns}
        return self.shaped(kind, name, kept)

    def shaped(self, kind: type[T], name: str, value: Json) -> T:
        """A value of a row as a record of this class. Raises BadRow, naming the row."""
        try:
            return shaped(kind, value)
        except BadShape as error:
            raise bad_row(self.path, f"{name}: {error}") from None

    def body(self, shape: Shape, name: str, body: bytes, sha256: str) -> Json:
        """What a row holds, as JSON of this shape. Raises BadRow, naming the row."""
        return self.checked(shape, name, self.bodies.unpack_bytes(name, body, sha256))

    def checked(self, shape: Shape, name: str, content: bytes | str) -> Json:
        """JSON of a row that is of this shape. Raises BadRow, naming the row."""
        try:
            check_shape(shape, value := self.bodies.parsed(name, content))
        except BadShape as error:
            raise bad_row(self.path, f"{name}: {error}") from None
        return value

    def told(self, key: str, shape: Shape) -> Json:
        """What the table `meta` says under a key; None where it says nothing."""
        found = self.rows("SELECT value FROM meta WHERE key=?", key)
        return self.checked(shape, f"meta, {key}", found[0][0]) if found else None

    def come_by(self, table: Table, kind: type[T], key: str) -> T | None:
        """The record under a key, if there is one.

        One that is damaged is forgotten where the file is open to write: only what it held is
        come by anew. Raises BadRow where the file is open to read.
        """
        for body in self.rows(f"SELECT body, sha256 FROM {table} WHERE key=?", key):
            with self.forgetting(table, key):
                return self.record(kind, f"{table[:-1]} {key[:12]}", *body)
        return None

    @contextmanager
    def forgetting(self, table: Table, key: str) -> Iterator[None]:
        """Forget the row with this key where it is damaged and the file is open to write."""
        try:
            yield
        except BadRow:
            if self._writer is None:
                raise
            self.forgotten += 1
            self.write([(f"DELETE FROM {table} WHERE key=?", [key])])

    @contextmanager
    def passing(self, protocol: str = "") -> Iterator[None]:
        """Pass over a row that cannot be read, with a word about it: it costs that row alone.

        protocol: whose score it is, where it is one and that can be told.
        """
        try:
            yield
        except BadRow as error:
            if self._strict:
                raise
            self.passed_over[protocol] += 1
            if error.problem in self._passed:
                return
            self._passed.add(error.problem)
            if len(self._passed) <= MOST_TOLD:
                warnings.warn(
                    Notice(f"{error.problem} It is left out. {error.remedy}"), stacklevel=3
                )
            elif len(self._passed) == MOST_TOLD + 1:
                warnings.warn(Notice(f"{self.path}: more rows cannot be read."), stacklevel=3)

    def verify(self) -> Verified:
        """Look at every row. Raises BadRunFile if the file cannot be read so far."""
        try:
            with closing(connect(self.path, write=False)) as db:
                found = verify_rows(db, self.path)
            if not found.damage:
                checked_version(self.path, whole=True)  # whoever wrote it may have sealed anything
            return found
        except DAMAGE as error:
            raise torn(self.path, str(error)) from error

    def put(self, writes: Sequence[Write]) -> Future[None]:
        """Have something written in one transaction; see `Writer.put`."""
        done: Future[None] = Future()
        self._put(writes, done)
        return done

    def _put(self, writes: Sequence[Write], done: Waiting) -> None:
        if self._writer is None:
            raise RuntimeError(f"{self.path} was opened to read")
        self._writer.put(writes, done)

    def write(self, writes: Sequence[Write]) -> None:
        """Write in one transaction; returns once it is on the disk."""
        if writes:
            self.put(writes).result()

    async def write_later(self, writes: Sequence[Write]) -> None:
        """Write as `write` does, without blocking the event loop."""
        from asyncio import get_running_loop  # which takes 20 ms to load, and who reads needs none

        if writes:
            done: asyncio.Future[None] = get_running_loop().create_future()
            self._put(writes, done)
            await done

    def close(self) -> None:
        """Commit what is left and let go of the file."""
        self._db.close()
        if self._writer is not None:
            self._writer.close()


def open_to_write(path: Path) -> Store:
    """Open `path`, making it if it is missing. Raises BadRunFile."""
    made = not path.exists() and make(path)
    # What stands there already, be it since a moment ago, may be of any program and version.
    if not made and checked_version(path, whole=True) < VERSION:
        upgrade(path)
    return Store(path, Writer(path))


class _WriteJob(NamedTuple):
    """Statements for one transaction, and who waits for it."""

    writes: Sequence[Write]
    done: Waiting


class Writer:
    """Writes one file, in a thread of its own."""

    def __init__(self, path: Path, synchronous: str = "FULL") -> None:
        self._path = path
        self._db = connect(path, write=True, synchronous=synchronous)
        self._file = _identity_of(path)
        _log_ahead(self._db)
        self._sealed: set[str] = set()
        self._bodies = Bodies(path)
        self._queue: queue.SimpleQueue[_WriteJob | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="run file", daemon=True)
        self._thread.start()

    def put(self, writes: Sequence[Write], done: Waiting) -> None:
        """Have something written in one transaction, after what was given before.

        done: is so after the commit; it holds BadRunFile where there was none.
        """
        self._queue.put(_WriteJob(writes, done))

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

    def _commit(self, batch: Sequence[_WriteJob]) -> None:
        try:
            self._seal([sql for job in batch for sql, _ in job.writes])
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
                _wake(batch, _unwritten(error))
        else:
            _wake(batch, _gone(self._path, "Stop the run.") if self._is_gone() else None)

    def _seal(self, statements: Sequence[str]) -> None:
        """Have the rows sealed of the tables that statements name: most runs write to few."""
        new = KEYS.keys() & set().union(*map(names_in, statements)) - self._sealed
        if new:
            keep_seals(self._db, new)
            self._sealed |= new

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
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


def _wake(batch: Sequence[_WriteJob], problem: BadRunFile | None) -> None:
    """Wake those who wait, all of an event loop at once."""
    in_loops: dict[asyncio.AbstractEventLoop, list[Waiting]] = {}
    for _, done in batch:
        if not isinstance(done, Future):
            in_loops.setdefault(done.get_loop(), []).append(done)
        elif done.set_running_or_notify_cancel():
            _tell([done], problem)
    for loop, own in in_loops.items():
        with suppress(RuntimeError):  # it is closed, and nobody waits
            loop.call_soon_threadsafe(_tell, own, problem)


def _tell(waiting: Sequence[Waiting], problem: BadRunFile | None) -> None:
    """Say how it ended; one who was cancelled meanwhile waits no longer."""
    for done in waiting:
        if done.done():
            continue
        if problem is None:
            done.set_result(None)
        else:
            done.set_exception(problem)


def _unwritten(error: Exception) -> BadRunFile:
    if isinstance(error, NotKept):
        return error
    remedy = "Make room on the disk, then run the same command again: it resumes."
    if not isinstance(error, sqlite3.Error):
        remedy = "No disk is to blame: it holds a value that no run file can. Please report it."
    return BadRunFile(f"The run file cannot be written ({error}).", remedy)
