"""Files of an older version go on: read as they are, brought up to date when written to."""

import asyncio
import json
import re
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from deepassay.errors import BadRunFile, Notice
from deepassay.runfile import Capture, RunFile, StoredReport
from deepassay.runfile.columns import COLUMNS
from deepassay.runfile.schema import STEPS, VERSION
from deepassay.runfile.scores import LEADING, REST
from deepassay.score import canonical_json
from tests.preloaded import python

from .older import put_in_bodies

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
    subprocess.run(python(script, str(path)), check=False)
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


RELEASED = Path(__file__).with_name("version_7.sql")
"""A file with outcomes of eighteen protocols and panels, made by the released program."""


def outcomes_in(path):
    """Every outcome, as bytes, in its order."""
    with RunFile.read(path) as run:
        return [canonical_json(vars(each)) for each in run.scores()]


@pytest.fixture
def seven(tmp_path):
    """That file, and the bodies of its outcomes by their keys, read with nothing of ours."""
    path = tmp_path / "seven.assay"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(RELEASED.read_text("utf-8"))
        unpack = zstandard.ZstdDecompressor().decompress
        bodies = {
            key: unpack(body).decode() for key, body in db.execute("SELECT key, body FROM scores")
        }
    return path, bodies


def test_outcomes_of_the_released_program_are_the_same_before_and_after(seven):
    path, bodies = seven
    before = outcomes_in(path)
    assert version(path) == 7
    assert sorted(before) == sorted(bodies.values()) and len(before) == 36
    with RunFile.create(path) as run:
        ends = {key: run.end(key) for key in bodies}
    assert outcomes_in(path) == before
    assert all(ends.values())
    with RunFile.read(path) as run, closing(sqlite3.connect(path)) as db:
        assert not run.verify().damage
        counted = [db.execute(f"SELECT count(*) FROM {name}").fetchone() for name in TABLES]
        assert counted == [(0,), (36,)]
        assert db.execute("SELECT count(*) FROM outcomes WHERE recipe IS NULL").fetchone() == (0,)
    assert version(path) == VERSION


TABLES = ("scores", "outcomes")


def test_columns_of_an_older_file_are_those_that_it_has_when_it_is_brought_up_to_date(seven):
    path, _ = seven

    def columns():
        with RunFile.read(path) as run:
            names = (*LEADING, *COLUMNS, REST)
            return [
                {name: each for name, each in zip(names, row, strict=True) if each is not None}
                for row in run.columns((*COLUMNS, REST))
            ]

    before = columns()
    RunFile.create(path).close()
    assert columns() == before
    assert {"voices", "marks", "met", "cause", REST} <= {name for row in before for name in row}
    assert all(REST in row for row in before)


def test_damaged_outcomes_stay_where_they_were_and_are_named(seven):
    path, bodies = seven
    first, second, *_ = bodies
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE scores SET body=x'00' WHERE key=?", [first])
        db.execute("UPDATE scores SET agent='stork' WHERE key=?", [second])
    with RunFile.create(path) as run:
        damaged = {each.row.split('"')[1] for each in run.verify().damage}
        assert damaged == {first, second}
        with pytest.warns(Notice, match=f"score {first[:12]} cannot be read"):
            found = {each.key for each in run.scores()}
        assert found == bodies.keys() - {first}
        assert run.count_scores() == len(bodies) - 1
        assert run.forgotten == 1


def test_who_reads_an_older_file_hears_that_it_was_brought_up_to_date(seven):
    path, _ = seven
    with RunFile.read(path) as run:
        RunFile.create(path).close()
        with pytest.raises(BadRunFile, match="was brought up to date by another process"):
            next(run.scores())


UPGRADE = """
import sys
from pathlib import Path
from deepassay.runfile import RunFile
print("begun", flush=True)
RunFile.create(Path(sys.argv[1])).close()
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A file of version 7 that takes a moment to be brought up to date."""
    path = tmp_path_factory.mktemp("many") / "many.assay"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(RELEASED.read_text("utf-8"))

    async def keep(run):
        kept = [*run.scores()]
        again = (replace(each, key=f"{each.key}-{n}") for n in range(10) for each in kept)
        await asyncio.gather(*map(run.keep_score, again))

    with RunFile.create(path) as run:
        asyncio.run(keep(run))
    put_in_bodies(path)
    return path, outcomes_in(path)


@pytest.mark.parametrize("attempt", range(6))
def test_nothing_is_lost_when_it_is_killed_while_a_file_is_brought_up_to_date(
    many, tmp_path, attempt
):
    """All of it or nothing: killed at another moment each time, then gone on with."""
    whole, before = many
    path = Path(shutil.copy(whole, tmp_path))
    killed = subprocess.Popen(python(UPGRADE, str(path)), stdout=subprocess.PIPE)
    assert killed.stdout is not None and killed.stdout.readline() == b"begun\n"
    time.sleep(0.005 + 0.03 * attempt)
    killed.kill()
    killed.communicate()
    with RunFile.read(path):
        pass  # what was begun is undone
    with closing(sqlite3.connect(path)) as db:
        counted = [
            db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in TABLES
            if version(path) == VERSION or name == "scores"
        ]
    assert counted in ([len(before)], [0, len(before)])
    assert outcomes_in(path) == before
    RunFile.create(path).close()
    assert outcomes_in(path) == before
    assert version(path) == VERSION


def test_every_row_that_is_manipulated_is_named(seven):
    """Columns and bodies, of outcomes and of what they share: each by itself, then all of them."""
    path, _ = seven
    RunFile.create(path).close()
    with closing(sqlite3.connect(path)) as db:
        names = [name for _, name, *_ in db.execute("PRAGMA table_info(outcomes)")][1:]
        rows = [row for (row,) in db.execute("SELECT rowid FROM outcomes")]
        expected = set()
        for number, row in enumerate(rows * 9):  # 324 places, all columns among them
            name = names[(number * 7 + number // len(rows)) % len(names)]
            new = "x'00'" if name == "body" else f"coalesce({name} || 'x', 'x')"
            db.execute("SAVEPOINT one")
            db.execute(f"UPDATE outcomes SET {name}={new} WHERE rowid=?", [row])
            db.execute("RELEASE one")
            (key,) = db.execute("SELECT key FROM outcomes WHERE rowid=?", [row]).fetchone()
            expected.add(key)
        db.execute("UPDATE shared SET text=text || ' '")
        shared = {name for (name,) in db.execute("SELECT digest FROM shared")}
        db.commit()
    with RunFile.read(path, to_verify=True) as run:
        damage = run.verify().damage
    assert {json.loads(each.row.split(" (")[0])[0] for each in damage} == expected | shared
