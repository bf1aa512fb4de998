"""The SQLite file under a run, opened: one writer with group commit, readers that never wait."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Literal

from deepassay.errors import BadRunFile
from deepassay.runfile.bodies import Bodies, torn
from deepassay.runfile.schema import VERSION, check, connect, make, stand_in, upgrade
from deepassay.runfile.seals import Verified, verify
from deepassay.runfile.writer import Write, Writer
from deepassay.score import Json

Table = Literal["answers", "scores", "verdicts"]
"""Where records lie that can be come by anew."""

DAMAGE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged file ends in; the second where SQLite quotes what is no text any more."""


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

    def put(self, writes: Sequence[Write]) -> Future[None]:
        """Have something written in one transaction, in its turn; see `Writer.put`."""
        if self._writer is None:
            raise RuntimeError(f"{self.path} was opened to read")
        return self._writer.put(writes)

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


def open_to_write(path: Path) -> Store:
    """Open `path`, making it if it is missing. Raises BadRunFile."""
    made = not path.exists() and make(path)
    # What stands there already, be it since a moment ago, may be of any program and version.
    if not made and check(path) < VERSION:
        upgrade(path)
    return Store(path, Writer(path))
