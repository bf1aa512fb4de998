"""`replay` proves a run: elsewhere, without a network, and down to single bytes of its file."""

import asyncio
import shutil
import socket
import sqlite3
import sys
from contextlib import closing
from itertools import zip_longest

import pytest

from deepassay.cli import main
from deepassay.run.showing.replay import replay
from deepassay.runfile import AgentRun, Batch, Duty, Rating, RunFile, StoredRun, seals, store
from deepassay.runfile.rows import Body
from deepassay.runfile.schema import make
from deepassay.runfile.seals import KEYS
from tests.judging import verdicts
from tests.loopback import FakeJudge
from tests.runfile.older import put_in_bodies

PROTOCOLS = ("presentation", "coverage", "race", "fact", "rubrics", "kae")


OLD = "scores"
"""The table that files of today have nothing in."""


def columns():
    """Every table with every column, as a new run file has them."""
    with closing(sqlite3.connect(":memory:")) as db, RunFile.in_memory() as run:
        db.execute("ATTACH ? AS made", [str(run.path)])
        tables = db.execute("SELECT name FROM made.sqlite_master WHERE type='table'").fetchall()
        return [
            (table, name)
            for (table,) in tables
            if table != OLD
            for _, name, *_ in db.execute(f"PRAGMA made.table_info({table})")
        ]


def evaluating(demo, run):
    """The words that evaluate the demo's inputs into a run file."""
    protocols = [word for name in PROTOCOLS for word in ("--protocol", name)]
    return (
        *("evaluate", demo / "tasks.jsonl", demo / "reports", *protocols, "--reference", "heron"),
        *("--criteria", demo / "criteria.yaml", "--rubric", demo / "rubrics.yaml"),
        *("--offline-sources", "--date", "2026-05-04", "--run", run),
    )


def evaluated(demo, run, *options):
    """The run file of the demo's inputs and pages."""
    imported = ("sources", "import", demo / "pages.jsonl", "--snapshots", run)
    for words in (imported, (*evaluating(demo, run), *options)):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
            patch.setattr(sys, "argv", ["deepassay", *map(str, words)])
            main()
        assert not end.value.code
    return run


@pytest.fixture(scope="module")
def by_rule(repository, tmp_path_factory):
    """Three tasks of the demo, judged by the offline rules."""
    run = tmp_path_factory.mktemp("rule") / "r"
    return evaluated(repository / "examples" / "demo", run, "--limit", "3")


@pytest.fixture(scope="module")
def by_judge(repository, tmp_path_factory):
    """Two tasks of it, judged on loopback, so that there are attempts with usage and costs."""
    with FakeJudge(verdicts) as judge:
        options = ("--judge", "openai:good", "--base-url", judge.base_url, "--allow-unpriced")
        run = tmp_path_factory.mktemp("judge") / "r"
        with_agents(run)
        evaluated(repository / "examples" / "demo", run, *options, "--limit", "2")
        with_people_and_batches(run)
        return run


def with_agents(path):
    """A run file with a row in each table of what agents did."""

    async def keep(answering):
        await answering.keep(StoredRun("stork", "t", 1, AgentRun("# Tides", "done")))
        await answering.keep_job("k", {"id": "job"})
        await answering.keep_search("k", "corpus", "tides", [])
        await answering.log("stork", "page", {"url": "https://a.example/"})

    with RunFile.create(path) as run:
        run.answering.register({"stork": {"model": "m"}})
        asyncio.run(keep(run.answering))


def with_people_and_batches(path):
    """A run file with a row in each table of what people said, and of questions in batches."""
    with RunFile.create(path) as run:
        run.annotating.begin({"raters": ["ana"]}, [{"task": "t"}], [Duty("ana", 0, 0)])
        asyncio.run(run.annotating.keep(Rating("form", "ana", 0, {"race": "7"})))
        run._store.write(
            [
                ("INSERT INTO sent_back VALUES('k', ?, ?)", [Body([])]),
                Batch(1, "openai", "collected", "openai:good", 1, {}).write(),
                ("INSERT INTO waiting VALUES('n','k',1,0,NULL,0,'',?,?)", [Body({})]),
            ]
        )


LATER = (*("readings", "agents", "runs", "jobs", "searches", "served", "waiting", "batches"),)
OLDER = (
    *(f"DROP TABLE {table}" for table in ("seals", *LATER, "items", "duties", "ratings")),
    "PRAGMA user_version=2",
)


def make_older(path):
    """Make a file of today one of version 2."""
    put_in_bodies(path)
    altered(path, *((statement, []) for statement in OLDER))


@pytest.fixture
def no_network(monkeypatch):
    """No socket connects. (The event loop makes a pair of its own, which is no network.)"""

    def refused(*arguments):
        raise AssertionError("a socket was connected")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket.socket, "connect_ex", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.fixture
def copy(tmp_path, by_judge):
    """The run file alone in another folder."""
    return shutil.copy(by_judge, tmp_path / "copy.assay")


def altered(path, *statements):
    """Change the file behind the back of the program."""
    with closing(sqlite3.connect(path)) as db:
        changed = sum(db.execute(sql, values).rowcount for sql, values in statements)
        db.commit()
    return changed


def flipped(value):
    """The value with one bit of it another."""
    if isinstance(value, int):
        return value ^ (1 << 20)
    if isinstance(value, float):
        return value * (1 + 2**-50) or 5e-324
    content = bytearray(value.encode() if isinstance(value, str) else value)
    content[len(content) // 2] ^= 1
    return content.decode("utf-8", "replace") if isinstance(value, str) else bytes(content)


@pytest.mark.parametrize("which", ["by_rule", "by_judge"])
def test_a_run_is_proved_in_another_folder_with_the_network_off(
    which, by_rule, by_judge, tmp_path, deepassay, no_network
):
    run = {"by_rule": by_rule, "by_judge": by_judge}[which]
    there = shutil.copy(run, tmp_path / run.name)
    done = deepassay("replay", there)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 are not" in done.stdout and not done.stderr
    for words in (
        *(("leaderboard", "--parts", "--format", form) for form in ("csv", "json")),
        ("explain", "--agent", "cuckoo", "--task", "terrace-heat"),
        ("export",),
    ):
        command, *options = words
        here, elsewhere = (deepassay(command, file, *options) for file in (run, there))
        assert here.returncode == elsewhere.returncode == 0, here.stderr
        assert here.stdout == elsewhere.stdout


def test_the_protocols_that_read_pages_are_among_what_is_proved(by_judge):
    with RunFile.read(by_judge) as run:
        scored = {each.protocol for each in run.scores() if "value" in each.outcome}
        assert {"race", "fact", "kae"} <= scored
        rows = run.verify().rows
    assert rows.pop(OLD) == 0
    assert min(rows.values()) > 0, f"nothing of some table is under test: {rows}"


def proved(path, *statements):
    """What replaying a copy of the file says that was changed so."""
    copied = shutil.copy(path, path.with_name("changed"))
    assert altered(copied, *statements) == len(statements)
    with RunFile.read(copied, to_verify=True) as run:
        return replay(run)


def test_one_changed_bit_is_found_and_named_whatever_column_it_is_in(copy, subtests):
    """One column of each table at a time: a table is named for its own rows, whatever others are.

    Of seals, which are named as the rows that they are of, one column alone.
    """
    by_table = {}
    for table, column in columns():
        by_table.setdefault(table, []).append(column)
    seals_own = [[("seals", column)] for column in by_table.pop("seals")]
    together = [zip(by_table, each, strict=True) for each in zip_longest(*by_table.values())]
    for each in (*together, *seals_own):
        changed = [(table, column) for table, column in each if column]
        done = proved(copy, *(one_bit(copy, table, column) for table, column in changed))
        assert not done.proved and not done.same
        named = {each.table for each in done.verified.damage}
        for table, column in changed:
            with subtests.test(f"{table}.{column}"):
                assert table in named or (table == "seals" and named)


def one_bit(path, table, column):
    """A statement that changes one bit of a column, in a row that has something there."""
    with closing(sqlite3.connect(path)) as db:
        row, value = db.execute(
            f"SELECT rowid, {column} FROM {table} "
            f"ORDER BY coalesce(length({column}), 0) = 0, rowid DESC LIMIT 1"
        ).fetchone()
    new = flipped(value) if value not in (None, "") else "x"
    return f"UPDATE {table} SET {column}=? WHERE rowid=?", [new, row]


@pytest.mark.parametrize("table", sorted({*KEYS, "seals"} - {OLD}))
def test_a_removed_row_is_named(table, copy):
    removed = f"DELETE FROM {table} WHERE rowid=(SELECT min(rowid) FROM {table})"
    done = proved(copy, (removed, []))
    told = "was not written by a run" if table == "seals" else "is missing"
    assert not done.proved and not done.same
    assert any(told in each for each in done.problems())
    assert table == "seals" or table in {each.table for each in done.verified.damage}


@pytest.mark.parametrize("table", ["answers", "contents", "reports", "outcomes", "tasks"])
def test_two_rows_whose_bodies_were_exchanged_are_both_named(table, copy):
    both = ("body",) if table == "contents" else ("body", "sha256")
    with closing(sqlite3.connect(copy)) as db:
        one, two = db.execute(
            f"SELECT min(rowid), {', '.join(both)} FROM {table} "
            "WHERE body IS NOT NULL GROUP BY body ORDER BY 1 LIMIT 2"
        ).fetchall()
    put = f"UPDATE {table} SET {', '.join(f'{name}=?' for name in both)} WHERE rowid=?"
    done = proved(copy, (put, [*one[1:], two[0]]), (put, [*two[1:], one[0]]))
    assert [each.table for each in done.verified.damage] == [table, table]


def test_an_added_row_is_named_by_the_command(copy, deepassay):
    altered(copy, ("INSERT INTO protocols VALUES('depth', '{}')", []))
    done = deepassay("replay", copy)
    assert done.returncode == 1
    assert 'damaged: protocols: ["depth"] was not written by a run' in done.stderr
    assert "Restore the file from a copy" in done.stderr
    assert "same to the byte" not in done.stdout


def test_a_damaged_row_is_told_by_agent_task_and_operation(copy, deepassay):
    altered(
        copy,
        ("UPDATE outcomes SET body=x'00' WHERE agent='heron' AND task='terrace-heat'", []),
        ("UPDATE answers SET model='m' WHERE key=(SELECT min(key) FROM answers)", []),
        ("UPDATE captures SET fetched='2020' WHERE position=1", []),
    )
    with closing(sqlite3.connect(copy)) as db:
        (operation,) = db.execute("SELECT operation FROM answers ORDER BY key").fetchone()
        (url,) = db.execute("SELECT url FROM captures WHERE position=1").fetchone()
    told = deepassay("replay", copy).stderr
    for words in ("(race, heron, terrace-heat, 1, 0)", f"({operation}, m, 0)", f"({url}, 2020)"):
        assert words in told


def test_an_index_that_lost_a_row_is_found(copy, deepassay):
    with closing(sqlite3.connect(copy)) as db:
        pages = dict(db.execute("SELECT name, rootpage FROM sqlite_master").fetchall())
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with copy.open("r+b") as file:  # one row fewer in the first page of the index
        start = (pages["sqlite_autoindex_outcomes_1"] - 1) * size
        file.seek(start + 3)
        count = int.from_bytes(file.read(2), "big")
        file.seek(start + 3)
        file.write((count - 1).to_bytes(2, "big"))
    done = deepassay("replay", copy)
    assert done.returncode in (1, 2)
    assert "damaged" in done.stderr and "Traceback" not in done.stderr


def test_every_page_of_the_file_may_be_spoilt_without_a_traceback(copy, tmp_path, deepassay):
    whole = copy.read_bytes()
    size = int.from_bytes(whole[16:18], "big")
    spoilt = tmp_path / "spoilt"
    pages = len(whole) // size
    for page in range(0, pages, max(1, pages // 25)):
        start = page * size
        content = bytearray(whole)
        content[start + size // 2 : start + size] = bytes(size - size // 2)
        spoilt.write_bytes(content)
        done = deepassay("replay", spoilt)
        assert "Traceback" not in done.stderr
        if content != whole:
            assert done.returncode in (1, 2) and "damaged" in done.stderr, page


def test_damaged_records_that_a_second_run_comes_by_anew_are_told(
    by_rule, repository, tmp_path, deepassay
):
    run = shutil.copy(by_rule, tmp_path / "copy.assay")
    altered(run, ("UPDATE outcomes SET said='{', body=x'00' WHERE protocol='presentation'", []))
    read = deepassay("leaderboard", run)
    assert read.returncode == 2 and "deepassay replay" in read.stderr
    assert "more rows cannot be read" in read.stderr
    assert "9 scores cannot be read, and 0 can" in read.stderr
    done = deepassay(*evaluating(repository / "examples" / "demo", run), "--limit", "3")
    assert done.returncode == 0, done.stderr
    assert "anew: 9 records of the run file; `deepassay replay`" in done.stderr
    assert not RunFile.read(run).verify().damage


def test_a_score_of_an_older_file_whose_answer_is_gone_is_named_and_the_rest_computed(
    copy, deepassay
):
    make_older(copy)
    done = deepassay("replay", copy)
    assert done.returncode == 0
    assert "An older version made this file" in done.stderr
    altered(copy, ("DELETE FROM answers WHERE operation LIKE 'presentation%'", []))
    done = deepassay("replay", copy)
    assert done.returncode == 1
    assert "differs: presentation of heron" in done.stderr and "holds no answer" in done.stderr
    assert "30 outcomes are the same to the byte, 6 are not." in done.stdout


def test_an_older_file_that_is_written_to_is_sealed(copy):
    make_older(copy)
    RunFile.create(copy).close()
    with RunFile.read(copy) as run:
        found = run.verify()
    assert found.sealed and not found.damage
    altered(copy, ("UPDATE attempts SET seconds=seconds+1 WHERE number=1", []))
    with RunFile.read(copy) as run:
        assert {each.table for each in run.verify().damage} == {"attempts"}


def test_every_table_of_the_schema_is_sealed(tmp_path):
    path = tmp_path / "r"
    make(path)
    with closing(sqlite3.connect(path)) as db:
        tables = {name for (name,) in db.execute("SELECT tbl_name FROM sqlite_master")}
    assert tables - {"seals"} == set(KEYS)


def test_a_table_that_is_gone_with_its_rows_is_named(copy, subtests):
    for table in sorted(KEYS.keys() - {OLD}):
        there = shutil.copy(copy, copy.with_name("gone"))
        with subtests.test(table), closing(sqlite3.connect(there)) as db:
            (rows,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
            db.execute(f"DROP TABLE {table}")
            found = seals.verify_rows(db, there)
            assert rows and table not in found.rows
            assert [(each.table, each.row) for each in found.damage] == [(table, "the table")]


def test_every_row_of_thousands_is_looked_at_once_and_in_one_go(copy, monkeypatch):
    before, seals_before = looked_at(copy, monkeypatch)
    with closing(sqlite3.connect(copy)) as db:
        for table in ("outcomes", "answers"):
            names = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")][1:]
            db.execute(
                f"INSERT INTO {table} SELECT n || key, {', '.join(names)} FROM {table}, "
                "(WITH RECURSIVE up(n) AS (VALUES(1) UNION ALL SELECT n+1 FROM up WHERE n<2000) "
                "SELECT n FROM up) LIMIT 2000"
            )
        db.commit()
    after, seals_after = looked_at(copy, monkeypatch)
    assert after == before
    assert seals_after == seals_before + 4_000
    with RunFile.read(copy) as run:
        assert len(run.verify().damage) == 4_000


def looked_at(path, monkeypatch):
    """How many statements verifying takes, and how many seals it works out."""
    statements, worked_out = [], []
    seal = seals._seal

    def verify(db, path):
        db.set_trace_callback(statements.append)
        return seals.verify_rows(db, path)

    with monkeypatch.context() as watched:
        watched.setattr(store, "verify_rows", verify)
        watched.setattr(seals, "_seal", lambda *values: worked_out.append(1) or seal(*values))
        with RunFile.read(path) as run:
            run.verify()
    return len(statements), len(worked_out)


def test_a_column_that_says_nothing_beside_a_reference_is_named_by_export(
    copy, tmp_path, deepassay
):
    assert altered(copy, ("UPDATE outcomes SET said='null' WHERE protocol='race'", []))
    done = deepassay("export", copy, "-o", tmp_path / "tables", "--format", "csv")
    assert done.returncode == 2 and "scores cannot be read, and" in done.stderr
    assert "Traceback" not in done.stderr
