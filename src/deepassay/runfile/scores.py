"""The outcomes of a run file: kept, counted, and read with those passed over that cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import fields

from deepassay.runfile.rows import Body, End, StoredScore
from deepassay.runfile.store import Store
from deepassay.score import Json, ReportKey


class Scores:
    """What `RunFile` has of outcomes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_task = False

    def count_scores(self) -> int:
        """How many outcomes there are. Each is seen; of damaged ones see `Store.forgetting`."""
        count = 0
        for key, *body in self._store.each("SELECT key, body, sha256 FROM scores"):
            with self._store.forgetting("scores", key):
                self._store.glance("score", f"score {key[:12]}", *body)
                count += 1
        return count

    def end(self, key: str) -> End | None:
        """How the case with this key ended, if it came to an end."""
        for cause, mark in self._store.rows("SELECT cause, open FROM scores WHERE key=?", key):
            return End(cause, mark == 1, mark > 0)
        return None

    def unscored(self) -> Iterator[tuple[str, dict[str, Json]]]:
        """The outcomes that are no scores, each after its task."""
        sql = "SELECT key, body, sha256 FROM scores WHERE cause IS NOT NULL ORDER BY key"
        for key, *body in self._store.each(sql):
            with self._store.passing():
                kept = self._store.body("score", f"score {key[:12]}", *body)
                yield kept["task"], kept["outcome"]

    async def keep_score(self, score: StoredScore) -> None:
        """Keep an outcome; one that is open gives way to a later one, others to nothing."""
        row = [score.key, score.protocol, score.agent, score.task, score.sample, score.repeat]
        sql = (
            "INSERT INTO scores VALUES(?,?,?,?,?,?,?,?,?,?) ON CONFLICT(key) DO UPDATE SET "
            "cause=excluded.cause, open=excluded.open, body=excluded.body, "
            "sha256=excluded.sha256 WHERE scores.open"
        )
        end = score.end
        await self._store.write_later([(sql, [*row, end.cause, end.mark, Body(vars(score))])])

    def score_counts(self) -> Iterator[tuple[str, str, int, int, int]]:
        """Of each protocol and agent, how many outcomes, how many scores, at how many places."""
        yield from self._store.each(
            "SELECT protocol, agent, count(*), count(*) - count(cause), "
            "count(DISTINCT json_array(task, sample, repeat)) FROM scores GROUP BY protocol, agent"
        )

    def without_report(self) -> list[ReportKey]:
        """Reports that have a score and are not there themselves."""
        sql = (
            "SELECT agent, task, sample FROM scores WHERE cause IS NULL "
            "EXCEPT SELECT agent, task, sample FROM reports ORDER BY 1, 2, 3"
        )
        return self._store.rows(sql)

    def scores(self, protocol: str | None = None) -> Iterator[StoredScore]:
        """All outcomes, or those of a protocol: by protocol, agent, task, sample and repeat."""
        for content in self.score_bodies(protocol):
            with self.passing():
                yield self.score(content)

    def score(self, content: bytes) -> StoredScore:
        """The outcome in one of `score_bodies`. Raises BadRow for what is none."""
        kept = self._store.checked("score", "a score", content)
        return StoredScore(**{each.name: kept[each.name] for each in fields(StoredScore)})

    def passing(self) -> AbstractContextManager[None]:
        """Pass over what raises BadRow, with a word about it."""
        return self._store.passing()

    @property
    def passed_over(self) -> int:
        """How many times that was done."""
        return self._store.passed_over

    def scores_of(self, task: str) -> Iterator[StoredScore]:
        """The outcomes of one task, in the same order."""
        if not self._by_task:
            self._store.rows("CREATE TEMP TABLE of_task(task, place, PRIMARY KEY(task, place))")
            self._store.rows("INSERT INTO of_task SELECT task, rowid FROM scores")
            self._by_task = True
        sql = (
            "SELECT key, body, sha256 FROM of_task JOIN scores ON scores.rowid=place "
            "WHERE of_task.task=? ORDER BY protocol, agent, sample, repeat"
        )
        for key, *body in self._store.each(sql, task):
            with self.passing():
                yield self.score(self._store.bodies.unpack_bytes(f"score {key[:12]}", *body))

    def score_bodies(self, protocol: str | None = None, *agents: str) -> Iterator[bytes]:
        """The JSON of the same outcomes, as they are kept. agents: of these, if any is named."""
        of = f"AND agent IN ({','.join('?' * len(agents))}) " if agents else ""
        sql = (
            f"SELECT key, body, sha256 FROM scores WHERE protocol=coalesce(?, protocol) {of}"
            "ORDER BY protocol, agent, task, sample, repeat"
        )
        for key, *body in self._store.each(sql, protocol, *agents):
            with self.passing():
                yield self._store.bodies.unpack_bytes(f"score {key[:12]}", *body)
