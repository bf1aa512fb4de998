"""Whether a SQLite file is made as a run file is, before anything in it is believed.

Run files come from strangers too. What is asked of one is asked of plain tables whose text is
ours, in columns whose values have the types that they are declared with: no view or trigger can
stand in a table's place, and no value surprises who reads it. What stands in bodies is checked
where they are read, see `shapes`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from deepassay.errors import BadRow, BadRunFile
from deepassay.runfile.columns import PLACE
from deepassay.runfile.rows import LARGEST_BODY, bad_row
from deepassay.score import MOST

_LARGEST_ROW: Final = LARGEST_BODY + (1 << 20)
"""Bytes that SQLite makes or reads at once."""

_EMPTY: Final = frozenset({"cause", "status", "cost", "body_digest", "failure", "text", "batch"})
"""Columns that say by NULL that there is none; `captures.body` is another, and of `outcomes` all
but those that every outcome has.
"""

_EVERY_OUTCOME: Final = frozenset({*PLACE, "key", "open", "partial", "body", "sha256"})

_MOST: Final = 1e15
"""Of a column of real numbers, which are seconds and USD."""

_AS: Final = {
    "TEXT": "typeof({0})<>'text'",
    "BLOB": "typeof({0})<>'blob'",
    "INTEGER": "typeof({0})<>'integer'",
    "": f"{{0}} NOT BETWEEN -{MOST} AND {MOST}",  # as any text or blob is not
    "REAL": f"typeof({{0}}) NOT IN ('real', 'integer') OR {{0}} NOT BETWEEN 0 AND {_MOST}",
}
"""When a value of a column is not of its type."""


def be_wary(db: sqlite3.Connection) -> None:
    """Have a connection distrust the file that it is to."""
    db.execute("PRAGMA trusted_schema=OFF")
    db.execute("PRAGMA cell_size_check=ON")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_ROW)


def refuse_strange_schema(
    db: sqlite3.Connection, path: Path, steps: tuple[str, ...], version: int
) -> None:
    """Raise BadRunFile where a file lacks a table of its version, or has anything besides ours.

    steps: what each version of the schema adds to the one before.
    """
    ours = _made_by(steps)
    theirs: dict[str, str] = {}
    sql = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    for kind, name, text in db.execute(sql):
        if name not in ours or kind != ours[name].kind:
            raise _strange(path, f"it holds the {kind} {name!r:.80}, which no run file has")
        theirs[name] = _plain(text)
    for name, made in _made_by(steps[: max(0, version)]).items():
        if name not in theirs:
            raise _strange(path, f"its {made.kind} {name} is missing")
    for name, text in theirs.items():
        if text != ours[name].text:
            raise _strange(path, f"its {ours[name].kind} {name} has other columns than ours")


def refuse_strange_values(db: sqlite3.Connection, path: Path, statements: tuple[str, ...]) -> None:
    """Raise BadRow, naming it, for a row with a value that is not of the type of its column.

    statements: what made the tables of the file's version.
    """
    for table, rules in _rules_of(statements).items():
        sql = f"SELECT rowid FROM main.{table} WHERE {' OR '.join(rules.values())} LIMIT 1"
        for (row,) in db.execute(sql):
            raise _strange_row(db, path, table, row, rules)


class Lookout:
    """Has a connection that reads look at every value of a row before it gives any of them.

    A view of its own stands before each table, so that looking costs what is read, however large
    the file is. It is put there for the first statement that names the table: most name few.

    found: where a row is strange the statement fails, and its error is here: SQLite says of what
    a function raises only that it did.
    """

    def __init__(self, db: sqlite3.Connection, path: Path, statements: tuple[str, ...]) -> None:
        self.found: list[BadRow] = []
        self._db = db
        self._path = path
        self._rules = _rules_of(statements)
        self._unguarded = set(self._rules)
        db.create_function("refuse", 2, self._refuse)

    def guard(self, sql: str) -> None:
        """Put the views there that a statement needs, before it is carried out."""
        for table in self._unguarded & names_in(sql):
            # A subquery is looked at last: of the rows that are asked for, and of no others.
            # Another thread may be doing the same.
            self._db.execute(
                f"CREATE TEMP VIEW IF NOT EXISTS {table} AS SELECT * FROM main.{table} WHERE "
                f"(SELECT CASE WHEN {' OR '.join(self._rules[table].values())} "
                f"THEN refuse('{table}', rowid) ELSE 1 END)"
            )
            self._unguarded.discard(table)

    def _refuse(self, table: str, row: int) -> None:
        self.found.append(_strange_row(self._db, self._path, table, row, self._rules[table]))
        raise self.found[-1]


@lru_cache(maxsize=1_000)
def names_in(sql: str) -> frozenset[str]:
    """Every word of a statement: of the tables that it reads or writes, all are among them."""
    return frozenset(re.findall(r"\w+", sql.lower()))


def _strange_row(
    db: sqlite3.Connection, path: Path, table: str, row: int, rules: Mapping[str, str]
) -> BadRow:
    columns = [
        column
        for column, rule in rules.items()
        if db.execute(f"SELECT 1 FROM main.{table} WHERE rowid=? AND {rule}", [row]).fetchall()
    ]
    what = f"{table}, row {row}: its {columns[0]} is nothing that a run writes there"
    return bad_row(path, what)


@cache
def _rules_of(statements: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """By table and column, SQL that says of a value that it is not of the type of its column.

    Files whose tables are others than those that the statements make are refused before.
    """
    return {
        table: {column: _rule(table, column, type) for column, type in made.columns.items()}
        for table, made in _made_by(statements).items()
        if made.kind == "table"
    }


def _rule(table: str, column: str, kind: str) -> str:
    whole = _AS[kind].format(column)
    empty = column in _EMPTY or (table, column) == ("captures", "body")
    if table == "outcomes":
        empty = column not in _EVERY_OUTCOME
    return f"({column} IS NOT NULL AND ({whole}))" if empty else f"({whole})"


class _SchemaEntry(NamedTuple):
    """A table or an index. text: that SQLite keeps of it, without what lays it out."""

    kind: str
    text: str
    columns: Mapping[str, str]


@cache
def _made_by(statements: tuple[str, ...]) -> dict[str, _SchemaEntry]:
    """What statements make, by name."""
    with closing(sqlite3.connect(":memory:")) as db:
        for each in statements:
            db.executescript(each)
        sql = "SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL"
        return {
            name: _SchemaEntry(kind, _plain(text), _columns_of(db, name))
            for name, kind, text in db.execute(sql).fetchall()
        }


def _columns_of(db: sqlite3.Connection, table: str) -> dict[str, str]:
    """The columns of a table, each with its type."""
    rows = db.execute(f"PRAGMA main.table_info({table})")
    return {column: type for _, column, type, *_ in rows}


def _plain(text: str | None) -> str:
    """The text of a table without what lays it out."""
    return "".join((text or "").split())


def _strange(path: Path, what: str) -> BadRunFile:
    return BadRunFile(
        f"{path}: this is not a run file as DeepAssay makes them: {what}. It was not touched.",
        "Ask whoever made it for the file that `deepassay` wrote, or give another one.",
    )
