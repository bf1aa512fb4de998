"""A file beside the runs with what boards, searches and comparisons ask for, by indexes.

It is made of the runs and may be thrown away at any time. Of each run it knows up to which outcome
it was read, and goes on from there.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from deepassay.errors import BadSetting

VERSION: Final = 3

SCHEMA: Final = """
CREATE TABLE runs(number INTEGER PRIMARY KEY, salt TEXT, newest INTEGER NOT NULL);
CREATE TABLE tasks(run INTEGER, task TEXT, position INTEGER, prompt TEXT,
                   PRIMARY KEY(run, task)) WITHOUT ROWID;
CREATE TABLE labels(run INTEGER, task TEXT, name TEXT, value TEXT,
                    PRIMARY KEY(run, task, name)) WITHOUT ROWID;
CREATE INDEX labels_by_value ON labels(name, value, run, task);
CREATE TABLE reports(id INTEGER PRIMARY KEY, run INTEGER, agent TEXT, task TEXT, sample INTEGER,
                     digest TEXT, standing REAL, failed INTEGER NOT NULL DEFAULT 0,
                     differ INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0,
                     costly INTEGER, UNIQUE(run, agent, task, sample));
CREATE INDEX reports_by_standing ON reports(standing);
CREATE INDEX reports_by_agent ON reports(agent, standing);
CREATE INDEX reports_by_task ON reports(task, agent, sample);
CREATE INDEX reports_failed ON reports(standing) WHERE failed;
CREATE INDEX reports_differ ON reports(standing) WHERE differ;
CREATE INDEX reports_changed ON reports(standing) WHERE changed;
CREATE TABLE scores(id INTEGER PRIMARY KEY, report INTEGER, number INTEGER, protocol TEXT,
                    repeat INTEGER, value REAL, lowest REAL, highest REAL, cause TEXT,
                    detail TEXT, judge TEXT, reference TEXT, differ INTEGER, open INTEGER,
                    reads INTEGER, rank REAL,
                    UNIQUE(report, protocol, repeat));
CREATE INDEX scores_by_value ON scores(protocol, value, report);
CREATE INDEX scores_by_cause ON scores(cause, report) WHERE cause IS NOT NULL;
CREATE INDEX scores_by_judge ON scores(judge, report);
CREATE INDEX scores_open ON scores(number) WHERE open;
CREATE TABLE texts(id INTEGER PRIMARY KEY, text TEXT UNIQUE);
CREATE TABLE items(id INTEGER PRIMARY KEY, score INTEGER, name TEXT, key TEXT, text INTEGER,
                   verdict TEXT, stance TEXT, tone TEXT, share REAL, beyond REAL, cost TEXT,
                   differ INTEGER);
CREATE INDEX items_differ ON items(share) WHERE differ;
CREATE TABLE voices(item INTEGER, judge TEXT, verdict TEXT, tone TEXT,
                    PRIMARY KEY(item, judge)) WITHOUT ROWID;
CREATE INDEX items_by_score ON items(score, share);
CREATE INDEX items_by_text ON items(text, tone, score);
CREATE TABLE cited(url TEXT, item INTEGER, PRIMARY KEY(url, item)) WITHOUT ROWID;
CREATE TABLE read_as(run INTEGER, snapshot TEXT, url TEXT,
                     PRIMARY KEY(run, snapshot, url)) WITHOUT ROWID;
CREATE TABLE documents(id INTEGER PRIMARY KEY, kind TEXT, run INTEGER, of INTEGER, snapshot TEXT);
CREATE INDEX documents_by_place ON documents(kind, of);
CREATE UNIQUE INDEX documents_by_snapshot ON documents(run, snapshot) WHERE snapshot IS NOT NULL;
CREATE VIRTUAL TABLE fulltext USING
    fts5(words, content='', tokenize="unicode61 remove_diacritics 2");
"""
"""share: what an item took from its score, of the scale; beyond: so much more than it took from
the reports of others for the task. rank: share of all scores of a protocol that are not higher,
equal ones halved. reference: what a report is held against. reads: whether the score says who is
better, see `Judged.reads`. standing: mean rank of a report over the protocols that read, or over
all where none does."""


class SideFile:
    """The file, to be read and appended to. path: None for one that is gone with the process."""

    def __init__(self, path: Path | None, salts: Sequence[str]) -> None:
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        if path is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="deepassay-view-")
            path = Path(self._scratch.name) / "room.db"
        self.path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA synchronous=OFF")
            self._db.execute("PRAGMA journal_mode=MEMORY")
            self._make(salts)
        except sqlite3.Error as error:
            raise BadSetting(
                f"{path} cannot be used as an index ({error}).",
                "Name another file with --index, or leave it out.",
            ) from error

    def _make(self, salts: Sequence[str]) -> None:
        """Make the tables, unless they are there and of these runs."""
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master")}
        if version == VERSION and "runs" in tables:
            known = self._db.execute("SELECT salt FROM runs ORDER BY number").fetchall()
            if [salt for (salt,) in known] == [*salts]:
                return
        if tables and "fulltext_idx" not in tables:
            raise sqlite3.DatabaseError("it holds something else")
        with self.writing():
            for name in (*sorted(tables, key=lambda name: name != "fulltext"),):
                if not name.startswith(("sqlite_", "fulltext_")) and self._is_table(name):
                    self._db.execute(f'DROP TABLE IF EXISTS "{name}"')
            for statement in SCHEMA.split(";"):
                self._db.execute(statement)
            for number, salt in enumerate(salts, start=1):
                self._db.execute("INSERT INTO runs VALUES(?,?,0)", (number, salt))
            self._db.execute(f"PRAGMA user_version={VERSION}")

    def _is_table(self, name: str) -> bool:
        sql = "SELECT 1 FROM sqlite_master WHERE name=? AND type='table'"
        return bool(self._db.execute(sql, (name,)).fetchone())

    def rows(self, sql: str, *values: object) -> list[Any]:
        """All rows that a query finds."""
        return self._db.execute(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> Any:  # noqa: ANN401 - of any column
        """The first column of the first row that a query finds, or None."""
        found = self._db.execute(sql, values).fetchone()
        return found[0] if found else None

    def run(self, sql: str, *values: object) -> int:
        """Carry out a statement; the number of the row that it put in."""
        return self._db.execute(sql, values).lastrowid or 0

    def many(self, sql: str, rows: Iterator[Sequence[object]] | Sequence[Sequence[object]]) -> None:
        """Carry out a statement for each row."""
        self._db.executemany(sql, rows)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All that is written within is there, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Let go of it; a temporary one is gone."""
        self._db.close()
        if self._scratch is not None:
            self._scratch.cleanup()
