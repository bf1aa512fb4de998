"""What is not as it was written is found and named, in files of this version and of older ones."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from deepassay.errors import BadRunFile
from deepassay.runfile import (
    Capture,
    RunFile,
    StoredAnswer,
    StoredReport,
    StoredScore,
    StoredVerdict,
)
from deepassay.runfile.seals import KEYS
from deepassay.score import digest

from .older import put_in_bodies

REPORT = StoredReport("heron", "t", 1, "It rained in the field, and nobody had an umbrella.")
PAGE = Capture("https://a.example/", "2026-11-20T10:00:00Z", "direct", text="What it says.")
VERDICT = StoredVerdict("v", "It rained.", digest("page"), "judge", "supported", "rain", "a")
ANSWER = StoredAnswer("a", "coverage/judge", "openai:good", 0, digest("prompt"), '{"verdict": 1}')
IDENTITY = {"protocol": "coverage", "edition": "paper", "judges": [], "repeats": 1}
SCORE = StoredScore(
    "s",
    "coverage",
    "heron",
    "t",
    1,
    0,
    {"value": 0.5, "bounds": None, "parts": {}, "tally": None, "details": {}},
    IDENTITY,
    {},
)

WITH_BODY = ("tasks", "reports", "yardsticks", "answers", "scores", "verdicts", "contents")


@pytest.fixture
def whole(tmp_path):
    """A file with a row in every table that has bodies."""

    async def keep(run):
        await run.keep_answer(ANSWER, [])
        await run.keep_score(SCORE)
        await run.verdicts.keep([VERDICT])
        await run.captures.keep(PAGE)

    path = tmp_path / "run.assay"
    with RunFile.create(path) as run:
        judged_by = {"reference": [REPORT]}
        run.register({}, {"coverage": {}}, {"t": {"id": "t"}}, [REPORT], judged_by).result()
        asyncio.run(keep(run))
    return path


def altered(path, *statements):
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(*statement)
        db.commit()


def damage_in(path):
    with RunFile.read(path) as run:
        return run.verify().damage


@pytest.mark.parametrize("table", KEYS)
def test_a_table_that_is_gone_is_named(whole, table):
    altered(whole, (f"DROP TABLE {table}",))
    with pytest.raises(BadRunFile, match=f"its table {table} is missing"):
        RunFile.read(whole)


def older(path):
    """The file as version 2 would have made it."""
    put_in_bodies(path)
    altered(path, ("DROP TABLE seals",), ("PRAGMA user_version=2",))


def test_an_older_file_is_verified_as_far_as_it_can_be(whole):
    older(whole)
    with RunFile.read(whole) as run:
        verified = run.verify()
    assert not verified.sealed and not verified.damage
    assert {table: verified.rows[table] for table in WITH_BODY} == dict.fromkeys(WITH_BODY, 1)


@pytest.mark.parametrize("table", WITH_BODY)
def test_a_spoilt_body_in_an_older_file_is_named(whole, table):
    older(whole)
    with closing(sqlite3.connect(whole)) as db:
        key = " || '/' || ".join(KEYS[table])
        body, name = db.execute(f"SELECT body, {key} FROM {table}").fetchone()
    spoilt = bytearray(body)
    spoilt[-1] ^= 1
    altered(whole, (f"UPDATE {table} SET body=?", [bytes(spoilt)]))
    (found,) = damage_in(whole)
    assert found.table == table
    assert all(part in found.row for part in name.split("/"))
    assert "its body does not agree with its digest" in found.what
