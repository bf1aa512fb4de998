"""Seals: of every row of a run file a digest over all its columns, kept apart from the row.

The writer's connection keeps them by triggers of its own, so that no statement can forget one.
A row that was changed, renamed, removed or put in by anything else no longer agrees with its seal.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from deepassay.errors import BadRunFile
from deepassay.runfile.rows import Bodies

KEYS: Final = {
    "meta": ("key",),
    "protocols": ("name",),
    "tasks": ("id",),
    "reports": ("agent", "task", "sample"),
    "yardsticks": ("role", "task"),
    "captures": ("id",),
    "contents": ("sha256",),
    "readings": ("capture",),
    "answers": ("key",),
    "sent_back": ("key",),
    "attempts": ("id",),
    "verdicts": ("key",),
    "scores": ("key",),
    "shared": ("digest",),
    "outcomes": ("key",),
    "agents": ("name",),
    "runs": ("agent", "task", "sample"),
    "jobs": ("key",),
    "searches": ("key",),
    "served": ("session", "number"),
    "waiting": ("name",),
    "batches": ("number",),
    "items": ("number",),
    "duties": ("rater", "item"),
    "ratings": ("number",),
}
"""By which columns the rows of each table are known."""

_TOLD: Final = {
    "answers": ("operation", "model", "repeat"),
    "attempts": ("key", "number", "kind"),
    "captures": ("url", "fetched"),
    "searches": ("provider", "query"),
    "scores": ("protocol", "agent", "task", "sample", "repeat"),
    "outcomes": ("protocol", "agent", "task", "sample", "repeat"),
    "batches": ("service", "state"),
}
"""Which columns tell people what a row is, where its key does not."""

CHANGED: Final = "is not what was written"
MISSING: Final = "is missing"
STRANGE: Final = "was not written by a run, or was renamed"

_SEALED: Final = "SELECT 1 FROM sqlite_master WHERE type='table' AND name='seals'"
_ANY_OF: Final = "SELECT 1 FROM seals WHERE kind=? LIMIT 1"


class Damage(NamedTuple):
    """Something that is not as it was written: in which table, which row, and what is wrong."""

    table: str
    row: str
    what: str

    def __str__(self) -> str:
        return f"{self.table}: {self.row} {self.what}"


@dataclass(frozen=True)
class Verified:
    """What came of looking at every row.

    rows: how many of each table are as they were written. sealed: False for a file of an older
    version, of which only bodies can be verified.
    """

    sealed: bool = True
    rows: dict[str, int] = field(default_factory=dict)
    damage: list[Damage] = field(default_factory=list)


def keep_seals(db: sqlite3.Connection, tables: Iterable[str] = KEYS) -> None:
    """Have a connection that writes seal each row that it writes, and forget those it removes."""
    db.create_function("seal", -1, _seal_of_row, deterministic=True)
    for table in tables:
        gone = f"DELETE FROM seals WHERE kind='{table}' AND row={_row(table, 'OLD.')};"
        comes = (
            f"DELETE FROM seals WHERE kind='{table}' AND row={_row(table, 'NEW.')};"
            f"INSERT INTO seals VALUES('{table}', {_row(table, 'NEW.')}, "
            f"seal({_values(db, table, 'NEW.')}));"
        )
        for event, body in (("INSERT", comes), ("UPDATE", gone + comes), ("DELETE", gone)):
            db.execute(
                f"CREATE TEMP TRIGGER seal_{table}_{event} AFTER {event} ON main.{table} "
                f"BEGIN {body} END"
            )


def seal_all(db: sqlite3.Connection, tables: Iterable[str] = KEYS) -> None:
    """Seal every row that has no seal yet: of a file that had none until now, or of new tables."""
    db.create_function("seal", -1, _seal_of_row, deterministic=True)
    for table in tables:
        db.execute(
            f"INSERT OR IGNORE INTO seals "
            f"SELECT '{table}', {_row(table)}, seal({_values(db, table)}) FROM {table}"
        )


def sealed(db: sqlite3.Connection, table: str) -> str:
    """SQL that says of each row of a table whether it agrees with its seal.

    For a connection that has `seal`, see `keep_seals`.
    """
    kept = f"SELECT sha256 FROM seals WHERE kind='{table}' AND row={_row(table, f'{table}.')}"
    return f"({kept}) IS seal({_values(db, table, f'{table}.')})"


def verify_rows(db: sqlite3.Connection, path: Path) -> Verified:
    """Compare every row with its seal, and every body with its digest.

    db: a connection of the caller's to `path`, of which nothing else is made.
    """
    # Text that is damaged may not be text any more, and must be read all the same.
    db.text_factory = bytes
    found = Verified(sealed=bool(db.execute(_SEALED).fetchall()))
    with closing(db.execute("PRAGMA integrity_check(20)")) as told:
        lines = [line.decode() for (line,) in told]
    if lines != ["ok"]:
        found.damage.extend(Damage("the file", "SQLite", f"says: {line}") for line in lines)
    bodies = Bodies(path)
    present = {name.decode() for (name,) in db.execute("SELECT name FROM sqlite_master")}
    for table in KEYS:
        if table in present:
            whole, damaged = _verify_table(db, table, bodies, sealed=found.sealed)
            found.rows[table] = whole
            found.damage.extend(damaged)
        elif found.sealed and db.execute(_ANY_OF, [table]).fetchall():
            # A file of an older version lacks tables, and has no seals of their rows either.
            found.damage.append(Damage(table, "the table", MISSING))
    return found


def _verify_table(
    db: sqlite3.Connection, table: str, bodies: Bodies, *, sealed: bool
) -> tuple[int, list[Damage]]:
    """How many rows are as they were written, and what is wrong with the others."""
    names = _names(db, table)
    row = _row(table, "its.")  # which may have columns of the names that seals have
    seal = f"SELECT sha256 FROM seals WHERE kind='{table}' AND row={row}"
    seal = f"({seal})" if sealed else "NULL"
    typed = ", ".join(f"typeof({name}), {name}" for name in names)
    rows = db.execute(f"SELECT {row}, {seal}, {typed} FROM main.{table} its")
    whole, there, damage = 0, 0, []
    for key, kept, *values in rows:
        columns = dict(zip(names, values[1::2], strict=True))
        what = None
        there += kept is not None
        if sealed and kept != _seal(*values).encode():
            what = STRANGE if kept is None else CHANGED
        if "body" in columns and table != "captures":
            what = _wrong_with_body(columns, bodies) or what
        if what is None:
            whole += 1
        else:
            damage.append(Damage(table, _name_of(table, key, columns), what))
    counted = "SELECT count(*) FROM seals WHERE kind=?"
    if sealed and db.execute(counted, [table]).fetchone()[0] > there:
        lost = f"kind=? AND row NOT IN (SELECT {_row(table)} FROM main.{table})"
        lacking = db.execute(f"SELECT row FROM seals WHERE {lost}", [table])
        damage.extend(Damage(table, _text(key), MISSING) for (key,) in lacking)
    return whole, damage


def _wrong_with_body(columns: dict[str, Any], bodies: Bodies) -> str | None:
    try:
        bodies.unpack_bytes("", columns["body"], _text(columns.get("sha256")))
    except BadRunFile:
        return f"{CHANGED}: its body does not agree with its digest"
    return None


def _name_of(table: str, key: bytes, columns: dict[str, Any]) -> str:
    shown = ", ".join(_text(columns.get(name)) for name in _TOLD.get(table, ()))
    return f"{_text(key)} ({shown})" if shown else _text(key)


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _seal(*values: object) -> str:
    """The digest of a row: of each column its type and its value, each with its length."""
    contents = [value if isinstance(value, bytes) else str(value).encode() for value in values]
    return hashlib.sha256(b"".join(map(_framed, contents))).hexdigest()


_TYPES: Final = {int: "integer", float: "real", str: "text", bytes: "blob", type(None): "null"}
"""What SQLite calls the types of its values."""


def _framed(content: bytes) -> bytes:
    return b"%d:%b" % (len(content), content)


_TYPED: Final = {kind: _framed(name.encode()) for kind, name in _TYPES.items()}
_NOTHING: Final = _TYPED[type(None)] + _framed(b"None")


def _seal_of_row(*values: object) -> str:
    """What `_seal` makes of these values and of the names of their types, in half of its time."""
    framed = [
        _NOTHING
        if value is None
        else _TYPED[type(value)]
        + _framed(value if isinstance(value, bytes) else str(value).encode())
        for value in values
    ]
    return hashlib.sha256(b"".join(framed)).hexdigest()


def _row(table: str, prefix: str = "") -> str:
    return f"json_array({', '.join(f'CAST({prefix}{key} AS TEXT)' for key in KEYS[table])})"


def _values(db: sqlite3.Connection, table: str, prefix: str = "") -> str:
    return ", ".join(f"{prefix}{name}" for name in _names(db, table))


def _names(db: sqlite3.Connection, table: str) -> list[str]:
    return [_text(name) for _, name, *_ in db.execute(f"PRAGMA main.table_info({table})")]
