"""Files of an older version go on: read as they are, brought up to date when written to."""

import asyncio
import re
import sqlite3
import subprocess
import sys

import pytest

from deepassay.errors import BadRunFile
from deepassay.runfile import Capture, RunFile, StoredReport
from deepassay.runfile.schema import STEPS, VERSION

# The schema of version 1, as it was released.
VERSION_1 = """
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
INSERT INTO meta VALUES('salt', 'of old');
INSERT INTO meta VALUES('configuration', '{"date":"2026-11-20"}');
PRAGMA application_id=1145131865;
PRAGMA user_version=1;
"""
PAGE = Capture("https://a.example/", "2026-11-20T10:00:00Z", "direct", text="What it says.")


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "old.assay"
    db = sqlite3.connect(path)
    db.executescript(VERSION_1)
    db.close()
    return path


def version(path):
    db = sqlite3.connect(path)
    try:
        return db.execute("PRAGMA user_version").fetchone()[0]
    finally:
        db.close()


def test_an_old_file_is_read_as_it_is(old):
    before = old.read_bytes()
    with RunFile.read(old) as run:
        assert run.salt == "of old"
        assert run.captures.best(PAGE.url) is None
        assert list(run.captures.all()) == []
        assert run.verdicts.find("k") is None
        assert list(run.judged_by("reference")) == []
    assert old.read_bytes() == before


def test_an_old_file_in_a_folder_that_is_closed_is_read_too(old):
    old.parent.chmod(0o500)
    try:
        with RunFile.read(old) as run:
            assert list(run.captures.rows()) == []
    finally:
        old.parent.chmod(0o700)


@pytest.mark.parametrize("opening", [RunFile.create, RunFile.share])
def test_an_old_file_that_is_written_to_is_brought_up_to_date(old, opening):
    with opening(old) as run:
        run.register(
            {"date": "2026-11-20"},
            {},
            {},
            [],
            {"reference": [StoredReport("onyx", "t", 1, "text")]},
        ).result()
        asyncio.run(run.captures.keep(PAGE))
    assert version(old) == VERSION
    with RunFile.read(old) as run:
        assert run.salt == "of old"
        assert run.captures.best(PAGE.url) == PAGE
        assert list(run.judged_by("reference")) == [("t", "onyx", "text")]


def test_a_file_that_cannot_be_brought_up_to_date_is_left_as_it_was(old):
    db = sqlite3.connect(old)
    db.execute("CREATE TABLE seals(somebody_elses)")  # the last of the tables to be added
    db.commit()
    db.close()
    with pytest.raises(BadRunFile, match="its table seals has other columns"):
        RunFile.create(old)
    assert version(old) == 1
    db = sqlite3.connect(old)
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    db.close()
    assert not names & {"captures", "contents", "verdicts", "yardsticks"}


def test_a_file_whose_writer_was_killed_halfway_is_made_whole_and_not_called_damaged(tmp_path):
    path = tmp_path / "run.assay"
    RunFile.create(path).close()
    script = (
        "import os, signal, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA journal_mode=DELETE')\n"
        "db.execute('PRAGMA cache_size=1')\n"
        "db.execute('BEGIN IMMEDIATE')\n"
        "for n in range(3000):\n"
        "    db.execute('INSERT INTO meta VALUES(?,?)', (f'half {n}', 'x' * 500))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert path.with_name("run.assay-journal").exists(), "nothing was begun"
    with RunFile.read(path) as run:
        assert list(run.tasks()) == []
    assert not path.with_name("run.assay-journal").exists()


def as_of(path, number):
    """Make a run file that has no row of a later table one of an earlier version."""
    db = sqlite3.connect(path)
    for table in re.findall(r"CREATE TABLE (\w+)", "".join(STEPS[number:])):
        db.execute(f"DROP TABLE {table}")
    db.execute(f"PRAGMA user_version={number}")
    db.commit()
    db.close()


@pytest.mark.parametrize("number", range(3, VERSION))
def test_a_sealed_file_of_each_version_is_whole_as_it_is_and_brought_up_to_date(tmp_path, number):
    path = tmp_path / "old.assay"
    with RunFile.create(path) as run:
        run.register({}, {}, {}, [StoredReport("onyx", "t", 1, "text")])
    as_of(path, number)
    with RunFile.read(path) as run:
        assert not run.verify().damage
    with RunFile.create(path) as run:
        asyncio.run(run.captures.keep(PAGE))
        assert not run.verify().damage
        assert run.captures.best(PAGE.url) == PAGE
    assert version(path) == VERSION


def test_a_table_is_missed_where_its_rows_have_seals(tmp_path):
    path = tmp_path / "run.assay"
    with RunFile.create(path) as run:
        asyncio.run(run.captures.keep(PAGE))
    as_of(path, 1)
    db = sqlite3.connect(path)
    db.executescript(STEPS[2])  # the seals table, without the seals of `captures`' rows
    db.execute("INSERT INTO seals VALUES('captures', '[1]', 'of old')")
    db.commit()
    db.close()
    with RunFile.read(path) as run:
        assert ("captures", "the table", "is missing") in run.verify().damage
