"""Outcomes that an earlier version kept as one body each, put in columns."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from deepassay.errors import BadRow, Notice
from deepassay.runfile.columns import PLACE, InColumns
from deepassay.runfile.rows import Bodies, StoredScore
from deepassay.runfile.seals import keep_seals, sealed
from deepassay.runfile.shapes import BadShape, check_shape
from deepassay.runfile.written import written
from deepassay.score import Json

_AT_A_TIME: Final = 500
MANY: Final = 20_000
"""Outcomes of which it is said that they are put in columns: it takes seconds."""


def put_in_columns(db: sqlite3.Connection, path: Path) -> None:
    """Move every outcome from the table `scores` to `outcomes`, inside the caller's transaction.

    What is not as it was written stays in `scores`, where reading passes over it and `verify`
    names it.
    """
    (count,) = db.execute("SELECT count(*) FROM scores").fetchone()
    if not count:
        return
    if count >= MANY:
        warnings.warn(Notice(f"{path}: {count:,} outcomes are put in columns."), stacklevel=2)
    keep_seals(db)
    bodies = Bodies(path)
    for row, score, kept in _whole(db, bodies):
        for sql, values in written(score, InColumns.of(kept, score.end.mark)):
            db.execute(sql, [*bodies.columns(values)])
        db.execute("DELETE FROM scores WHERE rowid=?", [row])


def _whole(db: sqlite3.Connection, bodies: Bodies) -> Iterator[tuple[int, StoredScore, Json]]:
    """Row and outcome of those that are what was written."""
    names = ("key", *PLACE)
    sql = (
        f"SELECT rowid, {sealed(db, 'scores')}, {', '.join(names)}, body, sha256 FROM scores "
        f"WHERE rowid > ? ORDER BY rowid LIMIT {_AT_A_TIME}"
    )
    last = -(2**63)
    while rows := db.execute(sql, [last]).fetchall():
        for last, is_sealed, *place, body, sha256 in rows:
            try:
                kept = bodies.unpack(f"score {place[0][:12]}", body, sha256)
                check_shape("score", kept)
            except (BadRow, BadShape):
                continue  # it stays where it is: `replay` names it, `evaluate` judges it anew
            if is_sealed and [kept[name] for name in names] == place:
                said = {name: kept[name] for name in ("outcome", "identity", "record")}
                yield last, StoredScore(*place, **said), said
