"""The outcomes of a run file: kept, counted, and read with those passed over that cannot be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from functools import partial
from heapq import merge
from operator import attrgetter
from typing import Any, Final

from deepassay.errors import BadRunFile
from deepassay.runfile.columns import COLUMNS, PLACE, InColumns, in_sql, name_of, read_back
from deepassay.runfile.rows import End, StoredScore, bad_row, to_bytes
from deepassay.runfile.schema import VERSION
from deepassay.runfile.shapes import BadShape, check_shape
from deepassay.runfile.store import Store, Table
from deepassay.score import Json, ReportKey, strict_json

Columns = tuple[Any, ...]
"""Of an outcome: those of `LEADING`, and those that were asked for; None where one is empty."""

LEADING: Final = ("key", *PLACE, "recipe", "record")
"""Columns that say which outcome it is, and how it was made."""
_RECIPE, _RECORD = map(LEADING.index, ("recipe", "record"))

_TABLES: Final[tuple[Table, ...]] = ("outcomes", "scores")
_ROW: Final = ("key", *PLACE, *COLUMNS)
_BODY: Final = ("body", "sha256")
_SELECT: Final = f"SELECT {', '.join((*_ROW, *_BODY))} FROM outcomes"
_IN_ORDER: Final = f"ORDER BY {', '.join(PLACE)}"
_FIELDS: Final = tuple(each.name for each in fields(StoredScore))

REST: Final = "rest"
"""Stands among names of columns for all that has none."""

MOST_SHARED: Final = 20_000
"""Texts of the table `shared` that are held, to serve the rows that come after."""


class Scores:
    """What `RunFile` has of outcomes: of the table `outcomes`, and of `scores`, where versions
    before the eighth kept each as one body. Where both hold any, `scores` has what was damaged
    when the file was brought up to date.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shared = _Shared(store)

    def count_scores(self) -> int:
        """How many outcomes there are. Each is seen; of damaged ones see `Store.forgetting`."""
        count = 0
        for table in _TABLES:
            for key, _, whole in self._each(table):
                with self._store.forgetting(table, key):
                    whole()
                    count += 1
        return count

    def end(self, key: str) -> End | None:
        """How the case with this key ended, if it came to an end."""
        for table in _TABLES:
            for cause, mark in self._store.rows(
                f"SELECT cause, open FROM {table} WHERE key=?", key
            ):
                return End(cause, mark == 1, mark > 0)
        return None

    def unscored(self) -> Iterator[tuple[str, dict[str, Json]]]:
        """The outcomes that are no scores, each after its task."""
        for each in self._read("WHERE cause IS NOT NULL ORDER BY key", by="key"):
            yield each.task, each.outcome

    async def keep_score(self, score: StoredScore) -> None:
        """Keep an outcome; one that is open gives way to a later one, others to nothing."""
        said = {name: getattr(score, name) for name in ("outcome", "identity", "record")}
        found = InColumns.of(said, score.end.mark)
        if not found.shared:  # as plain JSON it may fit: a number of a library is one of JSON there
            bodies = self._store.bodies
            plain = bodies.parsed("a score", bodies.spelled(said))
            found = InColumns.of(plain, score.end.mark)
        await self._store.write_later([*in_sql(score, found)])

    def score_counts(self) -> Iterator[tuple[str, str, int, int, int]]:
        """Of each protocol and agent, how many outcomes, how many scores, at how many places."""
        columns = f"SELECT {', '.join(PLACE)}, cause"
        yield from self._store.each(
            "SELECT protocol, agent, count(*), count(*) - count(cause), "
            "count(DISTINCT json_array(task, sample, repeat)) "
            f"FROM ({columns} FROM outcomes UNION ALL {columns} FROM scores) "
            "GROUP BY protocol, agent"
        )

    def without_report(self) -> list[ReportKey]:
        """Reports that have a score and are not there themselves."""
        scored = " UNION ".join(
            f"SELECT agent, task, sample FROM {table} WHERE cause IS NULL" for table in _TABLES
        )
        reports = "SELECT agent, task, sample FROM reports"
        return self._store.rows(f"SELECT * FROM ({scored}) EXCEPT {reports} ORDER BY 1, 2, 3")

    def scores(
        self, protocols: Collection[str] = (), agents: Collection[str] = ()
    ) -> Iterator[StoredScore]:
        """Outcomes by protocol, agent, task, sample and repeat.

        protocols, agents: of these alone, if any is named.
        """
        where, values = _of(protocols, agents)
        yield from self._read(where, *values)

    def scores_of(self, task: str, agent: str | None = None) -> Iterator[StoredScore]:
        """The outcomes of one task, or of what an agent has for it, in the same order."""
        whose, values = ("", [task]) if agent is None else ("AND agent=?", [task, agent])
        yield from self._read(f"WHERE task=? {whose} {_IN_ORDER}", *values)

    def since(
        self, number: int = 0, again: Collection[int] = ()
    ) -> Iterator[tuple[int, StoredScore]]:
        """Outcomes that came after the one of a number, each with its own, in their order.

        again: numbers of earlier ones that were open and may have given way. Of files of older
        versions all have the number 0, and come where that is asked for.
        """
        self._refuse_if_upgraded()
        if not number:
            yield from ((0, each) for each in self._passed("scores"))
        if not self._store.rows("SELECT 1 FROM main.sqlite_master WHERE name='outcomes'"):
            return
        # What is read passes the rules of its table, which has no numbers when it does.
        columns = ", ".join(f"own.{name}" for name in (*_ROW, *_BODY))
        for which, numbers in ((f"IN ({','.join('?' * len(again))})", again), (">?", [number])):
            sql = (
                f"SELECT kept.rowid, {columns} FROM main.outcomes kept JOIN outcomes own "
                f"USING(key) WHERE kept.rowid {which} ORDER BY kept.rowid"
            )
            for place, *row in self._store.each(sql, *numbers):
                with self.passing():
                    yield place, self._of_columns(row)

    def columns(
        self, names: Sequence[str], protocols: Collection[str] = (), agents: Collection[str] = ()
    ) -> Iterator[Columns | StoredScore]:
        """Outcomes as columns: those of LEADING and of `names`, in this order; sorted as `scores`.

        `rest`, the last name: what is in no column, as the bytes of its JSON. Outcomes of an older
        file are put in columns as they come. One that is kept whole comes as that.
        """
        where, values = _of(protocols, agents)
        self._refuse_if_upgraded()
        wanted = (*LEADING, *names)
        with_rest = REST in names
        read = (*wanted[:-1], *_BODY) if with_rest else wanted
        rows = self._store.each(f"SELECT {', '.join(read)} FROM outcomes {where}", *values)
        passed = self._passed("scores", where, *values)
        older = (self._in_columns(score, wanted) for score in passed)
        yield from merge(self._or_whole(rows, with_rest), older, key=_place_of)

    @property
    def shared(self) -> Mapping[str, Json]:
        """What the digests in columns stand for."""
        return self._shared

    def whole(self, key: str) -> StoredScore:
        """The outcome with this key. Raises BadRow for what no run wrote."""
        for table in _TABLES:
            for *_, read in self._each(table, "WHERE key=?", key):
                return read()
        raise bad_row(self._store.path, f"score {key[:12]} is missing")

    def _or_whole(
        self, rows: Iterable[Columns], with_rest: bool
    ) -> Iterator[Columns | StoredScore]:
        for row in rows:
            in_columns = row[_RECIPE] is not None and row[_RECORD] is not None
            if in_columns and not with_rest:
                yield row
                continue
            with self.passing(row[1]):
                if in_columns:
                    *columns, body, sha256 = row
                    name = f"score {row[0][:12]}"
                    yield (*columns, self._store.bodies.unpack_bytes(name, body, sha256))
                else:
                    yield self.whole(row[0])

    def _in_columns(self, score: StoredScore, wanted: Sequence[str]) -> Columns | StoredScore:
        kept = {name: getattr(score, name) for name in ("outcome", "identity", "record")}
        found = InColumns.of(kept, score.end.mark)
        for name, text in found.shared.items():
            if name not in self._shared:
                self._shared.hold(name, text)
        if not found.shared:
            return score
        whole = dict(zip(("key", *PLACE), (score.key, *score.place), strict=True))
        whole |= found.columns
        if REST in wanted:
            whole[REST] = to_bytes(strict_json(found.body))
        return tuple(whole.get(name) for name in wanted)

    def _refuse_if_upgraded(self) -> None:
        """Raise BadRunFile where another process brought the file up to date since it was opened.

        What is read of an older file would not be where it was.
        """
        was = self._store.version
        if was < VERSION and self._store.rows("PRAGMA user_version") != [(was,)]:
            raise BadRunFile(
                f"{self._store.path} was brought up to date by another process while it was read.",
                "Run the same command again.",
            )

    def _read(self, where: str, *values: Json, by: str = "place") -> Iterator[StoredScore]:
        self._refuse_if_upgraded()
        tables = [self._passed(table, where, *values) for table in _TABLES]
        yield from merge(*tables, key=attrgetter(by))

    def _passed(self, table: Table, where: str = "", *values: Json) -> Iterator[StoredScore]:
        for _, protocol, whole in self._each(table, where, *values):
            with self.passing(protocol):
                yield whole()

    def _each(
        self, table: Table, where: str = "", *values: Json
    ) -> Iterator[tuple[str, str, Callable[[], StoredScore]]]:
        """Key, protocol and what reads each row: that raises BadRow for what no run wrote."""
        if table == "scores":
            sql = f"SELECT key, protocol, body, sha256 FROM scores {where}"
            for key, protocol, *body in self._store.each(sql, *values):
                yield key, protocol, partial(self._of_body, key, *body)
        else:
            for row in self._store.each(f"{_SELECT} {where}", *values):
                yield row[0], row[1], partial(self._of_columns, row)

    def _of_body(self, key: str, body: bytes, sha256: str) -> StoredScore:
        kept = self._store.body("score", f"score {key[:12]}", body, sha256)
        return StoredScore(**{name: kept[name] for name in _FIELDS})

    def _of_columns(self, row: Sequence[Any]) -> StoredScore:
        *columns, body, sha256 = row
        found = {name: each for name, each in zip(_ROW, columns, strict=True) if each is not None}
        name = f"score {found['key'][:12]}"
        rest = self._store.bodies.unpack(name, body, sha256)
        parsed = partial(self._store.bodies.parsed, name)
        try:
            kept = found | read_back(found, self._shared, rest, parsed)
            check_shape("score", kept)
        except (BadShape, LookupError, TypeError, ValueError, AttributeError) as error:
            raise bad_row(self._store.path, f"{name}: {error}") from None
        return StoredScore(**{name: kept[name] for name in _FIELDS})

    def passing(self, protocol: str = "") -> AbstractContextManager[None]:
        """Pass over what raises BadRow, a score by this protocol, with a word about it."""
        return self._store.passing(protocol)

    @property
    def passed_over(self) -> Counter[str]:
        """How many times that was done, by protocols; under no name where it is not known."""
        return Counter(self._store.passed_over)


def _of(protocols: Collection[str], agents: Collection[str]) -> tuple[str, list[Json]]:
    """Which outcomes are those of these protocols and agents, of all where none is named."""
    named = [
        f"{column} IN ({','.join('?' * len(names))})"
        for column, names in (("protocol", protocols), ("agent", agents))
        if names
    ]
    where = f"WHERE {' AND '.join(named)}" if named else ""
    return f"{where} {_IN_ORDER}", [*protocols, *agents]


def _place_of(row: Columns | StoredScore) -> tuple[Json, ...]:
    return row.place if isinstance(row, StoredScore) else row[1 : 1 + len(PLACE)]


class _Shared(dict[str, Json]):
    """What the digests of the table `shared` stand for, read as they are asked for."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    def __missing__(self, name: str) -> Json:
        rows = self._store.rows("SELECT text FROM shared WHERE digest=?", name)
        if not rows:
            raise bad_row(self._store.path, f"shared, {name} is missing")
        text = rows[0][0]
        if name_of(text) != name:
            raise bad_row(self._store.path, f"shared, {name} is not what was written")
        return self.hold(name, text)

    def hold(self, name: str, text: str) -> Json:
        """Have a text at hand; what it says."""
        if len(self) >= MOST_SHARED:
            self.clear()
        self[name] = self._store.bodies.parsed(f"shared, {name}", text)
        return self[name]
