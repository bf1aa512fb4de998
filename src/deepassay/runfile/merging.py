"""Shards of one plan put together into one run file, row by row, nothing decided anew."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from deepassay.errors import BadRunFile
from deepassay.runfile.columns import read_back
from deepassay.runfile.file import RunFile
from deepassay.runfile.registering import MERGED, Parts, merged, parts_in_sql
from deepassay.runfile.rows import Bodies, same_run
from deepassay.runfile.schema import (
    VERSION,
    appearing,
    checked_version,
    connect,
    copy_into,
    lay_out,
    to_read,
    upgrade,
)
from deepassay.runfile.seals import KEYS, keep_seals
from deepassay.score import Json, named

_FIRST_STAYS: Final = frozenset(
    {"attempts", "captures", "contents", "readings", "searches", "sent_back", "verdicts"}
)
"""Rows of one key are the same thing, or as good: of a search asked twice, the first answer. Of a
verdict that two shards asked for, what rests on the second is not taken, see `_on_other_verdicts`.
"""

_OF_ONE_FILE: Final = frozenset({"meta", "waiting", "batches"})
"""What is not carried over: batches are numbered by file, and come to answers and attempts."""

_NAMED: Final = {
    "tasks": "task {0}",
    "reports": "the report of {0} for task {1}",
    "yardsticks": "the {0} of task {1}",
    "runs": "the run of {0} on task {1}",
    "answers": "the answer {0:.12}",
    "verdicts": "the verdict {0:.12}",
    "scores": "the score {0:.12}",
    "outcomes": "the score {0:.12}",
}
"""How a row is called in messages, by the columns of its key."""

_SHOWN: Final = 5


@contextmanager
def merging(paths: Sequence[Path], target: Path) -> Iterator[tuple[Path, int]]:
    """A run file that holds what several hold, which are shards of one plan.

    Gives its hidden name, under which the block may add to it, and how many scores are left out,
    since they rest on verdicts that another file has otherwise, or lack one that another file has;
    all that they are computed from is there.
    The file appears at `target` when the block ends without an error, whole or not at all. Raises
    BadRunFile where one is none, is damaged, is no shard, belongs to another plan, or holds
    something else than another under the same name; each difference is named.
    """
    together = _checked(paths)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with appearing(target) as fresh:
            yield fresh, _put_together(paths, fresh, together)
            _synced(fresh)
    except (OSError, sqlite3.Error) as error:
        raise BadRunFile(
            f"{target}: the run files cannot be merged there ({error}).",
            "Choose a folder that you may write to, with room for all of them.",
        ) from error


def _put_together(paths: Sequence[Path], fresh: Path, together: Mapping[str, Parts]) -> int:
    """Fill a new run file from several; how many scores are left out."""
    left_out = 0
    given_elsewhere: set[str] = set()
    lay_out(fresh)
    with closing(connect(fresh, write=True, synchronous="OFF")) as db:
        keep_seals(db)
        db.execute("BEGIN")
        for path in paths:
            with _of_today(path, fresh) as current:
                contradictions, resting, pages = _added(db, current)
                _refuse(contradictions, path)
                left_out += len(resting)
                given_elsewhere |= pages
        db.execute("INSERT INTO meta VALUES(?, ?)", [MERGED, str(len(paths))])
        for statement, values in parts_in_sql(together):
            db.execute(statement, values)
        db.execute("COMMIT")
        if given_elsewhere:
            left_out += _without_open(db, fresh, given_elsewhere)
    return left_out


@contextmanager
def _of_today(path: Path, beside: Path) -> Iterator[Path]:
    """The file, or a copy of it that is brought up to our version. beside: where that is put."""
    if checked_version(path) == VERSION:
        yield path
        return
    copy = beside.with_name(f"{beside.name}-older")
    copy.unlink(missing_ok=True)
    try:
        copy_into(path, copy)
        upgrade(copy)
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _checked(paths: Sequence[Path]) -> dict[str, Parts]:
    """The shards of all files. Raises BadRunFile where they do not belong together."""
    together: dict[str, Parts] = {}
    salts: dict[str, Path] = {}
    first: tuple[Path, Json] | None = None
    for path in paths:
        with RunFile.read(path) as run:
            if (twin := salts.setdefault(run.salt, path)) != path or paths.count(path) > 1:
                raise same_run(path, twin)
            if damage := run.verify().damage:
                raise BadRunFile(
                    f"{path} is damaged: {damage[0]}.",
                    "`deepassay replay FILE` names all of it. Restore the file, or run its shard "
                    "again.",
                )
            if gone := run.without_report():
                raise BadRunFile(
                    f"{path}: reports that have scores are gone, {len(gone)} of them: "
                    f"{'; '.join(map(named, gone[:_SHOWN]))}.",
                    "Restore the file, or run its shard again.",
                )
            # One that is in no batch was told to go into another: nothing is paid and unread.
            requests = run.batching.requests.values()
            if waiting := sum(each.batch is not None for each in requests):
                raise BadRunFile(
                    f"{path}: {waiting} questions wait in batches.",
                    "Run its shard again with --batch until they are collected; what nobody asks "
                    "for any more, `deepassay batches FILE --forget N` gives up.",
                )
            here = run.parts()
            if not here:
                raise BadRunFile(
                    f"{path} is no shard of a run.",
                    "Run files that were made without --shard are read together: give all of "
                    "them to `leaderboard`.",
                )
            about: Json = {
                "configuration": run.configuration,
                "protocols": run.protocols(),
                "agents": run.answering.agents(),
                "shards of": {command: each.count for command, each in here.items()},
            }
            if first is None:
                first = path, about
            _refuse_unequal(path, about, *first)
            together = merged(together, here, path)
    return together


def _refuse_unequal(path: Path, about: Json, other: Path, expected: Json) -> None:
    lines = [
        f"{what}, {name}: {expected[what].get(name)!r} in {other}, {about[what].get(name)!r}"
        for what in about
        for name in sorted({*about[what], *expected[what]})
        if about[what].get(name) != expected[what].get(name)
    ]
    if lines:
        shown = "\n  ".join(line if len(line) < 300 else f"{line[:300]} …" for line in lines)
        raise BadRunFile(
            f"{path} was made under another configuration:\n  {shown}",
            "Run all shards with the same options and the same --date; `--shard` alone differs.",
        )


def _added(db: sqlite3.Connection, path: Path) -> tuple[list[str], list[str], set[str]]:
    """Put the rows of a file beside those that are there.

    Which of them contradict those, the keys of outcomes that were left out, and the pages on which
    a verdict that failed in one file was given in another.
    """
    db.execute("COMMIT")  # nothing can be attached inside of a transaction
    db.execute("ATTACH ? AS shard", [to_read(path)])
    db.execute("BEGIN")
    there = {name for (name,) in db.execute("SELECT name FROM shard.sqlite_master")}
    bodies = Bodies(path)
    contradictions: list[str] = []
    resting = _on_other_verdicts(db, path, bodies)
    pages = _pages_given_elsewhere(db, bodies)
    for table in KEYS:
        if table in there and table not in _OF_ONE_FILE:
            contradictions += _differences(db, table, bodies)
            db.execute(f"INSERT OR IGNORE INTO main.{table} {_rows_of(table)}")
    for outcome in resting:
        db.execute("DELETE FROM main.outcomes WHERE key=?", [outcome])
    for key in ("configuration", "metrics"):
        db.execute("INSERT OR IGNORE INTO main.meta SELECT * FROM shard.meta WHERE key=?", [key])
    db.execute("COMMIT")
    db.execute("DETACH shard")
    db.execute("BEGIN")
    return contradictions, resting, pages


def _on_other_verdicts(db: sqlite3.Connection, path: Path, bodies: Bodies) -> list[str]:
    """The keys of outcomes that a file brings and that rest on verdicts which are there otherwise.

    In one run a statement about a page has one verdict, the first, whoever makes it. Two shards
    that both asked have two. Where agents had read the page, all outcomes are taken to rest on it.
    """
    sql = (
        "SELECT theirs.body, theirs.sha256 FROM main.verdicts ours JOIN shard.verdicts theirs "
        "USING(key) WHERE ours.sha256 IS NOT theirs.sha256"
    )
    pages = {bodies.unpack("a verdict", *row)["page"] for row in db.execute(sql)}
    if not pages:
        return []
    texts = dict(db.execute("SELECT id, text FROM shard.captures"))
    there = {key for (key,) in db.execute("SELECT key FROM main.outcomes")}
    return [key for key in _resting_on(pages, texts, path) if key not in there]


def _resting_on(pages: Set[str], texts: Mapping[str, str], path: Path) -> Iterator[str]:
    """The keys of the outcomes of a file that rest on pages. texts: of captures, by digests."""
    by_agents = not pages <= {*texts.values()}
    with RunFile.read(path) as run:
        for each in run.scores():
            pinned = each.record.get("pages", {}).values()
            if by_agents or any(texts.get(capture) in pages for capture in pinned):
                yield each.key


def _pages_given_elsewhere(db: sqlite3.Connection, bodies: Bodies) -> set[str]:
    """Pages on which a judge failed in one file and gave a verdict in the other, on one statement.

    What is open for want of it would not be so, had both been asked in one run.
    """

    def rows(side: str, which: str) -> set[tuple[str, str, str]]:
        found = db.execute(f"SELECT body, sha256 FROM {side}.verdicts WHERE verdict{which}'failed'")
        told = (bodies.unpack("a verdict", *row) for row in found)
        return {(each["page"], each["judge"], each["statement"]) for each in told}

    pages: set[str] = set()
    for one, other in (("main", "shard"), ("shard", "main")):
        if failed := rows(one, "="):
            pages |= {page for page, *_ in failed & rows(other, "!=")}
    return pages


def _without_open(db: sqlite3.Connection, path: Path, pages: Set[str]) -> int:
    """Leave out the outcomes on these pages in which something is open; how many there were."""
    texts = dict(db.execute("SELECT id, text FROM captures"))
    still_open = {key for (key,) in db.execute("SELECT key FROM outcomes WHERE open")}
    keys = [key for key in _resting_on(pages, texts, path) if key in still_open]
    db.execute("BEGIN")
    for key in keys:
        db.execute("DELETE FROM outcomes WHERE key=?", [key])
    db.execute("COMMIT")
    return len(keys)


def _rows_of(table: str) -> str:
    if table != "captures":
        return f"SELECT * FROM shard.{table}"
    # Their position only decides between two of one second.
    columns = "id, url, fetched, reader, final_url, status, media, title, failure, detail, text"
    return f"(position, {columns}, body) SELECT NULL, {columns}, body FROM shard.captures"


def _differences(db: sqlite3.Connection, table: str, bodies: Bodies) -> Iterator[str]:
    """Rows of a table that are something else under the same key.

    A score that is open gives way to one that is not, as in one run. Of two answers about one page
    and the same statements, from reports of two shards, the first stays as its verdicts do.
    """
    if table in _FIRST_STAYS:
        return
    keys = ", ".join(KEYS[table])
    columns = [name for _, name, *_ in db.execute(f"PRAGMA main.table_info({table})")]
    unequal = " OR ".join(f"ours.{name} IS NOT theirs.{name}" for name in columns)
    sql = f"FROM main.{table} ours JOIN shard.{table} theirs USING ({keys}) WHERE {unequal}"
    for key in db.execute(f"SELECT {keys} {sql}").fetchall():
        where = " AND ".join(f"{name}=?" for name in KEYS[table])
        ours, theirs = (
            dict(zip(columns, row, strict=True))
            for side in ("main", "shard")
            for row in db.execute(f"SELECT * FROM {side}.{table} WHERE {where}", key)
        )
        outcome = table in ("outcomes", "scores")
        if outcome and ours["open"] and not theirs["open"]:
            db.execute(f"DELETE FROM main.{table} WHERE {where}", key)
        elif outcome and theirs["open"] and not ours["open"]:
            continue
        elif (one := _said(db, table, ours, bodies)) != (other := _said(db, table, theirs, bodies)):
            failed = table == "answers" and (one[-1] or other[-1])
            if table == "answers" and not failed and _on_pages(db, ours, bodies):
                continue
            more = ", which failed in one: --retry-unscored asks again there" if failed else ""
            yield _NAMED.get(table, f"{table} {{0}}").format(*key) + more


def _on_pages(db: sqlite3.Connection, answer: dict[str, Any], bodies: Bodies) -> bool:
    """Whether verdicts on pages are read from answers of this kind."""
    rows = db.execute("SELECT body, sha256 FROM shard.verdicts WHERE verdict != 'failed'")
    named = (bodies.unpack("a verdict", *row)["answer"] for row in rows)
    kind = "SELECT operation FROM shard.answers WHERE key=?"
    return any(db.execute(kind, [key]).fetchone() == (answer["operation"],) for key in named)


def _said(db: sqlite3.Connection, table: str, row: dict[str, Any], bodies: Bodies) -> Json:
    """What a row says, without what differs from one run to the next.

    Of an outcome, which its record is not; of an answer, which is not how long it took.
    """
    if table not in ("outcomes", "answers"):
        return {name: value for name, value in row.items() if name not in ("body", "position")}
    name = f"{table} {row['key'][:12]}"
    body = bodies.unpack(name, row["body"], row["sha256"])
    if table == "answers":
        return [body.get(each) for each in ("raw", "cause")]
    texts = db.execute("SELECT digest, text FROM main.shared WHERE instr(?, digest)", [str(row)])
    shared = {digest: bodies.parsed(name, text) for digest, text in texts}
    found = {name: value for name, value in row.items() if value is not None}
    return read_back(found, shared, body, partial(bodies.parsed, name))["outcome"]


def _refuse(contradictions: Iterable[str], path: Path) -> None:
    if lines := list(contradictions):
        more = f"\n  and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
        shown = "\n  ".join(lines[:_SHOWN])
        raise BadRunFile(
            f"{path} says something else than the files before it:\n  {shown}{more}",
            "Each shard is run once, into one file of its own: leave out one of the two, or run "
            "the shard again.",
        )


def _synced(path: Path) -> None:
    """Have a file on the disk before it gets its name."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
