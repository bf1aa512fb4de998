"""Run files as strangers may make them: each kind is one change of a run that is whole.

Whoever makes one may seal it too: seals tell what was changed by accident, and nobody's intent.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import zstandard

from deepassay.runfile.columns import NUMBERS
from deepassay.runfile.rows import Bodies
from deepassay.runfile.seals import keep_seals

Change = Callable[[sqlite3.Connection], None]

DEEP = "[" * 100_000
ODD: tuple[Any, ...] = (
    *(None, 7, -1, 10**400, "x", [1, [2]], {"a": {"b": []}}, True, {}, [], [None], ["x"], [{}]),
    *({"a": None}, {"a": 5}, {"a": "x"}, 1e308, "\ud800", "9" * 400),
)
"""What stands where something else belongs."""
IN_COLUMNS: tuple[Any, ...] = (
    *("{", "[]", "[7]", '{"a": 5}', '{"a": {"details": 5}}', '{"games": 5, "open": "x"}', "NaN"),
    *(DEEP, "0" * 16, "x", 7, -1.5, None),
)


def sql(*statements: str) -> Change:
    """What cannot be sealed; the others seal each row of the tables that they change."""

    def change(db: sqlite3.Connection) -> None:
        db.executescript(";".join(statements))

    return change


def in_place_of(table: str, what: str) -> Change:
    """Something of the name of a table that is none."""
    return sql(f"ALTER TABLE {table} RENAME TO kept", what.format(table))


def text_of_body(table: str, text: str) -> Change:
    """Every body of a table is this text, with the digest that belongs to it."""

    def change(db: sqlite3.Connection) -> None:
        body, digest = Bodies(Path()).pack_bytes(text.encode("utf-8", "surrogatepass"))
        keep_seals(db, [table])
        db.execute(f"UPDATE {table} SET body=?, sha256=?", [body, digest])

    return change


def part(table: str, *way: str) -> Change:
    """What stands at the end of this way is something odd: in each row something else."""

    def change(db: sqlite3.Connection) -> None:
        keep_seals(db, [table])
        bodies, unpack = Bodies(Path()), zstandard.ZstdDecompressor()
        rows = db.execute(f"SELECT rowid, body FROM {table} ORDER BY sha256").fetchall()
        for (row, packed), odd in zip(rows, cycle(ODD), strict=False):
            whole = json.loads(unpack.decompress(packed))
            place = whole
            for step in way[:-1]:
                place = place[step]
            place[way[-1]] = odd
            body, digest = bodies.pack_bytes(json.dumps(whole).encode())
            db.execute(f"UPDATE {table} SET body=?, sha256=? WHERE rowid=?", [body, digest, row])

    return change


def meta(key: str, text: str) -> Change:
    def change(db: sqlite3.Connection) -> None:
        keep_seals(db, ["meta"])
        db.execute("REPLACE INTO meta VALUES(?, ?)", [key, text])

    return change


def without_salt(db: sqlite3.Connection) -> None:
    keep_seals(db, ["meta"])
    db.execute("DELETE FROM meta WHERE key='salt'")


def column(table: str, name: str, value: Any) -> Change:
    def change(db: sqlite3.Connection) -> None:
        keep_seals(db, [table])
        db.execute(f"UPDATE OR REPLACE {table} SET {name}=?", [value])

    return change


def odd_column(name: str) -> Change:
    """A column of outcomes is something odd: in each row something else."""

    def change(db: sqlite3.Connection) -> None:
        keep_seals(db, ["outcomes"])
        rows = db.execute("SELECT rowid FROM outcomes ORDER BY key").fetchall()
        for (row,), odd in zip(rows, cycle(IN_COLUMNS), strict=False):
            db.execute(f"UPDATE outcomes SET {name}=? WHERE rowid=?", [odd, row])

    return change


@cache
def packed_bomb() -> bytes:
    """300 MB in a few kilobytes."""
    return zstandard.ZstdCompressor().compress(bytes(300 * 1024 * 1024))


def bomb(table: str) -> Change:
    def change(db: sqlite3.Connection) -> None:
        keep_seals(db, [table])
        db.execute(f"UPDATE {table} SET body=?", [packed_bomb()])

    return change


ENDLESS = (
    "CREATE VIEW {0} AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) "
    "SELECT x AS key, x AS name, x AS value, x AS identity, x AS id, x AS body FROM n"
)
SCHEMAS: dict[str, Change] = {
    **{
        f"an endless view in place of {table}": in_place_of(table, ENDLESS)
        for table in ("meta", "protocols", "tasks", "reports", "outcomes", "runs")
    },
    **{f"no table {table}": sql(f"DROP TABLE {table}") for table in ("meta", "outcomes", "seals")},
    "no column open": sql("ALTER TABLE outcomes DROP COLUMN open"),
    "a column more": sql("ALTER TABLE outcomes ADD COLUMN more TEXT DEFAULT 'x'"),
    "a generated column": sql("ALTER TABLE tasks ADD COLUMN more AS (hex(zeroblob(1000000000)))"),
    "a trigger": sql("CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM outcomes; END"),
    "an index that is slow": sql("CREATE INDEX i ON tasks(length(hex(zeroblob(10000000))))"),
    "a check that fails": sql(
        "ALTER TABLE tasks RENAME TO kept",
        "CREATE TABLE tasks(id TEXT PRIMARY KEY, position INTEGER NOT NULL, body BLOB, "
        "sha256 TEXT, CHECK(length(hex(zeroblob(100000000))) < 0))",
    ),
    "a virtual table": sql("CREATE VIRTUAL TABLE more USING fts5(x)"),
    "another program's table": sql("CREATE TABLE more(x)"),
    "version 0": sql("PRAGMA user_version=0"),
    "a negative version": sql("PRAGMA user_version=-5"),
}
TEXTS = (
    *("cause", "detail", "recipe", "record", "list", "counts", "parts", "marks", "said", "pages"),
    "voices",
)
VALUES: dict[str, Change] = {
    "no salt": without_salt,
    "a salt that is no text": column("meta", "value", b"\xff"),
    "agents that are numbers": column("reports", "agent", b"\x01"),
    "samples that are texts": column("reports", "sample", "x"),
    "tasks without a name": column("tasks", "id", None),
    "positions that are texts": column("tasks", "position", "first"),
    "bodies that are texts": column("outcomes", "body", "x"),
    "bodies that are nothing": column("outcomes", "body", None),
    "digests that are numbers": column("outcomes", "sha256", b"\x00"),
    "places that are texts": column("outcomes", "open", "x"),
    "costs without an end": column("attempts", "cost", 9e999),
    "costs below nothing": column("attempts", "cost", -5.0),
    "usage that is a list": column("attempts", "usage", "[1]"),
    "usage that is deep": column("attempts", "usage", DEEP),
}
IDENTITIES: dict[str, Change] = {
    f"an identity that is {text}": column("protocols", "identity", text)
    for text in map(json.dumps, ODD)
    if len(text) < 20
}
_IDENTITY: dict[str, Any] = {
    "protocol": "coverage", "edition": "paper", "judges": [{"model": "offline"}], "repeats": 1,
}  # fmt: skip
IDENTITIES |= {
    title: column("protocols", "identity", json.dumps(_IDENTITY | change))
    for title, change in {
        "judges that are texts": {"judges": ["a"]},
        "repeats without end": {"repeats": 10**12},
        "an edition that is a number": {"edition": 7},
    }.items()
}
IDENTITIES |= {
    f"an identity without {name}": column(
        "protocols",
        "identity",
        json.dumps({key: _IDENTITY[key] for key in _IDENTITY if key != name}),
    )
    for name in _IDENTITY
}
IDENTITIES |= {
    "an identity that is deep": column("protocols", "identity", DEEP),
    "an identity that is no JSON": column("protocols", "identity", "{"),
}
METAS: dict[str, Change] = {
    f"{key}: {text[:30]}": meta(key, text)
    for key in ("configuration", "metrics", "parts")
    for text in ("{", "[]", "7", DEEP, '{"a": 5}', '{"a": null}', "NaN")
}
METAS |= {
    "a date that is none": meta("configuration", '{"date": "yesterday"}'),
    "a metric with odd bounds": meta("metrics", '{"coverage": {"bounds": 5}}'),
    "a metric with odd roles": meta("metrics", '{"coverage": {"roles": 5}}'),
    "a metric with an odd definition": meta("metrics", '{"coverage": {"definition": "}{"}}'),
    "shards without end": meta(
        "parts", '{"evaluate": {"count": 1000000000000, "whole": "x", "numbers": [1]}}'
    ),
}
WITH_BODY = ("tasks", "reports", "yardsticks", "answers", "outcomes", "runs")
BODIES: dict[str, Change] = {
    f"{table}: {text[:12]}": text_of_body(table, text)
    for table in WITH_BODY
    for text in ("", "{", "NaN", "[NaN]", "{}", "[]", "7", DEEP, '"\ud800"')
}
BODIES |= {f"{table}: a bomb": bomb(table) for table in WITH_BODY}
_OUTCOME = ("value", "bounds", "parts", "tally", "details", "cause", "detail")
_DETAILS = (
    *("items", "judges", "counts", "open", "low", "high", "agreement", "pages", "funnel"),
    *("page_classes", "errors", "winner", "games", "totals", "quirks", "statements_by"),
    *("released_counts", "baseline", "correct", "ratings", "summary", "not_asked"),
)
_PLACES: tuple[tuple[str, ...], ...] = (
    *(("outcomes", name) for name in _OUTCOME),
    *(("outcomes", "details", name) for name in _DETAILS),
    *(("tasks", name) for name in ("id", "prompt", "labels", "language", "checklist")),
    *(("runs", name) for name in ("report", "usage", "seconds", "cost", "sources", "found")),
    *(("runs", name) for name in ("record", "stop", "raw", "steps")),
)
PARTS: dict[str, Change] = {
    **{" ".join(way): part(*way) for way in _PLACES},
    **{f"outcomes {name}": odd_column(name) for name in (*NUMBERS, *TEXTS)},
    **{f"what is shared is {text:.9}": column("shared", "text", text) for text in ("{", "7", DEEP)},
}
RAW: dict[str, Change] = {
    "text that is no UTF-8": sql("UPDATE tasks SET id=CAST(x'ff41' AS TEXT) WHERE position=0"),
    **SCHEMAS,
}
CHANGES = RAW | VALUES | IDENTITIES | METAS | BODIES | PARTS


def craft(whole: Path, path: Path, change: Change) -> Path:
    """A copy of a run file with this change, sealed as if a run had written it where it can be."""
    path.write_bytes(whole.read_bytes())
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        change(db)
    return path
