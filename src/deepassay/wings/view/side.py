"""A file beside the runs with what boards, searches and comparisons ask for, by indexes.

It is made of the runs and may be thrown away at any time. Of each run it knows up to which outcome
it was read, and goes on from there.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from deepassay.errors import BadSetting

VERSION: Final = 6

CACHE: Final = 32_000
"""KiB of the file that are held in memory: indexes of large runs are written all over."""

SCHEMA: Final = """
CREATE TABLE runs(number INTEGER PRIMARY KEY, salt TEXT, newest INTEGER NOT NULL DEFAULT 0,
                  newest_report INTEGER NOT NULL DEFAULT 0,
                  reports INTEGER NOT NULL DEFAULT 0, shared INTEGER NOT NULL DEFAULT 0);
CREATE TABLE tasks(run INTEGER, task TEXT, position INTEGER, prompt TEXT, reference TEXT,
                   PRIMARY KEY(run, task)) WITHOUT ROWID;
CREATE TABLE labels(run INTEGER, task TEXT, name TEXT, value TEXT,
                    PRIMARY KEY(run, task, name)) WITHOUT ROWID;
CREATE INDEX labels_by_value ON labels(name, value, run, task);
CREATE TABLE names(kind TEXT, name TEXT, PRIMARY KEY(kind, name)) WITHOUT ROWID;
CREATE TABLE reports(id INTEGER PRIMARY KEY, run INTEGER, agent TEXT, task TEXT, sample INTEGER,
                     digest TEXT, standing REAL, failed INTEGER NOT NULL DEFAULT 0,
                     differ INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0,
                     costly INTEGER, UNIQUE(run, agent, task, sample));
CREATE INDEX reports_by_standing ON reports((standing IS NULL), standing);
CREATE INDEX reports_best ON reports(standing);
CREATE INDEX reports_by_agent ON reports(agent, (standing IS NULL), standing);
CREATE INDEX reports_of_task ON reports(task, (standing IS NULL), standing);
CREATE INDEX reports_by_task ON reports(task, agent, sample);
CREATE INDEX reports_failed ON reports((standing IS NULL), standing) WHERE failed;
CREATE INDEX reports_differ ON reports((standing IS NULL), standing) WHERE differ;
CREATE INDEX reports_changed ON reports((standing IS NULL), standing) WHERE changed;
CREATE TABLE scores(id INTEGER PRIMARY KEY, report INTEGER, number INTEGER, protocol TEXT,
                    repeat INTEGER, value REAL, lowest REAL, highest REAL, cause TEXT,
                    detail TEXT, judge TEXT, referenced INTEGER, is_reference INTEGER,
                    differ INTEGER, open INTEGER, reads INTEGER,
                    placed INTEGER NOT NULL DEFAULT 0, rank REAL, mean REAL,
                    UNIQUE(report, protocol, repeat));
CREATE INDEX scores_by_value ON scores(protocol, value, report, is_reference);
CREATE INDEX scores_by_mean ON scores(protocol, mean, report) WHERE mean IS NOT NULL;
CREATE INDEX scores_by_cause ON scores(cause, report) WHERE cause IS NOT NULL;
CREATE INDEX scores_by_judge ON scores(judge, report);
CREATE INDEX scores_open ON scores(number) WHERE open;
CREATE INDEX scores_new ON scores(report) WHERE NOT placed;
CREATE TABLE waiting(run INTEGER, task TEXT, PRIMARY KEY(run, task)) WITHOUT ROWID;
CREATE TABLE texts(id INTEGER PRIMARY KEY, text TEXT UNIQUE);
CREATE TABLE items(id INTEGER PRIMARY KEY, score INTEGER, name TEXT, key TEXT, text INTEGER,
                   verdict TEXT, stance TEXT, tone TEXT, share REAL, beyond REAL, cost TEXT,
                   differ INTEGER, cites INTEGER);
CREATE INDEX items_differ ON items(share) WHERE differ;
CREATE INDEX items_citing ON items(share) WHERE cites AND tone='bad';
CREATE TABLE voices(item INTEGER, judge TEXT, verdict TEXT, tone TEXT,
                    PRIMARY KEY(item, judge)) WITHOUT ROWID;
CREATE INDEX items_by_score ON items(score, share);
CREATE INDEX items_by_text ON items(text, tone, score);
CREATE TABLE criteria(protocol TEXT, text INTEGER, missed INTEGER, held INTEGER,
                      PRIMARY KEY(text, protocol)) WITHOUT ROWID;
CREATE INDEX criteria_missed ON criteria(missed DESC, held) WHERE missed > 1;
CREATE TABLE cited(url TEXT, item INTEGER, PRIMARY KEY(url, item)) WITHOUT ROWID;
CREATE TABLE read_as(run INTEGER, snapshot TEXT, url TEXT,
                     PRIMARY KEY(run, snapshot, url)) WITHOUT ROWID;
CREATE TABLE documents(id INTEGER PRIMARY KEY, kind TEXT, run INTEGER, of INTEGER,
                       report INTEGER, snapshot TEXT);
CREATE INDEX documents_by_place ON documents(kind, of);
CREATE UNIQUE INDEX documents_by_snapshot ON documents(run, snapshot) WHERE snapshot IS NOT NULL;
CREATE VIRTUAL TABLE fulltext USING
    fts5(words, content='', tokenize="unicode61 remove_diacritics 2");
"""
"""names: what can be chosen, of each kind. shared: whether another run has some of a run's reports.
share: what an item took from its score, of the scale; beyond: so much more than it took from
the reports of others for the task. cites: whether pages decide on an item. rank: share of all
scores of a protocol that are not higher, equal ones halved; none of a report that others are scored
against, see is_reference. placed: whether it was found among all scores. waiting: tasks of which it
is still to be worked out what follows. mean: over repeats, on the first of them. reference: what
the report is told by that others for the task are scored
against; referenced: whether a score is. reads: whether the score says who is better, see
`Judged.reads`. standing: mean rank of a report over the protocols that read, or over all where
none does. criteria: how many reports were held to an item, and missed it. of: the report or the
score that a document is of."""


class SideReader:
    """The file, open to be asked."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def rows(self, sql: str, *values: object) -> list[Any]:
        """All rows that a query finds."""
        return self._db.execute(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> Any:  # noqa: ANN401 - of any column
        """The first column of the first row that a query finds, or None."""
        found = self._db.execute(sql, values).fetchone()
        return found[0] if found else None

    def names(self, kind: str, most: int) -> list[str]:
        """What can be chosen of a kind, in order."""
        sql = "SELECT name FROM names WHERE kind=? ORDER BY name LIMIT ?"
        return [name for (name,) in self.rows(sql, kind, most)]

    def voices(self, item: int) -> list[tuple[str, str, str]]:
        """What each judge of a panel says of an item: its name, the verdict and its tone."""
        sql = "SELECT judge, verdict, tone FROM voices WHERE item=? ORDER BY judge"
        return self.rows(sql, item)


class SideFile(SideReader):
    """The file, to be asked and appended to. path: None for one that is gone with the process."""

    def __init__(self, path: Path | None, salts: Sequence[str]) -> None:
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        if path is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="deepassay-view-")
            path = Path(self._scratch.name) / "room.db"
        self.path = path
        try:
            super().__init__(sqlite3.connect(path, isolation_level=None))
            tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master")}
            if tables and "fulltext_idx" not in tables:
                raise sqlite3.DatabaseError("it holds something else")
            self._db.execute("PRAGMA synchronous=OFF")
            self._db.execute(f"PRAGMA cache_size={-CACHE}")
            self._db.execute("PRAGMA journal_mode=WAL")  # so that others can read meanwhile
            self._make(salts, tables)
        except sqlite3.Error as error:
            raise BadSetting(
                f"{path} cannot be used as an index ({error}).",
                "Name another file with --index, or leave it out.",
            ) from error

    def _make(self, salts: Sequence[str], tables: Collection[str]) -> None:
        """Make the tables, unless they are there and of these runs."""
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version == VERSION and "runs" in tables:
            known = self._db.execute("SELECT salt FROM runs ORDER BY number").fetchall()
            if [salt for (salt,) in known] == [*salts]:
                return
        with self.writing():
            for name in (*sorted(tables, key=lambda name: name != "fulltext"),):
                if not name.startswith(("sqlite_", "fulltext_")) and self._is_table(name):
                    self._db.execute(f'DROP TABLE IF EXISTS "{name}"')
            for statement in SCHEMA.split(";"):
                self._db.execute(statement)
            for number, salt in enumerate(salts, start=1):
                self._db.execute("INSERT INTO runs(number, salt) VALUES(?,?)", (number, salt))
            self._db.execute(f"PRAGMA user_version={VERSION}")

    def _is_table(self, name: str) -> bool:
        sql = "SELECT 1 FROM sqlite_master WHERE name=? AND type='table'"
        return bool(self._db.execute(sql, (name,)).fetchone())

    @contextmanager
    def reader(self) -> Iterator[SideReader]:
        """The file as it is now, for another thread."""
        with closing(sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            db.execute("BEGIN")
            yield SideReader(db)

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
