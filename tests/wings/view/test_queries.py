"""Every query behind a view goes by an index: none looks through what grows with reports."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from deepassay.wings.view import side as side_module
from tests.wings.view.rooms import Visitor

TERRACE = {"agent": "magpie", "task": "terrace-heat"}

VIEWS: list[tuple[str, dict[str, Any]]] = [
    ("/", {}),
    *(("/", {"sort": each}) for each in ("fact", "agent", "task")),
    *(("/", {"sort": each, "turned": "1"}) for each in ("fact", "agent", "task", "")),
    *(("/", {"mode": each}) for each in ("failed", "differ", "changed", "noted")),
    ("/", {"agent": "magpie"}),
    ("/", {"agent": "magpie", "sort": "fact"}),
    ("/", {"run": "1"}),
    ("/", {"task": "swift-boxes"}),
    ("/", {"label": "language=en"}),
    ("/", {"criterion": "every citation has its reference"}),
    ("/", {"protocol": "fact", "most": "0.5"}),
    ("/", {"most": "0.5"}),
    ("/", {"judge": "offline"}),
    ("/", {"cause": "not_asked"}),
    ("/", {"q": "heat"}),
    ("/", {"q": "nothingatall"}),
    ("/map", {}),
    ("/map", {"protocol": "fact", "run": "2"}),
    ("/report", TERRACE),
    ("/pair", {**TERRACE, "with": "heron"}),
    ("/pair", {**TERRACE, "with": "magpie", "with_run": "2"}),
    ("/changes", {}),
    ("/judges", {}),
    ("/search", {"q": "heat"}),
    ("/search", {"q": "电梯"}),
    ("/note", TERRACE),
    ("/notes", {}),
    ("/notes.csv", {}),
    ("/pulse", {"seen": "0"}),
]

SMALL = re.compile(
    r"SCAN (runs|some|main.fulltext_config|fulltext VIRTUAL TABLE|CONSTANT ROW|\(subquery)"
)
"""Few rows, or those that a query has found already, or words by their index."""

PARTIAL = ("reports_failed", "reports_differ", "reports_changed", "items_differ")
"""Indexes that hold just what is asked for."""


def plan_of(db: sqlite3.Connection, sql: str) -> list[str]:
    return [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}")]


def scans(db: sqlite3.Connection, sql: str) -> list[str]:
    """The steps of a query that look through a table or an index without a bound."""
    plan = plan_of(db, sql)
    # In the order of an index, as far as the first rows that are shown.
    walks = " LIMIT " in sql and not any("TEMP B-TREE" in step for step in plan)
    return [
        step
        for step in plan
        if ("SCAN" in step or "AUTOMATIC" in step)
        and not SMALL.search(step)
        and not any(step.endswith(f"INDEX {name}") for name in PARTIAL)
        and not (walks and "INDEX" in step)
    ]


@pytest.fixture
def asked_of(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that any connection to a side file carries out, with its values."""
    found: list[str] = []

    def connect(*given: Any, **options: Any) -> sqlite3.Connection:
        db = sqlite3.connect(*given, **options)
        db.set_trace_callback(found.append)
        return db

    class Traced:
        def __getattr__(self, name: str) -> Any:
            return connect if name == "connect" else getattr(sqlite3, name)

    monkeypatch.setattr(side_module, "sqlite3", Traced())
    return found


@pytest.fixture
def traced(asked_of: list[str], demo: Path, later: Path) -> Iterator[Visitor]:
    found = Visitor([demo, later])
    yield found
    found.close()


def test_every_view_of_two_runs_asks_by_indexes(traced: Visitor, asked_of: list[str]) -> None:
    pages = [link for link in traced.get("/report", **TERRACE).links() if link[:6] == "/page?"]
    with closing(sqlite3.connect(traced.side.path)) as db:
        for path, query in [*VIEWS, *((page, {}) for page in pages[:2])]:
            asked_of.clear()
            answer = traced.get(path, **query) if query else traced.follow(path)
            assert answer.status in (200, 204), (path, query)
            queries = {sql for sql in asked_of if sql.startswith(("SELECT", "WITH"))}
            assert queries or path in ("/notes", "/notes.csv", "/pulse")
            for sql in queries:
                assert not scans(db, sql), (path, query, sql, plan_of(db, sql))


def test_what_follows_of_a_new_score_is_found_by_indexes(
    traced: Visitor, asked_of: list[str]
) -> None:
    """But for ranks, which are over all scores, and are found anew where many are new."""
    with closing(sqlite3.connect(traced.side.path)) as db:
        db.execute("CREATE TEMP TABLE now(report INTEGER PRIMARY KEY)")
        for sql in {sql for sql in asked_of if "FROM now" in sql and sql.startswith("UPDATE")}:
            left = [step for step in scans(db, sql) if not re.search(r"SCAN (now|found)", step)]
            assert not left, (sql, plan_of(db, sql))


def test_a_score_is_put_in_by_what_its_report_has_and_reading_goes_on_where_it_was(
    traced: Visitor, asked_of: list[str]
) -> None:
    """Neither takes longer the more scores there are."""
    with closing(sqlite3.connect(traced.side.path)) as db:
        means = {sql for sql in asked_of if sql.startswith("UPDATE scores SET mean")}
        assert means
        for sql in means:
            assert all("report=?" in step for step in plan_of(db, sql) if "SCALAR" not in step)
    run = traced.room.runs[0]
    asked: list[str] = []
    db = run.file._store._db
    db.set_trace_callback(asked.append)
    assert [*run.file.since(80, [3])]
    db.set_trace_callback(None)
    queries = [sql for sql in asked if sql.startswith("SELECT kept.rowid")]
    assert len(queries) == 2
    for sql in queries:
        assert plan_of(db, sql)[0].startswith("SEARCH kept USING INTEGER PRIMARY KEY")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM items WHERE verdict='met'",
        "SELECT id FROM reports ORDER BY digest LIMIT 3",
        "SELECT DISTINCT judge FROM scores",
        "SELECT x.text FROM texts x JOIN items i ON i.name=x.text LIMIT 3",
    ],
)
def test_a_query_without_an_index_is_seen(visitor: Visitor, sql: str) -> None:
    with closing(sqlite3.connect(visitor.side.path)) as db:
        assert scans(db, sql)
