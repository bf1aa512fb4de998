"""The tables of a run file: made whole, checked when it is opened, brought up to our version.

SQLite's own checks miss a file that lost its last bytes, so its length is compared with the
size of its pages. A flipped bit inside a row they miss as well: see `rows` and `seals`.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from deepassay.errors import BadRunFile, meant
from deepassay.runfile.columns import put_in_columns
from deepassay.runfile.door import (
    Lookout,
    be_wary,
    refuse_strange_schema,
    refuse_strange_values,
)
from deepassay.runfile.rows import torn
from deepassay.runfile.seals import seal_all

APPLICATION_ID: Final = 0x44415359  # "DASY"
_MAGIC: Final = b"SQLite format 3\0"
BUSY_SECONDS: Final = 30.0
"""Seconds to wait for another process that is writing."""

STEPS: Final = (
    """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE protocols(name TEXT PRIMARY KEY, identity TEXT NOT NULL);
CREATE TABLE tasks(id TEXT PRIMARY KEY, position INTEGER NOT NULL, body BLOB, sha256 TEXT);
CREATE TABLE reports(agent TEXT, task TEXT, sample INTEGER, body BLOB, sha256 TEXT,
                     PRIMARY KEY(agent, task, sample));
CREATE TABLE answers(key TEXT UNIQUE, operation TEXT, model TEXT, repeat INTEGER, cause TEXT,
                     body BLOB, sha256 TEXT);
CREATE TABLE attempts(key TEXT, number INTEGER, kind TEXT, status INTEGER, detail TEXT,
                      seconds REAL, usage TEXT, cost REAL, body_digest TEXT, id TEXT UNIQUE);
CREATE TABLE scores(key TEXT UNIQUE, protocol TEXT, agent TEXT, task TEXT, sample INTEGER,
                    repeat INTEGER, cause TEXT, open INTEGER, body BLOB, sha256 TEXT);
""",
    """
CREATE TABLE yardsticks(role TEXT, task TEXT, agent TEXT, body BLOB, sha256 TEXT,
                    PRIMARY KEY(role, task));
CREATE TABLE contents(sha256 TEXT UNIQUE, body BLOB);
CREATE TABLE captures(position INTEGER PRIMARY KEY, id TEXT UNIQUE, url TEXT, fetched TEXT,
                      reader TEXT, final_url TEXT, status INTEGER, media TEXT, title TEXT,
                      failure TEXT, detail TEXT, text TEXT, body TEXT, UNIQUE(url, id));
CREATE TABLE verdicts(key TEXT UNIQUE, verdict TEXT, body BLOB, sha256 TEXT);
""",
    """
CREATE TABLE seals(kind TEXT, row TEXT, sha256 TEXT, PRIMARY KEY(kind, row));
""",
    """
CREATE TABLE readings(capture TEXT UNIQUE, version TEXT);
""",
    """
CREATE TABLE agents(name TEXT PRIMARY KEY, identity TEXT);
CREATE TABLE runs(agent TEXT, task TEXT, sample INTEGER, stop TEXT, body BLOB, sha256 TEXT,
                  PRIMARY KEY(agent, task, sample));
CREATE TABLE jobs(key TEXT PRIMARY KEY, body BLOB, sha256 TEXT);
CREATE TABLE searches(key TEXT PRIMARY KEY, provider TEXT, query TEXT, body BLOB, sha256 TEXT);
CREATE TABLE served(session TEXT, number INTEGER, kind TEXT, body BLOB, sha256 TEXT,
                    PRIMARY KEY(session, number));
""",
    """
CREATE TABLE waiting(name TEXT PRIMARY KEY, key TEXT, batch INTEGER, tries INTEGER, cost REAL,
                     back INTEGER, sent TEXT, body BLOB, sha256 TEXT);
CREATE TABLE batches(number INTEGER PRIMARY KEY, service TEXT, state TEXT, body BLOB, sha256 TEXT);
""",
    """
CREATE TABLE items(number INTEGER PRIMARY KEY, body BLOB, sha256 TEXT);
CREATE TABLE duties(rater TEXT, item INTEGER, place INTEGER, PRIMARY KEY(rater, item));
CREATE TABLE ratings(number INTEGER PRIMARY KEY, form TEXT UNIQUE, rater TEXT, item INTEGER,
                     body BLOB, sha256 TEXT);
""",
    """
CREATE TABLE sent_back(key TEXT PRIMARY KEY, body BLOB, sha256 TEXT);
""",
    """
CREATE TABLE shared(digest TEXT PRIMARY KEY, text TEXT);
CREATE TABLE outcomes(key TEXT UNIQUE, protocol TEXT, agent TEXT, task TEXT, sample INTEGER,
                      repeat INTEGER, value, cause TEXT, detail TEXT, open INTEGER,
                      partial INTEGER, lowest, highest, low, high, met, of, recipe TEXT,
                      record TEXT, list TEXT, counts TEXT, parts TEXT, marks TEXT, said TEXT,
                      pages TEXT, voices TEXT, body BLOB, sha256 TEXT);
CREATE INDEX outcomes_by_report ON outcomes(task, agent);
""",
)
"""What each version of the schema adds to the one before."""

VERSION: Final = len(STEPS)


def foreign(path: Path, what: str) -> BadRunFile:
    """The error for a file that is not ours."""
    return BadRunFile(f"{path}: {what}. It was not touched.", "Give the name of another file.")


class Overtaken(BadRunFile):
    """Another process was faster to give a file this name."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} has been made by another process.", "Give another name.")


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A hidden name for a new run file, put at `path` when the block ends without an error.

    So it appears whole or not at all, also if the process is killed; what a killed one left behind
    is removed. Raises Overtaken, BadRunFile where the log of another run would be put into it,
    and OSError.
    """
    for log in (f"{path.name}-wal", f"{path.name}-journal"):
        if path.with_name(log).exists() and not path.exists():
            # SQLite would put what it holds into the new file.
            raise BadRunFile(
                f"{path} is gone, but {log} of the same run is still beside it.",
                f"Put {path.name} back, or remove {log} too and lose what it holds.",
            )
    _remove_scraps(path)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        yield fresh
        try:
            path.hardlink_to(fresh)
        except FileExistsError:
            raise Overtaken(path) from None
        except OSError:  # a file system without links
            fresh.replace(path)
    finally:
        _remove_scraps(path)


def _remove_scraps(path: Path) -> None:
    """Remove new files of this process, and of those that live no more, that got no name."""
    ours = re.compile(
        rf"\.{re.escape(path.name)}\.([0-9]+)\.new(-older)?(-wal|-shm|-journal|\.lock)?"
    )
    with suppress(OSError):
        for each in path.parent.iterdir():
            found = ours.fullmatch(each.name)
            if found and (int(found[1]) == os.getpid() or _is_dead(int(found[1]))):
                each.unlink(missing_ok=True)


def _is_dead(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it is somebody else's, or no number of a process
        return False
    return False


def copy_of(path: Path, target: Path) -> None:
    """Copy a run file, with what its log holds. Raises as `appearing` does."""
    with appearing(target) as fresh:
        try:
            copy_into(path, fresh)
        except sqlite3.Error as error:
            raise OSError(errno.EIO, str(error)) from error


def copy_into(path: Path, target: Path) -> None:
    """Write what a run file and its log hold into a new file. Raises sqlite3.Error."""
    with closing(connect(path, write=False)) as db, closing(sqlite3.connect(target)) as copy:
        db.backup(copy)


def make(path: Path) -> bool:
    """Make an empty run file, if there is none; False if there was one by the time it was made.

    It appears whole or not at all, also if the process is killed or another makes it too. Raises
    BadRunFile if it cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with appearing(path) as fresh:
            lay_out(fresh)
    except Overtaken:
        return False
    except (OSError, sqlite3.Error) as error:
        raise BadRunFile(
            f"{path}: a run file cannot be made there ({error}).",
            "Choose a folder that you may write to with --run FILE.",
        ) from error
    return True


def lay_out(fresh: Path) -> None:
    """Write the tables of an empty run file, under a name that nobody else opens."""
    with closing(sqlite3.connect(fresh)) as db:
        # Until it has its name, nobody would go on with what was begun.
        db.execute("PRAGMA journal_mode=MEMORY")
        db.executescript("BEGIN;" + "".join(STEPS))
        db.execute("INSERT INTO meta VALUES('salt', ?)", (secrets.token_hex(8),))
        seal_all(db, ["meta"])
        db.execute(f"PRAGMA application_id={APPLICATION_ID}")
        db.execute(f"PRAGMA user_version={VERSION}")
        db.commit()


def is_database(path: Path) -> bool:
    """Whether a file is one of SQLite's, as run files are; nothing else is written by us."""
    try:
        if not path.is_file():  # a FIFO would be waited for without an end
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except (OSError, ValueError):  # ValueError: a name with a null byte
        return False


NEARBY: Final = 8
"""Run files that are named to one who asked for another."""


def not_there(path: Path) -> BadRunFile:
    """The refusal of a run file that is not there, with those that are, the likely one first."""
    folder = path.parent if path.parent.is_dir() else Path()
    names = sorted(each.name for each in folder.glob("*.assay"))
    more = f" and {len(names) - NEARBY} more" if len(names) > NEARBY else ""
    near = f"Run files in {folder}: {', '.join(names[:NEARBY])}{more}. " if names else ""
    return BadRunFile(
        f"{path}: there is no such run file.",
        f"{meant(path.name, names)}{near}Give the file that `deepassay evaluate --run FILE` wrote.",
    )


def checked_version(path: Path, *, whole: bool = False) -> int:
    """The version of its schema.

    whole: every page and every value are looked at, which takes time for a large file. Who only
    reads need not have that done: a `Store` looks at what is read, and `verify` at all of it.
    Raises BadRunFile if the file is not a run file, is damaged, or is newer than we are.
    """
    try:
        if not path.is_file() and not path.is_dir() and path.exists():
            raise foreign(path, "it is no regular file")  # a FIFO would be waited for
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise foreign(path, f"the file cannot be read ({error.strerror})") from error
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise foreign(path, "this is not a run file of DeepAssay")
    page = int.from_bytes(head[16:18], "big")
    page = 65536 if page == 1 else page
    pages = int.from_bytes(head[28:32], "big")
    if (size % page or size < page * pages) and not _has_log(path):
        raise torn(path, "its end is missing")
    try:
        version, verdict = _look(path, whole)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # it quotes a damaged schema
        raise torn(path, str(error)) from error
    if verdict != "ok":
        raise torn(path, verdict)
    return version


def _has_log(path: Path) -> bool:
    """Whether a write-ahead log is beside it, from which SQLite mends what a full disk cut off."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _look(path: Path, whole: bool) -> tuple[int, str]:
    """Its version, and what SQLite says of its pages: `ok`, or what is wrong.

    Raises BadRunFile where it is not ours, and BadRow as `door` does.
    """
    try:
        with closing(connect(path, write=False)) as db:
            (application,) = db.execute("PRAGMA application_id").fetchone()
            version = version_of(db)
            if application != APPLICATION_ID:
                raise foreign(path, "this is a database of another program")
            if version > VERSION:
                raise foreign(path, "this run file was made by a newer version of DeepAssay")
            if version < 1:
                raise foreign(path, f"this run file says that it is of version {version}")
            refuse_strange_schema(db, path, STEPS, version)
            verdict = "ok"
            if whole:
                (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
                if verdict == "ok":
                    refuse_strange_values(db, path, STEPS[:version])
            return version, str(verdict)
    except sqlite3.OperationalError as error:
        if not getattr(error, "sqlite_errorname", "").startswith("SQLITE_READONLY"):
            raise
    # Whoever wrote to it last was killed halfway: SQLite undoes that, if it may write.
    with closing(connect(path, write=True)) as db:
        version_of(db)
    return _look(path, whole)


def connect(path: Path, *, write: bool, synchronous: str = "FULL") -> sqlite3.Connection:
    """Open a run file that exists; write-ahead logging, so that readers never wait."""
    db = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=rw" if write else to_read(path),
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_SECONDS,
    )
    be_wary(db)
    if write:
        db.execute(f"PRAGMA synchronous={synchronous}")
        db.execute("PRAGMA journal_size_limit=67108864")
    return db


def to_read(path: Path) -> str:
    """How SQLite is told to open a run file that is only read.

    Raises BadRunFile where what was written last cannot be read.
    """
    address = f"{path.resolve().as_uri()}?mode=ro"
    if os.access(path.parent, os.W_OK):
        return address
    if not _has_log(path):  # in a folder that may not be written to it opens only as immutable
        return f"{address}&immutable=1"
    if not path.with_name(f"{path.name}-shm").exists():
        raise BadRunFile(
            f"{path}: what was written last stands in {path.name}-wal, which can be read only in a "
            "folder that may be written to.",
            "Copy both files into a folder of yours.",
        )
    return address  # as immutable its log would be passed over


def upgrade(path: Path) -> None:
    """Bring a file of an older version up to ours: all of it, or nothing."""
    try:
        with closing(connect(path, write=True)) as db:
            db.execute("BEGIN IMMEDIATE")
            missing = STEPS[version_of(db) :]  # another process may have done it meanwhile
            for step in missing:
                for statement in step.split(";"):
                    db.execute(statement)
            if missing:
                seal_all(db)
                put_in_columns(db, path)
            db.execute(f"PRAGMA user_version={VERSION}")
            db.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        raise BadRunFile(
            f"{path} was made by an older version and cannot be brought up to date ({error}).",
            "Copy it to a place that you may write to, and make sure that no run is using it.",
        ) from error


def only_read(db: sqlite3.Connection, path: Path) -> tuple[int, Lookout]:
    """Prepare a connection that only reads: the version of its file, and who looks at its rows.

    An older file has the tables that it lacks, empty.
    """
    version = version_of(db)
    for step in STEPS[version:]:
        db.executescript(step.replace("CREATE TABLE", "CREATE TEMP TABLE"))
    return version, Lookout(db, path, STEPS[:version])


def version_of(db: sqlite3.Connection) -> int:
    """Of the schema, as the file says."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)
